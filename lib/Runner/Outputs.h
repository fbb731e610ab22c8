//===- Outputs.h - Writing and comparing results ----------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_OUTPUTS_H
#define TC_LIB_RUNNER_OUTPUTS_H

#include "TC/Reference/Interpreter.h"
#include "TC/Runner/Execution.h"
#include "TC/Runner/Runner.h"
#include "TC/Runtime/Compare.h"

namespace tc::runner {

/// The tolerance of --tolerance; none for an empty text.
llvm::Expected<std::optional<runtime::Tolerance>>
parseTolerance(const std::string &text);

/// Writes and compares outputs as the options say. False when one differs from
/// what was expected; that has been printed.
llvm::Expected<bool> handleOutputs(const RunResult &result,
                                   const RunOptions &options);

/// Interprets the function that a run was of.
using Interpret =
    llvm::function_ref<llvm::Expected<RunResult>(reference::Precision)>;

/// Compares a run with the interpreter's and prints the largest differences.
/// An output is close when it is within its type's tolerance, or as near to
/// the result in f64 as sums in f32 are: its root mean square error is at most
/// 1.1 times theirs and 0.1 units in the last place. False when one is not.
llvm::Expected<bool> compareWithReference(const RunResult &actual,
                                          Interpret interpret,
                                          const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_OUTPUTS_H
