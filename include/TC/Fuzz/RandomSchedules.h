//===- RandomSchedules.h - Schedules that a person may write ----*- C++ -*-===//

#ifndef TC_FUZZ_RANDOMSCHEDULES_H
#define TC_FUZZ_RANDOMSCHEDULES_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// The kernel's schedule with some fields drawn anew, or now and then one of
/// another kind; not always legal. Null, after an error, for one that its
/// attribute refuses.
ScheduleAttrInterface drawSchedule(KernelOp kernel, Random &random);

/// A drawn schedule that the verifiers accept, after at most 100 that they do
/// not; else the kernel's own. `refused`, where given, gets the error of each
/// that is refused.
ScheduleAttrInterface
drawLegalSchedule(KernelOp kernel, Random &random,
                  llvm::function_ref<void(llvm::StringRef)> refused = {});

} // namespace tc::fuzz

#endif // TC_FUZZ_RANDOMSCHEDULES_H
