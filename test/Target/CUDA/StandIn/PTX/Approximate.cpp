//===- Approximate.cpp - Functions that a GPU approximates ----------------===//
//
// Computed in f64 and rounded once: closer than a GPU's results, which a
// comparison has to leave room for.
//
//===----------------------------------------------------------------------===//

#include "Opcode.h"
#include "Values.h"

using namespace standin::ptx;

namespace {
double reciprocalRoot(double x) { return 1 / std::sqrt(x); }
double power(double x) { return std::exp2(x); }
double logarithm(double x) { return std::log2(x); }
double sine(double x) { return std::sin(x); }
double cosine(double x) { return std::cos(x); }
double tangent(double x) { return std::tanh(x); }

template <Float T, double (*function)(double)>
void apply(Thread &thread, const Instruction &i) {
  putNumber<T>(thread, i, function(double(number<T>(thread, i, i.slot[1]))));
}

template <ShortFloat T, double (*function)(double)>
void applyToPair(Thread &thread, const Instruction &i) {
  const auto bits = get<uint32_t>(thread, i.slot[1]);
  const T low = T::of(function(T{uint16_t(bits)}.value())),
          high = T::of(function(T{uint16_t(bits >> 16)}.value()));
  put(thread, i.slot[0], uint32_t(low.bits) | uint32_t(high.bits) << 16);
}

template <double (*function)(double)> Decoded functionOf(Type type) {
  switch (type) {
  case Type::f16:
    return {apply<Half, function>, 2};
  case Type::bf16:
    return {apply<Brain, function>, 2};
  case Type::f16x2:
    return {applyToPair<Half, function>, 2};
  case Type::bf16x2:
    return {applyToPair<Brain, function>, 2};
  case Type::f32:
    return {apply<float, function>, 2};
  case Type::f64:
    return {apply<double, function>, 2};
  default:
    return {};
  }
}
} // namespace

Decoded standin::ptx::decodeApproximate(Opcode &opcode,
                                        Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (!opcode.take("approx"))
    return {};
  instruction.flush = opcode.take("ftz");
  const Type type = opcode.takeType();
  if (name == "ex2")
    return functionOf<power>(type);
  if (name == "tanh")
    return functionOf<tangent>(type);
  if (name == "rsqrt")
    return functionOf<reciprocalRoot>(type);
  if (type != Type::f32)
    return {};
  if (name == "lg2")
    return functionOf<logarithm>(type);
  if (name == "sin")
    return functionOf<sine>(type);
  if (name == "cos")
    return functionOf<cosine>(type);
  return {};
}
