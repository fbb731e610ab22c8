//===- SchedulePrograms.h - Programs to draw schedules for ------*- C++ -*-===//

#ifndef TC_FUZZ_SCHEDULEPROGRAMS_H
#define TC_FUZZ_SCHEDULEPROGRAMS_H

#include "TC/Fuzz/Generator.h"

namespace tc::fuzz {

/// A function @main whose kernels are all of one kind.
struct ScheduleProgram {
  llvm::StringLiteral name; ///< row_reduction_f64
  llvm::StringLiteral kind; ///< row_reduction: what --only-schedules chooses
  llvm::StringLiteral text;
};
llvm::ArrayRef<ScheduleProgram> getSchedulePrograms();

/// The program with values of its symbols from `random`, and what its inputs
/// are; its check gives every kernel a legal random schedule, and fails for one
/// that is refused without the name of a field or of a schedule.
GeneratedModule makeScheduleModule(mlir::MLIRContext *context,
                                   const ScheduleProgram &program,
                                   Random &random);

} // namespace tc::fuzz

#endif // TC_FUZZ_SCHEDULEPROGRAMS_H
