//===- Inputs.cpp - Arguments of sampled functions ------------------------===//

#include "TC/Fuzz/Check.h"
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;
using reference::Tensor;

/// A number whose products and sums have few digits.
static double ordinaryFloat(Random &random) {
  return double(random.between(-16, 16)) / 4;
}

static double specialFloat(Random &random, Type element) {
  using Limits = std::numeric_limits<double>;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(element).getFloatSemantics();
  double tiny = APFloat::getSmallest(semantics).convertToDouble();
  double choices[] = {Limits::quiet_NaN(),
                      Limits::infinity(),
                      -Limits::infinity(),
                      -0.0,
                      0.0,
                      tiny,
                      -tiny * 3};
  return random.pick<double>(choices);
}

static int64_t specialInteger(Random &random, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isUnsigned = element.isUnsignedInteger();
  APInt low = isUnsigned ? APInt::getMinValue(bits)
                         : APInt::getSignedMinValue(bits),
        high = isUnsigned ? APInt::getMaxValue(bits)
                          : APInt::getSignedMaxValue(bits);
  int64_t choices[] = {0, 1, -1, 2, low.getSExtValue(), high.getSExtValue()};
  return random.pick<int64_t>(choices);
}

static Tensor makeInput(const InputSpec &spec, ArrayRef<int64_t> sizes,
                        int64_t limit, Random &random, bool special) {
  Type element = spec.type.getElementType();
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  std::vector<double> floats;
  std::vector<int64_t> integers;
  for (int64_t i = 0; i < count; ++i) {
    bool isSpecial = special && !spec.isOrdinary && random.chance(25);
    if (spec.limit)
      integers.push_back(
          random.between(spec.mayBeNegative ? -limit : 0, limit - 1));
    else if (isa<FloatType>(element))
      floats.push_back(isSpecial ? specialFloat(random, element)
                                 : ordinaryFloat(random));
    else if (element.isInteger(1))
      integers.push_back(random.below(2));
    else
      integers.push_back(isSpecial ? specialInteger(random, element)
                                   : random.between(-9, 9));
  }
  return floats.empty() && !integers.empty()
             ? Tensor::fromIntegers(element, sizes, integers)
         : floats.empty() && !isa<FloatType>(element)
             ? Tensor::fromIntegers(element, sizes, {})
             : Tensor::fromDoubles(element, sizes, floats);
}

std::vector<Tensor> tc::fuzz::makeInputs(const SampledFunction &function,
                                         Random &random, bool specialValues) {
  int64_t first = random.between(1, 7), second = random.between(1, 19);
  auto valueOf = [&](StringRef name) -> std::optional<int64_t> {
    return name == "s0" ? first : second;
  };
  std::vector<Tensor> inputs;
  for (const InputSpec &spec : function.inputs) {
    SmallVector<int64_t> sizes;
    for (SizeExpr size : getSizes(spec.type))
      sizes.push_back(*size.evaluate(valueOf));
    int64_t limit = spec.limit ? *spec.limit.evaluate(valueOf) : 0;
    inputs.push_back(makeInput(spec, sizes, limit, random, specialValues));
  }
  return inputs;
}
