//===- SizeValues.cpp - Size expressions as code --------------------------===//

#include "SizeValues.h"
#include "HostBuilder.h"
#include "TC/Conversion/SizeEmission.h"

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

namespace {
/// Arithmetic on sizes in the llvm dialect.
struct HostArithmetic {
  HostBuilder &host;

  Value constant(int64_t value) { return host.i64(value); }
  Value add(Value a, Value b) {
    return LLVM::AddOp::create(host.get(), host.getLoc(), a, b);
  }
  Value mul(Value a, Value b) {
    return LLVM::MulOp::create(host.get(), host.getLoc(), a, b);
  }
  Value min(Value a, Value b) { return choose(LLVM::ICmpPredicate::slt, a, b); }
  Value max(Value a, Value b) { return choose(LLVM::ICmpPredicate::sgt, a, b); }
  Value floorDiv(Value a, Value b) {
    Value quotient = LLVM::SDivOp::create(host.get(), host.getLoc(), a, b);
    return LLVM::SelectOp::create(
        host.get(), host.getLoc(), isRoundedUp(remainder(a, b)),
        LLVM::SubOp::create(host.get(), host.getLoc(), quotient, host.i64(1)),
        quotient);
  }
  Value mod(Value a, Value b) {
    Value rest = remainder(a, b);
    return LLVM::SelectOp::create(host.get(), host.getLoc(), isRoundedUp(rest),
                                  add(rest, b), rest);
  }

private:
  Value choose(LLVM::ICmpPredicate predicate, Value a, Value b) {
    return LLVM::SelectOp::create(host.get(), host.getLoc(),
                                  host.compare(predicate, a, b), a, b);
  }
  Value remainder(Value a, Value b) {
    return LLVM::SRemOp::create(host.get(), host.getLoc(), a, b);
  }
  /// Whether a division by a positive number, which rounds towards 0, was
  /// rounded up, by what it leaves.
  Value isRoundedUp(Value rest) {
    return host.compare(LLVM::ICmpPredicate::slt, rest, host.i64(0));
  }
};
} // namespace

Value SizeValues::compute(SizeExpr size) {
  if (size.getKind() == SizeExprKind::Symbol)
    return symbols.lookup(size.getSymbol().getValue());
  SmallVector<Value> operands;
  for (Attribute operand : size.getOperands())
    operands.push_back(of(cast<SizeExpr>(operand)));
  return emitSizeNode(size.getKind(), size.getValue(), operands,
                      HostArithmetic{host});
}

Value SizeValues::combine(SizeExprKind kind, ArrayRef<Value> operands) {
  return emitSizeNode(kind, /*value=*/0, operands, HostArithmetic{host});
}
