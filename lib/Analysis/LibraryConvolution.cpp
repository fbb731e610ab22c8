//===- LibraryConvolution.cpp - Convolutions for libraries ----------------===//

#include "TC/Analysis/LibraryConvolution.h"
#include "LibraryEpilogue.h"
#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"

using namespace mlir;
using namespace tc;

bool tc::hasLibrary(ModuleOp module, ConvolutionLibraryKind library) {
  auto names = module->getAttrOfType<ArrayAttr>(kLibrariesAttr);
  return names &&
         llvm::is_contained(
             names, StringAttr::get(module.getContext(),
                                    stringifyConvolutionLibraryKind(library)));
}

namespace {
/// Reads a kernel's body as a convolution.
class ConvolutionReader {
public:
  ConvolutionReader(KernelOp kernel, bool mayReorder)
      : kernel(kernel), context(kernel.getContext()), mayReorder(mayReorder),
        epilogue(kernel) {}
  llvm::Expected<LibraryConvolution> read();

private:
  bool matches(ReadOp imagesRead, ReadOp filtersRead);
  bool tryAll(ReadOp lhs, ReadOp rhs);
  bool matchBatch();
  bool matchChannels();
  bool matchGroups(AffineExpr image, AffineExpr inFilter, AffineExpr filter);
  bool matchSpatial(unsigned index);
  bool matchPadding();
  llvm::Error readAddends();
  llvm::Error checkTypes();

  unsigned countSpatial() const { return imageSizes.size() - 1 - hasBatch; }
  /// The index of the channels in images or results, and in filters.
  unsigned getChannel(bool areLast) const {
    return areLast ? countSpatial() + hasBatch : hasBatch;
  }
  unsigned getFilterChannel() const {
    return areFiltersLast && hasWindow ? countSpatial() + 1 : 1;
  }
  /// That of spatial dimension `index`.
  unsigned getPlace(unsigned index, bool areLast) const {
    return index + hasBatch + (areLast ? 0 : 1);
  }
  unsigned getWindowPlace(unsigned index) const {
    return index + (areFiltersLast ? 1 : 2);
  }
  bool mayBeInOrder();
  bool takeDim(AffineExpr expr, SizeExpr size);

  KernelOp kernel;
  MLIRContext *context;
  bool mayReorder;
  EpilogueReader epilogue;
  ContractStageOp stage;
  ReadOp images, filters;
  /// Channels of images, filters and results are last in memory.
  bool isLast = false, areFiltersLast = false, areResultsLast = false;
  /// One image has no index of its own, nor has a window of one point.
  bool hasBatch = true, hasWindow = true;
  Sizes imageSizes, filterSizes, resultSizes;
  SmallVector<AffineExpr> imageIndex, filterIndex, resultIndex;
  DimSet taken; ///< dimensions of the kernel that have a place
  int64_t bias = -1, addend = -1;
  LibraryConvolution found;
};
} // namespace

/// Takes a dimension that walks all of an index of `size` points; the index of
/// one point is 0.
bool ConvolutionReader::takeDim(AffineExpr expr, SizeExpr size) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue() == 0 && size.isConstant(1);
  auto dim = dyn_cast<AffineDimExpr>(expr);
  if (!dim || taken.test(dim.getPosition()) ||
      kernel.getDimSize(dim.getPosition()) != size)
    return false;
  taken.set(dim.getPosition());
  return true;
}

bool ConvolutionReader::matchBatch() {
  if (!hasBatch)
    return true;
  return imageIndex[0] == resultIndex[0] && imageSizes[0] == resultSizes[0] &&
         takeDim(imageIndex[0], imageSizes[0]);
}

/// Groups walk the outer part of both the images' channels and the filters.
bool ConvolutionReader::matchGroups(AffineExpr image, AffineExpr inFilter,
                                    AffineExpr filter) {
  auto channels = imageSizes[getChannel(isLast)].getConstant(),
       perGroup = filterSizes[getFilterChannel()].getConstant(),
       all = filterSizes[0].getConstant();
  if (!channels || !perGroup || !all || *perGroup < 1 ||
      *channels % *perGroup != 0)
    return false;
  found.groups = *channels / *perGroup;
  if (found.groups < 1 || *all % found.groups != 0)
    return false;
  const int64_t filtersPerGroup = *all / found.groups;
  IndexSimplifier simplifier(kernel);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    AffineExpr group = getAffineDimExpr(dim, context);
    if (taken.test(dim) || !kernel.getDimSize(dim).isConstant(found.groups) ||
        simplifier.simplify(image - inFilter - group * *perGroup) !=
            getAffineConstantExpr(0, context))
      continue;
    taken.set(dim);
    AffineExpr own = simplifier.simplify(filter - group * filtersPerGroup);
    return takeDim(own, SizeExpr::constant(context, filtersPerGroup));
  }
  return false;
}

bool ConvolutionReader::matchChannels() {
  const unsigned channel = getChannel(isLast), inFilters = getFilterChannel(),
                 inResults = getChannel(areResultsLast);
  AffineExpr image = imageIndex[channel], inFilter = filterIndex[inFilters],
             filter = filterIndex[0];
  if (filter != resultIndex[inResults] ||
      filterSizes[0] != resultSizes[inResults] ||
      !takeDim(inFilter, filterSizes[inFilters]))
    return false;
  if (image == inFilter && imageSizes[channel] == filterSizes[inFilters])
    return takeDim(filter, filterSizes[0]);
  return matchGroups(image, inFilter, filter);
}

/// Image index = place * stride + point * dilation - padding, and as many
/// places as fit into the images with this padding on both sides.
bool ConvolutionReader::matchSpatial(unsigned index) {
  const unsigned at = getPlace(index, isLast),
                 to = getPlace(index, areResultsLast);
  AffineExpr place = resultIndex[to], point = getAffineConstantExpr(0, context);
  SizeExpr points = SizeExpr::constant(context, 1);
  if (hasWindow) {
    point = filterIndex[getWindowPlace(index)];
    points = filterSizes[getWindowPlace(index)];
  }
  if (!takeDim(place, resultSizes[to]) || !takeDim(point, points))
    return false;
  AffineMap map = images.getMap();
  const unsigned dims = map.getNumDims(), symbols = map.getNumSymbols();
  SmallVector<int64_t> terms;
  if (failed(getFlattenedAffineExpr(imageIndex[at], dims, symbols, &terms)) ||
      terms.size() != dims + symbols + 1)
    return false;
  auto takeTerm = [&](AffineExpr expr) -> int64_t {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? std::exchange(terms[dim.getPosition()], 0) : 1;
  };
  const int64_t stride = takeTerm(place), dilation = takeTerm(point),
                padding = -std::exchange(terms.back(), 0);
  if (stride < 1 || dilation < 1 || padding < 0 ||
      llvm::any_of(terms, [](int64_t term) { return term != 0; }))
    return false;
  SizeExpr window = points.add(-1).mul(dilation).add(1);
  if (imageSizes[at].add(2 * padding).sub(window).floorDiv(stride).add(1) !=
      resultSizes[to])
    return false;
  found.stride.push_back(stride);
  found.padding.push_back(padding);
  found.dilation.push_back(dilation);
  found.windowPoints = found.windowPoints.mul(points);
  found.places = found.places.mul(resultSizes[to]);
  return true;
}

/// Whether images are read where they are, and are 0 elsewhere: each condition
/// is one of an index and an end of the images.
bool ConvolutionReader::matchPadding() {
  auto within = images.getWithin();
  if (!within)
    return true;
  auto isEnd = [&](AffineExpr condition) {
    for (unsigned index = 0; index < countSpatial(); ++index) {
      const unsigned at = getPlace(index, isLast);
      if (simplifyAffineExpr(condition - imageIndex[at], within->getNumDims(),
                             within->getNumSymbols()) ==
          getAffineConstantExpr(0, context))
        return true;
      AffineExpr last =
          simplifyAffineExpr(condition + imageIndex[at] + 1,
                             within->getNumDims(), within->getNumSymbols());
      if (auto constant = dyn_cast<AffineConstantExpr>(last))
        if (imageSizes[at].isConstant(constant.getValue()))
          return true;
      if (auto symbol = dyn_cast<AffineSymbolExpr>(last))
        if (kernel.getSymbol(symbol.getPosition()) == imageSizes[at])
          return true;
    }
    return false;
  };
  return llvm::none_of(within->getEqFlags(), [](bool is) { return is; }) &&
         llvm::all_of(within->getConstraints(), isEnd);
}

bool ConvolutionReader::matches(ReadOp imagesRead, ReadOp filtersRead) {
  images = imagesRead;
  filters = filtersRead;
  taken = DimSet(kernel.getNumDims());
  found = LibraryConvolution();
  found.windowPoints = found.places = SizeExpr::constant(context, 1);
  auto getIndex = [](AffineMap map) {
    return SmallVector<AffineExpr>(map.getResults());
  };
  imageSizes = getSizes(cast<ShapedType>(images.getSource().getType()));
  filterSizes = getSizes(cast<ShapedType>(filters.getSource().getType()));
  resultSizes =
      getSizes(cast<ShapedType>(epilogue.write.getDestination().getType()));
  imageIndex = getIndex(images.getMap());
  filterIndex = getIndex(filters.getMap());
  resultIndex = getIndex(epilogue.write.getMap());
  constexpr unsigned kMostSpatial = 3;
  const unsigned others = 1 + hasBatch;
  if (imageSizes.size() <= others ||
      imageSizes.size() > kMostSpatial + others ||
      resultSizes.size() != imageSizes.size() ||
      filterSizes.size() != (hasWindow ? countSpatial() : 0) + 2 ||
      !matchBatch() || !matchChannels())
    return false;
  for (unsigned index = 0; index < countSpatial(); ++index)
    if (!matchSpatial(index))
      return false;
  // That of one group is in no index.
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (!taken.test(dim) && !kernel.getDimSize(dim).isConstant(1))
      return false;
  return matchPadding();
}

/// Whether the operands have their channels all last or all second, or the
/// passes on convolutions of 16 bits may have them so: filters are packed, and
/// what kernels alone have is in any order.
bool ConvolutionReader::mayBeInOrder() {
  if (isLast == areFiltersLast && isLast == areResultsLast)
    return true;
  if (!mayReorder || images.getType().isF32())
    return false;
  if (isLast == areResultsLast)
    return isLast;
  if (isLast)
    return llvm::none_of(kernel->getUsers(), [](Operation *user) {
      return user->hasTrait<OpTrait::ReturnLike>();
    });
  auto buffer = cast<BlockArgument>(images.getSource());
  return hasFreeOrder(kernel.getIns()[buffer.getArgNumber()]);
}

/// Looks for a convolution in all orders of the indices. A matrix of rows by
/// one of filters is no convolution: there is a batch, or a window.
bool ConvolutionReader::tryAll(ReadOp lhs, ReadOp rhs) {
  constexpr unsigned kOrders = 8;
  for (auto [first, second] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    if (second.getWithin())
      continue;
    for (auto [batch, window] : {std::pair(true, true), std::pair(false, true),
                                 std::pair(true, false)})
      for (unsigned order = 0; order < kOrders; ++order) {
        hasBatch = batch;
        hasWindow = window;
        isLast = order & 1;
        areFiltersLast = order & 2;
        areResultsLast = order & 4;
        if (matches(first, second) && mayBeInOrder())
          return true;
      }
  }
  return false;
}

/// A bias has a number for each filter, an addend one for each result.
llvm::Error ConvolutionReader::readAddends() {
  for (ReadOp read : epilogue.addends) {
    auto type = cast<ShapedType>(read.getSource().getType());
    if (read.getType() != images.getType())
      return noLibraryKernel("what it adds is of another type than its images");
    if (read.getMap() == epilogue.write.getMap() &&
        getSizes(type) == resultSizes && addend < 0) {
      addend = epilogue.numberOf(read);
      continue;
    }
    SizeExpr count = SizeExpr::constant(context, 1);
    for (SizeExpr size : getSizes(type))
      count = count.mul(size);
    bool isOfFilters =
        llvm::all_of(read.getMap().getResults(), [&](AffineExpr index) {
          return index == filterIndex[0] ||
                 index == getAffineConstantExpr(0, context);
        });
    if (!isOfFilters || count != filterSizes[0] || bias >= 0)
      return noLibraryKernel(
          "what it adds is more than a bias of the filters and a result");
    bias = epilogue.numberOf(read);
  }
  if (bias < 0 && addend >= 0)
    return noLibraryKernel("it adds a result and no bias");
  if (bias < 0 && epilogue.activation != ProductActivation::None)
    return noLibraryKernel("it has a relu and no bias");
  if (epilogue.activation == ProductActivation::GeluTanh)
    return noLibraryKernel("it has another activation than relu");
  return llvm::Error::success();
}

llvm::Error ConvolutionReader::checkTypes() {
  Type element = images.getType();
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (!isKnown || filters.getType() != element ||
      epilogue.write.getValue().getType() != element)
    return noLibraryKernel(
        "its images, filters and results are not all of f32, bf16 or f16");
  if (getSizeRange(kernel, found.filterChannels.mul(found.windowPoints))
          .low.value_or(0) < 1)
    return noLibraryKernel("it may sum over nothing");
  return llvm::Error::success();
}

llvm::Expected<LibraryConvolution> ConvolutionReader::read() {
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  if (!llvm::hasSingleElement(stages))
    return noLibraryKernel("it is no convolution");
  stage = *stages.begin();
  constexpr unsigned kAddends = 2; // a bias and a result
  if (llvm::Error error = epilogue.read(stage, kAddends))
    return std::move(error);
  auto lhs = stage.getLhs().getDefiningOp<ReadOp>(),
       rhs = stage.getRhs().getDefiningOp<ReadOp>();
  if (!lhs || !rhs || !lhs.getIndices().empty() || !rhs.getIndices().empty() ||
      epilogue.numberOf(lhs) >= kernel.getIns().size() ||
      epilogue.numberOf(rhs) >= kernel.getIns().size())
    return noLibraryKernel("it computes what it multiplies");
  epilogue.ops += 2;
  if (!epilogue.isComplete())
    return noLibraryKernel("its values are used several times");
  if (!tryAll(lhs, rhs))
    return noLibraryKernel(
        "it is no convolution of whole images and filters, with channels all "
        "last or all second, and the same padding on both sides");
  found.batches = hasBatch ? imageSizes[0] : SizeExpr::constant(context, 1);
  found.channels = imageSizes[getChannel(isLast)];
  found.filters = filterSizes[0];
  found.element = images.getType();
  found.filterChannels = filterSizes[getFilterChannel()];
  if (isLast && found.isPlainProduct())
    return noLibraryKernel("it is a product of matrices");
  if (llvm::Error error = readAddends())
    return std::move(error);
  if (llvm::Error error = checkTypes())
    return std::move(error);
  found.schedule = ConvolutionLibraryScheduleAttr::get(
      context, ConvolutionLibraryKind::CuDNN, epilogue.numberOf(images),
      epilogue.numberOf(filters), bias, addend,
      epilogue.activation == ProductActivation::Relu, epilogue.scale, isLast,
      /*workspace=*/0);
  return found;
}

bool LibraryConvolution::isPlainProduct() const {
  auto isNot = [](int64_t usual) {
    return [usual](int64_t value) { return value != usual; };
  };
  return windowPoints.isConstant(1) && llvm::none_of(stride, isNot(1)) &&
         llvm::none_of(padding, isNot(0));
}

llvm::Expected<LibraryConvolution> LibraryConvolution::find(KernelOp kernel,
                                                            bool mayReorder) {
  return ConvolutionReader(kernel, mayReorder).read();
}

double LibraryConvolution::countMultiplications(KernelOp kernel) const {
  double count = 1;
  for (SizeExpr size : {batches, filters, filterChannels, windowPoints, places})
    count *= estimateSize(kernel, size);
  return count;
}

static bool mayRoundTwice(const LibraryConvolution &convolution) {
  return convolution.schedule.getBias() >= 0 && !convolution.element.isF32();
}

bool tc::mayLibraryRoundTwice(KernelOp kernel) {
  if (!hasContraction(kernel))
    return false;
  auto convolution = LibraryConvolution::find(kernel, /*mayReorder=*/true);
  if (convolution)
    return mayRoundTwice(*convolution);
  llvm::consumeError(convolution.takeError());
  return false;
}

bool tc::isConvolutionForLibrary(KernelOp kernel, const MachineModel &machine) {
  // A call costs the host more than a launch, no CUDA graph has it, and what is
  // behind it is fused less.
  constexpr double kFewMultiplications = 1 << 20, kClearly = 1.25;
  auto module = kernel->getParentOfType<ModuleOp>();
  // A schedule that is given is the decision.
  if (auto given = kernel.getScheduleAttr())
    return isa<ConvolutionLibraryScheduleAttr>(given);
  if (!machine.isGPU || !module ||
      !hasLibrary(module, ConvolutionLibraryKind::CuDNN) ||
      !hasContraction(kernel))
    return false;
  auto convolution = LibraryConvolution::find(kernel, /*mayReorder=*/true);
  if (!convolution) {
    llvm::consumeError(convolution.takeError());
    return false;
  }
  if (convolution->countMultiplications(kernel) < kFewMultiplications ||
      mayRoundTwice(*convolution))
    return false;
  auto times = ConvolutionTimes::estimate(kernel, *convolution, machine);
  return times.library * kClearly <= times.own;
}
