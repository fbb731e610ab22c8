//===- AttentionKernel.cpp - Contraction, softmax, contraction ------------===//
//
// One iteration is a block of query rows of one head. The keys are packed once
// an iteration, keys along the lanes. For each tile of rows: the scores of the
// whole row into a buffer, their exponentials in place, then the weighted sum
// of the values. Scores never leave the cache. A causal mask ends the row's
// loops at the diagonal.
//
//===----------------------------------------------------------------------===//

#include "KernelEmitters.h"
#include "Monoid.h"
#include "RegisterTile.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Lanes along the keys.
static constexpr int64_t kKeyLanes = 64;
/// Most elements of the packed keys, and of a tile's scores, on the stack.
static constexpr int64_t kMaxScratch = 1 << 18;
/// Query rows of one iteration when there are few heads.
static constexpr int64_t kRowBlock = 96;

namespace {
/// The parts of an attention kernel.
struct Parts {
  ContractStageOp scores, output;
  ReduceStageOp largest, sum;
  Value keys, queries, values; ///< operands of the contractions
  unsigned row, key, column;   ///< dimensions: query, key, value column
  SmallVector<unsigned> depth, batches;
  bool causal = false;
};

class AttentionEmitter {
public:
  AttentionEmitter(KernelFrame &frame, Parts parts);
  LaunchShape emit();

private:
  void emitPackedKeys(Scope &scope);
  void emitTile(Scope &scope, Value base, int64_t rows);
  void emitScores(Scope &scope, Value base, int64_t rows);
  void emitExponentials(Scope &scope, Value base, int64_t rows);
  void emitOutput(Scope &scope, Value base, int64_t rows);
  Value packedKeys(Scope &scope);
  Value element(Value buffer, Value offset);
  Value rowElement(Value buffer, Value row, Value key);

  KernelFrame &frame;
  Parts parts;
  int64_t keyCount, depthCount, rowLength, columnLanes, rows;
  PointEmitter byKey, bySoftmax, byColumn, epilogue;
  Value keyScratch, scoreScratch, tileScratch, largestScratch, sumScratch;
};
} // namespace

//===----------------------------------------------------------------------===//
// Recognition
//===----------------------------------------------------------------------===//

static Value withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  return value;
}

static std::optional<unsigned> onlyDim(const DimSet &dims) {
  return dims.count() == 1 ? std::optional<unsigned>(dims.find_first())
                           : std::nullopt;
}

/// Whether scores of keys after the row are minus infinity: a select between
/// the score and -inf by `row - key >= 0` on the way to the maximum.
static bool isCausal(Parts parts, unsigned rank) {
  Value value = parts.largest.getValue();
  auto select = value.getDefiningOp<SelectOp>();
  auto within =
      select ? select.getCondition().getDefiningOp<WithinOp>() : nullptr;
  auto lowest = select ? select.getY().getDefiningOp<ScalarOp>() : nullptr;
  if (!within || !lowest || within.getSet().getNumConstraints() != 1 ||
      within.getSet().isEq(0))
    return false;
  auto number = dyn_cast<FloatAttr>(lowest.getValue());
  MLIRContext *context = select.getContext();
  AffineExpr diagonal = getAffineDimExpr(parts.row, context) -
                        getAffineDimExpr(parts.key, context);
  AffineExpr difference =
      simplifyAffineExpr(within.getSet().getConstraint(0) - diagonal, rank, 0);
  return number && number.getValue().isInfinity() &&
         number.getValue().isNegative() &&
         difference == getAffineConstantExpr(0, context);
}

static std::optional<Parts> findParts(KernelFrame &frame) {
  Parts parts;
  for (Operation &op : frame.kernel.getBodyBlock()) {
    if (auto contract = dyn_cast<ContractStageOp>(op))
      (parts.scores ? parts.output : parts.scores) = contract;
    if (auto reduce = dyn_cast<ReduceStageOp>(op))
      (parts.largest ? parts.sum : parts.largest) = reduce;
  }
  if (!parts.output || !parts.sum ||
      parts.largest.getKind() != ReductionKind::Max ||
      parts.sum.getKind() != ReductionKind::Sum ||
      parts.output.getOver() != parts.sum.getOver() ||
      parts.largest.getOver() != parts.sum.getOver() ||
      parts.sum.getOver().size() != 1)
    return std::nullopt;
  parts.key = parts.sum.getOver().front();
  for (int64_t dim : parts.scores.getOver())
    parts.depth.push_back(dim);
  llvm::sort(parts.depth);
  parts.values = parts.output.getRhs();
  if (withoutCasts(parts.output.getLhs()) != withoutCasts(parts.sum.getValue()))
    return std::nullopt;
  bool keysAreRight = frame.dims.of(parts.scores.getRhs()).test(parts.key);
  parts.keys = keysAreRight ? parts.scores.getRhs() : parts.scores.getLhs();
  parts.queries = keysAreRight ? parts.scores.getLhs() : parts.scores.getRhs();
  if (frame.dims.of(parts.queries).test(parts.key))
    return std::nullopt;

  DimSet result = frame.dims.of(parts.output.getResult()),
         scored = frame.dims.of(parts.scores.getResult());
  DimSet column = result, rows = scored;
  column.reset(scored);
  rows &= result;
  rows.reset(frame.dims.of(parts.keys));
  rows.reset(frame.dims.of(parts.values));
  if (!onlyDim(column) || !onlyDim(rows))
    return std::nullopt;
  parts.column = *onlyDim(column);
  parts.row = *onlyDim(rows);
  for (unsigned dim : result.set_bits())
    if (dim != parts.row && dim != parts.column)
      parts.batches.push_back(dim);
  for (auto write : frame.kernel.getBodyBlock().getOps<WriteOp>())
    if (getWriteDims(frame, write) != result)
      return std::nullopt;
  parts.causal = isCausal(parts, frame.kernel.getNumDims());
  return parts;
}

static int64_t getPaddedKeys(int64_t keys) {
  return llvm::divideCeil(keys, kKeyLanes) * kKeyLanes;
}

bool tc::isTiledAttention(KernelFrame &frame) {
  auto parts = findParts(frame);
  if (!parts ||
      !isa<Float32Type>(getComputeType(parts->scores.getResult().getType())))
    return false;
  auto keys = frame.kernel.getDimSize(parts->key).getConstant();
  int64_t depth = 1;
  for (unsigned dim : parts->depth)
    depth *= frame.kernel.getDimSize(dim).getConstant().value_or(kMaxScratch);
  return keys &&
         getPaddedKeys(*keys) *
                 std::max<int64_t>(depth, getTileRows(kKeyLanes)) <=
             kMaxScratch &&
         frame.kernel.getDimSize(parts->column).isConstant();
}

//===----------------------------------------------------------------------===//
// Emission
//===----------------------------------------------------------------------===//

static int64_t getColumnLanes(KernelFrame &frame, unsigned column) {
  int64_t size = *frame.kernel.getDimSize(column).getConstant();
  return std::min<int64_t>(
      kKeyLanes, llvm::PowerOf2Ceil(std::max<int64_t>(size, kRegisterLanes)));
}

AttentionEmitter::AttentionEmitter(KernelFrame &frame, Parts parts)
    : frame(frame), parts(parts),
      keyCount(*frame.kernel.getDimSize(parts.key).getConstant()),
      depthCount(1), rowLength(getPaddedKeys(keyCount)),
      columnLanes(getColumnLanes(frame, parts.column)),
      rows(getTileRows(kKeyLanes)), byKey(frame, parts.key, kKeyLanes),
      bySoftmax(frame, parts.key, kEpilogueLanes),
      byColumn(frame, parts.column, columnLanes),
      epilogue(frame, parts.column, std::min(columnLanes, kEpilogueLanes)) {
  for (unsigned dim : parts.depth)
    depthCount *= *frame.kernel.getDimSize(dim).getConstant();
  Type f32 = frame.builder.getF32Type();
  keyScratch = frame.allocateScratch(f32, rowLength * depthCount);
  scoreScratch = frame.allocateScratch(f32, rows * rowLength);
  tileScratch =
      frame.allocateScratch(f32, rows * std::max(columnLanes, kKeyLanes));
  largestScratch = frame.allocateScratch(f32, rows);
  sumScratch = frame.allocateScratch(f32, rows);
}

Value AttentionEmitter::element(Value buffer, Value offset) {
  return LLVM::GEPOp::create(frame.builder, frame.loc, buffer.getType(),
                             frame.builder.getF32Type(), buffer,
                             ValueRange{offset});
}

Value AttentionEmitter::rowElement(Value buffer, Value row, Value key) {
  return element(buffer,
                 frame.add(frame.mul(row, frame.constant(rowLength)), key));
}

/// Where the lanes of keys at the scope's depth lie: [key block][depth][lane].
Value AttentionEmitter::packedKeys(Scope &scope) {
  Value position = frame.constant(0);
  for (unsigned dim : parts.depth)
    position =
        frame.add(frame.mul(position, frame.dimSize(dim)), scope.indices[dim]);
  Value block = frame.mul(scope.indices[parts.key], frame.constant(depthCount));
  return element(
      keyScratch,
      frame.add(block, frame.mul(position, frame.constant(kKeyLanes))));
}

void AttentionEmitter::emitPackedKeys(Scope &scope) {
  PointEmitter reader(frame, parts.key, kKeyLanes);
  reader.emitLoop(scope, parts.key, {}, [&](Scope &lanes, ValueRange) {
    reader.emitLoops(lanes, parts.depth, {}, [&](Scope &inner, ValueRange) {
      LLVM::StoreOp::create(frame.builder, frame.loc,
                            reader.emitVector(parts.keys, inner),
                            packedKeys(inner),
                            /*alignment=*/64);
      return SmallVector<Value>();
    });
    return SmallVector<Value>();
  });
}

/// Scores of the tile's rows, as the contraction gives them.
void AttentionEmitter::emitScores(Scope &scope, Value base, int64_t tileRows) {
  RegisterTile tile{parts.scores.getResult(), parts.row, parts.key, kKeyLanes,
                    tileScratch};
  Type vector = VectorType::get({kKeyLanes}, frame.builder.getF32Type());
  byKey.emitLoop(scope, parts.key, {}, [&](Scope &lanes, ValueRange) {
    SmallVector<Value> accumulators = tile.accumulate(
        byKey, lanes, parts.depth, base, tileRows,
        [&](Scope &inner) -> Value {
          return LLVM::LoadOp::create(frame.builder, frame.loc, vector,
                                      packedKeys(inner), /*alignment=*/64);
        },
        [&](Scope &row, int64_t) {
          return byKey.emitVector(parts.queries, row);
        });
    for (auto [row, accumulator] : llvm::enumerate(accumulators))
      LLVM::StoreOp::create(frame.builder, frame.loc, accumulator,
                            rowElement(scoreScratch, frame.constant(row),
                                       lanes.indices[parts.key]),
                            /*alignment=*/64);
    return SmallVector<Value>();
  });
}

/// Each row's maximum, exponentials (in place of the scores) and their sum.
void AttentionEmitter::emitExponentials(Scope &scope, Value base,
                                        int64_t tileRows) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  auto loop = scf::ForOp::create(builder, loc, frame.constant(0),
                                 frame.constant(tileRows), frame.constant(1));
  OpBuilder::InsertionGuard guard(builder);
  Operation *previous = scope.openLoop;
  scope.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Value number = loop.getInductionVar();
  Scope row(scope);
  row.bind(parts.row, frame.add(base, number));
  bySoftmax.provide(parts.scores.getResult(), [&](Scope &inner) -> Value {
    Type type = VectorType::get({inner.lanes->count}, builder.getF32Type());
    return LLVM::LoadOp::create(
        builder, loc, type,
        rowElement(scoreScratch, number, inner.indices[parts.key]),
        /*alignment=*/4);
  });
  Value largest = bySoftmax.emit(parts.largest.getResult(0), row);
  LLVM::StoreOp::create(builder, loc, largest, element(largestScratch, number));
  Type type = VectorType::get({kEpilogueLanes}, builder.getF32Type());
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Value> sums = bySoftmax.emitLoop(
      row, parts.key, zero,
      [&](Scope &inner, ValueRange carried) -> SmallVector<Value> {
        Value weight = bySoftmax.emitVector(parts.sum.getValue(), inner);
        if (Value mask = inner.lanes->mask)
          weight = arith::SelectOp::create(builder, loc, mask, weight, zero);
        LLVM::StoreOp::create(
            builder, loc, weight,
            rowElement(scoreScratch, number, inner.indices[parts.key]),
            /*alignment=*/4);
        return {arith::AddFOp::create(builder, loc, carried[0], weight)};
      });
  Monoid addition(ReductionKind::Sum, builder.getF32Type());
  sums = foldLanes(builder, loc, addition, sums);
  LLVM::StoreOp::create(builder, loc, sums[0], element(sumScratch, number));
  scope.openLoop = previous;
}

/// The weighted sum of the values, and the kernel's writes.
void AttentionEmitter::emitOutput(Scope &scope, Value base, int64_t tileRows) {
  auto &builder = frame.builder;
  RegisterTile tile{parts.output.getResult(), parts.row, parts.column,
                    columnLanes, tileScratch};
  Type f32 = builder.getF32Type(), vector = VectorType::get({columnLanes}, f32);
  byColumn.emitLoop(scope, parts.column, {}, [&](Scope &lanes, ValueRange) {
    SmallVector<Value> accumulators = tile.accumulate(
        byColumn, lanes, {parts.key}, base, tileRows,
        [&](Scope &inner) { return byColumn.emitVector(parts.values, inner); },
        [&](Scope &point, int64_t row) -> Value {
          Value address = rowElement(scoreScratch, frame.constant(row),
                                     point.indices[parts.key]);
          Value weight = LLVM::LoadOp::create(builder, frame.loc, f32, address,
                                              /*alignment=*/4);
          return vector::BroadcastOp::create(builder, frame.loc, vector,
                                             weight);
        });
    tile.emitEpilogue(epilogue, lanes, base, tileRows, accumulators,
                      [&](Scope &row, Value number) {
                        auto load = [&](Value scratch) -> Value {
                          return LLVM::LoadOp::create(builder, frame.loc, f32,
                                                      element(scratch, number),
                                                      /*alignment=*/4);
                        };
                        row.values[parts.sum.getResult(0)] = load(sumScratch);
                        row.values[parts.largest.getResult(0)] =
                            load(largestScratch);
                      });
    return SmallVector<Value>();
  });
}

void AttentionEmitter::emitTile(Scope &scope, Value base, int64_t tileRows) {
  if (parts.causal) {
    Value end = arith::MinSIOp::create(
        frame.builder, frame.loc, frame.add(base, frame.constant(tileRows)),
        frame.constant(keyCount));
    for (PointEmitter *emitter : {&byKey, &bySoftmax, &byColumn})
      emitter->limit(parts.key, end);
  }
  emitScores(scope, base, tileRows);
  emitExponentials(scope, base, tileRows);
  emitOutput(scope, base, tileRows);
}

LaunchShape AttentionEmitter::emit() {
  auto &builder = frame.builder;
  MLIRContext *context = frame.kernel.getContext();
  LaunchShape shape;
  shape.count = SizeExpr::constant(context, 1);
  for (unsigned dim : parts.batches)
    shape.count = shape.count.mul(frame.kernel.getDimSize(dim));
  SizeExpr rowCount = frame.kernel.getDimSize(parts.row),
           blocks = SizeExpr::constant(context, 1);
  if (!shape.count.isConstant() || shape.count.getValue() < 32)
    blocks = rowCount.ceilDiv(SizeExpr::constant(context, kRowBlock));
  shape.count = shape.count.mul(blocks);

  Scope root(frame);
  auto loop = scf::ForOp::create(builder, frame.loc, frame.begin, frame.end,
                                 frame.constant(1));
  root.openLoop = loop;
  builder.setInsertionPoint(loop.getBody()->getTerminator());
  Scope scope(root);
  Value iteration = loop.getInductionVar(), low = frame.constant(0),
        high = frame.dimSize(parts.row);
  if (!blocks.isConstant(1)) {
    Value size = frame.size(blocks);
    Value quotient =
        arith::DivUIOp::create(builder, frame.loc, iteration, size);
    low = frame.mul(frame.sub(iteration, frame.mul(quotient, size)),
                    frame.constant(kRowBlock));
    high = arith::MinSIOp::create(
        builder, frame.loc, frame.add(low, frame.constant(kRowBlock)), high);
    iteration = quotient;
  }
  bindDigits(frame, scope, parts.batches, iteration);
  emitPackedKeys(scope);
  emitRowTiles(frame, scope, low, high, rows,
               [&](Scope &inner, Value base, int64_t tileRows) {
                 emitTile(inner, base, tileRows);
               });
  return shape;
}

LaunchShape tc::emitAttentionKernel(KernelFrame &frame) {
  return AttentionEmitter(frame, *findParts(frame)).emit();
}
