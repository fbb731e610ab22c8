//===- CopiedRow.h - A thread's vectors in shared memory --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_COPIEDROW_H
#define TC_LIB_CONVERSION_TCTOGPU_COPIEDROW_H

#include "GPUFrame.h"
#include "TC/Analysis/RowCopies.h"

namespace tc {

/// Places in shared memory for what threads read of a row that they hold: each
/// thread has its own, which it alone copies to (`cp.async`) and loads from, so
/// that no barrier is between.
class CopiedRow {
public:
  CopiedRow(GPUFrame &frame, const RowCopies &copies,
            GPURowScheduleAttr schedule);

  /// Starts the copies of this thread's vectors of the row that `row` binds,
  /// which `emitter` then loads from there.
  void emitCopies(PointEmitter &emitter, Scope &row);
  /// Waits for this thread's copies.
  void emitWait();

private:
  /// The thread's place of the vector of `read` in unit number `unit`.
  mlir::Value placeOf(ReadOp read, int64_t unit);
  void copy(PointEmitter &emitter, ReadOp read, Scope &unit);

  GPUFrame &frame;
  const RowCopies &copies;
  llvm::DenseMap<mlir::Operation *, mlir::Value> first; ///< places, of unit 0
  llvm::DenseMap<const Scope *, int64_t> unitNumbers;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_COPIEDROW_H
