//===- Words.h - Arithmetic on numbers of 32 bits ---------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_WORDS_H
#define TC_LIB_CONVERSION_TCTOGPU_WORDS_H

#include "GPUFrame.h"
#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace tc {

/// Warps of a warp group.
inline constexpr int64_t kGroupWarps = block::kGroupThreads / kWarpThreads;

/// Arithmetic on i32 that are not negative.
struct Words {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 32);
  }
  mlir::Value narrow(mlir::Value value) {
    return mlir::arith::TruncIOp::create(builder, loc, builder.getI32Type(),
                                         value);
  }
  mlir::Value widen(mlir::Value value) {
    return mlir::arith::ExtUIOp::create(builder, loc, builder.getI64Type(),
                                        value);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return mlir::arith::AddIOp::create(builder, loc, a, b);
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return mlir::arith::SubIOp::create(builder, loc, a, b);
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return mlir::arith::MulIOp::create(builder, loc, a, b);
  }
  mlir::Value div(mlir::Value a, mlir::Value b) {
    return mlir::arith::DivUIOp::create(builder, loc, a, b);
  }
  mlir::Value rem(mlir::Value a, mlir::Value b) {
    return mlir::arith::RemUIOp::create(builder, loc, a, b);
  }
  mlir::Value min(mlir::Value a, mlir::Value b) {
    return mlir::arith::MinUIOp::create(builder, loc, a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) {
    return b == 0 ? a : add(a, constant(b));
  }
  mlir::Value mul(mlir::Value a, int64_t b) { return mul(a, constant(b)); }
  mlir::Value div(mlir::Value a, int64_t b) { return div(a, constant(b)); }
  mlir::Value rem(mlir::Value a, int64_t b) { return rem(a, constant(b)); }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return mlir::arith::CmpIOp::create(builder, loc, predicate, a, b);
  }
  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::ult, a, b);
  }
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_WORDS_H
