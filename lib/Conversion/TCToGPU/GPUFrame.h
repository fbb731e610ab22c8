//===- GPUFrame.h - The gpu.func a kernel becomes ---------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_GPUFRAME_H
#define TC_LIB_CONVERSION_TCTOGPU_GPUFRAME_H

#include "../KernelEmission/KernelLaunches.h"
#include "../KernelEmission/PointEmitter.h"
#include "TC/Dialect/TC/IR/Warp.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tc {

/// The scope of what threads of one device agree on, as LLVM names it.
inline constexpr const char *kDevice = "device";

/// Makes `gpu.module @name { gpu.func @name(...) kernel }` at the end of
/// `module`, with the launch's tensor maps and slots as arguments: a pointer
/// for each map and each buffer, an i64 for each symbol and for the number of
/// the launch where the kernel is launched in steps, a pointer to the status
/// and one to the counters, if it uses them. Blocks and threads are numbered
/// along x.
class GPUFrame : public KernelFrame {
public:
  /// What a kernel needs of its launches.
  struct Launches {
    int64_t threads;           ///< of a block
    int64_t cluster = 1;       ///< blocks of a cluster, 1 for none
    bool hasSteps = false;     ///< is launched several times
    bool usesCounters = false; ///< has blocks that find out which is the last
    int64_t tensorMaps = 0;    ///< views of buffers, whose boxes it copies
    /// Whether the kernel calls emitWait itself, behind what needs no buffer.
    bool waitsLater = false;
    /// Whether every buffer begins at a multiple of kAlignment bytes, so that
    /// the kernel has no code for others.
    bool alignedBuffers = false;
  };
  /// What the buffers of a kernel of `alignedBuffers` begin at a multiple of.
  static constexpr int64_t kAlignment = 16;
  /// `target` is the #nvvm.target of the gpu.module. Where the device
  /// `overlaps` launches (sm_90) the kernel waits at its beginning for the
  /// launch before it; one that is launched in steps lets its next launch begin
  /// then.
  GPUFrame(KernelOp kernel, llvm::StringRef name, mlir::ModuleOp module,
           mlir::Attribute target, vectormath::VectorMathOptions options,
           Launches launches, bool overlaps);

  /// Makes the thread wait for the launch before, where that need not have
  /// ended. No thread reads or writes a buffer, nor ends, before it has waited:
  /// what launches further back wrote is there for the next kernel too then.
  void emitWait();

  const int64_t threads, cluster; ///< as in Launches
  const bool alignedBuffers;      ///< the same
  mlir::Value clusterRank; ///< i64: of this block in its cluster; null for none
  mlir::Value counters;    ///< their address; null for a kernel without them
  llvm::SmallVector<mlir::Value> tensorMaps; ///< their addresses
  /// This thread's number in its block, its block's number, how many blocks
  /// there are (i64).
  mlir::Value threadNumber, blockNumber, blockCount;

  /// Whether (i1) an i64 is 0.
  mlir::Value isZero(mlir::Value number);
  /// The number of the launch, of a kernel that is launched in steps (i64).
  mlir::Value step() { return size(getStepSymbol(builder.getContext())); }

  /// As sub.rn, which ptxas does not contract: it contracts what has no
  /// rounding modifier, whatever is between. As text, since LLVM makes an
  /// fsub of intrinsics with a rounding mode.
  mlir::Value subtractRounded(mlir::Value x, mlir::Value y,
                              unsigned rounded) override;

  bool dividesNarrowFaster() const override { return true; }
  int64_t getSumChain() const override { return 4; }
  mlir::Value copyOpaquely(mlir::Value value) override;
  mlir::Value emitKeptLoad(mlir::Type type, mlir::Value pointer,
                           unsigned alignment) override;
  /// The policy (i64) of the second-level cache for lines that it keeps longer
  /// than others.
  mlir::Value getKeepingPolicy();

  /// Leaves each thread the registers with which `resident` of them are on a
  /// multiprocessor: 64 of 1024.
  void limitRegisters(int64_t resident = 1024);

  /// The address of memory of `bytes` bytes that the threads of a block share.
  mlir::Value allocateShared(int64_t bytes);
  /// The same of memory that the launch gives the block, which may be more than
  /// the 48 KiB of others, and of which there is one.
  mlir::Value allocateDynamicShared(int64_t bytes);
  int64_t dynamicSharedBytes = 0;
  /// The address in shared memory (i32) of a pointer to it.
  mlir::Value sharedAddressOf(mlir::Value pointer);
  /// Waits until the first phase of a barrier in shared memory (mbarrier) is
  /// over.
  void emitPhaseWait(mlir::Value barrier);

  /// Emits `body` for the threads for which `condition` (i1) holds.
  mlir::scf::IfOp emitIf(mlir::Value condition,
                         llvm::function_ref<void()> body);
  /// An instruction that is text, of operands and a result of type `type`;
  /// without a result where that is null.
  mlir::Value emitAssembly(mlir::Type type, mlir::ValueRange operands,
                           llvm::StringRef text, llvm::StringRef constraints,
                           bool isPure = true);
  /// The address of shared memory number `index`, of at least `bytes` bytes,
  /// which all exchanges of the kernel use: a barrier is between two of them.
  mlir::Value getExchange(size_t index, int64_t bytes);
  mlir::Value getZeros() override;

private:
  mlir::Value makeShared(const llvm::Twine &suffix, int64_t bytes,
                         mlir::LLVM::Linkage linkage);

  bool hasSteps, overlaps; ///< as given
  struct Exchange {
    mlir::Operation *memory;
    mlir::Value address;
    int64_t bytes;
  };
  llvm::SmallVector<Exchange> exchanges;
  mlir::gpu::GPUModuleOp gpuModule;
  unsigned sharedCount = 0;
  mlir::Value zeros, keepingPolicy;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_GPUFRAME_H
