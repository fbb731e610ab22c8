//===- SplitDimensions.cpp - tc-split-dimensions --------------------------===//

#include "TC/Transforms/Fuse/SplitDimensions.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Passes.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCSPLITDIMENSIONSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A dimension that some map divides by a number which divides its size.
struct Split {
  unsigned dim;
  int64_t divisor;
};
} // namespace

/// The split that `expr` asks for, if it is `d floordiv n` or `d mod n`, where
/// d is summed over with `onlyReduced`.
static std::optional<Split> findSplit(KernelOp kernel, AffineExpr expr,
                                      bool onlyReduced) {
  std::optional<Split> found;
  expr.walk([&](AffineExpr part) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(part);
    if (found || !binary ||
        (part.getKind() != AffineExprKind::FloorDiv &&
         part.getKind() != AffineExprKind::Mod))
      return;
    auto dim = dyn_cast<AffineDimExpr>(binary.getLHS());
    auto divisor = dyn_cast<AffineConstantExpr>(binary.getRHS());
    if (!dim || !divisor || divisor.getValue() <= 1 ||
        dim.getPosition() >= kernel.getNumDims())
      return;
    bool isReduced =
        kernel.getDim(dim.getPosition()).getIterator() == IteratorKind::Reduced;
    if (onlyReduced && !isReduced)
      return;
    SizeExprAttr size = kernel.getDimSize(dim.getPosition());
    if (size.floorDiv(divisor.getValue()).mul(divisor.getValue()) == size)
      found = Split{dim.getPosition(), divisor.getValue()};
  });
  return found;
}

static std::optional<Split> findSplit(KernelOp kernel, bool onlyReduced) {
  for (Operation &op : kernel.getBodyBlock()) {
    std::optional<KernelAccess> access = getAccess(op);
    if (!access)
      continue;
    for (AffineExpr expr : access->map.getResults())
      if (std::optional<Split> split = findSplit(kernel, expr, onlyReduced))
        return split;
  }
  return std::nullopt;
}

/// Replaces dimension d by d0 and d1 with d = d0 * divisor + d1.
static LogicalResult applySplit(KernelOp kernel, Split split) {
  MLIRContext *context = kernel.getContext();
  SmallVector<DimAttr> dims;
  SmallVector<AffineExpr> exprs;
  llvm::StringSet<> names;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    names.insert(kernel.getDim(dim).getName());
  auto add = [&](StringRef name, DimAttr like, SizeExprAttr size) {
    AffineExpr expr = getAffineDimExpr(dims.size(), context);
    dims.push_back(DimAttr::get(context, name, like.getIterator(), size));
    return expr;
  };
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    DimAttr old = kernel.getDim(dim);
    if (dim != split.dim) {
      exprs.push_back(add(old.getName(), old, old.getSize()));
      continue;
    }
    std::string inner = old.getName().str() + "0";
    for (unsigned suffix = 1; names.contains(inner); ++suffix)
      inner = old.getName().str() + std::to_string(suffix);
    AffineExpr high =
        add(old.getName(), old, old.getSize().floorDiv(split.divisor));
    AffineExpr low =
        add(inner, old, SizeExprAttr::constant(context, split.divisor));
    exprs.push_back(high * split.divisor + low);
  }
  return changeDomain(kernel, dims, exprs);
}

void tc::splitDimensions(KernelOp kernel, bool onlyReduced) {
  constexpr unsigned kMaxSplits = 8;
  for (unsigned round = 0; round < kMaxSplits; ++round) {
    std::optional<Split> split = findSplit(kernel, onlyReduced);
    if (!split || failed(applySplit(kernel, *split)))
      break;
  }
}

namespace {
class SplitDimensionsPass
    : public tc::impl::TCSplitDimensionsPassBase<SplitDimensionsPass> {
public:
  void runOnOperation() override {
    // Grouped queries divide the head, which no tile of a contraction crosses.
    // What it sums over is divided where an operand is computed on the tile.
    const bool hasTensorCores =
        MachineModel::get(getOperation()).hasWarpProducts;
    for (KernelOp kernel : getOutermostKernels(getOperation()))
      if (!hasContraction(kernel) || hasTensorCores)
        splitDimensions(kernel, /*onlyReduced=*/hasContraction(kernel));
  }
};
} // namespace
