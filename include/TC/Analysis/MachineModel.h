//===- MachineModel.h - What the cost model knows of a machine --*- C++ -*-===//

#ifndef TC_ANALYSIS_MACHINEMODEL_H
#define TC_ANALYSIS_MACHINEMODEL_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// The target that the innermost module around `op`, or `op` itself, names;
/// null where none does.
TargetAttr findTarget(mlir::Operation *op);

/// The kind of that target, `cpu` or `cuda`; `cpu` where none is named.
llvm::StringRef getTargetKind(mlir::Operation *op);

/// Whether the module's `tc.libraries` has the library.
bool hasLibrary(mlir::ModuleOp module, LibraryKind library);

/// A tile of attention on tensor cores that blocks of threads of a GPU may
/// have.
struct AttentionTile {
  int64_t columns;  ///< most columns of values, and elements of queries
  int64_t rows;     ///< of queries
  int64_t keys;     ///< of a step
  int64_t resident; ///< blocks on a multiprocessor
  /// Scores that a multiprocessor computes in a microsecond where it always has
  /// so many blocks, and microseconds of a step of a block that is alone.
  double rate, step;
};

/// Rates and sizes of the machine that code is generated for: estimates, which
/// decide between schedules and never what is computed.
struct MachineModel {
  /// Cores of a CPU, multiprocessors of a GPU.
  int64_t units = 16;
  /// Lanes of a vector register, in bits; of a warp on a GPU.
  int64_t vectorBits = 256;
  int64_t vectorRegisters = 16;
  /// Memory that a row several stages need may fill, per unit.
  int64_t onChipBytes = 512 * 1024;
  /// The cache that all units share, before main memory.
  int64_t sharedCacheBytes = 32 * 1024 * 1024;
  /// Cost of one launch, in nanoseconds.
  double launchTime = 500;
  /// Of main memory, for all units and for one, in bytes a nanosecond.
  double bandwidth = 40, unitBandwidth = 12;
  /// Arithmetic of one unit, in weighted operations a nanosecond.
  double unitRate = 32;
  /// Fields of schedules that depend on the machine alone: points that one
  /// iteration of a pointwise launch computes, points that are worth waking a
  /// thread for, most points of a row whose values a thread keeps on its stack,
  /// and the widest stride at which loading whole vectors beats a gather.
  int64_t block = kUsualBlock, taskPoints = kUsualTaskPoints,
          keptPoints = kUsualKeptPoints, keptWeight = kUsualKeptWeight,
          maxStride = kUsualMaxStride;
  /// Iterations over other dimensions that are enough to share out, so that
  /// `block` does not have to cut a row.
  int64_t enoughIterations = 64;
  /// AVX512-BF16: dot products of pairs of bf16, accumulated in f32.
  bool hasBF16Dot = false;
  /// AMX-BF16: dot products in tiles of 16 by 16 accumulators.
  bool hasBF16Tiles = false;
  bool isGPU = false;
  /// Shared memory that a block may ask for, less than 1 KiB below what a
  /// multiprocessor has for all of its blocks.
  int64_t blockSharedBytes = 48 * 1024;
  /// Blocks of a thread-block cluster that may share memory; 1 for none.
  int64_t clusterBlocks = 1;
  /// Whether threads have rows copied to shared memory by the copy engine
  /// (cp.async.bulk).
  bool hasBulkCopies = false;
  /// Whether warp groups multiply matrices in shared memory (wgmma), to which
  /// the copy engine takes boxes of tensors.
  bool hasWarpGroupProducts = false;
  /// Whether warps multiply matrices of 16 bits (mma.sync) that threads copy to
  /// shared memory (cp.async).
  bool hasWarpProducts = false;
  /// Products of 16 bits that the warps of a multiprocessor add up so in a
  /// nanosecond, and bytes of shared memory that they read.
  double warpProductRate = 2300, sharedBandwidth = 220;
  /// Products of f32 that the threads of a multiprocessor add up in a
  /// nanosecond.
  double threadProductRate = 220;
  /// The tiles of attention that are worth a choice.
  llvm::ArrayRef<AttentionTile> attentionTiles;
  /// Whether the target has cuBLASLt, as the module's `tc.libraries` says.
  bool hasCuBLASLt = false;

  /// The model of the module's `tc.target`, or of a CPU with AVX2, with the
  /// cores and the caches that the module has attributes for. The machine that
  /// the process runs on has no influence: the same module is compiled in the
  /// same way everywhere.
  static MachineModel get(mlir::Operation *op);
  /// What a target has follows from its features alone, so that a target that
  /// is named has the same schedules on every machine: 16 cores, and caches of
  /// the usual size.
  static MachineModel get(TargetAttr target);
};

} // namespace tc

#endif // TC_ANALYSIS_MACHINEMODEL_H
