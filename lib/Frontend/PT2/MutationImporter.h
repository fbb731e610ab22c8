//===- MutationImporter.h - In-place calls as values ------------*- C++ -*-===//
//
// x.add_(y) gives the name x the value of add(x, y). Other views of the memory
// are taken again when they are next read. Which overload has no side effect
// and the same meaning is a fact of the schemas (findFunctionalTwin).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_FRONTEND_PT2_MUTATIONIMPORTER_H
#define TC_LIB_FRONTEND_PT2_MUTATIONIMPORTER_H

#include "ViewWriter.h"

namespace tc::pt2 {

/// Imports calls that write to their arguments.
class MutationImporter : ImporterBase {
public:
  MutationImporter(CallImporter &calls, ViewWriter &views)
      : ImporterBase(calls), views(views) {}

  /// Imports a call whose schema mutates arguments.
  mlir::LogicalResult import(Scope &scope, const Node &node,
                             const OperatorSchema &schema,
                             mlir::Location location);

private:
  /// fill_diagonal_ of a matrix, which has no functional form.
  mlir::LogicalResult fillDiagonal(Scope &scope, const Node &node,
                                   TensorEntry *entry, mlir::Location location);
  /// Calls the functional form of a call that writes to `mutated`, and writes;
  /// `fresh` gets the results that are no argument.
  mlir::LogicalResult callFunctional(Scope &scope, const Node &node,
                                     const OperatorSchema &schema,
                                     const OperatorSchema &functional,
                                     llvm::ArrayRef<TensorEntry *> mutated,
                                     llvm::SmallVectorImpl<mlir::Value> &fresh,
                                     mlir::Location location);

  ViewWriter &views;
};

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_MUTATIONIMPORTER_H
