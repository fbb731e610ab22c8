//===- OutsideFunctions.cpp - What emitted code may call ------------------===//

#include "TC/Runtime/OutsideFunctions.h"

#include <algorithm>
#include <iterator>

bool tc::runtime::isOutsideFunction(std::string_view name) {
  static constexpr std::string_view names[] = {
      "memcpy", "memset",    "memmove",    "fmod",      "fmodf",  "exp",
      "expf",   "log",       "logf",       "pow",       "powf",   "sin",
      "sinf",   "cos",       "cosf",       "tan",       "tanf",   "tanh",
      "tanhf",  "exp2",      "exp2f",      "log2",      "log2f",  "log10",
      "log10f", "fma",       "fmaf",       "floor",     "floorf", "ceil",
      "ceilf",  "round",     "roundf",     "trunc",     "truncf", "rint",
      "rintf",  "roundeven", "roundevenf", "nearbyint", "asin",   "asinf",
      "acos",   "acosf",     "atan",       "atanf",     "atan2",  "atan2f",
      "sinh",   "sinhf",     "cosh",       "coshf",     "ldexp",  "ldexpf",
      "sqrt",   "sqrtf",     "nearbyintf"};
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}
