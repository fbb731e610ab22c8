//===- BatchImporter.h - Calls under torch.vmap -----------------*- C++ -*-===//
//
// An export keeps vmap as calls that open and close levels: between them the
// sizes it records are those of one element of the batch. A tensor with levels
// has them as its first dimensions here, and calls are given operands of
// matching dimensions. Masks of attention are made so: comparisons, logic and
// reads of other tensors by index.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_BATCHIMPORTER_H
#define TC_LIB_FRONTEND_PT2_BATCHIMPORTER_H

#include "ImporterBase.h"

namespace tc::pt2 {

/// Imports calls that open and close levels of vmap, and calls in between.
class BatchImporter : ImporterBase {
public:
  explicit BatchImporter(CallImporter &calls) : ImporterBase(calls) {}

  /// A call that opens or closes a level of vmap for a tensor.
  mlir::LogicalResult importLevel(Scope &scope, const Node &node,
                                  mlir::Location location);
  /// A call with operands that have levels.
  mlir::LogicalResult importCall(Scope &scope, const Node &node,
                                 const OperatorSchema *schema,
                                 llvm::StringRef overload,
                                 mlir::Location location);
  /// Whether an operand of the call has levels.
  static bool hasLevels(Scope &scope, const Node &node);

private:
  /// Adds a tensor whose value has levels in front.
  void addBatched(Scope &scope, llvm::StringRef name, mlir::Value value,
                  llvm::ArrayRef<int64_t> levels);
  mlir::Value viewAs(mlir::Value value, llvm::ArrayRef<SizeExpr> sizes,
                     mlir::Location location);
  mlir::Value permute(mlir::Value value, llvm::ArrayRef<int64_t> order,
                      mlir::Location location);
  mlir::Value expandTo(mlir::Value value, llvm::ArrayRef<SizeExpr> sizes,
                       mlir::Location location);
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_BATCHIMPORTER_H
