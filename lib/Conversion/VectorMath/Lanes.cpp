//===- Lanes.cpp - AVX-512 forms of a few steps ---------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace tc::vectormath {

static constexpr int64_t lanes = 16;

bool useAvx512(Term x) {
  if (!x.builder().options.hasAvx512 || !x.elementType().isF32())
    return false;
  auto vector = dyn_cast<VectorType>(x.type());
  return !vector || (vector.getRank() == 1 && !vector.isScalable());
}

Term inRegisters(Term x, llvm::function_ref<Term(Term)> function) {
  OpBuilder &b = x.builder();
  Location loc = x.location();
  auto type = VectorType::get({lanes}, x.elementType());
  auto vector = dyn_cast<VectorType>(x.type());
  if (!vector) {
    Term result =
        function(x.with(vector::BroadcastOp::create(b, loc, type, x)));
    return x.with(vector::ExtractOp::create(b, loc, result, int64_t(0)));
  }
  int64_t length = vector.getDimSize(0);
  if (length == lanes)
    return function(x);

  // Part by part; lanes beyond the end are left unspecified.
  std::optional<Term> whole;
  for (int64_t start = 0; start < length; start += lanes) {
    int64_t count = std::min(lanes, length - start);
    SmallVector<int64_t> take(lanes, -1), place(length, -1);
    for (int64_t i = 0; i < count; ++i)
      take[i] = start + i;
    Term part = function(x.with(vector::ShuffleOp::create(b, loc, x, x, take)));
    // The part at its place, the lanes before it unchanged.
    for (int64_t i = 0; i < count; ++i)
      place[start + i] = i;
    Term placed = x.with(vector::ShuffleOp::create(b, loc, part, part, place));
    if (!whole) {
      whole = placed;
      continue;
    }
    for (int64_t i = 0; i < length; ++i)
      place[i] = i < start ? i : i < start + count ? length + i : -1;
    whole = x.with(vector::ShuffleOp::create(b, loc, *whole, placed, place));
  }
  return *whole;
}

static Term callIntrinsic(Term like, Type type, StringRef name,
                          ValueRange operands) {
  OpBuilder &b = like.builder();
  return like.with(LLVM::CallIntrinsicOp::create(b, like.location(), type,
                                                 b.getStringAttr(name),
                                                 operands)
                       .getResult(0));
}

Term lookUp(Term index, ArrayRef<float> table) {
  OpBuilder &b = index.builder();
  auto type = VectorType::get({lanes}, b.getF32Type());
  auto half = [&](size_t start) -> Value {
    return arith::ConstantOp::create(
        b, index.location(),
        DenseElementsAttr::get(type, table.slice(start, lanes)));
  };
  return callIntrinsic(index, type, "llvm.x86.avx512.vpermi2var.ps.512",
                       {half(0), index, half(lanes)});
}

/// A masked operation on all lanes of `x`, in the current rounding mode.
static Term callOnAllLanes(Term x, StringRef name, ArrayRef<Value> operands) {
  OpBuilder &b = x.builder();
  Location loc = x.location();
  SmallVector<Value> all(operands);
  all.push_back(x);
  all.push_back(arith::ConstantOp::create(b, loc, b.getI16IntegerAttr(-1)));
  all.push_back(arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(4)));
  return callIntrinsic(x, x.type(), name, all);
}

Term scaleByPower(Term x, Term exponent) {
  return callOnAllLanes(x, "llvm.x86.avx512.mask.scalef.ps.512", {x, exponent});
}

Term exponentOf(Term x) {
  return callOnAllLanes(x, "llvm.x86.avx512.mask.getexp.ps.512", {x});
}

Term mantissaAroundOne(Term x) {
  // The interval [3/4, 3/2), and NaN for negative numbers.
  OpBuilder &b = x.builder();
  Value form =
      arith::ConstantOp::create(b, x.location(), b.getI32IntegerAttr(0b1011));
  return callOnAllLanes(x, "llvm.x86.avx512.mask.getmant.ps.512", {x, form});
}

Term reciprocalEstimate(Term x) {
  OpBuilder &b = x.builder();
  Value allLanes =
      arith::ConstantOp::create(b, x.location(), b.getI16IntegerAttr(-1));
  return callIntrinsic(x, x.type(), "llvm.x86.avx512.rcp14.ps.512",
                       {x, x, allLanes});
}

Term reciprocalOfNormal(Term x) {
  Term estimate = reciprocalEstimate(x);
  Term error = fma(-x, estimate, 1.0);
  return fma(estimate, error, estimate);
}

Term fractionAboveFloor(Term x) {
  OpBuilder &b = x.builder();
  Value towardsFloor =
      arith::ConstantOp::create(b, x.location(), b.getI32IntegerAttr(1));
  return callOnAllLanes(x, "llvm.x86.avx512.mask.reduce.ps.512",
                        {x, towardsFloor});
}

Term piecewise(Term x, double width, ArrayRef<ArrayRef<float>> rows) {
  // Adding 1.5 * 2^23 rounds to an integer, which the low bits then hold.
  const double toInteger = 12582912.0;
  Term shifted = fma(x, 1.0 / width, toInteger);
  Term multiple = shifted - toInteger;
  Term distance = fma(multiple, -width, x);
  Term index = bits(shifted);
  Term sum = lookUp(index, rows.back());
  for (ArrayRef<float> row : llvm::reverse(rows.drop_back()))
    sum = fma(sum, distance, lookUp(index, row));
  return sum;
}

} // namespace tc::vectormath
