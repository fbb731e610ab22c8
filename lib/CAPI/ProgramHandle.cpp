//===- ProgramHandle.cpp - tc_program -------------------------------------===//

#include "ProgramHandle.h"

using namespace tc;
using namespace tc::capi;

tc_program::tc_program(std::unique_ptr<Program> made)
    : program(std::move(made)), description(program->manifest()) {
  for (const ManifestKernel &kernel : program->kernels())
    kernels.push_back({kernel.function.c_str(), kernel.name.c_str(),
                       kernel.kernelClass.c_str(), kernel.schedule.c_str()});
  for (const PhaseTiming &timing : program->timings())
    timings.push_back({timing.name.c_str(), timing.seconds});
}
