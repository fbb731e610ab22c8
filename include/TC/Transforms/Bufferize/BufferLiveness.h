//===- BufferLiveness.h - When a function's buffers are used ----*- C++ -*-===//

#ifndef TC_TRANSFORMS_BUFFERIZE_BUFFERLIVENESS_H
#define TC_TRANSFORMS_BUFFERIZE_BUFFERLIVENESS_H

#include "TC/Analysis/InPlaceWrites.h"
#include "llvm/ADT/MapVector.h"

namespace tc {

/// Visits the ops of a block other than views. Those in the regions of a
/// `tc.if` or a `tc.while` come after it: first all of one region, then all of
/// the other.
void walkBufferUsers(mlir::Block &block,
                     llvm::function_ref<void(mlir::Operation &)> visit);

/// The ops of a block that use each buffer, in the order of walkBufferUsers: a
/// buffer is live from the first to the last. Uses of a reshape are uses of
/// what it shows. Two branches never both run, so what only one of them uses
/// may share memory with what only the other uses. What is used inside and
/// outside of a `tc.while` is used by the loop and by the end of its body too,
/// as the next iteration may read it; what is used inside alone is written in
/// each iteration before it is read there. A result is used outside: the caller
/// reads it.
class BufferLiveness {
public:
  explicit BufferLiveness(mlir::Block &block);

  /// Position of an op that uses buffers among all such ops.
  int64_t getStep(mlir::Operation *op) const { return steps.lookup(op); }
  /// Users of a root, reshapes not among them; empty if nothing uses it.
  llvm::ArrayRef<mlir::Operation *> getUsers(mlir::Value root) const;
  mlir::Operation *getFirstUser(mlir::Value root) const;
  mlir::Operation *getLastUser(mlir::Value root) const;

private:
  void extendThroughLoops(mlir::Value root);

  llvm::DenseMap<mlir::Operation *, int64_t> steps;
  llvm::DenseMap<mlir::Value, llvm::SmallVector<mlir::Operation *>> users;
};

} // namespace tc

#endif // TC_TRANSFORMS_BUFFERIZE_BUFFERLIVENESS_H
