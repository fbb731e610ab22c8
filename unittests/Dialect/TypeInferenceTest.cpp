//===- TypeInferenceTest.cpp - Operands that only a builder can give ------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {
/// The error of inferring the types of a `tc.index_put` on operands of `types`.
std::string inferError(MLIRContext &context, TypeRange types) {
  Location loc = UnknownLoc::get(&context);
  Block block;
  for (Type type : types)
    block.addArgument(type, loc);
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  SmallVector<Type> results;
  EXPECT_TRUE(failed(IndexPutOp::inferReturnTypes(
      &context, loc, block.getArguments(), DictionaryAttr::get(&context),
      OpaqueProperties(nullptr), RegionRange(), results)));
  return message;
}

TEST(TypeInferenceTest, NamesTheOperandThatIsMissing) {
  MLIRContext context;
  context.loadDialect<TCDialect>();
  Type f32 = Float32Type::get(&context);
  Type x = RankedTensorType::get({4}, f32);
  EXPECT_EQ(inferError(context, {}), "'tc.index_put' op expects operand 'x'");
  EXPECT_EQ(inferError(context, {x}),
            "'tc.index_put' op expects operand 'values'");
  EXPECT_EQ(inferError(context, {f32, x}),
            "'tc.index_put' op expects operand 'x' to be a ranked tensor, but "
            "it is 'f32'");
}
} // namespace
