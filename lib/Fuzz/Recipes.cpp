//===- Recipes.cpp - How each op is sampled -------------------------------===//

#include "TC/Fuzz/Recipes.h"
#include "RecipeTable.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

const Recipe *tc::fuzz::findRecipe(StringRef opName) {
  static const RecipeTable table = [] {
    RecipeTable made;
    addGraphRecipes(made);
    addIndexRecipes(made);
    addNNRecipes(made);
    addShapeRecipes(made);
    return made;
  }();
  auto found = table.find(opName);
  return found == table.end() ? nullptr : &found->second;
}

//===----------------------------------------------------------------------===//
// The elementwise table
//===----------------------------------------------------------------------===//

/// Whether the smallest change of an operand may change the result by much: at
/// a step, a pole, or the end of the domain.
static bool needsExactOperands(StringRef name) {
  static const llvm::StringSet<llvm::MallocAllocator> names = {
      "tc.floor",     "tc.ceil",     "tc.trunc",      "tc.round",
      "tc.sign",      "tc.eq",       "tc.ne",         "tc.lt",
      "tc.le",        "tc.gt",       "tc.ge",         "tc.isnan",
      "tc.isinf",     "tc.isfinite", "tc.signbit",    "tc.copysign",
      "tc.remainder", "tc.fmod",     "tc.floor_div",  "tc.trunc_div",
      "tc.log",       "tc.log2",     "tc.log10",      "tc.log1p",
      "tc.sqrt",      "tc.rsqrt",    "tc.reciprocal", "tc.div",
      "tc.tan",       "tc.asin",     "tc.acos",       "tc.acosh",
      "tc.atanh",     "tc.erfinv",   "tc.lgamma",     "tc.pow",
      "tc.atan2",     "tc.exp",      "tc.exp2",       "tc.expm1",
      "tc.sinh",      "tc.cosh",     "tc.sin",        "tc.cos"};
  return names.contains(name);
}

/// Makes the op on `operands`, its result i1 or of their type; null when that
/// does not verify.
static Operation *tryElementwise(Sampler &s, OperationName name,
                                 ArrayRef<Value> operands, bool isPredicate) {
  auto type = cast<RankedTensorType>(operands.front().getType());
  if (isPredicate)
    type = withElementType(type, s.builder.getI1Type());
  OperationState state(s.loc, name, operands, TypeRange(type), {});
  Operation *op = s.builder.create(state);
  ScopedDiagnosticHandler quiet(s.builder.getContext(),
                                [](Diagnostic &) { return success(); });
  if (succeeded(verify(op)))
    return op;
  op->erase();
  return nullptr;
}

bool tc::fuzz::sampleElementwise(Sampler &s, OperationName name) {
  Type element = s.element();
  Sizes sizes = s.sizes(0, 4);
  // The operand count is what verifies; scratch operands until it is known.
  Value probe =
      EmptyOp::create(s.builder, s.loc, getTensorType(sizes, element));
  bool isPredicate = name.hasInterface<InferTypeOpInterface>() &&
                     !name.hasTrait<OpTrait::SameOperandsAndResultType>();
  size_t count = 0;
  for (size_t tried = 1; tried <= 3 && count == 0; ++tried) {
    SmallVector<Value> probes(tried, probe);
    if (Operation *op = tryElementwise(s, name, probes, isPredicate)) {
      count = tried;
      op->erase();
    }
  }
  probe.getDefiningOp()->erase();
  if (count == 0)
    return false;
  SmallVector<Value> operands;
  bool exact = needsExactOperands(name.getStringRef());
  for (size_t i = 0; i < count; ++i)
    operands.push_back(s.operand(element, sizes, exact));
  return s.keep(tryElementwise(s, name, operands, isPredicate));
}

//===----------------------------------------------------------------------===//
// Which ops there are
//===----------------------------------------------------------------------===//

StringRef tc::fuzz::getExemption(RegisteredOperationName name) {
  static const llvm::StringMap<StringRef> reasons = {
      {"tc.aten", "a captured call: the import phase replaces it"},
      {"tc.parameter_source", "needs a file"},
      {"tc.parameter", "needs a file"},
      {"tc.prepared", "is made by the simplify phase"},
      {"tc.dispatch", "is made by the specialize phase"},
      {"tc.case", "is part of tc.dispatch"},
      {"tc.otherwise", "is part of tc.dispatch"},
      {"tc.guard", "has no result"},
      {"tc.input_storage", "is made by the specialize phase, of strides that "
                           "the generator draws for inputs"},
      {"tc.nonzero", "has a size that only the call knows"},
      {"tc.size_from", "has no result"},
      {"tc.size_guard", "has no result"},
      {"tc.yield", "is sampled with tc.if"},
      {"tc.empty", "has unspecified elements"},
      {"tc.kernel", "is made by the fuse phase from the other ops"},
      {"tc.buffer", "is made by the bufferize phase"},
      {"tc.arena", "is made by the bufferize phase"},
      {"tc.arena_view", "is made by the bufferize phase"},
      {"tc.output_buffer", "is made by the bufferize phase"},
      {"tc.buffer_reshape", "is made by the bufferize phase"},
      {"tc.launch", "is made by the generate phase"},
      {"tc.library_call", "is made by the generate phase"},
      {"tc.library_convolution", "is made by the generate phase"},
  };
  if (auto found = reasons.find(name.getStringRef()); found != reasons.end())
    return found->second;
  if (name.hasTrait<OpTrait::HasParent<KernelOp>::Impl>())
    return "is made by the fuse phase inside tc.kernel";
  return "";
}

SmallVector<RegisteredOperationName>
tc::fuzz::getSampledOps(MLIRContext *context) {
  SmallVector<RegisteredOperationName> names;
  for (RegisteredOperationName name : context->getRegisteredOperations())
    if (name.getDialectNamespace() == "tc" && getExemption(name).empty())
      names.push_back(name);
  return names;
}

bool tc::fuzz::sampleOp(Sampler &s, RegisteredOperationName name) {
  if (const Recipe *recipe = findRecipe(name.getStringRef()))
    return recipe->build(s);
  return name.hasInterface<ElementwiseOpInterface>() &&
         sampleElementwise(s, name);
}
