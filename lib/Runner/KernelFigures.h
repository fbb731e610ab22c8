//===- KernelFigures.h - What reports say of kernels ------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_KERNELFIGURES_H
#define TC_LIB_RUNNER_KERNELFIGURES_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <string>
#include <vector>

namespace tc::runner {

/// Bytes of all of `values` that have sizes.
SizeExpr countBytes(mlir::ValueRange values, mlir::MLIRContext *context);

/// Arithmetic operations of a kernel: one for each point that a value is
/// computed at, two for a multiply-add.
SizeExpr countKernelOperations(KernelOp kernel);

/// "i=30 j=64r", where j is reduced.
std::string describeDims(KernelOp kernel);

/// The ranges of symbols and the guards of a module that has run no phase after
/// specialize.
std::vector<std::string> describeGuards(mlir::ModuleOp module);

/// What a pass says of its decisions.
struct RemarkLine {
  std::string pass, kind; ///< kind: passed, missed, analysis or failed
  std::string text;
  std::string file; ///< of the user's program; empty where it is not known
  unsigned line = 0;
};

/// Hands on each remark of what is compiled in `context` from now on, one at a
/// time, until stopRemarks().
void collectRemarks(mlir::MLIRContext &context,
                    std::function<void(const RemarkLine &)> add);
void stopRemarks(mlir::MLIRContext &context);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_KERNELFIGURES_H
