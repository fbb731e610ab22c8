//===- BulkCopies.h - Copies of bytes by the copy engine --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_BULKCOPIES_H
#define TC_LIB_CONVERSION_TCTOGPU_BULKCOPIES_H

#include "GPUFrame.h"

namespace tc {

/// Elements between global and shared memory that begin anywhere: whole units
/// of 16 aligned bytes go through the copy engine (sm_90), what is left of the
/// last one, or of the first and last one that are stored, element by element.
/// Addresses in global memory are i64, in shared memory i32; sizes are i32.
class BulkCopies {
public:
  /// `arrivals` threads start copies to shared memory.
  BulkCopies(GPUFrame &frame, int64_t arrivals);

  /// Elements at `from` that go to the unit `to` of shared memory on: at the
  /// same offset in their unit. Less than a unit before them is copied too, and
  /// as much behind them, but not beyond `bufferEnd`.
  struct Piece {
    mlir::Type element;
    mlir::Value from, to, bytes;
    mlir::Value bufferEnd; ///< i64
  };

  /// One thread: makes the barrier that counts arrivals and bytes.
  void emitInit();
  /// One of the threads that start copies: starts its own.
  void emitStart(llvm::ArrayRef<Piece> pieces);
  /// All threads: waits until everything has arrived.
  void emitWait();

  /// All threads, after a barrier that follows `emitPublish`: stores a piece;
  /// `from` is where its elements go, `to` where they are.
  void emitStore(const Piece &piece);
  /// What this thread has stored in shared memory is there for the engine.
  void emitPublish();

  /// A pointer to what is at an address in shared memory.
  mlir::Value pointerTo(mlir::Value address);
  /// Bytes before `address` (i64) in its unit (i32).
  mlir::Value offsetInUnit(mlir::Value address);

private:
  mlir::Value number(int64_t value, unsigned bits = 32);
  mlir::Value narrow(mlir::Value value);
  mlir::Value alignDown(mlir::Value address);
  mlir::Value alignUp(mlir::Value address);
  mlir::Value globalPointer(mlir::Value address);
  void copyRest(const Piece &piece, mlir::Value unit, mlir::Value stop,
                mlir::Value end);
  void storeEdge(const Piece &piece, mlir::Value low, mlir::Value high);

  GPUFrame &frame;
  const int64_t arrivals;
  mlir::Value barrier; ///< a pointer
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_BULKCOPIES_H
