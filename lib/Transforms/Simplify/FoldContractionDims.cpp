//===- FoldContractionDims.cpp - Contractions of fewer dimensions ---------===//

#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDCONTRACTIONDIMSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether the elements of `value` may be strided: a reshape of a view like
/// these is no view any more.
static bool isView(Value value) {
  Operation *op = value.getDefiningOp();
  return op && isa<BroadcastOp, TransposeOp, SliceOp, PadOp, ConcatOp>(op);
}

namespace {

/// The labels of a contraction's operands and result, and which of the three
/// may be reshaped.
struct Labels {
  std::string parts[3];
  bool mayReshape[3];

  explicit Labels(ContractOp op)
      : parts{op.getLhsLabels().str(), op.getRhsLabels().str(),
              op.getResultLabels().str()},
        mayReshape{!isView(op.getLhs()), !isView(op.getRhs()), true} {}

  /// Whether `second` comes right after `first` wherever either is.
  bool isPair(char first, char second) const {
    for (unsigned part = 0; part < 3; ++part) {
      size_t at = parts[part].find(first), next = parts[part].find(second);
      bool hasNeither = at == std::string::npos && next == std::string::npos;
      if (hasNeither)
        continue;
      if (at == std::string::npos || next != at + 1 || !mayReshape[part])
        return false;
    }
    return true;
  }

  /// Labels that join the one before them.
  std::string getJoining() const {
    std::string joining;
    for (unsigned part = 0; part < 2; ++part)
      for (size_t at = 1; at < parts[part].size(); ++at)
        if (isPair(parts[part][at - 1], parts[part][at]) &&
            !StringRef(joining).contains(parts[part][at]))
          joining += parts[part][at];
    return joining;
  }
};

// Pattern: tc.contract "abk,nk->abn" x, w -> tc.reshape (tc.contract
// "ak,nk->an" (tc.reshape x), w)
struct FoldContractionDims : OpRewritePattern<ContractOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(ContractOp op,
                                PatternRewriter &rewriter) const override {
    Labels labels(op);
    std::string joining = labels.getJoining();
    if (joining.empty())
      return rewriter.notifyMatchFailure(
          op,
          "no two dimensions are next to each other in all tensors that have "
          "them");
    TensorBuilder b(rewriter, op.getLoc());
    Value lhs = join(b, op.getLhs(), labels.parts[0], joining);
    Value rhs = join(b, op.getRhs(), labels.parts[1], joining);
    auto isJoining = [&](char label) {
      return StringRef(joining).contains(label);
    };
    llvm::erase_if(labels.parts[2], isJoining);
    std::string spec =
        labels.parts[0] + "," + labels.parts[1] + "->" + labels.parts[2];
    Value result =
        ContractOp::create(rewriter, op.getLoc(), spec, lhs, rhs, op.getFast());
    rewriter.replaceOp(op, b.reshape(result, getSizes(op.getType())));
    return success();
  }

private:
  /// `x` with the dimensions in `joining` multiplied into the ones before
  /// them, and `labels` without them.
  static Value join(TensorBuilder &b, Value x, std::string &labels,
                    StringRef joining) {
    Sizes sizes;
    std::string kept;
    for (auto [label, size] : llvm::zip_equal(labels, b.sizesOf(x))) {
      if (joining.contains(label)) {
        sizes.back() = sizes.back().mul(size);
      } else {
        sizes.push_back(size);
        kept += label;
      }
    }
    labels = kept;
    return b.reshape(x, sizes);
  }
};

class FoldContractionDimsPass
    : public tc::impl::TCFoldContractionDimsPassBase<FoldContractionDimsPass> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldContractionDims>(&getContext());
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};

} // namespace
