//===- ErrorBoundsTest.h - Bounded results of a few lines of text -*- C++
//-*-===//

#ifndef TC_UNITTESTS_FUZZ_ERRORBOUNDSTEST_H
#define TC_UNITTESTS_FUZZ_ERRORBOUNDSTEST_H

#include "TC/Fuzz/Comparison.h"
#include "TC/Fuzz/ErrorBounds.h"
#include "TC/Pipelines/Registration.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"
#include <cmath>

namespace tc::fuzz {

class ErrorBoundsTest : public ::testing::Test {
protected:
  void SetUp() override {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// The bounded results of the only function of `text`.
  llvm::SmallVector<Bounded>
  bound(llvm::StringRef text, llvm::ArrayRef<reference::Tensor> arguments) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    auto results = boundErrors(function, arguments, {});
    EXPECT_TRUE(mlir::succeeded(results));
    return mlir::succeeded(results) ? *results : llvm::SmallVector<Bounded>();
  }

  reference::Tensor floats(mlir::Type type, llvm::ArrayRef<int64_t> sizes,
                           llvm::function_ref<double(int64_t)> make) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    std::vector<double> values;
    for (int64_t i = 0; i < count; ++i)
      values.push_back(make(i));
    return reference::Tensor::fromDoubles(type, sizes, values);
  }

  /// The expected tensor, rounded to its type, with one element changed.
  static reference::Tensor changed(const Bounded &expected, int64_t at,
                                   double value) {
    reference::Tensor result = expected.value.clone();
    reference::wrapToType(result.words(), result.getElementCount(),
                          result.getElementType());
    result.data<double>()[at] = value;
    return result;
  }

  /// The result of `op` on f32 operands that are sums of two arguments each:
  /// right to a few units of the summands.
  Bounded boundOfSums(llvm::StringRef op,
                      llvm::ArrayRef<std::pair<double, double>> sums) {
    std::string parameters, body, operands;
    std::vector<reference::Tensor> arguments;
    for (auto [index, sum] : llvm::enumerate(sums)) {
      std::string number = std::to_string(index);
      parameters += (index ? ", %a" : "%a") + number + ": tensor<1xf32>, %b" +
                    number + ": tensor<1xf32>";
      body += "  %s" + number + " = tc.add %a" + number + ", %b" + number +
              " : tensor<1xf32>\n";
      operands += (index ? ", %s" : "%s") + number;
      for (double value : {sum.first, sum.second})
        arguments.push_back(
            floats(builder.getF32Type(), 1, [&](int64_t) { return value; }));
    }
    return bound("func.func @main(" + parameters + ") -> tensor<1xf32> {\n" +
                     body + "  %r = " + op.str() + " " + operands +
                     " : tensor<1xf32>\n  return %r : tensor<1xf32>\n}",
                 arguments)[0];
  }

  static bool isUnknown(const Bounded &expected) {
    return expected.hasUnknown();
  }

  static bool isRight(const Bounded &expected, int64_t at, double value) {
    return !compare(changed(expected, at, value), expected);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Builder builder{&context};
};

} // namespace tc::fuzz

#endif // TC_UNITTESTS_FUZZ_ERRORBOUNDSTEST_H
