//===- RunArtefact.h - Running an artefact ----------------------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_RUNARTEFACT_H
#define TC_LIB_RUNNER_RUNARTEFACT_H

#include "TC/Runner/Runner.h"

namespace tc::runner {

/// Whether the file to run is an artefact: its name ends in ".tca".
bool isArtefact(const RunOptions &options);

/// Loads the artefact, calls a function and does with its outputs what the
/// options say. Fails on options about the compilation, which is over. The exit
/// status, or an error that has not been printed.
llvm::Expected<int> runArtefact(const RunOptions &options);

} // namespace tc::runner

#endif // TC_LIB_RUNNER_RUNARTEFACT_H
