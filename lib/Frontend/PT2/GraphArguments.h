//===- GraphArguments.h - Arguments and results of calls --------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_GRAPHARGUMENTS_H
#define TC_LIB_FRONTEND_PT2_GRAPHARGUMENTS_H

#include "TensorTable.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Types.h"
#include "mlir/Support/LLVM.h"

namespace tc::pt2 {

/// The names of the tensors among results, elements of lists too.
llvm::SmallVector<llvm::StringRef>
getResultNames(llvm::ArrayRef<Argument> outputs);

/// The expression of a symbolic number of the scope's graph, or null.
const Expression *findExpression(const Scope &scope, const Argument &argument);

/// The argument of `node` called `name`, or null.
const Argument *findArgument(const Node &node, llvm::StringRef name);

/// Adds the type of each tensor among the results of `node` to `types`. Fails,
/// with a diagnostic, where the archive has none or TC has no such type.
llvm::LogicalResult getResultTypes(const Scope &scope, const Node &node,
                                   mlir::Location location,
                                   llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_GRAPHARGUMENTS_H
