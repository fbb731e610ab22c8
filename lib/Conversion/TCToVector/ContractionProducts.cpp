//===- ContractionProducts.cpp - Sums of a register tile ------------------===//

#include "ContractionProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

Type tc::getPackedElement(const ContractionPlan &plan) {
  Type result = ContractStageOp(plan.roles.stage).getResult().getType();
  return plan.pair == 2 ? IntegerType::get(result.getContext(), 16)
                        : getComputeType(result);
}

Type tc::getPanelElement(const ContractionPlan &plan) {
  return plan.isPackedAhead || plan.keepsElements(plan.roles.panel)
             ? getStorageType(plan.roles.panel.getType())
             : getPackedElement(plan);
}

Type tc::getRowElement(const ContractionPlan &plan) {
  return plan.rowsApart || plan.keepsElements(plan.roles.rowOperand)
             ? getStorageType(plan.roles.rowOperand.getType())
             : getPackedElement(plan);
}

namespace {
class VectorProducts {
public:
  VectorProducts(KernelFrame &frame, const ContractionPlan &plan, int64_t rows)
      : frame(frame), plan(plan), builder(frame.builder), loc(frame.loc),
        compute(getComputeType(
            ContractStageOp(plan.roles.stage).getResult().getType())),
        vectorType(VectorType::get({plan.width}, compute)), rows(rows),
        vectors(plan.tile.lanes / plan.width) {}

  /// Sums over `points`, row by row.
  SmallVector<Value> emit(TileOperands operands, Value points);
  /// `sums` with the sums that are there, unless `isFirst` holds.
  SmallVector<Value> addTo(Value start, ArrayRef<Value> sums, Value isFirst);
  void store(Value start, ArrayRef<Value> sums);

private:
  Value elementAt(Value pointer, Type element, int64_t index) {
    return LLVM::GEPOp::create(
        builder, loc, pointer.getType(), element, pointer,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
  }
  Value advance(Value pointer, Type element, Value count) {
    return LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                               pointer, ValueRange{count});
  }
  /// Where the sum of number `index` lies.
  Value sumAt(Value start, size_t index) {
    return elementAt(start, compute,
                     index / vectors * plan.sumStride() +
                         index % vectors * plan.width);
  }
  /// `sums` and the products of the points [low, high), whole pairs of them or
  /// a half one.
  SmallVector<Value> addPoints(TileOperands operands, Value low, Value high,
                               ArrayRef<Value> sums, bool areHalves);
  Value loadPanel(Value pointer, int64_t vector);
  Value loadFactor(Value pointer, int64_t row, bool isHalf);
  Value multiplyAdd(Value factor, Value vector, Value sum);

  KernelFrame &frame;
  const ContractionPlan &plan;
  vectormath::VectorMathBuilder &builder;
  Location loc;
  Type compute;
  VectorType vectorType;
  int64_t rows, vectors; ///< vectors: registers of a row
};
} // namespace

Value VectorProducts::loadPanel(Value pointer, int64_t vector) {
  Type element =
      plan.pair == 2 ? Type(builder.getBF16Type()) : getPanelElement(plan);
  int64_t length = plan.pair * plan.width;
  Value loaded =
      LLVM::LoadOp::create(builder, loc, VectorType::get({length}, element),
                           elementAt(pointer, element, vector * length),
                           static_cast<unsigned>(getElementBytes(element)));
  return plan.pair == 2 || element == getPackedElement(plan)
             ? loaded
             : widen(frame, loaded, plan.roles.panel.getType());
}

/// One point (pair of points, of which a half one ends in 0) of a row, in all
/// lanes.
Value VectorProducts::loadFactor(Value pointer, int64_t row, bool isHalf) {
  Type element = getRowElement(plan),
       unit = plan.pair == 2 ? Type(builder.getI32Type()) : element;
  Value loaded =
      LLVM::LoadOp::create(builder, loc, isHalf ? element : unit,
                           elementAt(pointer, element, row * plan.rowStride()),
                           static_cast<unsigned>(getElementBytes(element)));
  if (isHalf)
    loaded = arith::ExtUIOp::create(builder, loc, unit, loaded);
  if (plan.pair == 1 && element != getPackedElement(plan)) {
    loaded = widen(frame, loaded, plan.roles.rowOperand.getType());
    unit = compute;
  }
  Value factor = vector::BroadcastOp::create(
      builder, loc, VectorType::get({plan.width}, unit), loaded);
  if (plan.pair == 1)
    return factor;
  return vector::BitCastOp::create(
      builder, loc, VectorType::get({2 * plan.width}, builder.getBF16Type()),
      factor);
}

Value VectorProducts::multiplyAdd(Value factor, Value vector, Value sum) {
  if (plan.pair == 1)
    return vectormath::emitMultiplyAdd(builder, loc, factor, vector, sum);
  return LLVM::CallIntrinsicOp::create(
             builder, loc, vectorType,
             builder.getStringAttr("llvm.x86.avx512bf16.dpbf16ps.512"),
             ValueRange{sum, factor, vector})
      .getResult(0);
}

SmallVector<Value> VectorProducts::addPoints(TileOperands operands, Value low,
                                             Value high, ArrayRef<Value> init,
                                             bool areHalves) {
  auto loop = scf::ForOp::create(builder, loc, low, high,
                                 frame.constant(plan.pair), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value point = loop.getInductionVar();
  Value panel = advance(operands.panel, getPanelElement(plan),
                        frame.mul(point, frame.constant(plan.panelStride())));
  Value factors = advance(operands.rows, getRowElement(plan), point);
  SmallVector<Value> lanes, sums;
  for (int64_t vector = 0; vector < vectors; ++vector)
    lanes.push_back(loadPanel(panel, vector));
  for (int64_t row = 0; row < rows; ++row) {
    Value factor = loadFactor(factors, row, areHalves);
    for (int64_t vector = 0; vector < vectors; ++vector)
      sums.push_back(
          multiplyAdd(factor, lanes[vector],
                      loop.getRegionIterArg(row * vectors + vector)));
  }
  scf::YieldOp::create(builder, loc, sums);
  return SmallVector<Value>(loop.getResults());
}

SmallVector<Value> VectorProducts::emit(TileOperands operands, Value points) {
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(vectorType));
  SmallVector<Value> sums(rows * vectors, zero);
  if (!plan.mayEndInHalfPair)
    return addPoints(operands, frame.constant(0), points, sums,
                     /*areHalves=*/false);
  Value whole =
      frame.sub(points, arith::RemUIOp::create(builder, loc, points,
                                               frame.constant(plan.pair)));
  sums = addPoints(operands, frame.constant(0), whole, sums,
                   /*areHalves=*/false);
  return addPoints(operands, whole, points, sums, /*areHalves=*/true);
}

SmallVector<Value> VectorProducts::addTo(Value start, ArrayRef<Value> sums,
                                         Value isFirst) {
  auto added = scf::IfOp::create(builder, loc, TypeRange(ValueRange(sums)),
                                 isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(added.thenBlock());
  scf::YieldOp::create(builder, loc, sums);
  builder.setInsertionPointToStart(added.elseBlock());
  SmallVector<Value> both;
  for (auto [index, sum] : llvm::enumerate(sums))
    both.push_back(arith::AddFOp::create(
        builder, loc,
        LLVM::LoadOp::create(builder, loc, vectorType, sumAt(start, index),
                             /*alignment=*/4),
        sum));
  scf::YieldOp::create(builder, loc, both);
  return SmallVector<Value>(added.getResults());
}

void VectorProducts::store(Value start, ArrayRef<Value> sums) {
  for (auto [index, sum] : llvm::enumerate(sums))
    LLVM::StoreOp::create(builder, loc, sum, sumAt(start, index),
                          /*alignment=*/4);
}

void tc::emitVectorProducts(KernelFrame &frame, const ContractionPlan &plan,
                            int64_t rows, TileOperands operands, Value points,
                            Value isFirst) {
  VectorProducts products(frame, plan, rows);
  SmallVector<Value> sums = products.emit(operands, points);
  if (isFirst)
    sums = products.addTo(operands.sums, sums, isFirst);
  products.store(operands.sums, sums);
}
