//===- KernelEmitters.h - One emitter for each shape of kernel --*- C++ -*-===//

#ifndef TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
#define TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H

#include "../KernelEmission/KernelLaunches.h"
#include "../KernelEmission/KernelWrites.h"
#include "CPUFrame.h"
#include "ContractionPlan.h"
#include "RegisterTile.h"
#include "TC/Analysis/AttentionPlan.h"
#include "TC/Analysis/TaskPlan.h"
#include "TC/Analysis/TiledTranspose.h"
#include "TaskSize.h"

namespace tc {

/// Pointwise ops, reductions, and any kernel without a better emitter: outer
/// parallel dimensions are the iterations, the schedule's vector dimension the
/// lanes. Fails, with a diagnostic, on stages that need another emitter.
mlir::FailureOr<LaunchShape> emitPointKernel(CPUFrame &frame);

/// A contraction as a blocked matrix product with a tile of accumulators in
/// registers; the epilogue runs on the finished tile.
mlir::FailureOr<LaunchShape> emitContractionKernel(CPUFrame &frame,
                                                   const ContractionPlan &plan);

/// Scores, a softmax over one dimension of keys, a weighted sum: a tile of
/// query rows at a time, which stays in the cache. The queries of a tile are
/// read before its results are written.
LaunchShape emitAttentionKernel(CPUFrame &frame, const AttentionPlan &plan);

/// A pointwise kernel whose reads are transposed in registers, a square at a
/// time.
LaunchShape emitTransposeKernel(CPUFrame &frame,
                                const TiledTranspose &transpose,
                                TransposeScheduleAttr schedule);

/// Kernels with sort stages: each iteration sorts one row, in workspace of its
/// task. Fails, with a diagnostic, when a stage sorts other rows than another
/// and for a kernel without a workspace.
mlir::FailureOr<LaunchShape> emitSortKernel(CPUFrame &frame,
                                            const TaskPlan &plan);

/// Kernels with routine stages: each iteration copies its matrices to workspace
/// of its task and calls the runtime's routine on them. Fails, with a
/// diagnostic, when a stage has other iterations than another and for a kernel
/// without a workspace.
mlir::FailureOr<LaunchShape> emitRoutineKernel(CPUFrame &frame,
                                               const TaskPlan &plan);

/// Emits `body(true)` for when the schedule asks for non-temporal stores
/// (`isNontemporal`) and every write of `lanes` lanes along `dim` begins at a
/// cache line, `body(false)` otherwise; both, chosen at run time, when that
/// depends on addresses.
void emitVersions(KernelFrame &frame, bool isNontemporal,
                  std::optional<unsigned> dim, int64_t lanes,
                  llvm::function_ref<void(bool)> body);

/// A square block in registers turned around: element j of vector i becomes
/// element i of vector j. The number of vectors is a power of two.
llvm::SmallVector<mlir::Value>
transposeSquare(KernelFrame &frame, llvm::SmallVector<mlir::Value> rows);
} // namespace tc

#endif // TC_CONVERSION_TCTOVECTOR_KERNELEMITTERS_H
