//===- ModuleMeaning.h - Random arguments, same results ---------*- C++ -*-===//
//
// Functions for tests that run a module's functions through the reference
// interpreter before and after a pipeline.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_TRANSFORMS_MODULEMEANING_H
#define TC_UNITTESTS_TRANSFORMS_MODULEMEANING_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Reference/Interpreter.h"
#include "gtest/gtest.h"
#include <cmath>
#include <random>

namespace tc {

/// The range of random elements: floats from `low` to 2, integers from 0 to
/// `largest`.
struct ElementRange {
  double low = -2.0;
  int largest = 1;
};

/// A tensor of the type with the sizes that `sizeOf` gives.
inline reference::Tensor
makeRandom(mlir::RankedTensorType type, ElementRange range,
           llvm::function_ref<int64_t(SizeExpr)> sizeOf, std::mt19937 &engine) {
  llvm::SmallVector<int64_t> sizes =
      llvm::map_to_vector(getSizes(type), sizeOf);
  reference::Tensor shape(type.getElementType(), sizes);
  std::vector<double> values;
  for (int64_t index = 0; index < shape.getElementCount(); ++index)
    values.push_back(
        mlir::isa<mlir::FloatType>(type.getElementType())
            ? std::uniform_real_distribution(range.low, 2.0)(engine)
            : std::uniform_int_distribution(0, range.largest)(engine));
  return reference::Tensor::fromDoubles(type.getElementType(), sizes, values);
}

/// Expects the same type, and elements within `tolerance` of the larger of 1
/// and the expected one's magnitude. NaN is the same as NaN.
inline void expectSame(const reference::Tensor &before,
                       const reference::Tensor &after, double tolerance) {
  ASSERT_EQ(before.getElementType(), after.getElementType());
  ASSERT_EQ(before.getSizes(), after.getSizes());
  for (int64_t index = 0; index < before.getElementCount(); ++index) {
    double expected = before.getDouble(index), actual = after.getDouble(index);
    bool isSame =
        expected == actual || (std::isnan(expected) && std::isnan(actual));
    if (!isSame)
      ASSERT_NEAR(expected, actual,
                  tolerance * std::max(1.0, std::fabs(expected)))
          << "element " << index;
  }
}

} // namespace tc

#endif // TC_UNITTESTS_TRANSFORMS_MODULEMEANING_H
