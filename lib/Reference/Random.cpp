//===- Random.cpp - Random numbers ----------------------------------------===//

#include "Random.h"
#include "TC/Reference/ScalarFunctions.h"

using namespace mlir;

namespace tc::reference {

/// Element i of a uniform tensor: the high `digits` bits of word i, as a
/// fraction.
static double getUniform(uint32_t word, int digits) {
  return std::ldexp(double(word >> (32 - digits)), -digits);
}

/// Bits of significand that a uniform element has: what the type can hold, at
/// most 24.
static int getUniformDigits(Type elementType) {
  if (isa<BFloat16Type>(elementType))
    return 8;
  return isa<Float16Type>(elementType) ? 11 : 24;
}

/// Box-Muller on u1 in (0, 1] and u2 in [0, 1).
static double getNormal(uint32_t first, uint32_t second) {
  double u1 = std::ldexp(double((first >> 8) + 1), -24),
         u2 = std::ldexp(double(second >> 8), -24);
  constexpr double twoPi = 6.283185307179586477;
  return std::sqrt(-2 * std::log(u1)) * std::cos(twoPi * u2);
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, RandomOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  FailureOr<Sizes64> sizes = evaluation.evaluateSizes(op, type);
  if (failed(sizes))
    return failure();
  uint64_t seed = evaluation.get(op.getSeed()).words()[0],
           offset = evaluation.get(op.getOffset()).words()[0];
  Tensor result(type.getElementType(), *sizes);
  int digits = getUniformDigits(type.getElementType());
  bool isUniform = op.getDistribution() == DistributionKind::Uniform;
  parallelRanges(
      result.getElementCount(), 1 << 10, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          result.data<double>()[i] =
              isUniform
                  ? getUniform(scalar::philoxWord(seed, offset, i), digits)
                  : getNormal(scalar::philoxWord(seed, offset, 2 * i),
                              scalar::philoxWord(seed, offset, 2 * i + 1));
      });
  return Tensors{evaluation.finish(result)};
}

} // namespace tc::reference
