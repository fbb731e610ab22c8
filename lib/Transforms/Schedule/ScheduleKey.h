//===- ScheduleKey.h - Which kernels share a schedule -----------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_SCHEDULE_SCHEDULEKEY_H
#define TC_LIB_TRANSFORMS_SCHEDULE_SCHEDULEKEY_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The key by which a schedule library has the schedule of a kernel, one line
/// of text: the class, the sizes of the dimensions (r: reduced), each buffer's
/// type with the index maps of its accesses, the stages, a hash of the whole
/// body (8 hexadecimal digits), and the kind of the target. The product of two
/// matrices:
///
///   contraction[64x48x32r](64x32xf32[d0,d2], 32x48xf32[d2,d1],
///   64x48xf32[d0,d1]){contract over [2]}#0123abcd@cpu
///
/// Names of the kernel, of its dimensions and of values are not part of it.
std::string getScheduleKey(KernelOp kernel, llvm::StringRef target);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_SCHEDULE_SCHEDULEKEY_H
