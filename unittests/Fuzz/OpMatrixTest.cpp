//===- OpMatrixTest.cpp - Every op in every element type, native ----------===//
//
// The rows are the ops that the dialect has registered, the columns the element
// types. A cell is a few functions of that op alone, on other sizes, views and
// values each, compiled to native code and compared with the interpreter.
//
//===----------------------------------------------------------------------===//

#include "SampledOps.h"
#include "mlir/AsmParser/AsmParser.h"
#include <cstdlib>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

namespace {

constexpr const char *kElementTypes[] = {"f32", "f64", "bf16", "f16", "i64",
                                         "i32", "i8",  "ui8",  "i1"};

/// How the functions of a cell differ.
struct Variant {
  const char *name;
  SampleOptions sample;
  bool specialValues = false;
};

const Variant kVariants[] = {
    {"odd", {.views = false, .largestSize = 7}},
    {"large", {.largestSize = 150}},
    {"special", {.largestSize = 19}, true},
    {"views", {.views = true, .largestSize = 11}},
    {"symbolic", {.symbolicSizes = true, .views = true}},
    {"empty", {.symbolicSizes = true, .emptySizes = true}},
};

class OpMatrixTest : public SampledOpTest {
protected:
  /// One function; nothing when the op does not take the element type.
  static std::optional<SampledFunction>
  sample(ModuleOp module, const std::string &name, Type element,
         const Variant &variant, uint64_t seed) {
    SampleOptions options = variant.sample;
    options.element = element;
    Sampler sampler(module, name, seed, options);
    bool taken = sampleOp(sampler, getName());
    SampledFunction function = sampler.finish();
    if (taken)
      return function;
    function.function.erase();
    return std::nullopt;
  }

  static std::string print(SampledFunction function) {
    std::string text;
    llvm::raw_string_ostream(text) << function.function;
    return text;
  }
};

TEST_P(OpMatrixTest, IsNativeAndRight) {
  // TC_TEST_FULL=1 asks for every variant of every cell, many functions each;
  // by default a cell has every other variant.
  const char *full = std::getenv("TC_TEST_FULL");
  bool isFull = full && full[0] == '1';
  int count = isFull ? 12 : 1;
  size_t cell = GetParam().size();
  int taken = 0;
  for (const char *elementName : kElementTypes) {
    Type element = parseType(elementName, &getContext());
    ++cell;
    for (const Variant &variant : kVariants) {
      if (!isFull && (cell + size_t(&variant - kVariants)) % 2)
        continue;
      OwningOpRef<ModuleOp> module =
          ModuleOp::create(UnknownLoc::get(&getContext()));
      std::vector<SampledFunction> functions;
      std::map<std::string, std::string> texts;
      for (int i = 0; i < count; ++i) {
        std::string name = std::string(elementName) + "_" + variant.name + "_" +
                           std::to_string(i);
        uint64_t seed =
            uint64_t(i) * 1000003 + uint64_t(&variant - kVariants) * 101;
        auto function = sample(*module, name, element, variant, seed);
        if (!function)
          continue;
        texts[name] = print(*function);
        functions.push_back(*function);
      }
      if (functions.empty())
        continue;
      ++taken;
      CheckOptions options;
      if (const char *target = std::getenv("TC_TARGET"))
        options.target = target;
      options.specialValues = variant.specialValues;
      for (const Finding &finding :
           checkModule(*module, functions, 17, options))
        ADD_FAILURE() << elementName << " " << variant.name << ": "
                      << finding.message << "\n"
                      << (finding.function.empty() ? texts.begin()->second
                                                   : texts[finding.function]);
    }
  }
  EXPECT_GT(taken, 0) << GetParam()
                      << " has no recipe in lib/Fuzz that makes a valid op";
}

INSTANTIATE_TEST_SUITE_P(All, OpMatrixTest, getSampledOpNames(), getTestName);

} // namespace
