//===- PackFilters.cpp - tc-pack-filters ----------------------------------===//

#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPACKFILTERSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The dimensions of `dims` in the order in which the indices of `map` have
/// them; nothing where one has none of its own.
static std::optional<SmallVector<unsigned>> getOrderIn(AffineMap map,
                                                       const DimSet &dims) {
  llvm::SetVector<unsigned> order;
  for (AffineExpr index : map.getResults()) {
    DimSet used = KernelDims::ofMap(
        AffineMap::get(map.getNumDims(), map.getNumSymbols(), index),
        dims.size());
    used &= dims;
    if (used.count() > 1)
      return std::nullopt;
    if (used.any())
      order.insert(used.find_first());
  }
  if (order.size() != dims.count())
    return std::nullopt;
  return order.takeVector();
}

/// Sums in `kernel` over `order` from the outermost dimension to the innermost.
static bool reduceInOrder(KernelOp kernel, ArrayRef<unsigned> order) {
  MLIRContext *context = kernel.getContext();
  SmallVector<unsigned> places(order);
  llvm::sort(places);
  if (order == ArrayRef(places))
    return true;
  SmallVector<DimAttr> dims(kernel.getNumDims());
  SmallVector<AffineExpr> exprs(kernel.getNumDims());
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    dims[dim] = kernel.getDim(dim);
    exprs[dim] = getAffineDimExpr(dim, context);
  }
  for (auto [place, dim] : llvm::zip_equal(places, order)) {
    dims[place] = kernel.getDim(dim);
    exprs[dim] = getAffineDimExpr(place, context);
  }
  return succeeded(changeDomain(kernel, dims, exprs));
}

/// The indices of filters in the order in which a tile has them: those of one
/// filter last, as they are summed over.
static SmallVector<unsigned> getFilterOrder(AffineMap map,
                                            const DimSet &reduced) {
  SmallVector<unsigned> order;
  SmallVector<std::pair<unsigned, unsigned>> inFilter;
  for (unsigned index = 0; index < map.getNumResults(); ++index) {
    DimSet used = KernelDims::ofMap(map.getSubMap({index}), reduced.size());
    used &= reduced;
    if (used.none())
      order.push_back(index);
    else
      inFilter.push_back({used.find_first(), index});
  }
  llvm::sort(inFilter);
  llvm::append_range(order, llvm::make_second_range(inFilter));
  return order;
}

/// Whether `op` uses dimension `dim` of the domain.
static bool usesDim(Operation &op, unsigned dim) {
  if (auto access = getAccess(op)) {
    auto within = access->within;
    return access->map.isFunctionOfDim(dim) ||
           (within &&
            llvm::any_of(within->getConstraints(), [&](AffineExpr constraint) {
              return constraint.isFunctionOfDim(dim);
            }));
  }
  if (auto index = dyn_cast<DimIndexOp>(op))
    return index.getMap().isFunctionOfDim(dim);
  if (auto within = dyn_cast<WithinOp>(op))
    return llvm::any_of(
        within.getSet().getConstraints(),
        [&](AffineExpr constraint) { return constraint.isFunctionOfDim(dim); });
  return false;
}

/// The index of the filters that is the point of a window which the images are
/// read against, as by the gradient of a convolution's input, where nothing
/// else uses it: index = place - point. Nothing for another dimension `dim`.
static std::optional<unsigned>
findReversedIndex(KernelOp kernel, ConvolutionReads &reads, unsigned dim) {
  MLIRContext *context = kernel.getContext();
  const unsigned rank = kernel.getNumDims(),
                 symbols = kernel.getSymbols().size();
  AffineExpr point = getAffineDimExpr(dim, context);
  for (Operation &op : kernel.getBodyBlock())
    if (&op != reads.images && &op != reads.weights && usesDim(op, dim))
      return std::nullopt;
  bool isReversed = false;
  for (AffineExpr index : reads.images.getMap().getResults()) {
    if (!index.isFunctionOfDim(dim))
      continue;
    // With a stride, it is the quotient of such a difference.
    for (auto binary = dyn_cast<AffineBinaryOpExpr>(index);
         binary && isa<AffineConstantExpr>(binary.getRHS()) &&
         binary.getKind() != AffineExprKind::Mul;
         binary = dyn_cast<AffineBinaryOpExpr>(index))
      index = binary.getLHS();
    auto step = getIndexStep(index, point, rank, symbols);
    if (!step || *step >= 0)
      return std::nullopt;
    isReversed = true;
  }
  auto results = reads.weights.getMap().getResults();
  const auto *found = llvm::find(results, point);
  // Of filters that are a part of what is stored, or reach beyond it, another
  // point would be the last.
  if (!isReversed || found == results.end() || reads.weights.getWithin() ||
      getSizes(cast<ShapedType>(
          reads.weights.getSource().getType()))[found - results.begin()] !=
          kernel.getDimSize(dim) ||
      llvm::count_if(results, [&](AffineExpr index) {
        return index.isFunctionOfDim(dim);
      }) != 1)
    return std::nullopt;
  return found - results.begin();
}

/// Counts the points of windows backwards along which images are read against
/// them, so that these are read forwards. Gives the indices of the filters that
/// have to be stored backwards for that.
static SmallVector<unsigned> reverseWindows(KernelOp kernel,
                                            ConvolutionReads &reads) {
  MLIRContext *context = kernel.getContext();
  SmallVector<unsigned> reversed;
  const DimSet reduced = reads.getReduced(kernel);
  for (unsigned dim : reduced.set_bits()) {
    auto size = kernel.getDimSize(dim).getConstant();
    auto index = findReversedIndex(kernel, reads, dim);
    if (!size || !index)
      continue;
    reversed.push_back(*index);
    AffineExpr point = getAffineDimExpr(dim, context),
               backwards = *size - 1 - point;
    AffineMap map = reads.images.getMap();
    const unsigned rank = map.getNumDims(), symbols = map.getNumSymbols();
    auto replace = [&](AffineExpr expr) {
      return expr.replace(point, backwards);
    };
    reads.images.setMap(AffineMap::get(
        rank, symbols, llvm::map_to_vector(map.getResults(), replace),
        context));
    if (auto within = reads.images.getWithin())
      reads.images.setWithinAttr(IntegerSetAttr::get(IntegerSet::get(
          rank, symbols, llvm::map_to_vector(within->getConstraints(), replace),
          within->getEqFlags())));
  }
  return reversed;
}

/// Writes the kernel that stores `filters` with its indices in `order`, those
/// of `reversed` backwards.
static Value buildReordered(OpBuilder &builder, Location loc, Value filters,
                            ArrayRef<unsigned> order,
                            ArrayRef<unsigned> reversed) {
  auto type = cast<RankedTensorType>(filters.getType());
  Sizes sizes = getSizes(type);
  SmallVector<SizeExprAttr> stored;
  for (unsigned index : order)
    stored.push_back(sizes[index]);
  KernelBuilder copy(
      builder, loc, "reorder", stored,
      TypeRange(getTensorType(Sizes(stored.begin(), stored.end()),
                              type.getElementType())));
  SmallVector<AffineExpr> at(order.size());
  for (auto [place, index] : llvm::enumerate(order))
    at[index] = llvm::is_contained(reversed, index)
                    ? *sizes[index].getConstant() - 1 - copy.dim(place)
                    : copy.dim(place);
  copy.write(copy.read(filters, at), 0, copy.dims(order.size()));
  KernelOp kernel = copy.finish();
  kernel.setKernelClass(classifyKernel(kernel));
  return kernel.getResult(0);
}

/// The weights that a kernel multiplies windows of each channel by, as a
/// depthwise convolution: one read of a constant number of elements, one for
/// each point of `channel`, the dimension along which results are contiguous,
/// and of what is folded. Null for another kernel.
static ReadOp findDepthwiseWeights(KernelOp kernel, unsigned channel) {
  constexpr int64_t kMostElements = 1 << 20;
  auto stages = kernel.getBodyBlock().getOps<ReduceStageOp>();
  if (!llvm::hasSingleElement(stages))
    return nullptr;
  // A dimension of one point is no difference.
  DimSet units(kernel.getNumDims());
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (kernel.getDimSize(dim).isConstant(1))
      units.set(dim);
  DimSet wanted(units);
  wanted.set(channel);
  for (int64_t dim : getFoldedDims(*stages.begin()))
    wanted.set(unsigned(dim));
  ReadOp found;
  bool hasImages = false;
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    DimSet used = KernelDims::ofMap(read.getMap(), kernel.getNumDims());
    used |= units;
    hasImages |= used.all();
    auto type = cast<ShapedType>(read.getSource().getType());
    if (used != wanted ||
        !read.getMap().isProjectedPermutation(/*allowZeroInResults=*/true) ||
        read.getWithin() || !read.getIndices().empty() ||
        !type.hasStaticShape() || type.getNumElements() > kMostElements)
      continue;
    if (found)
      return nullptr;
    found = read;
  }
  return hasImages ? found : ReadOp();
}

namespace {
class PackFiltersPass
    : public tc::impl::TCPackFiltersPassBase<PackFiltersPass> {
public:
  void runOnOperation() override {
    if (!MachineModel::get(getOperation()).isGPU)
      return;
    PreparedValues prepared(getOperation());
    prepared.rewriteFunctions([&](func::FuncOp function) {
      for (KernelOp kernel : getOutermostKernels(function))
        reorder(kernel, prepared);
    });
  }

private:
  void reorder(KernelOp kernel, PreparedValues &prepared);
  void reorderDepthwise(KernelOp kernel, PreparedValues &prepared);
  void store(KernelOp kernel, ReadOp read, ArrayRef<unsigned> order,
             ArrayRef<unsigned> reversed, PreparedValues &prepared);
};
} // namespace

/// Has `kernel` read what `read` reads from a copy with its indices in `order`,
/// those of `reversed` backwards.
void PackFiltersPass::store(KernelOp kernel, ReadOp read,
                            ArrayRef<unsigned> order,
                            ArrayRef<unsigned> reversed,
                            PreparedValues &prepared) {
  const AffineMap map = read.getMap();
  Value stored =
      prepared.computeFor(kernel, getOperandOf(kernel, read.getSource()),
                          "reordered", [&](OpBuilder &builder, Value source) {
                            return buildReordered(builder, kernel.getLoc(),
                                                  source, order, reversed);
                          });
  readInstead(kernel, read, stored);
  read.setMap(map.getSubMap(order));
  simplifyKernel(kernel);
  ++numReordered;
}

/// Whether a copy of `weights` can be published: those of constants alone have
/// no name for that.
static bool hasName(Value weights, PreparedValues &prepared) {
  return !prepared.isOfParameters(weights) ||
         !prepared.getParameters(weights).empty();
}

/// Threads compute several channels each, whose weights are then next to each
/// other.
void PackFiltersPass::reorderDepthwise(KernelOp kernel,
                                       PreparedValues &prepared) {
  const int64_t channel = getContiguousDim(kernel);
  ReadOp read =
      channel < 0 ? ReadOp() : findDepthwiseWeights(kernel, unsigned(channel));
  if (!read)
    return;
  Value weights = getOperandOf(kernel, read.getSource());
  if (!hasName(weights, prepared))
    return;
  SmallVector<unsigned> order;
  std::optional<unsigned> last;
  for (auto [index, expr] : llvm::enumerate(read.getMap().getResults()))
    if (expr.isFunctionOfDim(unsigned(channel)))
      last = index;
    else
      order.push_back(index);
  order.push_back(*last);
  if (!llvm::is_sorted(order))
    store(kernel, read, order, {}, prepared);
}

void PackFiltersPass::reorder(KernelOp kernel, PreparedValues &prepared) {
  auto reads = ConvolutionReads::find(kernel);
  if (!reads)
    return reorderDepthwise(kernel, prepared);
  if (!reads->isForTensorCores())
    return;
  AffineMap images = reads->images.getMap();
  auto channel = reads->findChannel(kernel);
  auto order = getOrderIn(images, reads->getReduced(kernel));
  const bool isGradient = reads->findGradientChannel(kernel).has_value();
  if (!channel || *channel + 1 != images.getNumResults() || !order ||
      !reduceInOrder(kernel, *order))
    return;
  // The gradient of filters sums over the places of both as they are.
  if (isGradient)
    return;
  reads = ConvolutionReads::find(kernel);
  if (!reads) // the window has one point
    return;
  SmallVector<unsigned> filters =
      getFilterOrder(reads->weights.getMap(), reads->getReduced(kernel));
  Value weights = getOperandOf(kernel, reads->weights.getSource());
  if (!hasName(weights, prepared))
    return;
  SmallVector<unsigned> reversed = reverseWindows(kernel, *reads);
  if (llvm::is_sorted(filters) && reversed.empty())
    return;
  store(kernel, reads->weights, filters, reversed, prepared);
}
