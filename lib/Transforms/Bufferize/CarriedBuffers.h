//===- CarriedBuffers.h - Values that share one buffer ----------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_BUFFERIZE_CARRIEDBUFFERS_H
#define TC_LIB_TRANSFORMS_BUFFERIZE_CARRIEDBUFFERS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The value whose elements `value` shows, through `tc.reshape`s.
mlir::Value getShownValue(mlir::Value value);

/// Whether the value is made in `block` by an op whose results have buffers.
bool isMadeIn(mlir::Block &block, mlir::Value value);

/// Whether result `index` is updated in the buffer of its destination: the
/// result of a kernel of the same block that nothing else reads.
bool takesOver(KernelOp kernel, unsigned index);

/// Whether initial value `index` is made in the block of the loop and read by
/// it alone, so that it can be made in the buffer of the carried value.
bool takesOverInitial(WhileOp loop, unsigned index);

/// Whether the body can make its value `index` in the buffer of the carried
/// one: nothing reads the carried value once the first op that writes there
/// runs, unless that is a kernel that reads each element where it writes it.
bool takesOverCarried(WhileOp loop, unsigned index);

} // namespace tc

#endif // TC_LIB_TRANSFORMS_BUFFERIZE_CARRIEDBUFFERS_H
