//===- SortsAndScans.cpp - sort, topk, cumulative folds -------------------===//

#include "AtenTable.h"

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
template <bool isIndexOnly> LogicalResult convertSort(AtenCall &call) {
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

// Pattern: aten.topk(x, k, dim, largest) -> tc.topk x
static LogicalResult convertTopK(AtenCall &call) {
  Value x = addDim(call, call.getTensor("self"));
  int64_t dim = call.getDim("dim", rankOf(x)), k = call.getInteger("k");
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

static Value scan(AtenCall &call, ReductionKind kind, Value x, int64_t dim) {
  if (rankOf(x) == 0)
    return x;
  return ScanOp::create(call.builder, call.location, x.getType(), kind, x, dim);
}

// Pattern: aten.cumsum(x, dim, dtype) -> tc.scan sum of the cast x
template <ReductionKind kind> LogicalResult convertScan(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (elementOf(x).isInteger(1) || isa<ComplexType>(elementOf(x)))
    return call.refuse("bools or complex numbers");
  return call.replace(scan(call, kind, x, dim));
}

// Pattern: aten.cummax(x, dim) -> tc.scan max x
template <ReductionKind kind> LogicalResult convertExtremeScan(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  if (call.isResultUsed(1) || elementOf(x).isInteger(1))
    return call.refuse("a use of its indices, or bools");
  return call.replace({scan(call, kind, x, dim), Value()});
}

void addSortsAndScans(AtenTable &table) {
  using Kind = ReductionKind;
  table.add({"sort.default", "sort.stable"}, convertSort<false>);
  table.add({"argsort.default", "argsort.stable"}, convertSort<true>);
  table.add({"msort.default"}, convertMsort);
  table.add({"topk.default"}, convertTopK);
  table.add({"cumsum.default"}, convertScan<Kind::Sum>);
  table.add({"cumprod.default"}, convertScan<Kind::Prod>);
  table.add({"cummax.default"}, convertExtremeScan<Kind::Max>);
  table.add({"cummin.default"}, convertExtremeScan<Kind::Min>);
}

} // namespace tc::aten
