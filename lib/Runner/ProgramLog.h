//===- ProgramLog.h - What tools log of a program ---------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_PROGRAMLOG_H
#define TC_LIB_RUNNER_PROGRAMLOG_H

#include "Dump.h"
#include "KernelFigures.h"
#include "TC/Runner/LogRequest.h"
#include "TC/Runner/ProgramReport.h"
#include <memory>
#include <optional>

namespace tc::runner {

/// Logs what becomes of programs of one context, on standard error, and dumps
/// them, as far as that is asked for.
class ProgramLog {
public:
  using TakeRemark = std::function<void(const RemarkLine &)>;
  /// Hands remarks on to `takeRemark`.
  ProgramLog(const LogRequest &request, mlir::MLIRContext &context,
             TakeRemark takeRemark = {})
      : request(request), context(context), takeRemark(std::move(takeRemark)) {}

  /// Begins with a program that has run no phase here.
  llvm::Error begin(const DumpedSource &source, mlir::ModuleOp module);
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  /// Logs the program, which messages call `title`; `compiled` is its code,
  /// where there is some. Fails where a dump could not be written.
  llvm::Error finish(const std::string &title,
                     llvm::ArrayRef<PhaseTiming> timings,
                     const CompiledModule *compiled, bool isForGPU);
  /// Logs lines at once.
  void write(Log log, const std::string &title,
             llvm::ArrayRef<std::string> lines) const;
  /// Has code generation keep what a dump has.
  void addTo(ObjectCodeOptions &options) const;

private:
  void writePerformance(const std::string &title,
                        llvm::ArrayRef<PhaseTiming> timings,
                        const llvm::json::Object &all) const;

  const LogRequest &request;
  mlir::MLIRContext &context;
  TakeRemark takeRemark;
  std::unique_ptr<ProgramReport> report; ///< where a log needs it
  std::optional<Dump> dump;
  std::string dumpError;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_PROGRAMLOG_H
