//===- Phases.cpp - Running the phases in order ---------------------------===//

#include "TC/Pipelines/Phases.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

const PhaseInfo &tc::getPhaseInfo(Phase phase) {
  return getPhases()[static_cast<int>(phase)];
}

void tc::buildPhases(OpPassManager &manager, Phase from, Phase to,
                     const PhaseOptions &options) {
  for (const PhaseInfo &info : getPhases()) {
    if (info.phase < from || info.phase > to)
      continue;
    TCBeginPhasePassOptions begin;
    begin.phase = info.name().str();
    manager.addPass(createTCBeginPhasePass(begin));
    manager.addPass(
        createTCAssignTargetPass({options.target, options.libraries}));
    info.build(manager, options);
    info.verify(manager);
    TCEndPhasePassOptions end;
    end.phase = info.name().str();
    manager.addPass(createTCEndPhasePass(end));
  }
}

namespace {
/// Options of `--tc-pipeline`: a range of phases, and the phases' options.
struct RangeOptions : public PhaseOptions {
  Option<std::string> from{*this, "from", llvm::cl::desc("first phase to run"),
                           llvm::cl::init("import")};
  Option<std::string> to{*this, "to", llvm::cl::desc("last phase to run"),
                         llvm::cl::init("emit")};
};
} // namespace

static void setDefaultTarget(PhaseOptions &options, StringRef target) {
  if (!options.target.hasValue())
    options.target = target.str();
}

/// Pipeline registration with a failure message: an unknown phase is an error
/// of the command line, not of the module.
static LogicalResult
buildRange(OpPassManager &manager, StringRef text, StringRef defaultTarget,
           function_ref<LogicalResult(const Twine &)> errorHandler) {
  RangeOptions options;
  if (failed(options.parseFromString(text)))
    return failure();
  setDefaultTarget(options, defaultTarget);
  for (const std::string &name :
       {options.from.getValue(), options.to.getValue()})
    if (!symbolizePhase(name))
      return errorHandler("--tc-pipeline names no phase: '" + name +
                          "'; the phases are " + getPhaseNames());
  Phase from = *symbolizePhase(options.from), to = *symbolizePhase(options.to);
  if (from > to)
    return errorHandler("--tc-pipeline runs from '" + options.from + "' to '" +
                        options.to + "', which comes before it");
  buildPhases(manager, from, to, options);
  return success();
}

void tc::registerPhasePipelines(StringRef defaultTarget) {
  std::string target = defaultTarget.str();
  for (const PhaseInfo &info : getPhases())
    PassPipelineRegistration<PhaseOptions>(
        "tc-phase-" + info.name().str(), info.description,
        [&info, target](OpPassManager &manager, const PhaseOptions &given) {
          PhaseOptions options;
          options.copyOptionValuesFrom(given);
          setDefaultTarget(options, target);
          buildPhases(manager, info.phase, info.phase, options);
        });
  registerPassPipeline(
      "tc-pipeline", "A range of phases: from=PHASE to=PHASE",
      [target](OpPassManager &manager, StringRef text,
               function_ref<LogicalResult(const Twine &)> errorHandler) {
        return buildRange(manager, text, target, errorHandler);
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handler) {
        handler(RangeOptions());
      });
}
