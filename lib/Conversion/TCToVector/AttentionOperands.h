//===- AttentionOperands.h - Operands of attention's tiles ------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H
#define TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H

#include "OperandPacking.h"
#include "TC/Analysis/AttentionPlan.h"
#include "TileOperations.h"

namespace tc {

/// The layouts of the tiles of a plan, which multiply queries by keys
/// (`scores`) and weights by values (`output`), and how queries, keys and
/// values are packed. Without pairs of bf16, only the keys are packed.
struct AttentionOperands {
  AttentionOperands(mlir::MLIRContext *context, const AttentionPlan &plan);

  TileLayout scores, output;
  PackedOperand queries, keys, values;
};

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_ATTENTIONOPERANDS_H
