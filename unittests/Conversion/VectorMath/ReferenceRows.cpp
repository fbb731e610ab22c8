//===- ReferenceRows.cpp - The reference side of the table ----------------===//

#include "ReferenceRows.h"
#include "TC/Reference/ScalarFunctions.h"
#include <type_traits>
#include <utility>

namespace tc::scalar {
/// By Newton's method from the f64 function.
static long double erfinv(long double y) {
  long double x = erfinv(double(y));
  if (!std::isfinite(x) || x == 0)
    return x;
  for (int step = 0; step < 2; ++step) {
    long double error =
        std::fabs(y) < 0.5L
            ? std::erf(x) - y
            : std::copysign(1.0L - std::fabs(y) - std::erfc(std::fabs(x)), y);
    x -= error * std::exp(x * x) * 0.88622692545275801364908374167057259L;
  }
  return x;
}
} // namespace tc::scalar

namespace tc {

using test::ReferenceFunction;

thread_local bool test::computeInLongDouble = true;

template <typename Function, typename T, typename Computed, typename Result,
          size_t... index>
static void evaluateAll(const void *const *operands, void *result, size_t n,
                        std::index_sequence<index...>) {
  for (size_t i = 0; i < n; ++i)
    static_cast<Result *>(result)[i] =
        Result(Function::template evaluate<Computed>(
            Computed(static_cast<const T *>(operands[index])[i])...));
}

template <typename Function, typename T>
static void evaluateLoop(const void *const *operands, void *result, size_t n) {
  std::make_index_sequence<Function::operandCount> indices;
  if constexpr (std::is_same_v<T, double>) {
    if (test::computeInLongDouble)
      evaluateAll<Function, double, long double, long double>(operands, result,
                                                              n, indices);
    else
      evaluateAll<Function, double, double, long double>(operands, result, n,
                                                         indices);
  } else {
    evaluateAll<Function, T, T, T>(operands, result, n, indices);
  }
}

#include "TC/Dialect/TC/IR/ElementwiseReference.inc"

test::ReferenceFunctions test::findReference(llvm::StringRef op) {
  for (const ReferenceRow &row : referenceRows)
    if (row.name == op)
      return {row.onDouble, row.onFloat, row.onSigned, row.onUnsigned,
              row.onBool};
  return {};
}

} // namespace tc
