//===- Inputs.cpp - Arguments of sampled functions ------------------------===//

#include "TC/Fuzz/Check.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

namespace {
/// The kind of a tensor's ordinary numbers.
enum class Spread {
  Grid,     ///< few digits, many of them equal
  Dense,    ///< all digits, around 0
  Positive, ///< away from 0
  Wide,     ///< of many magnitudes
};
} // namespace

static double drawFloat(Random &random, Spread spread) {
  double fraction = double(random.next() >> 11) * 0x1p-53;
  switch (spread) {
  case Spread::Grid:
    return double(random.between(-16, 16)) / 4;
  case Spread::Dense:
    return 8 * fraction - 4;
  case Spread::Positive:
    return 0.5 + 2 * fraction;
  case Spread::Wide:
    return std::ldexp(2 * fraction - 1, int(random.between(-12, 8)));
  }
  llvm_unreachable("all spreads handled");
}

static double drawSpecialFloat(Random &random, Type element) {
  using Limits = std::numeric_limits<double>;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  double tiny = APFloat::getSmallest(semantics).convertToDouble(),
         large = APFloat::getLargest(semantics).convertToDouble();
  double choices[] = {Limits::quiet_NaN(),
                      Limits::infinity(),
                      -Limits::infinity(),
                      -0.0,
                      0.0,
                      tiny,
                      -tiny * 3,
                      large,
                      -large / 2,
                      1e18};
  double drawn = random.pick<double>(choices);
  bool isHeld = APFloat::semanticsHasInf(semantics) || std::isnan(drawn) ||
                std::fabs(drawn) <= large;
  return isHeld ? drawn : -0.0;
}

static int64_t drawSpecialInteger(Random &random, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  APInt low = isUnsigned ? APInt::getMinValue(bits)
                         : APInt::getSignedMinValue(bits),
        high = isUnsigned ? APInt::getMaxValue(bits)
                          : APInt::getSignedMaxValue(bits);
  int64_t choices[] = {0, 1, -1, 2, low.getSExtValue(), high.getSExtValue()};
  return random.pick<int64_t>(choices);
}

static int64_t drawIndex(Random &random, int64_t limit, bool mayBeNegative,
                         bool mayBeWrong) {
  if (limit <= 0 || (mayBeWrong && random.chance(1)))
    return random.chance(50) ? limit : -limit - 1;
  return random.between(mayBeNegative ? -limit : 0, limit - 1);
}

static Tensor makeInput(const InputSpec &spec, ArrayRef<int64_t> sizes,
                        int64_t limit, Random &random,
                        const CheckOptions &options) {
  Type element = spec.type.getElementType();
  auto spread = Spread(random.below(4));
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<double> floats;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < count; ++i) {
    bool isSpecial = options.specialValues && random.chance(15);
    if (spec.limit)
      integers.push_back(
          drawIndex(random, limit, spec.mayBeNegative, options.wrongIndices));
    else if (isa<FloatType>(element))
      floats.push_back(isSpecial ? drawSpecialFloat(random, element)
                                 : drawFloat(random, spread));
    else if (element.isInteger(1))
      integers.push_back(random.below(2));
    else
      integers.push_back(isSpecial ? drawSpecialInteger(random, element)
                                   : random.between(-9, 9));
  }
  return isa<FloatType>(element)
             ? Tensor::fromDoubles(element, sizes, floats)
             : Tensor::fromIntegers(element, sizes, integers);
}

SampledInputs tc::fuzz::makeInputs(const SampledFunction &function,
                                   Random &random,
                                   const CheckOptions &options) {
  auto valueOf = [&](StringRef name) { return function.valueOf(name); };
  auto make = [&](const InputSpec &spec) {
    SmallVector<int64_t> sizes;
    for (SizeExpr size : getSizes(spec.type))
      sizes.push_back(*size.evaluate(valueOf));
    int64_t limit = spec.limit ? *spec.limit.evaluate(valueOf) : 0;
    return makeInput(spec, sizes, limit, random, options);
  };
  SampledInputs inputs;
  for (const InputSpec &spec : function.inputs)
    inputs.arguments.push_back(make(spec));
  for (const auto &[name, spec] : function.parameters)
    inputs.parameters.emplace_back(name, make(spec));
  return inputs;
}
