//===- ConvolutionReads.cpp - What a convolution multiplies ---------------===//

#include "TC/Analysis/ConvolutionReads.h"

using namespace mlir;
using namespace tc;

/// The dimensions of the domain that index number `index` of `map` uses.
static DimSet getDimsOfIndex(AffineMap map, unsigned index, unsigned rank) {
  return KernelDims::ofMap(map.getSubMap({index}), rank);
}

DimSet ConvolutionReads::getReduced(KernelOp kernel) const {
  DimSet reduced(kernel.getNumDims());
  for (int64_t dim : ContractStageOp(stage).getOver())
    reduced.set(dim);
  return reduced;
}

bool ConvolutionReads::isForTensorCores() const {
  const unsigned rank = images->getParentOfType<KernelOp>().getNumDims();
  DimSet ofWeights = KernelDims::ofMap(ReadOp(weights).getMap(), rank);
  bool hasFilters =
      ofWeights.test(KernelDims::ofMap(ReadOp(images).getMap(), rank));
  Type type = ReadOp(images).getType();
  return hasFilters && (type.isBF16() || type.isF16());
}

/// Whether an index of what `read` reads is of a point of the window, in
/// `reduced`, and of one of the result that `other` does not have.
static bool slidesWindow(ReadOp read, ReadOp other, const DimSet &reduced) {
  unsigned rank = reduced.size();
  DimSet shared = KernelDims::ofMap(other.getMap(), rank);
  for (unsigned index = 0; index < read.getMap().getNumResults(); ++index) {
    DimSet used = getDimsOfIndex(read.getMap(), index, rank);
    if (used.anyCommon(reduced) && used.test(reduced | shared))
      return true;
  }
  return false;
}

std::optional<ConvolutionReads> ConvolutionReads::find(KernelOp kernel) {
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  if (!llvm::hasSingleElement(stages))
    return std::nullopt;
  ContractStageOp stage = *stages.begin();
  auto lhs = stage.getLhs().getDefiningOp<ReadOp>(),
       rhs = stage.getRhs().getDefiningOp<ReadOp>();
  if (!lhs || !rhs || !lhs.getIndices().empty() || !rhs.getIndices().empty() ||
      rhs.getSource() == lhs.getSource())
    return std::nullopt;
  DimSet reduced = ConvolutionReads{stage, lhs, rhs}.getReduced(kernel);
  bool isLeft = slidesWindow(lhs, rhs, reduced),
       isRight = slidesWindow(rhs, lhs, reduced);
  if (isLeft == isRight)
    return std::nullopt;
  return isLeft ? ConvolutionReads{stage, lhs, rhs}
                : ConvolutionReads{stage, rhs, lhs};
}

/// Elements of 16 bits of a box of a copy.
static constexpr int64_t kBoxElements = 64;

/// Points of `dims`, 0 where a size is unknown.
static int64_t countPoints(KernelOp kernel, const DimSet &dims) {
  int64_t points = 1;
  for (unsigned dim : dims.set_bits())
    points *= kernel.getDimSize(dim).getConstant().value_or(0);
  return points;
}

/// The factor of dimension `dim` in a sum of multiples of dimensions.
static int64_t getFactor(AffineExpr sum, unsigned dim) {
  MLIRContext *context = sum.getContext();
  auto with = [&](int64_t point) {
    return sum.replace(getAffineDimExpr(dim, context),
                       getAffineConstantExpr(point, context));
  };
  auto factor = dyn_cast<AffineConstantExpr>(
      simplifyAffineExpr(with(1) - with(0), dim + 1, /*numSymbols=*/0));
  return factor ? factor.getValue() : 0;
}

/// Whether an index of images is of windows that begin where the one before
/// ends, or later: `kept` are the dimensions of the windows, `summed` those of
/// the points of one. Images are cut into patches so.
static bool isOfPatches(KernelOp kernel, AffineExpr index, const DimSet &kept,
                        const DimSet &summed) {
  if (kept.count() != 1 || summed.count() != 1)
    return false;
  const auto window = unsigned(kept.find_first()),
             point = unsigned(summed.find_first());
  const int64_t step = getFactor(index, window);
  return step > 0 &&
         step >= getFactor(index, point) *
                     kernel.getDimSize(point).getConstant().value_or(step + 1);
}

bool ConvolutionReads::hasGradientBoxes(KernelOp kernel) const {
  auto channel = findGradientChannel(kernel);
  AffineMap map = ReadOp(images).getMap();
  return channel && countPoints(kernel, getDimsOfIndex(map, *channel,
                                                       kernel.getNumDims())) %
                            kBoxElements ==
                        0;
}

std::optional<unsigned>
ConvolutionReads::findGradientChannel(KernelOp kernel) const {
  constexpr int64_t kMostGrowth = 16;
  AffineMap map = ReadOp(images).getMap();
  const unsigned rank = kernel.getNumDims();
  DimSet reduced = getReduced(kernel),
         ofWeights = KernelDims::ofMap(ReadOp(weights).getMap(), rank);
  std::optional<unsigned> channel;
  int64_t summed = 1, kept = 1, channels = 0;
  for (unsigned index = 0; index < map.getNumResults(); ++index) {
    DimSet used = getDimsOfIndex(map, index, rank), own(used);
    own.reset(reduced);
    if (own.anyCommon(ofWeights))
      return std::nullopt; // groups
    used &= reduced;
    if (used.any()) {
      if (isOfPatches(kernel, map.getResult(index), own, used))
        return std::nullopt;
      if (own.any()) {
        summed *= countPoints(kernel, used);
        kept *= countPoints(kernel, own);
      }
      continue;
    }
    if (channel || own.count() != 1)
      return std::nullopt;
    channel = index;
    channels = countPoints(kernel, own);
  }
  if (summed <= kept || channels == 0)
    return std::nullopt;
  auto type = cast<ShapedType>(ReadOp(images).getSource().getType());
  auto elements = getElementCount(getSizes(type), kernel.getContext());
  const int64_t matrix = countPoints(kernel, reduced) * kept * channels;
  bool mayUnfold = matrix > 0 && elements.getConstant() &&
                   matrix <= kMostGrowth * *elements.getConstant();
  return channels % kBoxElements == 0 || mayUnfold ? channel : std::nullopt;
}

std::optional<unsigned> ConvolutionReads::findChannel(KernelOp kernel) const {
  if (auto channel = findGradientChannel(kernel))
    return channel;
  AffineMap map = ReadOp(images).getMap();
  const unsigned rank = kernel.getNumDims();
  DimSet reduced = getReduced(kernel),
         shared = reduced | KernelDims::ofMap(ReadOp(weights).getMap(), rank);
  std::optional<unsigned> channel;
  for (unsigned index = 0; index < map.getNumResults(); ++index) {
    DimSet used = getDimsOfIndex(map, index, rank);
    if (!used.anyCommon(reduced) || used.test(shared))
      continue;
    if (channel)
      return std::nullopt;
    channel = index;
  }
  return channel;
}

bool tc::hasFreeOrder(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto kernel = result ? dyn_cast<KernelOp>(result.getOwner()) : nullptr;
  if (!kernel ||
      !kernel.getOuts()[result.getResultNumber()].getDefiningOp<EmptyOp>())
    return false;
  return llvm::all_of(value.getUsers(), [](Operation *user) {
    return isa<KernelOp>(user) && !user->getParentOfType<KernelOp>();
  });
}
