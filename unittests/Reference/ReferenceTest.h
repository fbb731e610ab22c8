//===- ReferenceTest.h - Running IR text on tensors -------------*- C++ -*-===//

#ifndef TC_UNITTESTS_REFERENCE_REFERENCETEST_H
#define TC_UNITTESTS_REFERENCE_REFERENCETEST_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Reference/Interpreter.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace tc::reference {

/// Parses a module, runs its function @f, and compares.
class ReferenceTest : public ::testing::Test {
protected:
  ReferenceTest() {
    context.loadDialect<TCDialect, mlir::func::FuncDialect,
                        mlir::memref::MemRefDialect>();
  }

  mlir::Type type(llvm::StringRef text) {
    return mlir::parseType(text, &context);
  }
  Tensor floats(llvm::StringRef elementType, llvm::ArrayRef<int64_t> sizes,
                llvm::ArrayRef<double> values) {
    return Tensor::fromDoubles(type(elementType), sizes, values);
  }
  Tensor integers(llvm::StringRef elementType, llvm::ArrayRef<int64_t> sizes,
                  llvm::ArrayRef<int64_t> values) {
    return Tensor::fromIntegers(type(elementType), sizes, values);
  }
  /// Elements first, first + step, ...
  Tensor count(llvm::StringRef elementType, llvm::ArrayRef<int64_t> sizes,
               double first = 0, double step = 1) {
    Tensor result(type(elementType), sizes);
    std::vector<double> values;
    for (int64_t i = 0; i < result.getElementCount(); ++i)
      values.push_back(first + double(i) * step);
    return Tensor::fromDoubles(type(elementType), sizes, values);
  }

  /// Runs @f; diagnostics are collected in `errors`. `arguments` has
  /// the buffers' contents after the call.
  mlir::FailureOr<llvm::SmallVector<Tensor>>
  tryRun(llvm::StringRef text, std::vector<Tensor> arguments,
         Precision precision = Precision::Native) {
    errors.clear();
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) {
                                            errors += diagnostic.str() + "\n";
                                            return mlir::success();
                                          });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return mlir::failure();
    options.precision = precision;
    lastArguments = std::move(arguments);
    auto function = module->lookupSymbol<mlir::func::FuncOp>("f");
    return evaluateFunction(function, lastArguments, options);
  }

  llvm::SmallVector<Tensor> run(llvm::StringRef text,
                                std::vector<Tensor> arguments,
                                Precision precision = Precision::Native) {
    auto results = tryRun(text, std::move(arguments), precision);
    EXPECT_TRUE(succeeded(results)) << errors;
    return failed(results) ? llvm::SmallVector<Tensor>() : *results;
  }

  /// A function of one op: `op` uses %0, %1, ... of the given types.
  Tensor runOp(llvm::StringRef op, std::vector<Tensor> arguments,
               llvm::StringRef resultType,
               Precision precision = Precision::Native) {
    std::string text = "func.func @f(";
    for (auto [i, argument] : llvm::enumerate(arguments)) {
      text += (i ? ", %" : "%") + std::string("a") + std::to_string(i) +
              ": tensor<";
      for (int64_t size : argument.getSizes())
        text += std::to_string(size) + "x";
      llvm::raw_string_ostream(text) << argument.getElementType() << ">";
    }
    text += ") -> " + resultType.str() + " {\n  %r = " + op.str() +
            "\n  return %r : " + resultType.str() + "\n}\n";
    auto results = run(text, std::move(arguments), precision);
    return results.empty() ? Tensor() : results[0];
  }

  void expectError(llvm::StringRef text, std::vector<Tensor> arguments,
                   llvm::StringRef message) {
    EXPECT_TRUE(failed(tryRun(text, std::move(arguments))));
    EXPECT_NE(errors.find(message.str()), std::string::npos) << errors;
  }

  static void expectFloats(const Tensor &tensor,
                           llvm::ArrayRef<double> expected,
                           double tolerance = 0) {
    ASSERT_TRUE(tensor);
    ASSERT_EQ(tensor.getElementCount(), int64_t(expected.size()))
        << tensor.str();
    for (auto [i, value] : llvm::enumerate(expected)) {
      double actual = tensor.getDouble(i);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(actual)) << i << " in " << tensor.str();
      else if (std::isinf(value) || tolerance == 0)
        EXPECT_EQ(actual, value) << i << " in " << tensor.str();
      else
        EXPECT_NEAR(actual, value, tolerance) << i << " in " << tensor.str();
    }
  }
  static void expectIntegers(const Tensor &tensor,
                             llvm::ArrayRef<int64_t> expected) {
    ASSERT_TRUE(tensor);
    ASSERT_EQ(tensor.getElementCount(), int64_t(expected.size()))
        << tensor.str();
    for (auto [i, value] : llvm::enumerate(expected))
      EXPECT_EQ(tensor.getInteger(i), value) << i << " in " << tensor.str();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Options options;
  std::vector<Tensor> lastArguments;
  std::string errors;
};

inline const double kNaN = std::numeric_limits<double>::quiet_NaN();
inline const double kInfinity = std::numeric_limits<double>::infinity();

} // namespace tc::reference

#endif // TC_UNITTESTS_REFERENCE_REFERENCETEST_H
