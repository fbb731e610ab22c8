//===- Pool.cpp - placeholder ------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace tc;

void tc::populatePoolToKernelPatterns(RewritePatternSet &patterns) {}
