//===- CopiedImages.cpp - Images of convolutions that are copied ----------===//

#include "TC/Analysis/CopiedMatrix.h"

using namespace mlir;
using namespace tc;

/// Bits that an instruction has for the distances of all dimensions of pixels,
/// and the largest step that a tensor map has.
static constexpr int64_t kDistanceBits = 16, kMostStep = 8;

namespace {
/// An index of pixels: `step` times a place, `dilation` times a point of the
/// window, and `begin`.
struct PixelIndex {
  unsigned place = 0;
  std::optional<unsigned> point;
  int64_t step = 0, dilation = 1, begin = 0;
};

class ImageFinder {
public:
  ImageFinder(KernelOp kernel, ReadOp read, ArrayRef<unsigned> own,
              ArrayRef<unsigned> reduced)
      : kernel(kernel), read(read), own(own), reduced(reduced),
        sizes(getSizes(cast<ShapedType>(read.getSource().getType()))) {}
  std::optional<CopiedMatrix> find();

private:
  std::optional<PixelIndex> findPixel(AffineExpr index);
  bool addPixel(unsigned number, CopiedWindow &window);
  bool areOthersZero();

  KernelOp kernel;
  ReadOp read;
  ArrayRef<unsigned> own, reduced;
  Sizes sizes;
};
} // namespace

/// What `index` is, where it is one place's, and at most one point's of the
/// window.
std::optional<PixelIndex> ImageFinder::findPixel(AffineExpr index) {
  PixelIndex pixel;
  SmallVector<AffineExpr> terms{index};
  while (!terms.empty()) {
    AffineExpr term = terms.pop_back_val();
    if (auto number = dyn_cast<AffineConstantExpr>(term)) {
      pixel.begin += number.getValue();
      continue;
    }
    auto binary = dyn_cast<AffineBinaryOpExpr>(term);
    if (binary && term.getKind() == AffineExprKind::Add) {
      terms.append({binary.getLHS(), binary.getRHS()});
      continue;
    }
    int64_t factor = 1;
    if (binary && term.getKind() == AffineExprKind::Mul &&
        isa<AffineConstantExpr>(binary.getRHS())) {
      factor = cast<AffineConstantExpr>(binary.getRHS()).getValue();
      term = binary.getLHS();
    }
    auto dim = dyn_cast<AffineDimExpr>(term);
    if (!dim || factor < 1)
      return std::nullopt;
    if (llvm::is_contained(own, dim.getPosition()) && pixel.step == 0) {
      pixel.place = dim.getPosition();
      pixel.step = factor;
    } else if (llvm::is_contained(reduced, dim.getPosition()) && !pixel.point) {
      pixel.point = dim.getPosition();
      pixel.dilation = factor;
    } else {
      return std::nullopt;
    }
  }
  return pixel.step > 0 ? std::optional(pixel) : std::nullopt;
}

/// Adds index `number` of the images to `window`; false where the copy engine
/// does not know such a one.
bool ImageFinder::addPixel(unsigned number, CopiedWindow &window) {
  auto pixel = findPixel(read.getMap().getResult(number));
  if (!pixel || pixel->step > kMostStep)
    return false;
  auto pixels = sizes[number].getConstant(),
       places = kernel.getDimSize(pixel->place).getConstant();
  auto points = pixel->point ? kernel.getDimSize(*pixel->point).getConstant()
                             : std::optional<int64_t>(1);
  if (!pixels || !places || !points)
    return false;
  const int64_t bits = kDistanceBits / (int64_t(sizes.size()) - 2),
                end = int64_t(1) << (bits - 1),
                last = pixel->begin + (*places - 1) * pixel->step,
                upper = last - (*pixels - 1);
  if (pixel->begin < -end || pixel->begin >= end || upper < -end ||
      upper >= end || (*points - 1) * pixel->dilation >= 2 * end)
    return false;
  window.places.push_back(pixel->place);
  window.points.push_back(pixel->point);
  window.lower.push_back(pixel->begin);
  window.upper.push_back(upper);
  window.steps.push_back(pixel->step);
  window.dilations.push_back(pixel->dilation);
  return true;
}

/// Whether the elements that are not read are those beyond the pixels.
bool ImageFinder::areOthersZero() {
  auto within = read.getWithin();
  if (!within)
    return true;
  AffineMap map = read.getMap();
  for (auto [number, constraint] : llvm::enumerate(within->getConstraints())) {
    auto isBound = [&, constraint = constraint](unsigned index) {
      AffineExpr below = map.getResult(index);
      auto size = sizes[index].getConstant();
      auto isZero = [&](AffineExpr expr) {
        return simplifyAffineExpr(expr, map.getNumDims(),
                                  map.getNumSymbols()) ==
               getAffineConstantExpr(0, map.getContext());
      };
      return isZero(constraint - below) ||
             (size && isZero(constraint - (*size - 1 - below)));
    };
    if (within->isEq(number) ||
        llvm::none_of(llvm::seq(1u, map.getNumResults() - 1), isBound))
      return false;
  }
  return true;
}

std::optional<CopiedMatrix> ImageFinder::find() {
  constexpr size_t kLeastDims = 3, kMostDims = 5;
  constexpr int64_t kUnit = 8; // elements of 16 bits in 16 bytes
  AffineMap map = read.getMap();
  if (sizes.size() < kLeastDims || sizes.size() > kMostDims ||
      !read.getIndices().empty() || !areOthersZero() || reduced.empty())
    return std::nullopt;
  CopiedWindow window;
  auto image = dyn_cast<AffineDimExpr>(map.getResult(0)),
       channel = dyn_cast<AffineDimExpr>(map.getResults().back());
  auto channels = sizes.back().getConstant();
  if (!image || !channel || channel.getPosition() != reduced.back() ||
      !channels || *channels < 1 || *channels % kUnit != 0 ||
      !kernel.getDimSize(reduced.back()).isConstant(*channels))
    return std::nullopt;
  window.places.push_back(image.getPosition());
  for (unsigned number = 1; number + 1 < map.getNumResults(); ++number)
    if (!addPixel(number, window))
      return std::nullopt;
  SmallVector<unsigned> walked;
  for (std::optional<unsigned> point : window.points)
    if (point)
      walked.push_back(*point);
  walked.push_back(channel.getPosition());
  if (ArrayRef(walked) != reduced || ArrayRef(window.places) != own)
    return std::nullopt;
  CopiedMatrix matrix;
  matrix.buffer = cast<BlockArgument>(read.getSource()).getArgNumber();
  matrix.offset = SizeExpr::constant(kernel.getContext(), 0);
  matrix.pitch = matrix.offset;
  matrix.window = window;
  return matrix;
}

std::optional<CopiedMatrix> tc::findImages(KernelOp kernel, ReadOp read,
                                           ArrayRef<unsigned> own,
                                           ArrayRef<unsigned> reduced) {
  return ImageFinder(kernel, read, own, reduced).find();
}
