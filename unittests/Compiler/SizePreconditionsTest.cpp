//===- SizePreconditionsTest.cpp - Sizes that an op has no meaning for ----===//
//
// Each row is a function of one op and sizes of its arguments that break one of
// the op's conditions. The interpreter and native code give the same error, and
// both accept the nearest sizes that meet the condition.
//
//===----------------------------------------------------------------------===//

#include "TC/Compiler/Compiler.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Reference/Interpreter.h"
#include "TC/Runtime/Call.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace tc;

namespace {

using Shapes = std::vector<std::vector<int64_t>>;

struct Row {
  const char *name;
  /// Function type and body; types are abbreviated as in expand().
  const char *arguments, *results, *body;
  Shapes refused;
  const char *message;
  Shapes taken;
  /// Whether the function compiles; where not, it is refused by name.
  bool isNative = true;
};

// In these texts `A[s0, 4]` is the f32 tensor of those sizes, `I[...]` the i64
// one.
const Row kRows[] = {
    {"topk",
     "%x: A[s0]",
     "A[3], I[3]",
     "%r, %i = tc.topk %x dim 0 k 3 : A[s0] -> A[3], I[3]\n"
     "return %r, %i : A[3], I[3]",
     {{2}},
     "'tc.topk' op expects 'k' of at most size 0 of 'x', s0 = 2, but it is 3",
     {{3}}},
    {"selection",
     "%x: A[s0], %k: A[3]",
     "A[3]",
     "%r = tc.routine largest(%x, %k) : (A[s0], A[3]) -> A[3]\n"
     "return %r : A[3]",
     {{2}, {3}},
     "'tc.routine' op expects the last size of operand 1 of at most the last "
     "size of operand 0, s0 = 2, but it is 3",
     {{3}, {3}}},
    {"reshape",
     "%x: A[s0]",
     "A[s0 floordiv 4, 4]",
     "%r = tc.reshape %x : A[s0] -> A[s0 floordiv 4, 4]\n"
     "return %r : A[s0 floordiv 4, 4]",
     {{7}},
     "'tc.reshape' op expects the number of elements of the result to be that "
     "of 'x', s0 = 7, but it is (s0 floordiv 4) * 4 = 4",
     {{8}}},
    {"slice_end",
     "%x: A[s0], %y: A[s1]",
     "A[s1]",
     "%r = tc.slice %x offsets <[2]> strides [2] : A[s0] -> A[s1]\n"
     "return %r : A[s1]",
     {{10}, {5}},
     "'tc.slice' op expects the end of the slice along dimension 0 of at most "
     "size 0 of 'x', s0 = 10, but it is s1 * 2 + 1 = 11",
     {{11}, {5}}},
    {"slice_begin",
     "%x: A[s0], %y: A[s1]",
     "A[s1]",
     "%r = tc.slice %x offsets <[s0 - 1]> strides [-2] : A[s0] -> A[s1]\n"
     "return %r : A[s1]",
     {{8}, {5}},
     "'tc.slice' op expects the begin of the slice along dimension 0 of at "
     "least 0, but it is s0 - s1 * 2 + 1 = -1",
     {{9}, {5}}},
    {"slice_of_nothing",
     "%x: A[s0], %y: A[s1]",
     "A[s1]",
     "%r = tc.slice %x offsets <[40]> strides [1] : A[s0] -> A[s1]\n"
     "return %r : A[s1]",
     {{8}, {1}},
     "'tc.slice' op expects the end of the slice along dimension 0 of at most "
     "size 0 of 'x', s0 = 8, but it is s1 + 40 = 41",
     {{8}, {0}}},
    {"negative_size",
     "%x: A[s0]",
     "A[s0 - 100]",
     "%r = tc.full 1.0 : f32 -> A[s0 - 100]\nreturn %r : A[s0 - 100]",
     {{7}},
     "'tc.full' op expects size 0 of the result of at least 0, but it is "
     "s0 - 100 = -93",
     {{100}}},
    {"divisor",
     "%x: A[s0], %y: A[s1]",
     "A[s0 floordiv s1]",
     "%r = tc.full 1.0 : f32 -> A[s0 floordiv s1]\n"
     "return %r : A[s0 floordiv s1]",
     {{7}, {0}},
     "'tc.full' op expects the divisor in s0 floordiv s1 of at least 1, but it "
     "is s1 = 0",
     {{7}, {2}}},
    {"pad_removes",
     "%x: A[s0]",
     "A[s0 + 4]",
     "%r = tc.pad constant %x low [-5] high [9] value 0.0 : f32 "
     ": A[s0] -> A[s0 + 4]\nreturn %r : A[s0 + 4]",
     {{4}},
     "'tc.pad' op expects size 0 of 'x' of at least 5, but it is s0 = 4",
     {{5}}},
    {"pad_reflect",
     "%x: A[s0]",
     "A[s0 + 4]",
     "%r = tc.pad reflect %x low [4] high [0] : A[s0] -> A[s0 + 4]\n"
     "return %r : A[s0 + 4]",
     {{4}},
     "'tc.pad' op expects entry 0 of 'low' of at most size 0 of 'x' less 1, "
     "s0 - 1 = 3, but it is 4",
     {{5}}},
    {"pad_circular",
     "%x: A[s0]",
     "A[s0 + 4]",
     "%r = tc.pad circular %x low [0] high [4] : A[s0] -> A[s0 + 4]\n"
     "return %r : A[s0 + 4]",
     {{3}},
     "'tc.pad' op expects entry 0 of 'high' of at most size 0 of 'x', s0 = 3, "
     "but it is 4",
     {{4}}},
    {"pad_replicate",
     "%x: A[s0]",
     "A[s0 + 4]",
     "%r = tc.pad replicate %x low [4] high [0] : A[s0] -> A[s0 + 4]\n"
     "return %r : A[s0 + 4]",
     {{0}},
     "'tc.pad' op expects size 0 of 'x' of at least 1, but it is s0 = 0",
     {{1}}},
    {"gather",
     "%x: A[3, s0], %i: I[2, s1]",
     "A[2, s1]",
     "%r = tc.gather %x[%i] dim 0 : A[3, s0], I[2, s1] -> A[2, s1]\n"
     "return %r : A[2, s1]",
     {{3, 4}, {2, 5}},
     "'tc.gather' op expects size 1 of 'index' of at most size 1 of 'x', "
     "s0 = 4, but it is s1 = 5",
     {{3, 5}, {2, 5}}},
    {"scatter",
     "%x: A[s0, 3], %i: I[s1, 2], %u: A[s1, 2]",
     "A[s0, 3]",
     "%r = tc.scatter replace %x[%i] = %u dim 1 : A[s0, 3], I[s1, 2], "
     "A[s1, 2]\nreturn %r : A[s0, 3]",
     {{4, 3}, {5, 2}, {5, 2}},
     "'tc.scatter' op expects size 0 of 'index' of at most size 0 of 'x', "
     "s0 = 4, but it is s1 = 5",
     {{5, 3}, {5, 2}, {5, 2}}},
    {"max_pool",
     "%x: A[1, 2, s0]",
     "A[1, 2, s0 - 3]",
     "%r, %i = tc.max_pool %x kernel [4] stride [1] padding [0] dilation [1] "
     ": A[1, 2, s0] -> A[1, 2, s0 - 3], I[1, 2, s0 - 3]\n"
     "return %r : A[1, 2, s0 - 3]",
     {{1, 2, 3}},
     "'tc.max_pool' op expects the number of windows along spatial dimension 0 "
     "of at least 1, but it is s0 - 3 = 0",
     {{1, 2, 4}}},
    {"avg_pool",
     "%x: A[1, 2, s0]",
     "A[1, 2, s0 - 3]",
     "%r = tc.avg_pool %x kernel [4] stride [1] padding [0] "
     ": A[1, 2, s0] -> A[1, 2, s0 - 3]\nreturn %r : A[1, 2, s0 - 3]",
     {{1, 2, 2}},
     "'tc.avg_pool' op expects the number of windows along spatial dimension 0 "
     "of at least 1, but it is s0 - 3 = -1",
     {{1, 2, 4}}},
    {"adaptive_avg_pool",
     "%x: A[1, 2, s0]",
     "A[1, 2, 3]",
     "%r = tc.adaptive_avg_pool %x : A[1, 2, s0] -> A[1, 2, 3]\n"
     "return %r : A[1, 2, 3]",
     {{1, 2, 0}},
     "'tc.adaptive_avg_pool' op expects size 2 of 'x' of at least 1, but it is "
     "s0 = 0",
     {{1, 2, 1}}},
    {"resample",
     "%x: A[1, 2, s0]",
     "A[1, 2, 3]",
     "%r = tc.resample nearest %x : A[1, 2, s0] -> A[1, 2, 3]\n"
     "return %r : A[1, 2, 3]",
     {{1, 2, 0}},
     "'tc.resample' op expects size 2 of 'x' of at least 1, but it is s0 = 0",
     {{1, 2, 1}}},
    {"convolution",
     "%x: A[1, 2, s0], %w: A[2, 2, 3]",
     "A[1, 2, s0 - 2]",
     "%r = tc.convolution %x, %w stride [1] padding [0] dilation [1] "
     ": A[1, 2, s0], A[2, 2, 3] -> A[1, 2, s0 - 2]\n"
     "return %r : A[1, 2, s0 - 2]",
     {{1, 2, 2}, {2, 2, 3}},
     "'tc.convolution' op expects the number of outputs along spatial "
     "dimension 0 of at least 1, but it is s0 - 2 = 0",
     {{1, 2, 3}, {2, 2, 3}}},
    {"group_norm",
     "%x: A[1, s0 * 2, 3]",
     "A[1, s0 * 2, 3]",
     "%r = tc.group_norm %x groups 4 eps 1.0e-5 : A[1, s0 * 2, 3]\n"
     "return %r : A[1, s0 * 2, 3]",
     {{1, 6, 3}},
     "'tc.group_norm' op expects size 1 of 'x' to be a multiple of 'groups', "
     "4, but it is s0 * 2 = 6",
     {{1, 8, 3}},
     /*isNative=*/false},
    {"reduce",
     "%x: A[s0]",
     "A[]",
     "%r = tc.reduce max %x dims [0] : A[s0] -> A[]\nreturn %r : A[]",
     {{0}},
     "'tc.reduce' op expects size 0 of 'x', which 'max' folds, of at least 1, "
     "but it is s0 = 0",
     {{1}}},
    {"arg_reduce",
     "%x: A[s0]",
     "I[]",
     "%r = tc.arg_reduce argmin %x dim 0 : A[s0] -> I[]\nreturn %r : I[]",
     {{0}},
     "'tc.arg_reduce' op expects size 0 of 'x', which 'argmin' folds, of at "
     "least 1, but it is s0 = 0",
     {{1}}},
};

/// The text with `A[...]` and `I[...]` written out.
std::string expand(StringRef text) {
  std::string result;
  while (!text.empty()) {
    bool isType =
        text.size() > 1 && (text[0] == 'A' || text[0] == 'I') && text[1] == '[';
    if (!isType) {
      result += text.take_front();
      text = text.drop_front();
      continue;
    }
    auto [inner, rest] = text.drop_front(2).split(']');
    SmallVector<StringRef> sizes;
    inner.split(sizes, ',', -1, /*KeepEmpty=*/false);
    bool isSymbolic = inner.contains('s');
    result += "tensor<";
    for (StringRef size : sizes)
      result += (size.contains('s') ? "?" : size.trim().str()) + "x";
    result += text[0] == 'A' ? "f32" : "i64";
    result += isSymbolic ? ", #tc.sizes<[" + inner.str() + "]>>" : ">";
    text = rest;
  }
  return result;
}

class SizePreconditionsTest : public ::testing::Test {
protected:
  static void SetUpTestSuite() {
    static DialectRegistry registry;
    registerDialects(registry);
    context = new MLIRContext(registry);
    context->loadAllAvailableDialects();
    std::string text;
    for (const Row &row : kRows) {
      bool hasTwo = StringRef(row.arguments).contains("s1");
      text += std::string("func.func @") + row.name + "(" +
              expand(row.arguments) + ") -> (" + expand(row.results) +
              ") attributes {tc.symbols = [#tc.symbol<\"s0\", min = 0, max = "
              "9223372036854775807>" +
              (hasTwo ? ", #tc.symbol<\"s1\", min = 0, max = "
                        "9223372036854775807>"
                      : "") +
              "]} {\n" + expand(row.body) + "\n}\n";
    }
    module = parseSourceString<ModuleOp>(text, context).release();
    ASSERT_TRUE(module) << text;
    ModuleOp copy = module.clone();
    for (const Row &row : kRows)
      if (!row.isNative)
        copy.lookupSymbol<func::FuncOp>(row.name).erase();
    auto made = compile(copy);
    ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
    compiled = new CompiledModule(std::move(*made));
    copy.erase();
  }

  static func::FuncOp getFunction(const Row &row) {
    return module.lookupSymbol<func::FuncOp>(row.name);
  }

  /// The interpreter's error; empty when there is none.
  static std::string interpret(const Row &row, const Shapes &shapes) {
    std::string errors;
    ScopedDiagnosticHandler collect(context, [&](Diagnostic &diagnostic) {
      errors += diagnostic.str();
      return success();
    });
    SmallVector<reference::Tensor> arguments;
    for (auto [type, sizes] :
         llvm::zip_equal(getFunction(row).getArgumentTypes(), shapes))
      arguments.push_back(reference::Tensor(
          cast<RankedTensorType>(type).getElementType(), sizes));
    bool isFine =
        succeeded(reference::evaluateFunction(getFunction(row), arguments, {}));
    EXPECT_EQ(isFine, errors.empty()) << errors;
    return errors;
  }

  /// The error of native code; empty when there is none.
  static std::string call(const Row &row, const Shapes &shapes) {
    std::vector<runtime::Tensor> inputs;
    for (auto [type, sizes] :
         llvm::zip_equal(getFunction(row).getArgumentTypes(), shapes)) {
      bool isIndex = cast<RankedTensorType>(type).getElementType().isInteger();
      inputs.push_back(*runtime::Tensor::zeros(
          isIndex ? runtime::DType::I64 : runtime::DType::F32, sizes));
    }
    auto outputs = runtime::Call(compiled->function(row.name))
                       .inputs(inputs)
                       .outputs(getFunction(row).getNumResults())
                       .run();
    return outputs.ok() ? "" : outputs.error().message();
  }

  static MLIRContext *context;
  static ModuleOp module;
  static CompiledModule *compiled;
};

MLIRContext *SizePreconditionsTest::context = nullptr;
ModuleOp SizePreconditionsTest::module;
CompiledModule *SizePreconditionsTest::compiled = nullptr;

TEST_F(SizePreconditionsTest, TheInterpreterAndNativeCodeSayTheSame) {
  for (const Row &row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(interpret(row, row.refused), row.message);
    EXPECT_EQ(interpret(row, row.taken), "");
    if (!row.isNative)
      continue;
    EXPECT_EQ(call(row, row.refused), row.message);
    EXPECT_EQ(call(row, row.taken), "");
  }
}

TEST_F(SizePreconditionsTest, EveryOpWithConditionsHasARow) {
  llvm::StringSet<> tested;
  for (const Row &row : kRows)
    tested.insert(StringRef(row.message).split('\'').second.split('\'').first);
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.hasInterface<SizePreconditionsOpInterface>())
      EXPECT_TRUE(tested.contains(name.getStringRef()))
          << name.getStringRef().str();
}

/// Ops on tensors without conditions on sizes, each for a reason that was
/// thought about; whoever adds an op says here or in its list what it needs.
TEST_F(SizePreconditionsTest, EveryOpStatesWhatItNeeds) {
  const llvm::StringMap<StringRef> withoutConditions = {
      {"tc.aten", "is converted before"},
      {"tc.constant", "has constant sizes"},
      {"tc.full", "any sizes"},
      {"tc.size_value", "no sizes"},
      {"tc.iota", "any sizes"},
      {"tc.empty", "any sizes"},
      {"tc.random", "any sizes"},
      {"tc.parameter", "has constant sizes"},
      {"tc.input_storage", "strides are checked with the call's inputs"},
      {"tc.if", "its ops have conditions"},
      {"tc.while", "its ops have conditions"},
      {"tc.transpose", "sizes of the result are those of the operand"},
      {"tc.softmax", "a row may be empty"},
      {"tc.log_softmax", "a row may be empty"},
      {"tc.sort", "a row may be empty"},
      {"tc.scan", "a row may be empty"},
      {"tc.variance", "of nothing is NaN"},
      {"tc.broadcast", "its verifier compares expressions"},
      {"tc.concat", "its verifier compares expressions"},
      {"tc.contract", "its verifier compares expressions"},
      {"tc.layer_norm", "its verifier compares expressions"},
      {"tc.rms_norm", "its verifier compares expressions"},
      {"tc.batch_norm", "its verifier compares expressions"},
      {"tc.attention", "its verifier compares expressions"},
      {"tc.attention_backward", "its verifier compares expressions"},
      {"tc.nonzero", "how many elements are true is no size"},
      {"tc.index_tensors", "indices are checked where they are read"},
      {"tc.index_put", "indices are checked where they are read"},
      {"tc.kernel", "its verifier and tc-verify-bufferize prove accesses"},
  };
  for (RegisteredOperationName name : context->getRegisteredOperations()) {
    bool isOfKernel = name.hasTrait<OpTrait::HasParent<KernelOp>::Impl>();
    bool isOnBuffers = llvm::is_contained(
        {"tc.buffer", "tc.arena", "tc.arena_view", "tc.output_buffer",
         "tc.buffer_reshape", "tc.launch", "tc.library_call",
         "tc.library_convolution"},
        name.getStringRef());
    bool isAboutModules =
        llvm::is_contained({"tc.parameter_source", "tc.prepared", "tc.dispatch",
                            "tc.case", "tc.otherwise", "tc.guard",
                            "tc.size_guard", "tc.size_from", "tc.yield"},
                           name.getStringRef());
    if (name.getDialectNamespace() != "tc" || isOfKernel || isOnBuffers ||
        isAboutModules || name.hasInterface<ElementwiseOpInterface>())
      continue;
    EXPECT_NE(name.hasInterface<SizePreconditionsOpInterface>(),
              withoutConditions.contains(name.getStringRef()))
        << name.getStringRef().str()
        << " implements SizePreconditionsOpInterface, or is in this test "
           "with the reason why it needs nothing of its sizes";
  }
}

TEST_F(SizePreconditionsTest, SizesBeyond64BitsAreRefused) {
  OwningOpRef<ModuleOp> cube = parseSourceString<ModuleOp>(expand(R"mlir(
func.func @cube(%x: A[s0]) -> A[s0, s0] attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>]} {
  %b = tc.broadcast %x dims [2] : A[s0] -> A[s0, s0, s0]
  %v, %i = tc.sort %b dim 1 : A[s0, s0, s0] -> A[s0, s0, s0], I[s0, s0, s0]
  %r = tc.reduce sum %v dims [1] : A[s0, s0, s0] -> A[s0, s0]
  return %r : A[s0, s0]
})mlir"),
                                                           context);
  ASSERT_TRUE(cube);
  auto made = compile(*cube);
  ASSERT_TRUE(bool(made)) << llvm::toString(made.takeError());
  auto run = [&](int64_t size) {
    std::vector<runtime::Tensor> inputs{
        *runtime::Tensor::zeros(runtime::DType::F32, Shapes{{size}}[0])};
    auto outputs =
        runtime::Call(made->function("cube")).inputs(inputs).outputs(1).run();
    return outputs.ok() ? std::string() : outputs.error().message();
  };
  EXPECT_EQ(run(5), "");
  EXPECT_TRUE(
      StringRef(run(2097152)).contains("beyond 64 bits where s0 is 2097152"))
      << run(2097152);
}

} // namespace
