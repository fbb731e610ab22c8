//===- KernelEmitters.h - One emitter for each shape of kernel --*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
#define TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H

#include "ContractionPlan.h"
#include "RegisterTile.h"
#include "TC/Analysis/TiledAttention.h"

namespace tc {

/// On a kernel that writes over inputs while its code is generated, their
/// numbers: its code may differ from that of a kernel that is equal otherwise.
inline constexpr llvm::StringLiteral kWritesOverInputAttr =
    "tc.writes_over_input";

/// How the emitted function is to be run.
struct LaunchShape {
  SizeExpr count;      ///< outer iterations; blocks on a GPU
  SizeExpr grain;      ///< smallest piece worth a thread
  int64_t threads = 0; ///< of a block on a GPU
  /// Bytes of memory of its own that the launch needs; null for none.
  SizeExpr scratch = nullptr;
};

/// Pointwise ops, reductions, and any kernel without a better emitter: outer
/// parallel dimensions are the iterations, the schedule's vector dimension the
/// lanes. Fails, with a diagnostic, on stages that need another emitter.
mlir::FailureOr<LaunchShape> emitPointKernel(KernelFrame &frame);

/// A contraction as a blocked matrix product with a tile of accumulators in
/// registers; the epilogue runs on the finished tile.
mlir::FailureOr<LaunchShape> emitContractionKernel(KernelFrame &frame,
                                                   const ContractionPlan &plan);

/// Scores, a softmax over one dimension of keys, a weighted sum: a tile of
/// query rows at a time, which stays in the cache. The queries of a tile are
/// read before its results are written.
LaunchShape emitAttentionKernel(KernelFrame &frame,
                                const TiledAttention &attention);

/// Whether `emitTransposeKernel` knows the kernel: pointwise, written along one
/// dimension, with a read that is contiguous along another.
bool isTiledTranspose(KernelFrame &frame);
LaunchShape emitTransposeKernel(KernelFrame &frame);

/// Kernels with sort stages: each iteration sorts one row, in scratch memory.
/// Fails, with a diagnostic, when a stage sorts other rows than another.
mlir::FailureOr<LaunchShape> emitSortKernel(KernelFrame &frame);

/// Kernels with routine stages: each iteration copies its matrices to scratch
/// memory and calls the runtime's routine on them. Fails, with a diagnostic,
/// when a stage has other iterations than another.
mlir::FailureOr<LaunchShape> emitRoutineKernel(KernelFrame &frame);

/// Emits `body(true)` for when the schedule asks for non-temporal stores and
/// every write of `lanes` lanes along `dim` begins at a cache line,
/// `body(false)` otherwise; both, chosen at run time, when that depends on
/// addresses.
void emitVersions(KernelFrame &frame, std::optional<unsigned> dim,
                  int64_t lanes, llvm::function_ref<void(bool)> body);

/// What the emitters of whole kernels share.
DimSet getWriteDims(KernelFrame &frame, WriteOp write);
/// Emits every write of the kernel at the points that `scope` leaves open.
void emitWrites(PointEmitter &emitter, Scope &scope);
/// Binds `dims` to the mixed-radix digits of `iteration`, the last the lowest.
void bindDigits(KernelFrame &frame, Scope &scope, llvm::ArrayRef<unsigned> dims,
                mlir::Value iteration);
/// A square block in registers turned around: element j of vector i becomes
/// element i of vector j. The number of vectors is a power of two.
llvm::SmallVector<mlir::Value>
transposeSquare(KernelFrame &frame, llvm::SmallVector<mlir::Value> rows);
/// Code that runs only when `condition` holds.
void emitWhen(KernelFrame &frame, Scope &scope, mlir::Value condition,
              llvm::function_ref<void(Scope &)> body);
/// Elements of work that are worth waking a thread for.
inline constexpr int64_t kGrainElements = 16384;
/// Bytes that `kernel` writes: one element of each output at `points` points.
SizeExpr getWrittenBytes(KernelOp kernel, SizeExpr points);
/// 1 where `size` is at least `least`, 0 where it is less.
SizeExpr reaches(SizeExpr size, int64_t least);
/// A grain of at least `grain` that makes no more pieces of `count` iterations
/// than there are `bytes` in the bytes that are `written`, unless each has many
/// products: threads' stacks are to be small beside tensors.
SizeExpr limitPieces(SizeExpr grain, SizeExpr count, SizeExpr products,
                     SizeExpr written, int64_t bytes);
/// How many iterations of `work` each come to `worth`; at least one.
SizeExpr getGrain(SizeExpr work, int64_t worth);

} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
