//===- ConstantArguments.h - Constants of calls as attributes ---*- C++ -*-===//

#ifndef TC_FRONTEND_PT2_CONSTANTARGUMENTS_H
#define TC_FRONTEND_PT2_CONSTANTARGUMENTS_H

#include "TC/Frontend/PT2/ExportedProgram.h"

#include "mlir/IR/Builders.h"

namespace tc::pt2 {

/// An argument of a call, or the default of a schema, as the attribute that the
/// captured call has: i64, f64 (an integer too where `wantsReal`), i1, string,
/// unit for None, an array for a list of these. Null for what is no constant of
/// Python's: a tensor, a symbol, an element type, a memory format.
mlir::Attribute convertConstant(const Argument &argument, bool wantsReal,
                                mlir::Builder &builder);

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_CONSTANTARGUMENTS_H
