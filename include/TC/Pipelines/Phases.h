//===- Phases.h - Running the phases in order -------------------*- C++ -*-===//

#ifndef TC_PIPELINES_PHASES_H
#define TC_PIPELINES_PHASES_H

#include "TC/Pipelines/Pipelines.h"

namespace tc {

/// Name, description and passes of `phase`.
const PhaseInfo &getPhaseInfo(Phase phase);

/// Adds the phases from `from` to `to`, both included.
void buildPhases(mlir::OpPassManager &manager, Phase from, Phase to,
                 const PhaseOptions &options);

/// Registers `--tc-phase-<name>` for each phase and `--tc-pipeline`, with
/// `defaultTarget` for the target where none is given.
void registerPhasePipelines(llvm::StringRef defaultTarget);

} // namespace tc

#endif // TC_PIPELINES_PHASES_H
