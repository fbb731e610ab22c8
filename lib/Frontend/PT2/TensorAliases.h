//===- TensorAliases.h - Which results share memory with inputs -*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_TENSORALIASES_H
#define TC_LIB_FRONTEND_PT2_TENSORALIASES_H

#include "GraphArguments.h"
#include "TC/Frontend/PT2/OperatorSchema.h"

namespace tc::pt2 {

/// Refuses as_strided of a tensor whose memory is not its elements in
/// row-major order, which is all that is known of it later.
llvm::LogicalResult checkStrided(const Scope &scope, const Node &node,
                                 llvm::StringRef overload,
                                 mlir::Location location);

/// The tensor that result `resultIndex` of the call is a view of, by the schema
/// and by the strides that the export recorded; null when it has memory of its
/// own.
TensorEntry *findBase(const Scope &scope, const Node &node,
                      const OperatorSchema &schema, unsigned resultIndex,
                      mlir::MLIRContext *context);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_TENSORALIASES_H
