//===- PackFilters.cpp - tc-pack-filters ----------------------------------===//

#include "TC/Analysis/ConvolutionReads.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
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

/// Writes the kernel that stores `filters` with its indices in `order`.
static Value buildReordered(OpBuilder &builder, Location loc, Value filters,
                            ArrayRef<unsigned> order) {
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
    at[index] = copy.dim(place);
  copy.write(copy.read(filters, at), 0, copy.dims(order.size()));
  KernelOp kernel = copy.finish();
  kernel.setKernelClass(classifyKernel(kernel));
  return kernel.getResult(0);
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
};
} // namespace

void PackFiltersPass::reorder(KernelOp kernel, PreparedValues &prepared) {
  auto reads = ConvolutionReads::find(kernel);
  if (!reads || !reads->isForTensorCores())
    return;
  AffineMap images = reads->images.getMap();
  auto channel = reads->findChannel(kernel);
  auto order = getOrderIn(images, reads->getReduced(kernel));
  if (!channel || *channel + 1 != images.getNumResults() || !order ||
      !reduceInOrder(kernel, *order))
    return;
  reads = ConvolutionReads::find(kernel);
  AffineMap map = reads->weights.getMap();
  SmallVector<unsigned> filters =
      getFilterOrder(map, reads->getReduced(kernel));
  if (llvm::is_sorted(filters))
    return;
  Value weights = getOperandOf(kernel, reads->weights.getSource());
  // Those of constants alone have no name to be published under.
  if (prepared.isOfParameters(weights) &&
      prepared.getParameters(weights).empty())
    return;
  Value stored = prepared.computeFor(
      kernel, weights, "reordered", [&](OpBuilder &builder, Value source) {
        return buildReordered(builder, kernel.getLoc(), source, filters);
      });
  readInstead(kernel, reads->weights, stored);
  reads->weights.setMap(map.getSubMap(filters));
  ++numReordered;
}
