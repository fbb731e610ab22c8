//===- SortsAndScans.cpp - sort, topk, cumulative folds -------------------===//

#include "AtenTable.h"
#include "Matrices.h"

using namespace mlir;
using namespace tc;

namespace tc::aten {

static SortOp createSort(AtenCall &call, Value x, int64_t dim,
                         bool isDescending) {
  return SortOp::create(call.builder, call.location, x.getType(),
                        getTensorType(sizesOf(x), call.builder.getI64Type()), x,
                        dim, isDescending);
}

/// x with at least one dimension.
static Value addDim(AtenCall &call, Value x) {
  return rankOf(x) == 0 ? call.reshape(x, call.constant(1)) : x;
}

// Pattern: aten.sort(x, dim, descending) -> tc.sort x
template <bool isIndexOnly> static LogicalResult convertSort(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  SortOp sort =
      createSort(call, addDim(call, x), dim, call.getBool("descending"));
  if (isIndexOnly)
    return call.replace(sort.getIndices());
  return call.replace({sort.getValues(), sort.getIndices()});
}

// Pattern: aten.msort(x) -> tc.sort x dim 0
static LogicalResult convertMsort(AtenCall &call) {
  Value x = addDim(call, call.getTensor("self"));
  return call.replace(createSort(call, x, 0, false).getValues());
}

/// Whether PyTorch selects by its CPU kernel, whose order of equal elements
/// `tc.routine` has too. Integers of 64 bits are not all numbers of f64.
static bool isSelectedOnCPU(AtenCall &call, Value x) {
  return call.isForCPU() && !elementOf(x).isInteger(64);
}

// Pattern: aten.topk(x, k, dim, largest, sorted) -> tc.gather x, (tc.routine
// largest x)
static LogicalResult selectOnCPU(AtenCall &call, Value x, int64_t dim,
                                 SizeExpr count) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  std::swap(order[dim], order.back());
  Type f64 = call.builder.getF64Type();
  Value rows = call.cast(call.transpose(x, order), f64);
  Sizes sizes = sizesOf(rows);
  sizes.back() = count;
  Value selected =
      call.fill(call.builder.getF64FloatAttr(0), getTensorType(sizes, f64));
  bool isSorted = call.getBool("sorted");
  RoutineKind kind =
      call.getBool("largest")
          ? isSorted ? RoutineKind::Largest : RoutineKind::LargestUnsorted
      : isSorted ? RoutineKind::Smallest
                 : RoutineKind::SmallestUnsorted;
  RoutineOp positions = runRoutine(call, kind, {rows, selected});
  Value indices = call.transpose(
      call.cast(positions.getResult(0), call.builder.getI64Type()), order);
  Value values = GatherOp::create(call.builder, call.location,
                                  getTensorType(sizesOf(indices), elementOf(x)),
                                  x, indices, dim);
  return call.replace({values, indices});
}

// Pattern: aten.topk(x, k, dim, largest) -> tc.topk x, or tc.slice of tc.sort x
// where k is symbolic
static LogicalResult convertTopK(AtenCall &call) {
  Value x = addDim(call, call.getTensor("self"));
  int64_t dim = call.getDim("dim", rankOf(x));
  SizeExpr count = call.getSize("k");
  if (call.hasFailed())
    return failure();
  if (isSelectedOnCPU(call, x))
    return selectOnCPU(call, x, dim, count);
  if (!count.isConstant()) {
    SortOp sort = createSort(call, x, dim, call.getBool("largest"));
    auto take = [&](Value sorted) {
      return call.slice(sorted, dim, call.constant(0), count);
    };
    return call.replace({take(sort.getValues()), take(sort.getIndices())});
  }
  int64_t k = call.getInteger("k");
  if (call.hasFailed())
    return failure();
  Sizes sizes = sizesOf(x);
  sizes[dim] = call.constant(k);
  auto topk = TopKOp::create(call.builder, call.location,
                             getTensorType(sizes, elementOf(x)),
                             getTensorType(sizes, call.builder.getI64Type()), x,
                             dim, k, !call.getBool("largest"));
  return call.replace({topk.getValues(), topk.getIndices()});
}

/// The element at `rank` of the sorted dimension, and where it was; for a NaN
/// in the row with `findsNan`, that NaN.
static LogicalResult pickSorted(AtenCall &call, Value x, int64_t dim,
                                SizeExpr rank, bool findsNan) {
  SizeExpr size = sizesOf(x)[dim];
  auto isConstantFalse = [](SizeExpr atLeastZero) {
    return atLeastZero.isConstant() && atLeastZero.getValue() < 0;
  };
  if (isConstantFalse(rank) || isConstantFalse(size.sub(rank).add(-1)))
    return call.refuse("a rank outside of the dimension's size");
  SortOp sort = createSort(call, x, dim, /*isDescending=*/false);
  auto pick = [&](Value sorted, SizeExpr at) {
    return call.slice(sorted, dim, at, call.constant(1));
  };
  Value value = pick(sort.getValues(), rank),
        index = pick(sort.getIndices(), rank);
  if (findsNan && isa<FloatType>(elementOf(x))) {
    Value last = pick(sort.getValues(), size.add(-1)); // NaN sorts last
    Value isNan = call.unary<IsNanOp>(last);
    value = call.select(isNan, last, value);
    index = call.select(isNan, pick(sort.getIndices(), size.add(-1)), index);
  }
  if (call.getResultCount() == 1)
    return call.replace(value);
  return call.replace({value, index});
}

// Pattern: aten.kthvalue(x, k, dim) -> tc.slice of tc.sort x
static LogicalResult convertKthValue(AtenCall &call) {
  Value x = addDim(call, call.getTensor("self"));
  int64_t dim = call.getDim("dim", rankOf(x)), k = call.getInteger("k");
  return call.hasFailed()
             ? failure()
             : pickSorted(call, x, dim, call.constant(k - 1), false);
}

// Pattern: aten.median(x, dim) -> tc.slice of tc.sort x, the lower of two
static LogicalResult convertMedian(AtenCall &call) {
  Value x = addDim(call, call.getTensor("self"));
  int64_t dim = 0;
  if (call.getArgument("dim"))
    dim = call.getDim("dim", rankOf(x));
  else
    x = call.reshape(x, getElementCount(sizesOf(x), call.getContext()));
  if (call.hasFailed())
    return failure();
  SizeExpr middle = sizesOf(x)[dim].add(-1).floorDiv(2);
  return pickSorted(call, x, dim, middle, true);
}

static Value scan(AtenCall &call, ReductionKind kind, Value x, int64_t dim) {
  if (rankOf(x) == 0)
    return x;
  return ScanOp::create(call.builder, call.location, x.getType(), kind, x, dim);
}

// Pattern: aten.cumsum(x, dim, dtype) -> tc.scan sum of the cast x, f32 in f64
template <ReductionKind kind> static LogicalResult convertScan(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (elementOf(x).isInteger(1) || isa<ComplexType>(elementOf(x)))
    return call.refuse("bools or complex numbers");
  // As PyTorch accumulates on CPUs.
  if (elementOf(x).isF32() && rankOf(x) != 0)
    x = call.cast(x, call.builder.getF64Type());
  return call.replace(scan(call, kind, x, dim));
}

/// Where the running extreme was met last: the largest position so far at which
/// it is x itself, or x is NaN.
static Value scanPositions(AtenCall &call, Value x, Value extreme,
                           int64_t dim) {
  if (rankOf(x) == 0)
    return call.fill(0.0, call.cast(x, call.builder.getI64Type()));
  Value isMet = call.binary<EqOp>(x, extreme);
  if (isa<FloatType>(elementOf(x)))
    isMet = call.binary<BitwiseOrOp>(isMet, call.unary<IsNanOp>(x));
  Value at = call.iota(sizesOf(x), dim);
  at = call.select(isMet, at, call.fill(0.0, at));
  return scan(call, ReductionKind::Max, at, dim);
}

// Pattern: aten.cummax(x, dim) -> tc.scan max x, and of the positions where
// the scan is x
template <ReductionKind kind>
static LogicalResult convertExtremeScan(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (elementOf(x).isInteger(1))
    x = call.cast(x, call.builder.getIntegerType(8));
  Value extreme = scan(call, kind, x, dim), positions;
  if (call.isResultUsed(1))
    positions = scanPositions(call, x, extreme, dim);
  return call.replace({extreme, positions});
}

void addSortsAndScans(AtenTable &table) {
  using Kind = ReductionKind;
  table.add({"sort.default", "sort.stable"}, convertSort<false>);
  table.add({"argsort.default", "argsort.stable"}, convertSort<true>);
  table.add({"msort.default"}, convertMsort);
  table.add({"topk.default"}, convertTopK);
  table.add({"kthvalue.default"}, convertKthValue);
  table.add({"median.default", "median.dim"}, convertMedian);
  table.add({"cumsum.default"}, convertScan<Kind::Sum>);
  table.add({"cumprod.default"}, convertScan<Kind::Prod>);
  table.add({"cummax.default"}, convertExtremeScan<Kind::Max>);
  table.add({"cummin.default"}, convertExtremeScan<Kind::Min>);
}

} // namespace tc::aten
