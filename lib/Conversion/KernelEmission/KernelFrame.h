//===- KernelFrame.h - Where a kernel's code goes ---------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_KERNELFRAME_H
#define TC_CONVERSION_KERNELEMISSION_KERNELFRAME_H

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/MapVector.h"

namespace tc {

/// The type that a value of element type `type` has in generated code: f32 for
/// bf16, f16 and f8, signless for unsigned integers, the bits of complex
/// numbers as an integer.
mlir::Type getComputeType(mlir::Type type);

/// How an element is stored: i8 for i1 and f8, i16 for bf16, signless for
/// unsigned integers, the bits of complex numbers as an integer.
mlir::Type getStorageType(mlir::Type type);

/// `type`, or a vector of `lanes` of it when lanes is above 1.
mlir::Type getLaneType(mlir::Type type, int64_t lanes);

/// Where a kernel's code goes: its buffers and sizes, arithmetic on size
/// expressions and indices (all i64). A frame is filled in its entry block
/// first; sizes and pointers stay available everywhere below. What the function
/// looks like is the target's, which derives a class.
class KernelFrame {
public:
  virtual ~KernelFrame() = default;

  KernelOp kernel;
  KernelDims dims;
  mlir::FunctionOpInterface function;
  vectormath::VectorMathBuilder builder;
  mlir::Location loc;

  /// Data pointer of a buffer (a block argument of the kernel).
  mlir::Value pointer(mlir::Value buffer) const {
    return pointers.lookup(buffer);
  }
  /// Value of a size expression, computed in the entry block.
  mlir::Value size(SizeExpr expr);
  /// Size of a dimension of the domain.
  mlir::Value dimSize(unsigned dim) { return size(kernel.getDimSize(dim)); }
  /// The kernel's affine symbols as size expressions.
  SizeExpr affineSymbol(unsigned index) const;
  /// The sizes the context has values of, in order: symbols of the function,
  /// and what the kernel's affine symbols stand for.
  llvm::ArrayRef<SizeExpr> contextSizes() const { return symbols; }

  /// Stands for the number of the launch among the sizes of a kernel that is
  /// launched in steps.
  static SizeExpr getStepSymbol(mlir::MLIRContext *context) {
    return SizeExpr::named(context, "launch step");
  }

  mlir::Value constant(int64_t value);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value sub(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);

  /// x - y of floats, of which operand `rounded` (0 or 1) counts as it is
  /// rounded: the difference is not contracted with the product that it may be.
  virtual mlir::Value subtractRounded(mlir::Value x, mlir::Value y,
                                      unsigned rounded) = 0;

  /// A copy of `value`, a vector, of which compilers do not know that it is the
  /// same: what is computed of it is not taken from what was computed before.
  virtual mlir::Value copyOpaquely(mlir::Value value) { return value; }
  /// Loads what the last-level cache keeps longer than other lines,
  /// where the target can say so.
  virtual mlir::Value emitKeptLoad(mlir::Type type, mlir::Value pointer,
                                   unsigned alignment);

  /// Mark the call as failed when `failed` (i1) holds.
  void reportIndexOutOfRange(mlir::Value failed) {
    reportFailure(failed, kIndexOutOfRange);
  }
  void reportSingularMatrix(mlir::Value failed) {
    reportFailure(failed, kSingularMatrix);
  }
  bool mayFail() const { return usesStatus; }

  /// For an index over a dimension that the emitted code has not bound, which
  /// is a mistake in an emitter: an error of the kernel, and some index.
  mlir::Value reportUnboundDim(int64_t dim);
  bool hasUnboundDims() const { return foundUnboundDims; }

  /// What `widen` has made of stored elements, and their type: a copy stores
  /// these as they are.
  llvm::DenseMap<mlir::Value, std::pair<mlir::Value, mlir::Type>> widened;

  /// Whether 32 bits are divided so much faster than 64 that numbers are
  /// narrowed for it.
  virtual bool dividesNarrowFaster() const { return false; }
  /// Terms that one chain of additions of a sum has, as in PyTorch's sums on
  /// the same device.
  virtual int64_t getSumChain() const { return 16; }
  /// The address of 16 aligned bytes of zeros, where a load from there is
  /// better than a branch around one; null elsewhere.
  virtual mlir::Value getZeros() { return {}; }
  /// Whether the code calls routines of the runtime.
  virtual bool callsRoutines() const { return false; }

  /// Room for `count` elements of `type`, on the stack, made in the entry
  /// block.
  mlir::Value allocateScratch(mlir::Type type, SizeExpr count);
  mlir::Value allocateScratch(mlir::Type type, int64_t count);

protected:
  /// The target then makes `function`, puts `builder` into its entry block and
  /// calls `startBody`.
  KernelFrame(KernelOp kernel, vectormath::VectorMathOptions options);
  /// Makes the number of the launch the last of the sizes.
  void addStep() { symbols.push_back(getStepSymbol(kernel.getContext())); }
  /// Number of values a launch hands over: buffers, symbols, the status.
  size_t numSlots();
  /// Takes these values, in that order, and begins the body: code of the entry
  /// block stays before what comes now.
  void startBody(mlir::ValueRange slots);
  /// Where the launch's kernels report failures.
  mlir::Value status;

private:
  void reportFailure(mlir::Value failed, KernelStatus code);
  void collectSymbols();
  mlir::Value evaluate(SizeExpr expr);

  llvm::DenseMap<mlir::Value, mlir::Value> pointers;
  llvm::DenseMap<mlir::Attribute, mlir::Value> sizes;
  llvm::DenseMap<int64_t, mlir::Value> constants;
  llvm::SmallVector<SizeExpr> symbols;
  mlir::Operation *entryEnd = nullptr; ///< entry-block code goes before it
  bool usesStatus = false, foundUnboundDims = false;
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_KERNELFRAME_H
