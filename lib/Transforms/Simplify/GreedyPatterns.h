//===- GreedyPatterns.h - Patterns until nothing matches --------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SIMPLIFY_GREEDYPATTERNS_H
#define TC_LIB_TRANSFORMS_SIMPLIFY_GREEDYPATTERNS_H

#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {

/// Applies patterns until nothing matches. A chain of layers may move along by
/// one layer with each walk over the function, so that MLIR's ten walks are not
/// enough; patterns that undo each other fail after this many.
inline mlir::LogicalResult
applyUntilNothingMatches(mlir::Operation *op,
                         mlir::RewritePatternSet &&patterns) {
  constexpr int64_t kMostWalks = 10000;
  mlir::GreedyRewriteConfig config;
  config.setMaxIterations(kMostWalks);
  return mlir::applyPatternsGreedily(op, std::move(patterns), config);
}

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SIMPLIFY_GREEDYPATTERNS_H
