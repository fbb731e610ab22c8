//===- KernelBuilder.h - Writing the body of a tc.kernel --------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_KERNELBUILDER_H
#define TC_DIALECT_TC_IR_KERNELBUILDER_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Builders.h"

namespace tc {

/// `size` as an affine expression over symbols of `kernel`, which gets those
/// that it lacks. A minimum or maximum is a symbol of its own.
mlir::AffineExpr toAffine(KernelOp kernel, SizeExprAttr size);

/// A value of a kernel's body in another type.
mlir::Value castScalar(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value value, mlir::Type type);

/// Makes a `tc.kernel` stage by stage. Inputs and symbols are bound when they
/// are first used; `finish` settles what depends on the whole body.
class KernelBuilder {
public:
  /// A kernel at the insertion point of `outer` that writes `destinations`.
  KernelBuilder(mlir::OpBuilder &outer, mlir::Location loc,
                llvm::StringRef name, llvm::ArrayRef<DimAttr> dims,
                mlir::ValueRange destinations);
  /// Dimensions named i, j, ... of the given sizes; each result is a new
  /// `tc.empty`.
  KernelBuilder(mlir::OpBuilder &outer, mlir::Location loc,
                llvm::StringRef name, llvm::ArrayRef<SizeExprAttr> sizes,
                mlir::TypeRange resultTypes);

  /// The type that elements of `stored` are computed in: f32 for bf16, f16 and
  /// the 8-bit floats, else the type itself.
  static mlir::Type getComputeType(mlir::Type stored);

  KernelOp getKernel() const { return kernel; }
  mlir::MLIRContext *getContext() const { return body.getContext(); }
  unsigned getRank() { return kernel.getNumDims(); }

  /// Dimension `index` of the domain, or beyond it a dynamic index.
  mlir::AffineExpr dim(unsigned index) const;
  mlir::AffineExpr constant(int64_t value) const;
  /// The first `count` dimensions.
  llvm::SmallVector<mlir::AffineExpr> dims(unsigned count) const;
  /// `size` as an affine expression over symbols of the kernel.
  mlir::AffineExpr affine(SizeExprAttr size) { return toAffine(kernel, size); }

  /// The element of `input` at these indices, as stored.
  mlir::Value read(mlir::Value input, llvm::ArrayRef<mlir::AffineExpr> at,
                   mlir::ValueRange indices = {},
                   std::optional<mlir::IntegerSet> within = std::nullopt);
  /// As `read`, in the type it is computed in.
  mlir::Value
  readForCompute(mlir::Value input, llvm::ArrayRef<mlir::AffineExpr> at,
                 mlir::ValueRange indices = {},
                 std::optional<mlir::IntegerSet> within = std::nullopt);
  /// Casts to the element type of destination `out` and writes.
  void write(mlir::Value value, unsigned out,
             llvm::ArrayRef<mlir::AffineExpr> at, mlir::ValueRange indices = {},
             std::optional<mlir::IntegerSet> within = std::nullopt,
             CombineKind combine = CombineKind::Replace);

  mlir::Value cast(mlir::Value value, mlir::Type type);
  mlir::Value scalar(double value, mlir::Type type);
  mlir::Value scalar(mlir::TypedAttr value);
  mlir::Value size(SizeExprAttr size);
  mlir::Value index(mlir::AffineExpr expr);
  /// Whether the point satisfies every `constraint >= 0`.
  mlir::IntegerSet setOf(llvm::ArrayRef<mlir::AffineExpr> constraints);
  mlir::Value within(mlir::IntegerSet set);
  mlir::Value reduce(ReductionKind kind, mlir::Value value,
                     llvm::ArrayRef<int64_t> over);

  /// A pointwise stage.
  template <typename OpTy, typename... Args>
  mlir::Value create(Args &&...args) {
    return OpTy::create(body, loc, std::forward<Args>(args)...);
  }

  /// Sets iterator kinds and class from the body and returns the kernel.
  KernelOp finish();

  mlir::OpBuilder body;
  mlir::Location loc;

private:
  mlir::AffineMap mapOf(llvm::ArrayRef<mlir::AffineExpr> results,
                        size_t numIndices);
  KernelOp kernel;
};

/// Parallel dimensions i, j, k, ... of these sizes.
llvm::SmallVector<DimAttr> getNamedDims(mlir::MLIRContext *context,
                                        llvm::ArrayRef<SizeExprAttr> sizes);

/// The block argument for `input` in `kernel`, added where it is not yet one.
mlir::BlockArgument bindInput(KernelOp kernel, mlir::Value input);

/// Puts what `kernel`'s symbols have become where their sizes were replaced
/// into its maps and sets: constants, and one symbol for what is now equal.
void updateSymbols(KernelOp kernel);

/// The tensor or buffer that `argument`, of the body of `kernel`, stands for.
mlir::Value getOperandOf(KernelOp kernel, mlir::Value argument);

/// Recomputes which dimensions are parallel and which are reduced.
void updateIteratorKinds(KernelOp kernel);

} // namespace tc

#endif // TC_DIALECT_TC_IR_KERNELBUILDER_H
