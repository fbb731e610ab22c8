//===- FuseReshapes.cpp - tc-fuse-reshapes --------------------------------===//

#include "TC/Transforms/Fuse/FuseReshapes.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/ReshapeGroups.h"
#include "TC/Analysis/TensorCoreProduct.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFUSERESHAPESPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether some result divides: then a dimension has to be split.
static bool hasDivision(AffineMap map) {
  bool found = false;
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      found |= part.getKind() == AffineExprKind::FloorDiv ||
               part.getKind() == AffineExprKind::Mod;
    });
  return found;
}

/// The map of `read` to the operand of `reshape`; fails with a reason.
static FailureOr<AffineMap> getMapBefore(ReadOp read, ReshapeOp reshape) {
  auto kernel = cast<KernelOp>(read->getParentOp());
  FailureOr<SmallVector<AffineExpr>> at =
      mapThroughReshape(getSizes(cast<ShapedType>(reshape.getX().getType())),
                        getSizes(cast<ShapedType>(reshape.getType())),
                        read.getMap().getResults());
  if (failed(at))
    return failure();
  AffineMap map =
      AffineMap::get(read.getMap().getNumDims(), read.getMap().getNumSymbols(),
                     *at, read.getContext());
  return IndexSimplifier(kernel).simplify(map);
}

/// Whether every index that `read` computes is out of the range of a dimension
/// before the reshape, by `map`, exactly where it is now. A dimension of size 1
/// that the reshape drops had a range, as has one that it joins to others.
static bool keepsRangeChecks(ReadOp read, AffineMap map, ReshapeOp reshape) {
  unsigned rank = cast<KernelOp>(read->getParentOp()).getNumDims();
  Sizes before = getSizes(cast<ShapedType>(reshape.getX().getType())),
        after = getSizes(cast<ShapedType>(reshape.getType()));
  for (auto [expr, size] : llvm::zip_equal(read.getMap().getResults(), after)) {
    bool isComputed = false;
    for (unsigned index = 0; index < read.getIndices().size(); ++index)
      isComputed |= expr.isFunctionOfDim(rank + index);
    bool isKept = false;
    for (auto [own, ownSize] : llvm::zip_equal(map.getResults(), before)) {
      isKept |= own == expr && ownSize == size;
      // The outermost part of a dimension that is divided.
      std::optional<int64_t> whole = size.getConstant(),
                             outer = ownSize.getConstant();
      if (whole && outer && *outer > 0 && *whole % *outer == 0)
        isKept |= own == expr.floorDiv(*whole / *outer);
    }
    if (isComputed && !isKept)
      return false;
  }
  return true;
}

llvm::Error tc::fuseReshape(KernelOp kernel, unsigned index, ReshapeOp reshape,
                            bool mayDivide) {
  SmallVector<std::pair<ReadOp, AffineMap>> rewritten;
  for (Operation *user : kernel.getInArgument(index).getUsers()) {
    auto read = cast<ReadOp>(user);
    FailureOr<AffineMap> map = getMapBefore(read, reshape);
    if (failed(map))
      return refuse("a size inside is symbolic");
    if (!keepsRangeChecks(read, *map, reshape))
      return refuse("the range of a computed index would not be checked");
    if (hasDivision(*map) && !hasDivision(read.getMap()) && !mayDivide)
      return refuse("a dimension would have to be divided");
    rewritten.emplace_back(read, *map);
  }
  BlockArgument source = bindInput(kernel, reshape.getX());
  for (auto [read, map] : rewritten) {
    read.getSourceMutable().assign(source);
    read.setMap(map);
  }
  kernel.getBodyBlock().eraseArgument(index);
  kernel.getInsMutable().erase(index);
  return llvm::Error::success();
}

namespace {
class FuseReshapesPass
    : public tc::impl::TCFuseReshapesPassBase<FuseReshapesPass> {
public:
  void runOnOperation() override {
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      bool changed = false;
      // A reshape of a reshape comes into view after the first.
      while (fuseOneInput(kernel))
        changed = true;
      if (changed)
        simplifyKernel(kernel);
    }
    SmallVector<ReshapeOp> reshapes;
    getOperation()->walk(
        [&](ReshapeOp reshape) { reshapes.push_back(reshape); });
    for (ReshapeOp reshape : llvm::reverse(reshapes))
      if (reshape.use_empty())
        reshape.erase();
  }

private:
  bool fuseOneInput(KernelOp kernel) {
    for (unsigned index = 0; index < kernel.getIns().size(); ++index)
      if (auto reshape = kernel.getIns()[index].getDefiningOp<ReshapeOp>())
        if (fuseInput(kernel, index, reshape))
          return true;
    return false;
  }

  bool fuseInput(KernelOp kernel, unsigned index, ReshapeOp reshape) {
    if (kernel.getInArgument(index).use_empty())
      return false;
    bool mayDivide = reshape.getX().getDefiningOp<KernelOp>() &&
                     (!hasContraction(kernel) || isForOneTile(kernel, index));
    llvm::Error error = fuseReshape(kernel, index, reshape, mayDivide);
    numFused += !error;
    return error ? refused(kernel, llvm::toString(std::move(error))) : true;
  }

  /// Whether the input is an operand that may be computed on a contraction's
  /// tile, such as a weight of which groups have scales.
  bool isForOneTile(KernelOp kernel, unsigned index) {
    MachineModel machine = MachineModel::get(getOperation());
    return llvm::all_of(
        kernel.getInArgument(index).getUsers(), [&](Operation *user) {
          return isOperandOfOneTile(kernel, cast<ReadOp>(user), machine);
        });
  }

  static bool refused(KernelOp kernel, StringRef reason) {
    remark::missed(
        kernel.getLoc(),
        remark::RemarkOpts::name("tc-fuse-reshapes").category(kFusionCategory))
        << ("did not fuse a reshape into '" + kernel.getName() + "': " + reason)
               .str();
    return false;
  }
};
} // namespace
