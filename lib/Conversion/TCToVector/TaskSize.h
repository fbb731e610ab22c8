//===- TaskSize.h - How much of a launch is worth a thread ------*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_TASKSIZE_H
#define TC_CONVERSION_TCTOVECTOR_TASKSIZE_H

#include "TC/Dialect/TC/IR/KernelDims.h"

namespace tc {

/// Bytes that `kernel` writes: one element of each output at `points` points.
SizeExpr getWrittenBytes(KernelOp kernel, SizeExpr points);
/// 1 where `size` is at least `least`, 0 where it is less.
SizeExpr reaches(SizeExpr size, int64_t least);
/// A grain of at least `grain` that makes no more tasks of `count` iterations
/// than may take `bytes` of their stacks each, `most` bytes together, or than
/// `tasksOfWork`, the tasks that the launch's work makes worth their stacks;
/// one at least.
SizeExpr limitTasks(SizeExpr grain, SizeExpr count, SizeExpr tasksOfWork,
                    SizeExpr bytes, SizeExpr most);
/// How many iterations of `work` each come to `worth`; at least one.
SizeExpr getGrain(SizeExpr work, int64_t worth);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_TASKSIZE_H
