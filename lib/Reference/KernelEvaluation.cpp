//===- KernelEvaluation.cpp - Kernels in normal form ----------------------===//
//
// Every value of a kernel's body is materialised: a tensor over the points of
// the dimensions it varies over, in the order of the domain.
//
//===----------------------------------------------------------------------===//

#include "KernelEvaluation.h"
#include "Attention.h"
#include "Contraction.h"
#include "Elementwise.h"
#include "Reduction.h"
#include "Routine.h"
#include "Shape.h"
#include "SortScan.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc::reference {

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

LogicalResult KernelEvaluation::bindSizes() {
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    FailureOr<int64_t> size =
        evaluation.evaluate(kernel, kernel.getDimSize(dim));
    if (failed(size))
      return failure();
    if (*size < 0)
      return kernel.emitOpError()
             << "has a dimension '" << kernel.getDim(dim).getName()
             << "' of size " << *size << "; expected at least 0";
    extents.push_back(*size);
  }
  for (auto symbol : kernel.getSymbols().getAsRange<SizeExpr>()) {
    FailureOr<int64_t> value = evaluation.evaluate(kernel, symbol);
    if (failed(value))
      return failure();
    symbols.push_back(*value);
  }
  return success();
}

Grid KernelEvaluation::getGrid(const DimSet &used) const {
  Grid grid;
  grid.rank = extents.size();
  for (unsigned dim : used.set_bits()) {
    grid.dims.push_back(dim);
    grid.sizes.push_back(extents[dim]);
  }
  return grid;
}

Tensor KernelEvaluation::getOver(Value value, const Grid &grid) const {
  const Tensor &tensor = values.find(value)->second;
  SmallVector<int64_t, 6> positions;
  for (unsigned dim : dims.of(value).set_bits())
    positions.push_back(llvm::find(grid.dims, int64_t(dim)) -
                        grid.dims.begin());
  return broadcast(tensor, positions, grid.sizes);
}

void KernelEvaluation::forEachPoint(
    const Grid &grid,
    function_ref<void(int64_t flat, ArrayRef<int64_t> point)> visit) const {
  parallelRanges(grid.count(), 1 << 12, [&](int64_t begin, int64_t end) {
    Sizes64 index = unflatten(begin, grid.sizes);
    Sizes64 point(grid.rank, 0);
    for (int64_t flat = begin; flat < end;
         ++flat, advanceIndex(index, grid.sizes)) {
      for (auto [position, dim] : llvm::enumerate(grid.dims))
        point[dim] = index[position];
      visit(flat, point);
    }
  });
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static LogicalResult reportOutOfRange(Operation *op, int64_t index, int64_t dim,
                                      int64_t size) {
  return op->emitOpError() << "has index " << index
                           << " out of range for dimension " << dim
                           << " of a buffer, of size " << size;
}

/// Start and strides of an access that is linear in the domain, after a check
/// of its bounds; nothing when it is not linear.
FailureOr<std::optional<StridedAccess>>
KernelEvaluation::getStrided(Operation *op, AffineMap map, const Grid &grid,
                             ArrayRef<int64_t> bufferSizes) const {
  StridedAccess access;
  access.strides.assign(grid.dims.size(), 0);
  Sizes64 bufferStrides = getRowMajorStrides(bufferSizes);
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    std::optional<LinearForm> form = getLinearForm(expr, map.getNumDims());
    if (!form)
      return std::optional<StridedAccess>();
    int64_t lowest = form->constant, highest = form->constant;
    if (grid.count() == 0)
      continue; // nothing is accessed
    for (auto [position, domainDim] : llvm::enumerate(grid.dims)) {
      int64_t coefficient = form->coefficients[domainDim], reach;
      if (llvm::MulOverflow(coefficient, grid.sizes[position] - 1, reach) ||
          llvm::AddOverflow(lowest, std::min<int64_t>(reach, 0), lowest) ||
          llvm::AddOverflow(highest, std::max<int64_t>(reach, 0), highest))
        return std::optional<StridedAccess>();
    }
    if (lowest < 0 || highest >= bufferSizes[dim])
      return reportOutOfRange(op, lowest < 0 ? lowest : highest, dim,
                              bufferSizes[dim]);
    access.start += form->constant * bufferStrides[dim];
    for (auto [position, domainDim] : llvm::enumerate(grid.dims))
      if (grid.sizes[position] > 1)
        access.strides[position] +=
            form->coefficients[domainDim] * bufferStrides[dim];
  }
  return std::optional<StridedAccess>(access);
}

/// The flat position in the buffer at every point of the grid; -1 outside
/// `within`.
FailureOr<std::vector<int64_t>> KernelEvaluation::locate(
    Operation *op, AffineMap map, std::optional<IntegerSet> within,
    ValueRange indices, const Grid &grid, ArrayRef<int64_t> bufferSizes) const {
  SmallVector<Tensor> indexTensors;
  for (Value index : indices)
    indexTensors.push_back(getOver(index, grid));
  if (within)
    within = bindSetSymbols(*within, symbols);
  Sizes64 strides = getRowMajorStrides(bufferSizes);
  std::vector<int64_t> positions(grid.count());
  // The first failure in the order of the domain, whatever the threads do.
  std::mutex mutex;
  int64_t failedAt = grid.count(), failedIndex = 0, failedDim = 0;
  forEachPoint(grid, [&](int64_t flat, ArrayRef<int64_t> point) {
    positions[flat] = -1;
    if (within && !contains(*within, point))
      return;
    Sizes64 inputs(point);
    for (const Tensor &index : indexTensors)
      inputs.push_back(index.getInteger(flat));
    int64_t position = 0;
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      int64_t index = evaluateAffine(expr, inputs).value_or(-1);
      if (index < 0 || index >= bufferSizes[dim]) {
        std::lock_guard<std::mutex> lock(mutex);
        if (flat < failedAt) {
          failedAt = flat;
          failedIndex = index;
          failedDim = dim;
        }
        return;
      }
      position += index * strides[dim];
    }
    positions[flat] = position;
  });
  if (failedAt < grid.count())
    return reportOutOfRange(op, failedIndex, failedDim, bufferSizes[failedDim]);
  return positions;
}

LogicalResult KernelEvaluation::run(ReadOp op) {
  Grid grid = getGrid(dims.of(op.getResult()));
  const Tensor &source = buffers.find(op.getSource())->second;
  AffineMap map = bindMapSymbols(op.getMap(), symbols);
  Tensor result(source.getElementType(), grid.sizes);
  if (op.getIndices().empty() && !op.getWithin()) {
    FailureOr<std::optional<StridedAccess>> access =
        getStrided(op, map, grid, source.getSizes());
    if (failed(access))
      return failure();
    if (*access) {
      if (grid.count() != 0)
        readStrided(source.words() + (*access)->start, grid.sizes,
                    (*access)->strides, result.words());
      values[op.getResult()] = result;
      return success();
    }
  }
  FailureOr<std::vector<int64_t>> positions =
      locate(op, map, op.getWithin(), op.getIndices(), grid, source.getSizes());
  if (failed(positions))
    return failure();
  for (auto [i, position] : llvm::enumerate(*positions))
    result.words()[i] = position < 0 ? 0 : source.words()[position];
  values[op.getResult()] = result;
  return success();
}

LogicalResult KernelEvaluation::run(WriteOp op) {
  Grid grid = getGrid(dims.ofWrite(op));
  Tensor &destination = buffers.find(op.getDestination())->second;
  AffineMap map = bindMapSymbols(op.getMap(), symbols);
  Tensor value = getOver(op.getValue(), grid);
  if (op.getIndices().empty() && !op.getWithin() &&
      op.getCombine() == CombineKind::Replace) {
    FailureOr<std::optional<StridedAccess>> access =
        getStrided(op, map, grid, destination.getSizes());
    if (failed(access))
      return failure();
    if (*access) {
      if (grid.count() != 0)
        writeStrided(value.words(), grid.sizes, (*access)->strides,
                     destination.words() + (*access)->start);
      return success();
    }
  }
  FailureOr<std::vector<int64_t>> positions = locate(
      op, map, op.getWithin(), op.getIndices(), grid, destination.getSizes());
  if (failed(positions))
    return failure();
  for (auto [i, position] : llvm::enumerate(*positions)) {
    if (position < 0)
      continue;
    Word &element = destination.words()[position];
    element = combineWords(op.getCombine(), element, value.words()[i],
                           value.getKind());
    // Integers wrap whatever the precision of floats.
    if (op.getCombine() != CombineKind::Replace &&
        (evaluation.options.precision != Precision::Double ||
         value.getKind() != ElementKind::Float))
      wrapToType(&element, 1, value.getElementType());
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

LogicalResult KernelEvaluation::run(DimIndexOp op) {
  Grid grid = getGrid(dims.of(op.getResult()));
  AffineExpr expr = bindMapSymbols(op.getMap(), symbols).getResult(0);
  Tensor result(op.getType(), grid.sizes);
  forEachPoint(grid, [&](int64_t flat, ArrayRef<int64_t> point) {
    result.data<int64_t>()[flat] = evaluateAffine(expr, point).value_or(0);
  });
  values[op.getResult()] = evaluation.finish(result);
  return success();
}

LogicalResult KernelEvaluation::run(WithinOp op) {
  Grid grid = getGrid(dims.of(op.getResult()));
  IntegerSet set = bindSetSymbols(op.getSet(), symbols);
  Tensor result(op.getType(), grid.sizes);
  forEachPoint(grid, [&](int64_t flat, ArrayRef<int64_t> point) {
    result.words()[flat] = contains(set, point);
  });
  values[op.getResult()] = result;
  return success();
}

/// The operand over its own dimensions and `over`, as rows of the points of
/// `over`, the last one fastest.
Rows KernelEvaluation::getRowsOver(Value value, ArrayRef<int64_t> over) const {
  DimSet used = dims.of(value);
  for (int64_t dim : over)
    used.set(dim);
  Grid grid = getGrid(used);
  SmallVector<int64_t, 6> positions;
  for (int64_t dim : over)
    positions.push_back(llvm::find(grid.dims, dim) - grid.dims.begin());
  return arrangeRows(getOver(value, grid), positions);
}

LogicalResult KernelEvaluation::run(ReduceStageOp op) {
  Rows rows = getRowsOver(op.getValue(), op.getOver());
  ReductionKind kind = op.getKind();
  if (kind == ReductionKind::Welford) {
    auto [mean, squares] = welfordRows(rows);
    values[op.getResult(0)] = evaluation.finish(mean);
    values[op.getResult(1)] = evaluation.finish(squares);
    return success();
  }
  if (kind != ReductionKind::ArgMax && kind != ReductionKind::ArgMin) {
    values[op.getResult(0)] = evaluation.finish(reduceRows(
        rows, kind, evaluation.chainsSums(rows.values.getElementType())));
    return success();
  }
  if (rows.length == 0 && rows.count != 0)
    return op.emitOpError()
           << "folds no elements with " << stringifyReductionKind(kind);
  Tensor places = argReduceRows(rows, kind == ReductionKind::ArgMax);
  Tensor extremes(rows.values.getElementType(), rows.outerSizes);
  for (int64_t row = 0; row < rows.count; ++row)
    extremes.words()[row] =
        rows.values.words()[row * rows.length + places.getInteger(row)];
  values[op.getResult(0)] = extremes;
  values[op.getResult(1)] = places;
  return success();
}

LogicalResult KernelEvaluation::run(ContractStageOp op) {
  // A folded dimension that only one operand varies over: the other one is
  // repeated along it.
  auto withFolded = [&](Value value) {
    DimSet used = dims.of(value);
    for (int64_t dim : op.getOver())
      used.set(dim);
    return getGrid(used);
  };
  Grid left = withFolded(op.getLhs()), right = withFolded(op.getRhs());
  Grid result = getGrid(dims.of(op.getResult()));
  values[op.getResult()] = evaluation.finish(
      contract(getOver(op.getLhs(), left), left.dims,
               getOver(op.getRhs(), right), right.dims, result.dims,
               op.getType(), evaluation.chainsSums(op.getType())));
  return success();
}

LogicalResult KernelEvaluation::run(ScanStageOp op) {
  Rows rows = getRowsOver(op.getValue(), {int64_t(op.getAlong())});
  values[op.getResult()] = evaluation.finish(
      restoreDims(scanRows(rows, op.getKind()), rows.permutation));
  return success();
}

LogicalResult KernelEvaluation::run(SortStageOp op) {
  Rows rows = getRowsOver(op.getValue(), {int64_t(op.getAlong())});
  auto [sorted, origin] = sortRows(rows, op.getDescending(), rows.length);
  values[op.getSorted()] = restoreDims(sorted, rows.permutation);
  values[op.getOrigin()] = restoreDims(origin, rows.permutation);
  return success();
}

template <typename StageOp>
SmallVector<Rows> KernelEvaluation::getWholeOperands(StageOp op,
                                                     DimSet &outer) {
  // Where an operand does not vary over a dimension of the others, it is
  // repeated.
  outer = DimSet(kernel.getNumDims());
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    DimSet used = dims.of(op->getOperand(index));
    for (int64_t dim : op.getOverDims(index))
      used.reset(dim);
    outer |= used;
  }
  SmallVector<Rows> operands;
  for (unsigned index = 0; index < op->getNumOperands(); ++index) {
    SmallVector<int64_t> over = op.getOverDims(index);
    DimSet used = outer;
    for (int64_t dim : over)
      used.set(dim);
    Grid grid = getGrid(used);
    SmallVector<int64_t, 6> positions;
    for (int64_t dim : over)
      positions.push_back(llvm::find(grid.dims, dim) - grid.dims.begin());
    operands.push_back(
        arrangeRows(getOver(op->getOperand(index), grid), positions));
  }
  return operands;
}

template <typename StageOp>
void KernelEvaluation::keepWholeResults(StageOp op, const DimSet &outer,
                                        ArrayRef<Tensor> results) {
  for (OpResult result : op->getResults()) {
    // The dimensions of the result are last, and belong where the domain has
    // them.
    SmallVector<int64_t> order;
    for (unsigned dim : outer.set_bits())
      order.push_back(dim);
    llvm::append_range(order, op.getToDims(result.getResultNumber()));
    SmallVector<int64_t, 6> permutation;
    for (int64_t dim : getGrid(dims.of(result)).dims)
      permutation.push_back(llvm::find(order, dim) - order.begin());
    values[result] = evaluation.finish(
        permute(results[result.getResultNumber()], permutation));
  }
}

LogicalResult KernelEvaluation::run(RoutineStageOp op) {
  DimSet outer;
  SmallVector<Rows> operands = getWholeOperands(op, outer);
  SmallVector<Sizes64> sizes(op.getNumOperands());
  for (auto [index, matrix] : llvm::enumerate(sizes))
    for (int64_t dim : op.getOverDims(index))
      matrix.push_back(extents[dim]);
  FailureOr<Tensors> results =
      runRoutine(op, op.getKind(), operands, sizes, op.getChecked());
  if (failed(results))
    return failure();
  keepWholeResults(op, outer, *results);
  return success();
}

LogicalResult KernelEvaluation::run(AttentionBackwardStageOp op) {
  DimSet outer;
  SmallVector<Tensor> operands;
  for (const Rows &rows : getWholeOperands(op, outer))
    operands.push_back(rows.values);
  keepWholeResults(op, outer, evaluateStage(op, operands));
  return success();
}

LogicalResult KernelEvaluation::runPointwise(Operation *op) {
  if (!isa<ElementwiseOpInterface>(op))
    return op->emitOpError()
           << "is not an op of a kernel that the reference interpreter runs";
  Grid grid = getGrid(dims.of(op->getResult(0)));
  SmallVector<Tensor, 3> operands;
  for (Value operand : op->getOperands())
    operands.push_back(getOver(operand, grid));
  FailureOr<Tensor> result = evaluateElementwise(evaluation, op, operands);
  if (failed(result))
    return failure();
  values[op->getResult(0)] = *result;
  return success();
}

/// A fold reads its operand over the dimensions that it folds; a write, the
/// value over those of the place. Other ops need no more than their results.
LogicalResult KernelEvaluation::verifyMemoryOf(Operation *op) const {
  for (Value result : op->getResults())
    if (failed(verifyMemory(op, getGrid(dims.of(result)).sizes)))
      return failure();
  if (auto reduce = dyn_cast<ReduceStageOp>(op)) {
    DimSet used = dims.of(reduce.getValue());
    for (int64_t dim : reduce.getOver())
      used.set(dim);
    return verifyMemory(op, getGrid(used).sizes);
  }
  if (auto contract = dyn_cast<ContractStageOp>(op))
    for (Value operand : {contract.getLhs(), contract.getRhs()}) {
      DimSet used = dims.of(operand);
      for (int64_t dim : contract.getOver())
        used.set(dim);
      if (failed(verifyMemory(op, getGrid(used).sizes)))
        return failure();
    }
  if (auto write = dyn_cast<WriteOp>(op))
    return verifyMemory(op, getGrid(dims.ofWrite(write)).sizes);
  return success();
}

LogicalResult KernelEvaluation::runBody() {
  for (Operation &op : kernel.getBodyBlock()) {
    if (failed(verifyMemoryOf(&op)))
      return failure();
    auto run = [&](auto op) { return this->run(op); };
    LogicalResult result =
        llvm::TypeSwitch<Operation *, LogicalResult>(&op)
            .Case<ReadOp, WriteOp, DimIndexOp, WithinOp>(run)
            .Case<ReduceStageOp, ContractStageOp, ScanStageOp, SortStageOp,
                  RoutineStageOp, AttentionBackwardStageOp>(run)
            .Case<ScalarOp>([&](ScalarOp op) -> LogicalResult {
              if (!getElementKind(op.getType()))
                return op.emitOpError()
                       << "has type " << op.getType()
                       << ", which the reference interpreter does not hold";
              Tensor value(op.getType(), {});
              value.words()[0] = getWord(op.getValue(), op.getType());
              values[op.getResult()] = value;
              return success();
            })
            .Case<SizeScalarOp>([&](SizeScalarOp op) -> LogicalResult {
              FailureOr<int64_t> value = evaluation.evaluate(op, op.getSize());
              if (failed(value))
                return failure();
              values[op.getResult()] =
                  Tensor::fromIntegers(op.getType(), {}, {*value});
              return success();
            })
            .Default([&](Operation *op) { return runPointwise(op); });
    if (failed(result))
      return failure();
  }
  return success();
}

} // namespace tc::reference
