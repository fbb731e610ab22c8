//===- TensorBuilder.h - Building tc ops on tensors -------------*- C++ -*-===//

#ifndef TC_DIALECT_TC_IR_TENSORBUILDER_H
#define TC_DIALECT_TC_IR_TENSORBUILDER_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Builders.h"

namespace tc {

/// Builds tc ops on tensors at one place: what PyTorch does implicitly
/// (constants of a type, broadcasts, casts, kept dimensions) in one call each.
/// Steps that would change nothing give their operand back.
class TensorBuilder {
public:
  TensorBuilder(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  /// An elementwise op whose result type follows from its operands.
  template <typename OpTy, typename... Values>
  mlir::Value create(Values... operands) {
    return OpTy::create(builder, loc, operands...).getResult();
  }

  mlir::Value add(mlir::Value x, mlir::Value y) { return create<AddOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return create<SubOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return create<MulOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return create<DivOp>(x, y); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);

  /// A tensor of `type` filled with `value`, rounded to the element type.
  mlir::Value full(double value, mlir::RankedTensorType type);
  /// The same, of the type of `like`.
  mlir::Value fullLike(double value, mlir::Value like);
  /// A size expression in every element of `type` (integer or float).
  mlir::Value fullOfSize(SizeExprAttr size, mlir::RankedTensorType type);
  /// 0, 1, ... along `dim` of `type`, which has element type i32 or i64.
  mlir::Value iota(mlir::RankedTensorType type, int64_t dim);

  /// `x` in another element type.
  mlir::Value cast(mlir::Value x, mlir::Type elementType);
  /// `x`, whose dimension i becomes dimension `dims[i]`, repeated to `sizes`.
  mlir::Value broadcast(mlir::Value x, llvm::ArrayRef<SizeExprAttr> sizes,
                        llvm::ArrayRef<int64_t> dims);
  /// `x` of one dimension, put along `dim` of `sizes`.
  mlir::Value alongDim(mlir::Value x, llvm::ArrayRef<SizeExprAttr> sizes,
                       int64_t dim);
  /// `x`, which lacks the dimensions `dims` of `sizes`, repeated along them.
  mlir::Value restoreDims(mlir::Value x, llvm::ArrayRef<SizeExprAttr> sizes,
                          llvm::ArrayRef<int64_t> dims);
  mlir::Value reshape(mlir::Value x, llvm::ArrayRef<SizeExprAttr> sizes);
  mlir::Value transpose(mlir::Value x, llvm::ArrayRef<int64_t> permutation);
  /// Elements `offset` + i * `stride` along `dim`, `size` of them.
  mlir::Value sliceDim(mlir::Value x, int64_t dim, SizeExprAttr offset,
                       SizeExprAttr size, int64_t stride = 1);

  /// A maximum or minimum with `allowEmpty` may be over no elements.
  mlir::Value reduce(ReductionKind kind, mlir::Value x,
                     llvm::ArrayRef<int64_t> dims, bool allowEmpty = false);
  /// Sum divided by the number of elements.
  mlir::Value mean(mlir::Value x, llvm::ArrayRef<int64_t> dims);

  mlir::OpBuilder &getBuilder() { return builder; }
  mlir::Location getLoc() { return loc; }

  /// The type of `x`.
  static mlir::RankedTensorType typeOf(mlir::Value x) {
    return llvm::cast<mlir::RankedTensorType>(x.getType());
  }
  static Sizes sizesOf(mlir::Value x) { return getSizes(typeOf(x)); }
  /// f32 for the float types that compute in f32, else the type itself.
  static mlir::Type getComputeType(mlir::Type elementType);

private:
  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace tc

#endif // TC_DIALECT_TC_IR_TENSORBUILDER_H
