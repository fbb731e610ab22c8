//===- AttentionOperands.h - What attention's tiles multiply ----*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H
#define TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H

#include "OperandPacking.h"
#include "TC/Analysis/AttentionPlan.h"
#include "TileOperations.h"

namespace tc {

/// What the tiles of a plan multiply, queries by keys and weights by values,
/// and how those operands are packed that are.
struct AttentionOperands {
  AttentionOperands(mlir::MLIRContext *context, const AttentionPlan &plan);

  TileLayout scores, output;
  PackedOperand queries, keys, values;
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H
