//===- Patterns.h - Patterns of convert-tc-to-kernel, by theme --*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOKERNEL_PATTERNS_H
#define TC_LIB_CONVERSION_TCTOKERNEL_PATTERNS_H

#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "mlir/IR/PatternMatch.h"

namespace tc {

void populateAttentionBackwardToKernelPatterns(
    mlir::RewritePatternSet &patterns);
void populateAttentionToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateContractionToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateElementwiseToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateIndexToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateNormalizationToKernelPatterns(mlir::RewritePatternSet &patterns);
void populatePoolToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateReductionToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateRoutineToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateShapeToKernelPatterns(mlir::RewritePatternSet &patterns);
void populateSortScanToKernelPatterns(mlir::RewritePatternSet &patterns);

/// Base of the patterns of this conversion.
// Pattern: an op -> a tc.kernel of that op alone
/// A pattern of op `OpTy` that builds one kernel: `build` returns it, its
/// results in the order of the op's.
template <typename OpTy>
struct KernelPattern : public mlir::OpRewritePattern<OpTy> {
  using mlir::OpRewritePattern<OpTy>::OpRewritePattern;

  virtual mlir::FailureOr<KernelOp>
  build(OpTy op, mlir::PatternRewriter &rewriter) const = 0;

  mlir::LogicalResult
  matchAndRewrite(OpTy op, mlir::PatternRewriter &rewriter) const final {
    mlir::FailureOr<KernelOp> kernel = build(op, rewriter);
    if (failed(kernel))
      return mlir::failure();
    rewriter.replaceOp(op, kernel->getResults());
    return mlir::success();
  }
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOKERNEL_PATTERNS_H
