//===- KeptValues.cpp - Values of a row that several loops need -----------===//
//
// A value that several loops of one iteration need is computed once and kept in
// a buffer on the stack. Along the vector dimension the first loop that
// computes it stores it on the way. Along any other dimension, and where the
// loops that need it run inside of another, a loop of its own fills the buffer
// ahead; what then follows finds the values next to each other and runs on
// lanes.
//
//===----------------------------------------------------------------------===//

#include "PointEmitter.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

static bool isStage(Operation *op) {
  return isa<ReduceStageOp, ContractStageOp>(op);
}

/// Values that `root` is computed from in the same loop, and the stages that
/// the loop needs results of.
static void collectLoopValues(Value root,
                              llvm::SmallPtrSetImpl<Operation *> &values) {
  Operation *op = root.getDefiningOp();
  if (!op || !values.insert(op).second || isStage(op))
    return;
  for (Value operand : op->getOperands())
    collectLoopValues(operand, values);
}

namespace {
/// Finds what to keep among the values of a kernel.
class KeptValueFinder {
public:
  KeptValueFinder(PointEmitter &emitter, const DimSet &open, int64_t mostPoints,
                  int64_t leastWeight)
      : emitter(emitter), frame(emitter.frame), open(open),
        mostPoints(mostPoints), leastWeight(leastWeight) {}

  void run() {
    for (Operation &op : frame.kernel.getBodyBlock())
      if (isStage(&op) || isa<WriteOp>(op))
        addLoop(&op);
    for (auto [op, loops] : uses)
      consider(op, loops);
  }

private:
  /// The open dimensions of the loops that compute `op`, a stage or a write.
  /// What a stage folds and a write goes along is a loop, around the others or
  /// without iterations, also where all operands are the same along it.
  DimSet getLoopDims(Operation *op) {
    DimSet dims(frame.kernel.getNumDims());
    if (auto write = dyn_cast<WriteOp>(op))
      dims = frame.dims.ofWrite(write);
    else
      for (int64_t dim : getFoldedDims(op))
        dims.set(dim);
    for (Value operand : op->getOperands())
      dims |= frame.dims.of(operand);
    dims &= open;
    return dims;
  }

  void addLoop(Operation *loop) {
    llvm::SmallPtrSet<Operation *, 16> values;
    for (Value operand : loop->getOperands())
      collectLoopValues(operand, values);
    for (Operation &candidate : frame.kernel.getBodyBlock())
      if (values.contains(&candidate) && candidate.getNumResults() == 1)
        uses[&candidate].push_back(loop);
  }

  void consider(Operation *op, ArrayRef<Operation *> loops);

  PointEmitter &emitter;
  KernelFrame &frame;
  DimSet open;
  int64_t mostPoints, leastWeight;
  llvm::MapVector<Operation *, SmallVector<Operation *, 2>> uses;
};
} // namespace

void KeptValueFinder::consider(Operation *op, ArrayRef<Operation *> loops) {
  DimSet dims = frame.dims.of(op->getResult(0));
  dims &= open;
  if (dims.count() != 1)
    return;
  unsigned dim = dims.find_first();
  auto size = frame.kernel.getDimSize(dim).getConstant();
  if (!size || *size > mostPoints)
    return;
  // Computed in a loop inside of others, along which it is the same.
  bool isRepeated = llvm::any_of(loops, [&](Operation *loop) {
    SmallVector<unsigned> nest = emitter.loopOrder(getLoopDims(loop));
    return !nest.empty() && nest.front() != dim;
  });
  // Buffers have a byte for each element at least, vectors of truths a bit.
  bool isComputed =
      !isa<ReadOp, DimIndexOp>(op) && !op->getResult(0).getType().isInteger(1);
  auto isWorthKeeping = [&](double least) {
    return isStage(op) || (isComputed && getOperationWeight(op) >= least);
  };
  constexpr double kPartWhereRepeated = 0.2;
  if (isRepeated && isWorthKeeping(kPartWhereRepeated * double(leastWeight)))
    emitter.kept.keepInBuffer(op->getResult(0), dim, /*ahead=*/true);
  else if (loops.size() > 1 && isWorthKeeping(double(leastWeight)))
    emitter.kept.keepInBuffer(op->getResult(0), dim,
                              /*ahead=*/dim != emitter.vectorDim);
}

void tc::keepSharedValues(PointEmitter &emitter, const DimSet &open,
                          int64_t mostPoints, int64_t leastWeight) {
  // What is scanned is there only while its loop runs.
  if (getScannedDims(emitter.frame.kernel).any())
    return;
  KeptValueFinder(emitter, open, mostPoints, leastWeight).run();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

KeptValues::KeptValues(PointEmitter &points)
    : points(points), frame(points.frame) {}

bool KeptValues::isInIteration(const Scope &scope) const {
  const Scope *outer = &scope;
  while (outer && outer != iteration)
    outer = outer->parent;
  return iteration && outer;
}

bool KeptValues::isHeld(Value value, const Scope &scope) const {
  Buffer buffer = buffered.lookup(value);
  // Folds that are the same in all iterations run before the first of them,
  // and what a loop of an iteration fills is not there yet.
  if (!buffer.ahead && !isInIteration(scope))
    return false;
  DimSet others = frame.dims.of(value);
  others.reset(buffer.dim);
  return llvm::all_of(others.set_bits(), [&](unsigned dim) {
    return iteration && scope.indices[dim] == iteration->indices[dim];
  });
}

void KeptValues::markFilled(Scope &scope, unsigned dim) {
  for (auto &[value, buffer] : buffered)
    if (buffer.filling == &scope && buffer.dim == dim) {
      buffer.filled = true;
      buffer.filling = nullptr;
    }
}

/// What a buffer has a value of this type in: truths in bytes, since lanes of
/// them would be bits in memory, which loops that keep one at a time have not.
static Type getKeptType(Type type) {
  return type.isInteger(1) ? getStorageType(type) : getComputeType(type);
}

/// Of `kept` of a type as in getKeptType(); so much may be assumed of any
/// element of a buffer.
static unsigned getKeptAlignment(Type kept) {
  return kept.getIntOrFloatBitWidth() / 8;
}

Value KeptValues::bufferAddress(Value value, Scope &scope) {
  Buffer &buffer = buffered[value];
  Type element = getKeptType(value.getType());
  if (!buffer.pointer) {
    int64_t size = *frame.kernel.getDimSize(buffer.dim).getConstant();
    // The last vector may reach beyond the row.
    buffer.pointer =
        frame.allocateScratch(element, llvm::alignTo(size, points.laneCount));
  }
  return LLVM::GEPOp::create(frame.builder, frame.loc, buffer.pointer.getType(),
                             element, buffer.pointer,
                             ValueRange{scope.indices[buffer.dim]});
}

void KeptValues::store(Value value, Value computed, Scope &scope) {
  if (value.getType().isInteger(1))
    computed = narrow(frame, computed, value.getType());
  LLVM::StoreOp::create(frame.builder, frame.loc, computed,
                        bufferAddress(value, scope),
                        getKeptAlignment(getKeptType(value.getType())));
}

Value KeptValues::load(Value value, int64_t lanes, Scope &scope) {
  Type type = getKeptType(value.getType());
  Value kept =
      LLVM::LoadOp::create(frame.builder, frame.loc, getLaneType(type, lanes),
                           bufferAddress(value, scope), getKeptAlignment(type));
  return value.getType().isInteger(1) ? widen(frame, kept, value.getType())
                                      : kept;
}

/// Computes all of `value` in a loop as far out as it may be.
void KeptValues::fillAhead(Value value, Scope &scope) {
  unsigned dim = buffered[value].dim;
  DimSet outer = frame.dims.of(value);
  outer.reset(dim);
  Scope *place = &scope;
  while (place->parent && !outer.test(place->parent->bound))
    place = place->parent;
  OpBuilder::InsertionGuard guard(frame.builder);
  moveInto(frame, *place);
  LanesAlong lanes(points, lanesInstead(*place, dim, value, value));
  points.emitLoop(*place, dim, {}, [&](Scope &inner, ValueRange) {
    Value computed = points.compute(value, inner);
    if (inner.lanes && inner.lanes->dim == dim)
      computed = broadcast(frame, computed, inner.lanes->count);
    store(value, computed, inner);
    return SmallVector<Value>();
  });
  buffered[value].filled = true;
}

Value KeptValues::emit(Value value, Scope &scope) {
  Buffer &buffer = buffered[value];
  bool onLanes = scope.lanes && scope.lanes->dim == buffer.dim;
  if (!isHeld(value, scope) || (!buffer.ahead && !onLanes))
    return points.compute(value, scope);
  if (buffer.ahead && !buffer.filled)
    fillAhead(value, scope);
  if (!buffer.filled) {
    Value computed =
        broadcast(frame, points.compute(value, scope), scope.lanes->count);
    store(value, computed, scope);
    Scope *around = scope.parent;
    buffer.filling = around->blockOf ? around->blockOf : around;
    return computed;
  }
  return load(value, onLanes ? scope.lanes->count : 1, scope);
}

//===----------------------------------------------------------------------===//
// Lanes along another dimension
//===----------------------------------------------------------------------===//

std::optional<unsigned> KeptValues::lanesInstead(const Scope &scope,
                                                 unsigned dim, ValueRange roots,
                                                 Value filled) {
  if (!points.scheduledDim || dim == *points.scheduledDim ||
      points.laneCount == 1)
    return std::nullopt;
  bool usesBuffer = false;
  SmallVector<Value> pending(roots);
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || !frame.dims.of(value).test(dim) || !seen.insert(op).second)
      continue;
    if (auto known = buffered.find(value);
        known != buffered.end() && known->second.dim == dim &&
        value != filled && isHeld(value, scope)) {
      usesBuffer = true;
      continue;
    }
    if (auto read = dyn_cast<ReadOp>(op)) {
      auto type = cast<ShapedType>(read.getSource().getType());
      auto stride = getElementStride(type, read.getMap(), dim);
      if (!stride || !stride->isConstant(1) || !read.getIndices().empty())
        return std::nullopt;
    }
    // A nested loop would need the lanes for itself.
    if (op->getNumResults() != 1 || isStage(op) || isWholeStage(op) ||
        isa<ScanStageOp>(op))
      return std::nullopt;
    llvm::append_range(pending, op->getOperands());
  }
  return usesBuffer ? std::optional(dim) : std::nullopt;
}
