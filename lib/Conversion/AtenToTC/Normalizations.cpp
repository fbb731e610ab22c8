//===- Normalizations.cpp - layer, group, batch and rms norm --------------===//

#include "AtenTable.h"

#include <limits>

using namespace mlir;
using namespace tc;

namespace tc::aten {

static Value castLike(AtenCall &call, Value value, Value like) {
  return value ? call.cast(value, elementOf(like)) : value;
}

/// A value of dimension 1 (the channels), spread over `sizes`.
static Value spreadChannels(AtenCall &call, Value x, ArrayRef<SizeExpr> sizes) {
  Sizes column(sizes.size(), call.constant(1));
  column[1] = sizesOf(x)[0];
  return call.broadcast(call.reshape(x, column), sizes);
}

static Value variance(AtenCall &call, Value x, ArrayRef<int64_t> dims,
                      double correction) {
  return VarianceOp::create(
      call.builder, call.location,
      getTensorType(withoutDims(sizesOf(x), dims), elementOf(x)), x, dims,
      llvm::APFloat(correction));
}

static Value inverseDeviation(AtenCall &call, Value x, ArrayRef<int64_t> dims,
                              double eps) {
  return call.unary<RsqrtOp>(
      call.binary<AddOp>(variance(call, x, dims, 0.0), eps));
}

/// How many dimensions at the end are normalised.
static int64_t getNormalizedRank(AtenCall &call, Value x) {
  int64_t count = call.getSizeList("normalized_shape").size();
  if (count < 1 || count > rankOf(x))
    (void)call.refuse("a normalized_shape of " + Twine(count) +
                      " sizes for rank " + Twine(rankOf(x)));
  return count;
}

// Pattern: aten.layer_norm(x, shape, weight, bias, eps) -> tc.layer_norm x
static LogicalResult convertLayerNorm(AtenCall &call) {
  Value x = call.getTensor("input");
  Value weight = castLike(call, call.getTensor("weight"), x);
  Value bias = castLike(call, call.getTensor("bias"), x);
  int64_t count = getNormalizedRank(call, x);
  double eps = call.getReal("eps");
  if (call.hasFailed())
    return failure();
  SmallVector<Value> results{LayerNormOp::create(call.builder, call.location,
                                                 x.getType(), x, weight, bias,
                                                 count, llvm::APFloat(eps))};
  auto dims = llvm::to_vector(llvm::seq<int64_t>(rankOf(x) - count, rankOf(x)));
  Value wide = call.widen(x);
  if (call.getResultCount() == 3) {
    results.push_back(call.isResultUsed(1) ? call.mean(wide, dims) : Value());
    results.push_back(call.isResultUsed(2)
                          ? inverseDeviation(call, wide, dims, eps)
                          : Value());
  }
  return call.replace(results);
}

/// The eps that PyTorch takes for None: that of the type it computes in.
static double getEps(AtenCall &call, Value x) {
  if (!call.isNone("eps"))
    return call.getReal("eps");
  return elementOf(x).isF64() ? std::numeric_limits<double>::epsilon()
                              : std::numeric_limits<float>::epsilon();
}

// Pattern: aten.rms_norm(x, shape, weight, eps) -> tc.rms_norm x
static LogicalResult convertRmsNorm(AtenCall &call) {
  Value x = call.getTensor("input");
  Value weight = castLike(call, call.getTensor("weight"), x);
  int64_t count = getNormalizedRank(call, x);
  double eps = getEps(call, x);
  if (call.hasFailed())
    return failure();
  SmallVector<Value> results{RmsNormOp::create(call.builder, call.location,
                                               x.getType(), x, weight, count,
                                               llvm::APFloat(eps))};
  if (call.getResultCount() == 2) {
    Value reciprocal;
    if (call.isResultUsed(1)) {
      auto dims =
          llvm::to_vector(llvm::seq<int64_t>(rankOf(x) - count, rankOf(x)));
      Value wide = call.widen(x);
      Value square = call.mean(call.binary<MulOp>(wide, wide), dims);
      reciprocal = call.unary<RsqrtOp>(call.binary<AddOp>(square, eps));
    }
    results.push_back(reciprocal);
  }
  return call.replace(results);
}

/// Mean and 1 / deviation of each group, as native_group_norm returns them.
static void addGroupStatistics(AtenCall &call, Value x, SizeExpr groups,
                               double eps, SmallVectorImpl<Value> &results) {
  Sizes sizes = sizesOf(x);
  SizeExpr count = getElementCount(ArrayRef<SizeExpr>(sizes).drop_front(),
                                   call.getContext());
  Value grouped =
      call.reshape(call.widen(x), {sizes[0], groups, count.floorDiv(groups)});
  results.push_back(call.isResultUsed(1) ? call.mean(grouped, 2) : Value());
  results.push_back(
      call.isResultUsed(2) ? inverseDeviation(call, grouped, 2, eps) : Value());
}

// Pattern: aten.group_norm(x, groups, weight, bias, eps) -> tc.group_norm x
static LogicalResult convertGroupNorm(AtenCall &call) {
  Value x = call.getTensor("input");
  Value weight = castLike(call, call.getTensor("weight"), x);
  Value bias = castLike(call, call.getTensor("bias"), x);
  int64_t groups =
      call.getInteger(call.getArgument("num_groups") ? "num_groups" : "group");
  double eps = call.getReal("eps");
  if (call.hasFailed() || rankOf(x) < 2)
    return call.hasFailed() ? failure() : call.refuse("a tensor of rank 1");
  SizeExpr channels = sizesOf(x)[1];
  if (groups < 1 || channels.floorDiv(groups).mul(groups) != channels)
    return call.refuse("a symbolic number of channels, which " + Twine(groups) +
                       " groups may not divide");
  SmallVector<Value> results{GroupNormOp::create(call.builder, call.location,
                                                 x.getType(), x, weight, bias,
                                                 groups, llvm::APFloat(eps))};
  if (call.getResultCount() == 3)
    addGroupStatistics(call, x, call.constant(groups), eps, results);
  return call.replace(results);
}

static Value normalizeByStatistics(AtenCall &call, Value x, double eps) {
  Value mean = castLike(call, call.getTensor("running_mean"), x);
  Value variance = castLike(call, call.getTensor("running_var"), x);
  return BatchNormOp::create(
      call.builder, call.location, x.getType(), x, mean, variance,
      castLike(call, call.getTensor("weight"), x),
      castLike(call, call.getTensor("bias"), x), llvm::APFloat(eps));
}

// Pattern: aten.instance_norm(x, weight, bias) -> tc.group_norm, a channel a
// group, or tc.batch_norm by running statistics
static LogicalResult convertInstanceNorm(AtenCall &call) {
  Value x = call.getTensor("input");
  Value weight = castLike(call, call.getTensor("weight"), x);
  Value bias = castLike(call, call.getTensor("bias"), x);
  bool hasRunning = call.getTensor("running_mean") != nullptr;
  double eps = call.getReal("eps");
  if (rankOf(x) < 2 || hasRunning == call.getBool("use_input_stats"))
    return call.refuse("running statistics that it updates");
  if (hasRunning)
    return call.replace(normalizeByStatistics(call, x, eps));
  std::optional<int64_t> channels = sizesOf(x)[1].getConstant();
  if (!channels || call.hasFailed())
    return call.refuse("a symbolic number of channels");
  return call.replace(GroupNormOp::create(call.builder, call.location,
                                          x.getType(), x, weight, bias,
                                          *channels, llvm::APFloat(eps)));
}

/// (x - mean) * scale, times weight, plus bias, by channel.
static Value applyStatistics(AtenCall &call, Value x, Value mean, Value scale) {
  Sizes sizes = sizesOf(x);
  x = call.binary<SubOp>(x, spreadChannels(call, mean, sizes));
  x = call.binary<MulOp>(x, spreadChannels(call, scale, sizes));
  if (Value weight = castLike(call, call.getTensor("weight"), x))
    x = call.binary<MulOp>(x, spreadChannels(call, weight, sizes));
  if (Value bias = castLike(call, call.getTensor("bias"), x))
    x = call.binary<AddOp>(x, spreadChannels(call, bias, sizes));
  return x;
}

/// momentum * batch + (1 - momentum) * running
static Value updateRunning(AtenCall &call, StringRef name, Value batch,
                           double momentum) {
  Value running = castLike(call, call.getTensor(name), batch);
  return call.binary<AddOp>(call.binary<MulOp>(batch, momentum),
                            call.binary<MulOp>(running, 1.0 - momentum));
}

/// Batch normalisation by the statistics of the batch, in training.
static LogicalResult convertTrainingBatchNorm(AtenCall &call, Value x) {
  bool isFunctional = call.getResultCount() == 5;
  bool hasRunning = call.getArgument("running_mean") &&
                    call.getTensor("running_mean") != nullptr;
  if (hasRunning && !isFunctional)
    return call.refuse("training=True, which updates running statistics in "
                       "place; use run_decompositions() before the export, or "
                       "eval()");
  double eps = call.getReal("eps"), momentum = call.getReal("momentum");
  Value wide = call.widen(x);
  SmallVector<int64_t> dims{0};
  for (int64_t dim = 2; dim < rankOf(x); ++dim)
    dims.push_back(dim);
  Value batchMean = call.mean(wide, dims);
  Value scale = inverseDeviation(call, wide, dims, eps);
  SmallVector<Value> results{applyStatistics(call, wide, batchMean, scale)};
  if (call.getResultCount() >= 3)
    results.append({batchMean, scale});
  if (isFunctional) {
    results.push_back(updateRunning(call, "running_mean", batchMean, momentum));
    results.push_back(updateRunning(call, "running_var",
                                    variance(call, wide, dims, 1.0), momentum));
  }
  return call.replace(results);
}

// Pattern: aten.batch_norm(x, weight, bias, mean, var) -> tc.batch_norm x
static LogicalResult convertBatchNorm(AtenCall &call) {
  Value x = call.getTensor("input");
  if (rankOf(x) < 2)
    return call.refuse("a tensor of rank " + Twine(rankOf(x)));
  bool trains = call.getArgument("training") && call.getBool("training");
  bool hasStatistics = call.getArgument("running_mean") &&
                       call.getTensor("running_mean") &&
                       call.getTensor("running_var");
  if (trains || !hasStatistics)
    return convertTrainingBatchNorm(call, x);
  double eps = call.getReal("eps");
  if (call.hasFailed())
    return failure();
  SmallVector<Value> results{normalizeByStatistics(call, x, eps)};
  // The saved statistics of inference are empty tensors.
  for (unsigned i = 1; i < call.getResultCount(); ++i)
    results.push_back(
        i < 3 ? EmptyOp::create(call.builder, call.location,
                                call.getResultType(i))
              : call.getTensor(i == 3 ? "running_mean" : "running_var"));
  return call.replace(results);
}

// Pattern: aten._weight_norm(v, g, dim) -> v times g / (the norm of v over all
// other dimensions)
static LogicalResult convertWeightNorm(AtenCall &call) {
  Value v = call.getTensor("v"), g = call.getTensor("g");
  Value wide = call.widen(v);
  int64_t rank = rankOf(v), kept = call.getInteger("dim");
  if (call.hasFailed() || kept >= rank || kept < -1)
    return call.hasFailed() ? failure() : call.refuse("this dimension");
  SmallVector<int64_t> dims;
  for (int64_t dim = 0; dim < rank; ++dim)
    if (dim != kept)
      dims.push_back(dim);
  Value norm = call.unary<SqrtOp>(
      call.reduce(ReductionKind::Sum, call.binary<MulOp>(wide, wide), dims));
  Sizes sizes(rank, call.constant(1));
  if (kept >= 0)
    sizes[kept] = sizesOf(v)[kept];
  norm = call.reshape(norm, sizes);
  Value scale =
      call.binary<DivOp>(call.broadcast(castLike(call, g, norm), sizes), norm);
  if (call.hasFailed())
    return failure();
  Value weight = call.binary<MulOp>(wide, call.broadcast(scale, sizesOf(v)));
  if (call.getResultCount() == 1)
    return call.replace(weight);
  return call.replace({weight, norm});
}

void addNormalizations(AtenTable &table) {
  table.add({"layer_norm.default", "native_layer_norm.default"},
            convertLayerNorm);
  table.add({"rms_norm.default", "_fused_rms_norm.default"}, convertRmsNorm);
  table.add({"group_norm.default", "native_group_norm.default"},
            convertGroupNorm);
  table.add({"instance_norm.default"}, convertInstanceNorm);
  table.add({"_weight_norm.default", "_weight_norm_interface.default"},
            convertWeightNorm);
  table.add({"batch_norm.default",
             "_native_batch_norm_legit_no_training.default",
             "_native_batch_norm_legit_functional.default",
             "_native_batch_norm_legit.no_stats"},
            convertBatchNorm);
}

} // namespace tc::aten
