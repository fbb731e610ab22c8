//===- LanePacking.cpp - The time of packing a panel ----------------------===//

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CostModel.h"

using namespace mlir;
using namespace tc;

/// One vector loads each run of contiguous lanes, with a mask where the operand
/// has padding. Where the last index is not the lanes', vectors along the
/// reduced points are transposed in registers.
double tc::estimateLanePacking(KernelOp kernel, const ContractionRoles &roles,
                               int64_t width) {
  double vector = 5, run = 1;
  bool isAcross = false;
  if (auto read = roles.panel.getDefiningOp<ReadOp>()) {
    vector = read.getWithin() ? 20 : 5;
    AffineMap map = read.getMap();
    isAcross = map.getNumResults() > 0 &&
               !map.getResults().back().isFunctionOfDim(roles.vectorDim);
  }
  if (isAcross)
    return 0.45;
  run = estimateSize(kernel, kernel.getDimSize(roles.lanes.back()));
  return vector / std::clamp(std::floor(run), 1.0, double(width));
}
