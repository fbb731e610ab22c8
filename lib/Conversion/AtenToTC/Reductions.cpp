//===- Reductions.cpp - sums, means, extremes, variances, norms -----------===//
//
// Dimensions vanish in tc; `keepdim` is the reshape to the captured sizes that
// AtenCall::replace makes.
//
//===----------------------------------------------------------------------===//

#include "AtenTable.h"

#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// The reduced dimensions of an overload with or without `dim`.
static SmallVector<int64_t> getReducedDims(AtenCall &call, int64_t rank) {
  if (call.getArgument("dim"))
    return call.getDims("dim", rank);
  return llvm::to_vector(llvm::seq<int64_t>(0, rank));
}

// Pattern: aten.sum(x, dim, keepdim, dtype) -> tc.reduce sum of the cast x
template <ReductionKind kind> static LogicalResult convertFold(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.reduce(kind, x, dims));
}

// Pattern: aten.mean(x, dim) -> tc.div (tc.reduce sum x), count
static LogicalResult convertMean(AtenCall &call) {
  Value x = call.widen(
      call.cast(call.getTensor("self"), call.getResultType().getElementType()));
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.mean(x, dims));
}

// Pattern: aten.nanmean(x, dim) -> the sum of what is no NaN by its count
static LogicalResult convertNanMean(AtenCall &call) {
  Value x = call.widen(
      call.cast(call.getTensor("self"), call.getResultType().getElementType()));
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed() || !isa<FloatType>(elementOf(x)))
    return call.hasFailed() ? failure() : call.refuse("integers");
  Value isNan = call.unary<IsNanOp>(x), zero = call.fill(0.0, x);
  Value sum =
      call.reduce(ReductionKind::Sum, call.select(isNan, zero, x), dims);
  Value count = call.reduce(
      ReductionKind::Sum,
      call.cast(call.unary<BitwiseNotOp>(isNan), call.builder.getI64Type()),
      dims);
  return call.replace(
      call.binary<DivOp>(sum, call.cast(count, elementOf(sum))));
}

// Pattern: aten.sum_to_size(x, sizes) -> tc.reduce sum of the broadcast
// dimensions
static LogicalResult convertSumToSize(AtenCall &call) {
  Value x = call.getTensor("self");
  Sizes from = sizesOf(x), to = call.getSizeList("size");
  if (call.hasFailed() || to.size() > from.size())
    return call.hasFailed() ? failure() : call.refuse("more dimensions");
  size_t shift = from.size() - to.size();
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < from.size(); ++dim)
    if (dim < shift ||
        (to[dim - shift].isConstant(1) && !from[dim].isConstant(1)))
      dims.push_back(dim);
  return call.replace(call.reduce(ReductionKind::Sum, x, dims));
}

// Pattern: aten.trace(x) -> tc.reduce sum of the diagonal, else 0
static LogicalResult convertTrace(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  if (rankOf(x) != 2)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  Value isDiagonal =
      call.binary<EqOp>(call.iota(sizesOf(x), 0), call.iota(sizesOf(x), 1));
  Value kept = call.select(isDiagonal, x, call.fill(0.0, x));
  return call.replace(call.reduce(ReductionKind::Sum, kept, {0, 1}));
}

// Pattern: aten.amax(x, dim) -> tc.reduce max x
template <ReductionKind kind>
static LogicalResult convertExtreme(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.reduce(kind, x, dims));
}

static Value argReduce(AtenCall &call, ReductionKind kind, Value x,
                       int64_t dim) {
  RankedTensorType type =
      getTensorType(withoutDims(sizesOf(x), dim), call.builder.getI64Type());
  if (rankOf(x) == 0)
    return call.fill(0.0, call.cast(x, call.builder.getI64Type()));
  return ArgReduceOp::create(call.builder, call.location, type, kind, x, dim);
}

// Pattern: aten.max(x, dim) -> tc.reduce max x, tc.arg_reduce argmax x
template <ReductionKind kind, ReductionKind argKind>
static LogicalResult convertExtremeWithIndex(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  SmallVector<int64_t> dims;
  if (rankOf(x) > 0)
    dims.push_back(dim);
  Value indices;
  if (call.isResultUsed(1))
    indices = argReduce(call, argKind, x, dim);
  return call.replace({call.reduce(kind, x, dims), indices});
}

// Pattern: aten.argmax(x, dim) -> tc.arg_reduce argmax x
template <ReductionKind kind>
static LogicalResult convertArgExtreme(AtenCall &call) {
  Value x = call.getTensor("self");
  int64_t dim = 0;
  if (call.isNone("dim"))
    x = call.flatten(x);
  else
    dim = call.getDim("dim", rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(argReduce(call, kind, x, dim));
}

// Pattern: aten.aminmax(x, dim) -> tc.reduce min x, tc.reduce max x
static LogicalResult convertAminmax(AtenCall &call) {
  Value x = call.getTensor("self");
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace({call.reduce(ReductionKind::Min, x, dims),
                       call.reduce(ReductionKind::Max, x, dims)});
}

// Pattern: aten.any(x, dim) -> tc.reduce any of x != 0
template <ReductionKind kind>
static LogicalResult convertTruth(AtenCall &call) {
  Value x = call.cast(call.getTensor("self"), call.builder.getI1Type());
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.reduce(kind, x, dims));
}

// Pattern: aten.count_nonzero(x, dim) -> tc.reduce sum of x != 0
static LogicalResult convertCountNonzero(AtenCall &call) {
  Value x = call.cast(call.getTensor("self"), call.builder.getI1Type());
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(call.reduce(
      ReductionKind::Sum, call.cast(x, call.builder.getI64Type()), dims));
}

// Pattern: aten.nansum(x, dim) -> tc.reduce sum of x with 0 for NaN
static LogicalResult convertNansum(AtenCall &call) {
  Value x =
      call.cast(call.getTensor("self"), call.getResultType().getElementType());
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  if (isa<FloatType>(elementOf(x)))
    x = call.select(call.unary<IsNanOp>(x), call.fill(0.0, x), x);
  return call.replace(call.reduce(ReductionKind::Sum, x, dims));
}

/// The correction of var and std: `unbiased` or `correction`, 1 by default.
static double getCorrection(AtenCall &call) {
  if (call.getArgument("unbiased"))
    return call.getBool("unbiased") ? 1.0 : 0.0;
  return call.isNone("correction") ? 1.0 : call.getReal("correction");
}

// Pattern: aten.var(x, dim, correction) -> tc.variance x; var_mean's mean is
// torch.mean of x, infinite where PyTorch has NaN for most orders of elements
template <bool takesRoot, bool addsMean>
static LogicalResult convertVariance(AtenCall &call) {
  Value x = call.getTensor("self");
  if (!isa<FloatType>(elementOf(x)))
    return call.refuse("integers or complex numbers");
  x = call.widen(x);
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  double correction = getCorrection(call);
  if (call.hasFailed())
    return failure();
  Value result = VarianceOp::create(
      call.builder, call.location,
      getTensorType(withoutDims(sizesOf(x), dims), elementOf(x)), x, dims,
      llvm::APFloat(correction));
  if (takesRoot)
    result = call.unary<SqrtOp>(result);
  if (!addsMean)
    return call.replace(result);
  return call.replace({result, call.mean(x, dims)});
}

/// (sum of |x|^order)^(1/order), and its limits.
static Value norm(AtenCall &call, Value x, double order,
                  ArrayRef<int64_t> dims) {
  if (order == 2.0)
    return call.unary<SqrtOp>(
        call.reduce(ReductionKind::Sum, call.binary<MulOp>(x, x), dims));
  Value size = call.unary<AbsOp>(x);
  if (std::isinf(order))
    return call.reduce(order > 0 ? ReductionKind::Max : ReductionKind::Min,
                       size, dims);
  if (order == 1.0)
    return call.reduce(ReductionKind::Sum, size, dims);
  if (order == 0.0)
    return call.reduce(ReductionKind::Sum,
                       call.cast(call.binary<NeOp>(x, 0.0), elementOf(x)),
                       dims);
  Value sum =
      call.reduce(ReductionKind::Sum, call.binary<PowOp>(size, order), dims);
  return call.binary<PowOp>(sum, 1.0 / order);
}

// Pattern: aten.linalg_vector_norm(x, 2, dim) -> sqrt of tc.reduce sum x * x
static LogicalResult convertNorm(AtenCall &call) {
  StringRef orderName = call.getArgument("ord") ? "ord" : "p";
  double order = call.isNone(orderName) ? 2.0 : call.getReal(orderName);
  Value x = call.widen(
      call.cast(call.getTensor("self"), call.getResultType().getElementType()));
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  return call.replace(norm(call, x, order, dims));
}

/// The norm of matrices in the dimensions `dims`: the largest (smallest, of a
/// negative order) sum of a column for 1, of a row for infinity.
static FailureOr<Value> matrixNorm(AtenCall &call, Value x, double order,
                                   ArrayRef<int64_t> dims) {
  bool isOfRows = std::isinf(order);
  if (!isOfRows && std::abs(order) != 1)
    return call.refuse("the order " + Twine(static_cast<int64_t>(order)) +
                       " of a matrix, which takes singular values");
  int64_t summed = dims[isOfRows], left = dims[!isOfRows];
  Value sums = call.reduce(ReductionKind::Sum, call.unary<AbsOp>(x), summed);
  return call.reduce(order > 0 ? ReductionKind::Max : ReductionKind::Min, sums,
                     left - (summed < left));
}

// Pattern: aten.linalg_norm(x, ord, dim), aten.linalg_matrix_norm(x, ord, dim)
// -> as linalg_vector_norm, or tc.reduce max of tc.reduce sum
static LogicalResult convertLinalgNorm(AtenCall &call) {
  Value x = call.widen(
      call.cast(call.getTensor("self"), call.getResultType().getElementType()));
  Attribute order = call.getArgument("ord");
  SmallVector<int64_t> dims;
  for (int64_t dim : call.getIntegers("dim"))
    dims.push_back(dim < 0 ? dim + rankOf(x) : dim);
  bool isNone = call.isNone("ord"), isText = isa<StringAttr>(order);
  if (dims.empty())
    dims = llvm::to_vector(llvm::seq<int64_t>(0, rankOf(x)));
  if (isText && call.getString("ord") != "fro")
    return call.refuse("the order '" + call.getString("ord") + "'");
  double number = isNone || isText ? 2.0 : call.getReal("ord");
  bool isOfMatrix = !isNone && !isText && dims.size() == 2;
  if (call.hasFailed())
    return failure();
  if (isOfMatrix) {
    FailureOr<Value> result = matrixNorm(call, x, number, dims);
    return failed(result) ? failure() : call.replace(*result);
  }
  llvm::sort(dims);
  return call.replace(norm(call, x, number, dims));
}

// Pattern: aten.logsumexp(x, dim) -> max + log(tc.reduce sum exp(x - max))
static LogicalResult convertLogSumExp(AtenCall &call) {
  Value x = call.widen(
      call.cast(call.getTensor("self"), call.getResultType().getElementType()));
  SmallVector<int64_t> dims = getReducedDims(call, rankOf(x));
  if (call.hasFailed())
    return failure();
  // Of nothing it is minus infinity.
  Value largest = call.reduce(ReductionKind::Max, x, dims, /*allowEmpty=*/true);
  // An infinite maximum would make NaN of the difference.
  Value shift = call.select(call.unary<IsInfOp>(largest),
                            call.fill(0.0, largest), largest);
  Value shifted =
      call.binary<SubOp>(x, call.spreadBack(shift, dims, sizesOf(x)));
  Value sum = call.reduce(ReductionKind::Sum, call.unary<ExpOp>(shifted), dims);
  return call.replace(call.binary<AddOp>(shift, call.unary<LogOp>(sum)));
}

void addReductions(AtenTable &table) {
  using Kind = ReductionKind;
  table.add({"sum.default", "sum.dim_IntList"}, convertFold<Kind::Sum>);
  table.add({"prod.default", "prod.dim_int"}, convertFold<Kind::Prod>);
  table.add({"nanmean.default"}, convertNanMean);
  table.add({"sum_to_size.default"}, convertSumToSize);
  table.add({"trace.default"}, convertTrace);
  table.add({"mean.default", "mean.dim"}, convertMean);
  table.add({"amax.default", "max.default"}, convertExtreme<Kind::Max>);
  table.add({"amin.default", "min.default"}, convertExtreme<Kind::Min>);
  table.add({"max.dim"}, convertExtremeWithIndex<Kind::Max, Kind::ArgMax>);
  table.add({"min.dim"}, convertExtremeWithIndex<Kind::Min, Kind::ArgMin>);
  table.add({"argmax.default"}, convertArgExtreme<Kind::ArgMax>);
  table.add({"argmin.default"}, convertArgExtreme<Kind::ArgMin>);
  table.add({"aminmax.default"}, convertAminmax);
  table.add({"any.default", "any.dim", "any.dims", "_is_any_true.default"},
            convertTruth<Kind::Any>);
  table.add({"all.default", "all.dim", "all.dims", "_is_all_true.default"},
            convertTruth<Kind::All>);
  table.add({"count_nonzero.default", "count_nonzero.dim_IntList"},
            convertCountNonzero);
  table.add({"nansum.default"}, convertNansum);
  table.add({"var.default", "var.dim", "var.correction"},
            convertVariance<false, false>);
  table.add({"std.default", "std.dim", "std.correction"},
            convertVariance<true, false>);
  table.add({"var_mean.default", "var_mean.dim", "var_mean.correction"},
            convertVariance<false, true>);
  table.add({"std_mean.default", "std_mean.dim", "std_mean.correction"},
            convertVariance<true, true>);
  table.add({"linalg_vector_norm.default", "norm.Scalar", "norm.ScalarOpt_dim",
             "norm.ScalarOpt_dim_dtype", "norm.ScalarOpt_dtype"},
            convertNorm);
  table.add({"linalg_norm.default", "linalg_norm.ord_str",
             "linalg_matrix_norm.default", "linalg_matrix_norm.str_ord"},
            convertLinalgNorm);
  table.add({"logsumexp.default"}, convertLogSumExp);
}

} // namespace tc::aten
