//===- SizeValues.cpp - Size expressions as code --------------------------===//

#include "SizeValues.h"
#include "HostBuilder.h"

using namespace mlir;
using namespace tc;

bool SizeValues::canEvaluate(SizeExpr size) const {
  bool allBound = true;
  size.walkSymbols([&](StringRef name) { allBound &= isBound(name); });
  return allBound;
}

Value SizeValues::of(SizeExpr size) {
  if (std::optional<int64_t> constant = size.getConstant())
    return host.i64(*constant);
  if (Value known = values.lookup(size))
    return known;
  Value value = compute(size);
  values[size] = value;
  return value;
}

/// Division and remainder towards minus infinity, as in Python.
Value SizeValues::floorDivision(Value dividend, Value divisor,
                                bool wantRemainder) {
  OpBuilder &builder = host.get();
  Location loc = host.getLoc();
  // A division by zero, or one that overflows, ends the process: sizes are
  // computed ahead of the guard that a divisor is at least 1.
  if (!divisor.getDefiningOp<LLVM::ConstantOp>())
    divisor = LLVM::SelectOp::create(
        builder, loc,
        host.compare(LLVM::ICmpPredicate::sle, divisor, host.i64(0)),
        host.i64(1), divisor);
  Value quotient = LLVM::SDivOp::create(builder, loc, dividend, divisor);
  Value remainder = LLVM::SRemOp::create(builder, loc, dividend, divisor);
  Value zero = host.i64(0);
  Value signs = LLVM::XOrOp::create(builder, loc, remainder, divisor);
  Value adjust =
      host.conjunction({host.compare(LLVM::ICmpPredicate::ne, remainder, zero),
                        host.compare(LLVM::ICmpPredicate::slt, signs, zero)});
  Value adjusted =
      wantRemainder
          ? Value(LLVM::AddOp::create(builder, loc, remainder, divisor))
          : Value(LLVM::SubOp::create(builder, loc, quotient, host.i64(1)));
  return LLVM::SelectOp::create(builder, loc, adjust, adjusted,
                                wantRemainder ? remainder : quotient);
}

Value SizeValues::compute(SizeExpr size) {
  OpBuilder &builder = host.get();
  Location loc = host.getLoc();
  if (size.getKind() == SizeExprKind::Symbol)
    return symbols.lookup(size.getSymbol().getValue());
  SmallVector<Value> operands;
  for (Attribute operand : size.getOperands())
    operands.push_back(of(cast<SizeExpr>(operand)));
  Value result = operands.front();
  switch (size.getKind()) {
  case SizeExprKind::Sum:
    for (Value operand : ArrayRef(operands).drop_front())
      result = LLVM::AddOp::create(builder, loc, result, operand);
    if (size.getValue() != 0)
      result =
          LLVM::AddOp::create(builder, loc, result, host.i64(size.getValue()));
    return result;
  case SizeExprKind::Product:
    for (Value operand : ArrayRef(operands).drop_front())
      result = LLVM::MulOp::create(builder, loc, result, operand);
    if (size.getValue() != 1)
      result =
          LLVM::MulOp::create(builder, loc, result, host.i64(size.getValue()));
    return result;
  default:
    return combine(size.getKind(), operands);
  }
}

Value SizeValues::combine(SizeExprKind kind, ArrayRef<Value> operands) {
  if (kind == SizeExprKind::FloorDiv || kind == SizeExprKind::Mod)
    return floorDivision(operands[0], operands[1],
                         /*wantRemainder=*/kind == SizeExprKind::Mod);
  auto predicate = kind == SizeExprKind::Min ? LLVM::ICmpPredicate::slt
                                             : LLVM::ICmpPredicate::sgt;
  Value result = operands.front();
  for (Value operand : operands.drop_front())
    result = LLVM::SelectOp::create(host.get(), host.getLoc(),
                                    host.compare(predicate, result, operand),
                                    result, operand);
  return result;
}
