//===- SymbolicMemoryPlan.h - An arena of symbolic sizes --------*- C++ -*-===//

#ifndef TC_TRANSFORMS_BUFFERIZE_SYMBOLICMEMORYPLAN_H
#define TC_TRANSFORMS_BUFFERIZE_SYMBOLICMEMORYPLAN_H

#include "TC/MemoryPlan/MemoryPlanner.h"
#include "TC/Transforms/Bufferize/SizeBounds.h"

namespace tc {

/// A block whose size, a multiple of 64, is an expression; live at every step
/// of [`first`, `last`].
struct SymbolicBlock {
  SizeExpr bytes;
  int64_t first, last;
};

struct SymbolicMemoryPlan {
  llvm::SmallVector<SizeExpr> offsets;
  SizeExpr bytes;
};

/// The blocks at a sample of the symbols.
std::vector<MemoryBlock> getBlocksAt(llvm::ArrayRef<SymbolicBlock> blocks,
                                     const SizeBounds &bounds, unsigned sample);

/// Places the blocks. Constant sizes are planned as they are. Otherwise a plan
/// is made at each sample of the symbols; it says which of two blocks that are
/// live together has the larger offset, and a block's offset is the largest end
/// of those below it. No two overlap, whatever the symbols are. Of the samples'
/// plans the one is taken that is smallest over all samples.
SymbolicMemoryPlan planSymbolicMemory(llvm::ArrayRef<SymbolicBlock> blocks,
                                      SizeBounds &bounds,
                                      mlir::MLIRContext *context);

} // namespace tc

#endif // TC_TRANSFORMS_BUFFERIZE_SYMBOLICMEMORYPLAN_H
