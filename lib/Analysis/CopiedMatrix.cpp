//===- CopiedMatrix.cpp - Matrices that a copy engine takes ---------------===//

#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using namespace tc;

/// Of which strides are multiples, and dimensions of a tensor that the copy
/// engine knows.
static constexpr int64_t kUnitBytes = 16;
static constexpr size_t kMostDims = 5;

MatrixFinder::MatrixFinder(KernelOp kernel, ArrayRef<unsigned> batches,
                           int64_t elementBytes)
    : kernel(kernel), batches(batches), unit(kUnitBytes / elementBytes),
      ranges(kernel->getParentOfType<func::FuncOp>()) {}

SizeExpr MatrixFinder::countPoints(ArrayRef<unsigned> dims) {
  SizeExpr count = constant(1);
  for (unsigned dim : dims)
    count = count.mul(kernel.getDimSize(dim));
  return count;
}

std::optional<SizeExpr> MatrixFinder::findStride(const MatrixAccess &access,
                                                 ArrayRef<unsigned> along) {
  auto type = cast<ShapedType>(access.buffer.getType());
  std::optional<SizeExpr> first, next;
  for (unsigned dim : llvm::reverse(along)) {
    SizeExpr size = kernel.getDimSize(dim);
    if (size.isConstant(1))
      continue;
    auto stride = getElementStride(type, access.map, dim);
    if (!stride || (next && *stride != *next))
      return std::nullopt;
    if (!first)
      first = stride;
    next = stride->mul(size);
  }
  return first.value_or(constant(0));
}

/// The number of the element that the point whose indices are all 0 is; nothing
/// where that is not known.
static std::optional<SizeExpr> findOffset(Value buffer, AffineMap map) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> zeros(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  SizeExpr offset = SizeExpr::constant(context, 0);
  for (auto [expr, stride] : llvm::zip_equal(
           map.getResults(),
           getRowMajorStrides(cast<ShapedType>(buffer.getType())))) {
    auto index = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(expr.replaceDims(zeros), 0, map.getNumSymbols()));
    if (!index || index.getValue() < 0)
      return std::nullopt;
    offset = offset.add(SizeExpr(stride).mul(index.getValue()));
  }
  return offset;
}

/// Whether the copy engine may make steps of `stride`, on a condition that is
/// added to those of `matrix` where sizes do not say so.
bool MatrixFinder::mayStep(SizeExpr stride, CopiedMatrix &matrix) {
  if (isMultiple(stride, unit) && ranges.of(stride).min >= 1)
    return true;
  matrix.conditions.push_back(stride);
  return pads || !stride.isConstant();
}

/// Sets the stride along `outer` of a matrix that is contiguous along `inner`;
/// false where it is not, or the stride is no multiple of 16 bytes.
bool MatrixFinder::findPitch(const MatrixAccess &access,
                             ArrayRef<unsigned> inner, ArrayRef<unsigned> outer,
                             CopiedMatrix &matrix) {
  auto step = findStride(access, inner), pitch = findStride(access, outer);
  SizeExpr count = countPoints(inner);
  if (!step || !pitch || !(step->isConstant(1) || count.isConstant(1)))
    return false;
  // No step is made between rows where there is one.
  if (countPoints(outer).isConstant(1)) {
    matrix.pitch = count.ceilDiv(constant(unit)).mul(unit);
    return true;
  }
  matrix.pitch = *pitch;
  return mayStep(*pitch, matrix);
}

/// The stride of `map` from one group of points along `dim` to the next, and
/// how many points a group has, which are the same element: where all indices
/// are of the dimension divided by their number.
static std::optional<std::pair<SizeExpr, int64_t>>
findGroupStride(ShapedType type, AffineMap map, unsigned dim) {
  MLIRContext *context = map.getContext();
  AffineExpr whole = getAffineDimExpr(dim, context);
  int64_t group = 0;
  for (AffineExpr result : map.getResults())
    result.walk([&](AffineExpr expr) {
      auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
      auto divisor = binary ? dyn_cast<AffineConstantExpr>(binary.getRHS())
                            : AffineConstantExpr();
      if (divisor && expr.getKind() == AffineExprKind::FloorDiv &&
          binary.getLHS() == whole)
        group = divisor.getValue();
    });
  if (group < 1)
    return std::nullopt;
  unsigned number = map.getNumDims();
  AffineMap grouped =
      map.replace(whole.floorDiv(group), getAffineDimExpr(number, context),
                  number + 1, map.getNumSymbols());
  if (grouped.isFunctionOfDim(dim))
    return std::nullopt;
  auto stride = getElementStride(type, grouped, number);
  return stride ? std::optional(std::pair(*stride, group)) : std::nullopt;
}

/// Sets the batch dimensions that `access` varies over, and their strides;
/// false where the copy engine does not know them.
bool MatrixFinder::findBatches(const MatrixAccess &access,
                               CopiedMatrix &matrix) {
  auto type = cast<ShapedType>(access.buffer.getType());
  for (unsigned dim : batches) {
    if (kernel.getDimSize(dim).isConstant(1))
      continue;
    auto stride = getElementStride(type, access.map, dim);
    int64_t sharers = 1;
    if (stride && stride->isConstant(0))
      continue;
    if (!stride)
      if (auto group = findGroupStride(type, access.map, dim))
        std::tie(stride, sharers) = *group;
    if (!stride || !mayStep(*stride, matrix))
      return false;
    matrix.batches.push_back(dim);
    matrix.batchStrides.push_back(*stride);
    matrix.sharers.push_back(sharers);
  }
  return matrix.batches.size() + 2 <= kMostDims;
}

/// Sets which of several matrices `access` is of, where an index that is a
/// value says so; false where it is anything else.
bool MatrixFinder::findGroups(const MatrixAccess &access,
                              CopiedMatrix &matrix) {
  const unsigned number = kernel.getNumDims();
  AffineMap map = access.map;
  if (map.getNumDims() == number)
    return true;
  auto type = cast<ShapedType>(access.buffer.getType());
  auto stride = getElementStride(type, map, number);
  if (map.getNumDims() > number + 1 || !stride || !mayStep(*stride, matrix))
    return false;
  for (auto [index, size] : llvm::zip_equal(map.getResults(), getSizes(type))) {
    if (!index.isFunctionOfDim(number))
      continue;
    if (!isa<AffineDimExpr>(index) || matrix.groupStride)
      return false;
    matrix.groupStride = stride;
    matrix.groupCount = size;
  }
  return matrix.groupStride && matrix.batches.size() + 3 <= kMostDims;
}

std::optional<CopiedMatrix> MatrixFinder::find(const MatrixAccess &access,
                                               ArrayRef<unsigned> inner,
                                               ArrayRef<unsigned> outer) {
  CopiedMatrix matrix;
  auto offset = findOffset(access.buffer, access.map);
  matrix.buffer = cast<BlockArgument>(access.buffer).getArgNumber();
  if (!offset || !(offset->isConstant(0) || isMultiple(*offset, unit)) ||
      !findPitch(access, inner, outer, matrix) ||
      !findBatches(access, matrix) || !findGroups(access, matrix))
    return std::nullopt;
  matrix.offset = *offset;
  return matrix;
}

std::optional<CopiedMatrix> MatrixFinder::findPadded(const MatrixAccess &access,
                                                     ArrayRef<unsigned> inner,
                                                     ArrayRef<unsigned> outer) {
  pads = true;
  std::optional<CopiedMatrix> matrix = find(access, inner, outer);
  pads = false;
  return matrix && (matrix->conditions.empty() || mayPad(*matrix))
             ? matrix
             : std::nullopt;
}

bool MatrixFinder::mayPad(const CopiedMatrix &matrix) {
  return matrix.offset.isConstant(0) &&
         llvm::all_of(matrix.conditions, [&](SizeExpr stride) {
           return ranges.of(stride).min >= 0;
         });
}

std::optional<CopiedMatrix>
MatrixFinder::findResults(WriteOp write, ArrayRef<unsigned> inner,
                          ArrayRef<unsigned> outer) {
  Type type = write.getValue().getType();
  if (!(type.isBF16() || type.isF16()) || write.getWithin() ||
      write.getCombine() != CombineKind::Replace)
    return std::nullopt;
  auto matrix = find({write.getDestination(), write.getMap()}, inner, outer);
  if (!matrix || !matrix->conditions.empty())
    return std::nullopt;
  matrix->isAcross = true;
  return matrix;
}

//===----------------------------------------------------------------------===//
// Images of convolutions
//===----------------------------------------------------------------------===//

/// Bits that an instruction has for the distances of all dimensions of pixels,
/// and the largest step that a tensor map has.
static constexpr int64_t kDistanceBits = 16, kMostStep = 8;

/// Channels of 16 bits in 16 bytes.
static constexpr int64_t kUnit = 8;

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
  unsigned firstPixel =
      1; ///< the index behind that of the image, if there is one
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
  const int64_t bits = kDistanceBits / (int64_t(sizes.size()) - 1 - firstPixel),
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
        llvm::none_of(llvm::seq(firstPixel, map.getNumResults() - 1), isBound))
      return false;
  }
  return true;
}

std::optional<CopiedMatrix> ImageFinder::find() {
  constexpr size_t kLeastDims = 3;
  AffineMap map = read.getMap();
  if (sizes.empty() || !read.getIndices().empty() || reduced.empty())
    return std::nullopt;
  CopiedWindow window;
  // A single image has no index of its own.
  auto image = dyn_cast<AffineDimExpr>(map.getResult(0)),
       channel = dyn_cast<AffineDimExpr>(map.getResults().back());
  bool hasImages = image && own.size() + 1 == sizes.size();
  firstPixel = hasImages ? 1 : 0;
  const size_t dims = sizes.size() + (hasImages ? 0 : 1);
  auto channels = sizes.back().getConstant();
  if (dims < kLeastDims || dims > kMostDims || !areOthersZero() || !channel ||
      channel.getPosition() != reduced.back() || !channels || *channels < 1 ||
      *channels % kUnit != 0 ||
      !kernel.getDimSize(reduced.back()).isConstant(*channels))
    return std::nullopt;
  if (hasImages)
    window.places.push_back(image.getPosition());
  for (unsigned number = firstPixel; number + 1 < map.getNumResults(); ++number)
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
