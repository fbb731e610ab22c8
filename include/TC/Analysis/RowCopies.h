//===- RowCopies.h - Rows that threads copy to shared memory ----*- C++ -*-===//

#ifndef TC_ANALYSIS_ROWCOPIES_H
#define TC_ANALYSIS_ROWCOPIES_H

#include "TC/Analysis/VectorAlignment.h"

namespace tc {

/// What threads copy to shared memory of the row that they hold there: vectors
/// along the row that are contiguous, aligned where `alignment` holds, and of
/// 4, 8 or 16 bytes (`cp.async`).
struct RowCopies {
  RowCopies(KernelOp kernel, GPURowScheduleAttr schedule);

  VectorAlignment alignment;
  llvm::SmallVector<ReadOp> reads;
  /// Whether these are all reads that vary along the row.
  bool isComplete = true;

  /// Shared memory of a block for them, in bytes: every thread has a place for
  /// each of its vectors.
  int64_t getBytes(GPURowScheduleAttr schedule) const;
  /// The bytes of a vector of `read`.
  int64_t getVectorBytes(ReadOp read) const;
};

/// Shared memory of a block for rows, in bytes, on a machine whose blocks may
/// ask for `blockSharedBytes`: all but what exchanges and barriers take.
constexpr int64_t getRoomForRows(int64_t blockSharedBytes) {
  constexpr int64_t kOtherBytes = 11 * 1024;
  return blockSharedBytes - kOtherBytes;
}

} // namespace tc

#endif // TC_ANALYSIS_ROWCOPIES_H
