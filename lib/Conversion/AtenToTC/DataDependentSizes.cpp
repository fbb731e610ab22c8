//===- DataDependentSizes.cpp - calls whose sizes only the call knows -----===//
//
// Each counts what it will give, has the count define the symbol that the
// capture has for it, and then fills a tensor of that size.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// Whether elements are not zero.
static Value isTrue(AtenCall &call, Value x) {
  return call.cast(x, call.builder.getI1Type());
}

// Pattern: aten.item(x) -> x as a 0-d tensor
static LogicalResult convertItem(AtenCall &call) {
  return call.replace(call.reshape(call.getTensor("self"), {}));
}

// Pattern: aten.nonzero(x) -> tc.size_from (sum of x != 0), tc.nonzero
static LogicalResult convertNonzero(AtenCall &call) {
  Value mask = isTrue(call, call.getTensor("self"));
  RankedTensorType type = call.getResultType();
  if (type.getRank() != 2)
    return call.refuse("a result of rank " + Twine(type.getRank()));
  call.defineSize(getSizes(type)[0], call.countTrue(mask));
  if (call.hasFailed())
    return failure();
  return call.replace(
      NonzeroOp::create(call.builder, call.location, type, mask));
}

// Pattern: aten.where(x) -> tc.size_from, a column of tc.nonzero each
static LogicalResult convertWhere(AtenCall &call) {
  StringRef name = call.getArgument("condition") ? "condition" : "self";
  Value mask = isTrue(call, call.getTensor(name));
  // A 0-d tensor counts as one of a single element.
  if (rankOf(mask) == 0)
    mask = call.reshape(mask, call.constant(1));
  if (call.getResultCount() != size_t(rankOf(mask)))
    return call.refuse(Twine(call.getResultCount()) + " results for rank " +
                       Twine(rankOf(mask)));
  SizeExpr count = getSizes(call.getResultType())[0];
  call.defineSize(count, call.countTrue(mask));
  if (call.hasFailed())
    return failure();
  Value rows =
      NonzeroOp::create(call.builder, call.location,
                        getTensorType({count, call.constant(rankOf(mask))},
                                      call.builder.getI64Type()),
                        mask);
  SmallVector<Value> columns;
  for (int64_t dim = 0; dim < rankOf(mask); ++dim)
    columns.push_back(call.reshape(
        call.slice(rows, 1, call.constant(dim), call.constant(1)), count));
  return call.replace(columns);
}

// Pattern: aten.masked_select(x, mask) -> tc.size_from, tc.nonzero,
// tc.index_tensors of the flattened x
static LogicalResult convertMaskedSelect(AtenCall &call) {
  Value x = call.getTensor("self"), mask = isTrue(call, call.getTensor("mask"));
  Sizes sizes = broadcastSizes(sizesOf(x), sizesOf(mask));
  RankedTensorType type = call.getResultType();
  x = call.flatten(call.broadcast(x, sizes));
  Value index =
      call.positionsOf(call.broadcast(mask, sizes), getSizes(type)[0]);
  if (call.hasFailed())
    return failure();
  return call.replace(IndexOp::create(call.builder, call.location, type, x,
                                      index, ArrayRef<int64_t>{0}));
}

/// For each place of `count` the number of entries of `ends`, which increase,
/// that are at most that place: ends [2, 2, 5] give 0, 0, 2, 2, 2.
static Value countEndsBefore(AtenCall &call, Value ends, SizeExpr count) {
  Type i64 = call.builder.getI64Type();
  // An entry at `count` itself is of no place.
  RankedTensorType type = getTensorType(count.add(1), i64);
  Value zeros =
      call.fill(0.0, EmptyOp::create(call.builder, call.location, type));
  Value ones = call.fill(1.0, ends);
  Value marks = ScatterOp::create(call.builder, call.location, type,
                                  CombineKind::Sum, zeros, ends, ones, 0);
  Value running = ScanOp::create(call.builder, call.location, type,
                                 ReductionKind::Sum, marks, 0);
  return call.slice(running, 0, call.constant(0), count);
}

/// The numbers 0, 1, ... with number i `repeats[i]` times, of size `count`,
/// which it defines.
static Value repeatNumbers(AtenCall &call, Value repeats, SizeExpr count) {
  repeats = call.cast(repeats, call.builder.getI64Type());
  // A negative count is of no range.
  Value total = call.reduce(ReductionKind::Sum, repeats, 0);
  Value least = call.reduce(
      ReductionKind::Min,
      call.concat({repeats, call.reshape(total, call.constant(1))}, 0), 0);
  total = call.select(call.binary<LtOp>(least, 0.0), least, total);
  call.defineSize(count, total);
  Value ends = ScanOp::create(call.builder, call.location, repeats.getType(),
                              ReductionKind::Sum, repeats, 0);
  return countEndsBefore(call, ends, count);
}

// Pattern: aten.repeat_interleave(repeats) -> tc.size_from (sum of repeats), a
// running count of the ends before each position
static LogicalResult convertRepeatNumbers(AtenCall &call) {
  Value repeats = call.getTensor("repeats");
  if (rankOf(repeats) != 1)
    return call.refuse("repeats of rank " + Twine(rankOf(repeats)));
  Value numbers =
      repeatNumbers(call, repeats, getSizes(call.getResultType())[0]);
  if (call.hasFailed())
    return failure();
  return call.replace(numbers);
}

// Pattern: aten.repeat_interleave(x, repeats, dim) -> tc.index_tensors x[the
// numbers repeated]
static LogicalResult convertRepeatInterleave(AtenCall &call) {
  Value x = call.getTensor("self"), repeats = call.getTensor("repeats");
  int64_t dim = 0;
  if (call.isNone("dim"))
    x = call.flatten(x);
  else
    dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed() || rankOf(x) == 0 || rankOf(repeats) > 1)
    return call.hasFailed() ? failure() : call.refuse("these ranks");
  Sizes sizes = sizesOf(x), column{sizes[dim]};
  if (rankOf(repeats) == 0)
    repeats = call.reshape(repeats, call.constant(1));
  repeats = call.broadcast(repeats, column);
  RankedTensorType type = call.getResultType();
  Value index = repeatNumbers(call, repeats, getSizes(type)[dim]);
  if (call.hasFailed())
    return failure();
  sizes[dim] = getSizes(type)[dim];
  return call.replace(IndexOp::create(call.builder, call.location,
                                      getTensorType(sizes, elementOf(x)), x,
                                      index, dim));
}

/// Where an element of a row, of one dimension, differs from the one before.
static Value startsRun(AtenCall &call, Value row) {
  SizeExpr size = sizesOf(row)[0], one = call.constant(1);
  if (size.isConstant(0))
    return call.cast(row, call.builder.getI1Type());
  Value next = call.slice(row, 0, one, size.add(-1));
  Value before = call.slice(row, 0, call.constant(0), size.add(-1));
  Value first = call.fill(call.builder.getBoolAttr(true),
                          getTensorType(one, call.builder.getI1Type()));
  if (size.isConstant(1))
    return first;
  return call.concat({first, call.binary<NeOp>(next, before)}, 0);
}

/// The distinct runs of `row`: their elements, the run of each element, and
/// their lengths; defines `count`.
struct Runs {
  Value elements, runOf, lengths;
};
static Runs findRuns(AtenCall &call, Value row, SizeExpr count) {
  Value starts = startsRun(call, row);
  Value index = call.positionsOf(starts, count);
  Value elements = IndexOp::create(call.builder, call.location,
                                   getTensorType(count, elementOf(row)), row,
                                   index, ArrayRef<int64_t>{0});
  Value ones = call.cast(starts, call.builder.getI64Type());
  Value runOf = ScanOp::create(call.builder, call.location, ones.getType(),
                               ReductionKind::Sum, ones, 0);
  runOf = call.binary<SubOp>(runOf, 1.0);
  Value zeros = call.fill(0.0, index);
  Value lengths = ScatterOp::create(call.builder, call.location,
                                    zeros.getType(), CombineKind::Sum, zeros,
                                    runOf, call.fill(1.0, runOf), 0);
  return {elements, runOf, lengths};
}

// Pattern: aten._unique2(x) -> tc.sort, tc.size_from (number of runs)
static LogicalResult convertUnique(AtenCall &call) {
  Value x = call.getTensor("self");
  Value row = call.flatten(x);
  SizeExpr size = sizesOf(row)[0];
  SizeExpr count = getSizes(call.getResultType())[0];
  bool isBool = elementOf(row).isInteger(1);
  Type element = elementOf(row);
  if (isBool)
    row = call.cast(row, call.builder.getI32Type());
  auto sorted = SortOp::create(call.builder, call.location, row.getType(),
                               getTensorType(size, call.builder.getI64Type()),
                               row, /*dim=*/0, /*descending=*/false);
  Runs runs = findRuns(call, sorted.getValues(), count);
  if (call.hasFailed())
    return failure();
  Value inverse;
  if (call.isResultUsed(1)) {
    Value zeros = call.fill(0.0, runs.runOf);
    inverse = ScatterOp::create(call.builder, call.location, zeros.getType(),
                                CombineKind::Replace, zeros,
                                sorted.getIndices(), runs.runOf, 0);
    inverse = call.reshape(inverse, sizesOf(x));
  }
  return call.replace({call.cast(runs.elements, element), inverse,
                       call.isResultUsed(2) ? runs.lengths : Value()});
}

// Pattern: aten.unique_consecutive(x) -> tc.size_from (number of runs)
static LogicalResult convertUniqueConsecutive(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!call.isNone("dim") && rankOf(x) != 1)
    return call.refuse("a 'dim' of several");
  Runs runs =
      findRuns(call, call.flatten(x), getSizes(call.getResultType())[0]);
  if (call.hasFailed())
    return failure();
  return call.replace(
      {runs.elements,
       call.isResultUsed(1) ? call.reshape(runs.runOf, sizesOf(x)) : Value(),
       call.isResultUsed(2) ? runs.lengths : Value()});
}

// Pattern: aten.bincount(x) -> tc.size_from (the largest of x, plus 1),
// tc.scatter sum of ones
static LogicalResult convertBincount(AtenCall &call) {
  Value x = call.cast(call.getTensor("self"), call.builder.getI64Type());
  if (rankOf(x) != 1)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  RankedTensorType type = call.getResultType();
  SizeExpr count = getSizes(type)[0];
  Value least = call.fillSize(
      call.getSize("minlength"),
      EmptyOp::create(call.builder, call.location,
                      getTensorType(call.constant(1), elementOf(x))));
  Value ends = call.concat({call.binary<AddOp>(x, 1.0), least}, 0);
  call.defineSize(count, call.reduce(ReductionKind::Max, ends, 0));
  if (call.hasFailed())
    return failure();
  Value weights = call.getTensor("weights");
  weights = weights ? call.withSizes(call.cast(weights, type.getElementType()),
                                     sizesOf(x))
                    : call.fill(1.0, x);
  Value zeros =
      call.fill(0.0, EmptyOp::create(call.builder, call.location, type));
  return call.replace(ScatterOp::create(call.builder, call.location, type,
                                        CombineKind::Sum, zeros, x, weights,
                                        0));
}

void addDataDependentSizes(AtenTable &table) {
  table.add({"item.default", "_local_scalar_dense.default"}, convertItem);
  table.add({"nonzero.default", "argwhere.default"}, convertNonzero);
  table.add({"where.default", "nonzero_numpy.default"}, convertWhere);
  table.add({"masked_select.default"}, convertMaskedSelect);
  table.add({"repeat_interleave.Tensor"}, convertRepeatNumbers);
  table.add({"repeat_interleave.self_Tensor"}, convertRepeatInterleave);
  table.add({"_unique2.default"}, convertUnique);
  table.add({"bincount.default"}, convertBincount);
  table.add({"unique_consecutive.default"}, convertUniqueConsecutive);
}

} // namespace tc::aten
