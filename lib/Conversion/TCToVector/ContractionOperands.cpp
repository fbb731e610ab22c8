//===- ContractionOperands.cpp - Operands of a contraction's tiles --------===//

#include "ContractionOperands.h"
#include "CPUFrame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

Type tc::getPackedElement(const ContractionPlan &plan) {
  Type result = ContractStageOp(plan.roles.stage).getResult().getType();
  return plan.pair == 2 ? IntegerType::get(result.getContext(), 16)
                        : getComputeType(result);
}

Type tc::getPanelElement(const ContractionPlan &plan) {
  return !plan.packsPanels() || plan.keepsElements(plan.roles.panel)
             ? getStorageType(plan.roles.panel.getType())
             : getPackedElement(plan);
}

Type tc::getRowElement(const ContractionPlan &plan) {
  return plan.inPlaceRowStride || plan.keepsElements(plan.roles.rowOperand)
             ? getStorageType(plan.roles.rowOperand.getType())
             : getPackedElement(plan);
}

/// Sets what a tile fetches of the panel after its own, or of points ahead.
static void setFetched(const ContractionPlan &plan, TileLayout &layout) {
  int64_t pointBytes = plan.panelStride() * plan.getPanelBytes();
  if (plan.fetchParts > 0 && plan.sumsVectors()) {
    layout.fetchedLanes = llvm::divideCeil(plan.tile.lanes, plan.fetchParts);
  } else if (plan.fetchParts > 0) {
    layout.fetchedBytes = layout.fetchedStride =
        llvm::divideCeil(pointBytes, plan.fetchParts);
  } else if (plan.fetchPoints > 0) {
    layout.fetchedBytes = plan.tile.lanes * plan.getPanelBytes();
    layout.fetchedStride = pointBytes;
  }
}

TileLayout tc::getTileLayout(const ContractionPlan &plan, int64_t rows) {
  TileLayout layout;
  layout.rows = rows;
  layout.lanes = plan.tile.lanes;
  layout.width = plan.width;
  layout.pair = plan.pair;
  layout.accumulator =
      getComputeType(ContractStageOp(plan.roles.stage).getResult().getType());
  layout.row = {getRowElement(plan), plan.roles.rowOperand.getType(),
                plan.rowStride()};
  layout.panel = {getPanelElement(plan), plan.roles.panel.getType(),
                  plan.panelStride()};
  layout.accumulatorStride = plan.accumulatorStride();
  layout.mayEndInHalfPair = plan.mayEndInHalfPair;
  layout.isWholeVectors = plan.isWholeVectors();
  setFetched(plan, layout);
  return layout;
}

static PackedOperand getPacked(const ContractionPlan &plan, Value operand) {
  PackedOperand packed;
  packed.operand = operand;
  packed.reduced = plan.roles.reduced;
  packed.width = plan.width;
  packed.pair = plan.pair;
  packed.isWholeVectors = plan.isWholeVectors();
  return packed;
}

PackedOperand tc::getPackedRows(const ContractionPlan &plan) {
  PackedOperand packed = getPacked(plan, plan.roles.rowOperand);
  packed.element = getRowElement(plan);
  packed.dims = plan.roles.rows;
  packed.stride = plan.rowStride();
  packed.packsAcross = plan.packsRowsAcross;
  return packed;
}

PackedOperand tc::getPackedPanel(const ContractionPlan &plan) {
  PackedOperand packed = getPacked(plan, plan.roles.panel);
  packed.element = getPanelElement(plan);
  packed.dims = plan.roles.lanes;
  packed.stride = plan.panelStride();
  packed.lanes = plan.tile.lanes;
  packed.storesMasked = plan.storesMasked;
  packed.packsAcross = plan.packsAcross;
  return packed;
}

/// The address of element `offset` of the stored elements `element` from the
/// point of `operand`, a read, on whose indices in `dims` and in the reduced
/// dimensions are 0.
static Value pointerFrom(KernelFrame &frame, const ContractionPlan &plan,
                         Scope &scope, Value operand, ArrayRef<unsigned> dims,
                         Type element, Value offset) {
  Scope first(scope);
  for (unsigned dim : llvm::concat<const unsigned>(dims, plan.roles.reduced))
    first.bind(dim, frame.constant(0));
  Value start = PointEmitter(frame, std::nullopt, 1)
                    .access.pointerTo(operand.getDefiningOp<ReadOp>(), first);
  return LLVM::GEPOp::create(frame.builder, frame.loc, start.getType(), element,
                             start, ValueRange{offset});
}

Value tc::pointerToRow(KernelFrame &frame, const ContractionPlan &plan,
                       Scope &scope, Value row, ReducedBlock block) {
  Value offset =
      frame.add(frame.mul(row, frame.constant(plan.rowStride())),
                frame.mul(block.low, frame.constant(plan.innerPoints)));
  return pointerFrom(frame, plan, scope, plan.roles.rowOperand, plan.roles.rows,
                     getRowElement(plan), offset);
}

Value tc::pointerToLane(KernelFrame &frame, const ContractionPlan &plan,
                        Scope &scope, Value lane, ReducedBlock block) {
  Value point = frame.mul(block.low, frame.constant(plan.innerPoints)),
        &strided = plan.sumsVectors() ? lane : point;
  strided = frame.mul(strided, frame.constant(plan.panelStride()));
  return pointerFrom(frame, plan, scope, plan.roles.panel, plan.roles.lanes,
                     getPanelElement(plan), frame.add(point, lane));
}
