//===- Manifest.cpp - The manifest of a module ----------------------------===//

#include "TC/Compiler/Manifest.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace tc;

/// Element type and sizes of `type`, a tensor or memref.
static void readType(Type type, ManifestTensor &tensor) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return;
  std::string element;
  llvm::raw_string_ostream(element) << shaped.getElementType();
  tensor.dtype = runtime::dtypeFromName(element).value_or(runtime::DType::F32);
  for (SizeExpr size : getSizes(shaped))
    tensor.sizes.push_back({size.str(), size.getConstant()});
}

static std::string textOf(Attribute attribute) {
  if (auto text = dyn_cast_or_null<StringAttr>(attribute))
    return text.str();
  if (auto number = dyn_cast_or_null<IntegerAttr>(attribute))
    return std::to_string(number.getInt());
  if (auto symbol = dyn_cast_or_null<FlatSymbolRefAttr>(attribute))
    return symbol.getValue().str();
  return "";
}

/// The input or parameter that an output replaces: "0" or "@name".
static std::string targetOf(Attribute attribute) {
  bool isParameter = isa_and_nonnull<FlatSymbolRefAttr>(attribute);
  return (isParameter ? "@" : "") + textOf(attribute);
}

static Attribute entryOf(ArrayAttr array, size_t index) {
  return array && index < array.size() ? array[index] : Attribute();
}

static std::string textOf(ArrayAttr array, size_t index) {
  return textOf(entryOf(array, index));
}

static void readSymbols(ArrayAttr symbols, ManifestFunction &function) {
  for (auto symbol : symbols.getAsRange<tc::SymbolAttr>())
    function.symbols.push_back({symbol.getName().str(), symbol.getMin(),
                                symbol.getMax(), symbol.getDivisor()});
}

//===----------------------------------------------------------------------===//
// Strides of inputs
//===----------------------------------------------------------------------===//

namespace {
/// Adds the strides of inputs to a function whose symbols are known.
class StrideReader {
public:
  explicit StrideReader(ManifestFunction &function) : function(function) {}

  /// `types` and `strides` have an entry for each input; that of a row-major
  /// one is no array.
  void read(ArrayRef<ShapedType> types, ArrayRef<Attribute> strides);

private:
  void addSteps(SizeExpr expr, std::vector<ManifestStep> &steps);
  void bind(SizeExpr expr, size_t input, size_t dim, bool isStride);
  std::optional<size_t> findSymbol(StringRef name) const;

  ManifestFunction &function;
  llvm::DenseSet<size_t> bound;
};
} // namespace

std::optional<size_t> StrideReader::findSymbol(StringRef name) const {
  for (auto [number, symbol] : llvm::enumerate(function.symbols))
    if (symbol.name == name)
      return number;
  return std::nullopt;
}

/// Steps that compute the expression: operands, then what its kind makes of
/// them, then the constant that is added to a sum or multiplies a product.
void StrideReader::addSteps(SizeExpr expr, std::vector<ManifestStep> &steps) {
  static constexpr std::pair<SizeExprKind, ManifestStep::Kind> kKinds[] = {
      {SizeExprKind::Sum, ManifestStep::Add},
      {SizeExprKind::Product, ManifestStep::Multiply},
      {SizeExprKind::FloorDiv, ManifestStep::FloorDivide},
      {SizeExprKind::Mod, ManifestStep::Modulo},
      {SizeExprKind::Min, ManifestStep::Minimum},
      {SizeExprKind::Max, ManifestStep::Maximum}};
  if (expr.isConstant())
    return steps.push_back({ManifestStep::Constant, expr.getValue()});
  if (expr.getKind() == SizeExprKind::Symbol)
    return steps.push_back(
        {ManifestStep::Symbol,
         int64_t(findSymbol(expr.getSymbol().getValue()).value_or(0))});
  ManifestStep::Kind kind = llvm::find_if(kKinds, [&](auto &row) {
                              return row.first == expr.getKind();
                            })->second;
  for (auto [index, operand] : llvm::enumerate(expr.getOperands())) {
    addSteps(cast<SizeExpr>(operand), steps);
    if (index > 0)
      steps.push_back({kind});
  }
  bool hasConstant =
      kind == ManifestStep::Add || kind == ManifestStep::Multiply;
  if (!hasConstant)
    return;
  steps.push_back({ManifestStep::Constant, expr.getValue()});
  steps.push_back({kind});
}

/// Adds where a symbol without a value gets it, if `expr` is linear in it.
void StrideReader::bind(SizeExpr expr, size_t input, size_t dim,
                        bool isStride) {
  std::optional<size_t> symbol;
  unsigned uses = 0;
  expr.walkSymbols([&](StringRef name) {
    symbol = findSymbol(name);
    ++uses;
  });
  if (uses != 1 || !symbol || bound.contains(*symbol))
    return;
  auto at = [&](int64_t value) {
    return expr.evaluate([&](StringRef) { return value; });
  };
  std::optional<int64_t> offset = at(0), next = at(1);
  if (!offset || !next || *next <= *offset)
    return;
  SizeExpr name =
      SizeExpr::named(expr.getContext(), function.symbols[*symbol].name);
  if (name.mul(*next - *offset).add(*offset) != expr)
    return;
  bound.insert(*symbol);
  function.bindings.push_back(
      {*symbol, input, dim, isStride, *next - *offset, *offset});
}

void StrideReader::read(ArrayRef<ShapedType> types,
                        ArrayRef<Attribute> strides) {
  if (llvm::none_of(strides, llvm::IsaPred<ArrayAttr>))
    return;
  // Sizes that are a symbol before those that only contain one, and sizes
  // before strides, from the last dimension on.
  for (bool exact : {true, false})
    for (auto [input, type] : llvm::enumerate(types))
      for (auto [dim, size] : llvm::enumerate(getSizes(type)))
        if (!exact || size.getKind() == SizeExprKind::Symbol)
          bind(size, input, dim, /*isStride=*/false);
  for (auto [input, given] : llvm::enumerate(strides)) {
    auto list = dyn_cast<ArrayAttr>(given);
    if (!list)
      continue;
    for (size_t dim = list.size(); dim-- > 0;)
      bind(cast<SizeExpr>(list[dim]), input, dim, /*isStride=*/true);
    for (auto expr : list.getAsRange<SizeExpr>()) {
      ManifestStride &stride = function.inputs[input].strides.emplace_back();
      stride.text = expr.str();
      stride.constant = expr.getConstant();
      addSteps(expr, stride.steps);
    }
  }
}

static ManifestFunction
readFunction(LLVM::LLVMFuncOp op, DictionaryAttr signature,
             const llvm::StringMap<int32_t> &parameterNumbers) {
  ManifestFunction function;
  function.name = op.getName().str();
  SmallVector<ShapedType> inputTypes;
  auto arrayOf = [&](StringRef key) { return signature.getAs<ArrayAttr>(key); };
  if (ArrayAttr types = arrayOf("input_types"))
    for (auto [index, type] : llvm::enumerate(types.getAsRange<TypeAttr>())) {
      ManifestInput &input = function.inputs.emplace_back();
      input.name = textOf(arrayOf("inputs"), index);
      readType(type.getValue(), input);
      inputTypes.push_back(dyn_cast<ShapedType>(type.getValue()));
    }
  if (ArrayAttr types = arrayOf("output_types"))
    for (auto [index, type] : llvm::enumerate(types)) {
      ManifestOutput &output = function.outputs.emplace_back();
      output.name = textOf(arrayOf("outputs"), index);
      output.mutates = targetOf(entryOf(arrayOf("mutates"), index));
      if (auto typeAttr = dyn_cast<TypeAttr>(type))
        readType(typeAttr.getValue(), output);
    }
  if (ArrayAttr symbols = arrayOf("symbols"))
    readSymbols(symbols, function);
  if (ArrayAttr strides = arrayOf("input_strides"))
    StrideReader(function).read(inputTypes, strides.getValue());
  if (ArrayAttr parameters = arrayOf("parameters"))
    for (auto name : parameters.getAsRange<FlatSymbolRefAttr>())
      function.parameters.push_back(parameterNumbers.lookup(name.getValue()));
  if (auto launches = signature.getAs<IntegerAttr>("launches"))
    function.launches = launches.getInt();
  auto arena = signature.getAs<SizeExpr>("arena");
  function.arenaBytes = arena ? arena.str() : "0";
  return function;
}

std::vector<ManifestParameter> tc::readParameters(ModuleOp module) {
  std::vector<ManifestParameter> parameters;
  for (auto source : module.getOps<ParameterSourceOp>()) {
    ManifestParameter &parameter = parameters.emplace_back();
    parameter.name = source.getSymName().str();
    readType(source.getType(), parameter);
    parameter.file = source.getFile().str();
    parameter.offset = source.getOffset();
    if (std::optional<ArrayRef<int64_t>> strides = source.getStrides())
      parameter.strides.assign(strides->begin(), strides->end());
    parameter.role = source.getRole().str();
  }
  return parameters;
}

/// A function before phase emit: types from its own, and its mutations from
/// its results or, after bufferize, its signature.
static ManifestFunction readFunction(FunctionOpInterface op) {
  ManifestFunction function;
  function.name = op.getName().str();
  auto signature = op->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  auto arrayOf = [&](StringRef key) {
    return signature ? signature.getAs<ArrayAttr>(key) : ArrayAttr();
  };
  SmallVector<ShapedType> inputTypes;
  SmallVector<Attribute> strides;
  for (auto [index, type] : llvm::enumerate(op.getArgumentTypes())) {
    ManifestInput &input = function.inputs.emplace_back();
    input.name = textOf(arrayOf("inputs"), index);
    readType(type, input);
    inputTypes.push_back(dyn_cast<ShapedType>(type));
    Attribute own = op.getArgAttr(index, kStridesAttr);
    strides.push_back(own ? own : UnitAttr::get(op.getContext()));
  }
  SmallVector<Type> results(op.getResultTypes());
  if (auto types = op->getAttrOfType<ArrayAttr>(kResultTypesAttr))
    llvm::append_range(results, types.getAsValueRange<TypeAttr>());
  for (auto [index, type] : llvm::enumerate(results)) {
    ManifestOutput &output = function.outputs.emplace_back();
    output.name = textOf(arrayOf("outputs"), index);
    output.mutates = targetOf(entryOf(arrayOf("mutates"), index));
    if (index < op.getNumResults())
      if (Attribute target = op.getResultAttr(index, kMutatesAttr))
        output.mutates = targetOf(target);
    readType(type, output);
  }
  if (auto symbols = op->getAttrOfType<ArrayAttr>(kSymbolsAttr))
    readSymbols(symbols, function);
  StrideReader(function).read(inputTypes, strides);
  return function;
}

Manifest tc::readInterface(ModuleOp module) {
  Manifest manifest = readManifest(module);
  for (auto function : module.getOps<FunctionOpInterface>())
    if (isa<func::FuncOp, DispatchOp>(function) && function.isPublic() &&
        !function.isDeclaration() && !function->hasAttr(kVersionOfAttr) &&
        function.getName() != kPrepareFunction)
      manifest.functions.push_back(readFunction(function));
  return manifest;
}

std::vector<ManifestKernel> tc::readKernels(ModuleOp module) {
  std::vector<ManifestKernel> kernels;
  module.walk([&](KernelOp op) {
    ManifestKernel &kernel = kernels.emplace_back();
    if (auto function = op->getParentOfType<func::FuncOp>())
      kernel.function = function.getName().str();
    kernel.name = op.getName().str();
    kernel.kernelClass = stringifyKernelClass(op.getKernelClass()).str();
    if (Attribute schedule = op.getScheduleAttr())
      llvm::raw_string_ostream(kernel.schedule) << schedule;
  });
  return kernels;
}

Manifest tc::readManifest(ModuleOp module) {
  Manifest manifest;
  manifest.parameters = readParameters(module);
  for (auto op : module.getOps<PreparedOp>()) {
    ManifestPrepared &prepared = manifest.prepared.emplace_back();
    prepared.name = op.getSymName().str();
    prepared.output = op.getResult();
    readType(op.getType(), prepared);
  }
  llvm::StringMap<int32_t> numbers;
  for (const ManifestParameter &parameter : manifest.parameters)
    numbers.try_emplace(parameter.name, numbers.size());
  for (const ManifestPrepared &prepared : manifest.prepared)
    numbers.try_emplace(prepared.name, numbers.size());
  for (auto op : module.getOps<LLVM::LLVMFuncOp>()) {
    auto signature = op->getAttrOfType<DictionaryAttr>(kSignatureAttr);
    if (!signature || op->hasAttr(kVersionOfAttr))
      continue;
    ManifestFunction function = readFunction(op, signature, numbers);
    if (op.getName() == kPrepareFunction)
      manifest.prepare = std::move(function);
    else
      manifest.functions.push_back(std::move(function));
  }
  return manifest;
}

/// The input or parameter that an output replaces; null where there is none.
static const ManifestTensor *findTarget(const Manifest &manifest,
                                        const ManifestFunction &function,
                                        StringRef target) {
  if (target.consume_front("@")) {
    for (const ManifestParameter &parameter : manifest.parameters)
      if (parameter.name == target)
        return &parameter;
    return nullptr;
  }
  size_t number;
  if (target.getAsInteger(10, number) || number >= function.inputs.size())
    return nullptr;
  return &function.inputs[number];
}

llvm::Error tc::checkMutations(const Manifest &manifest) {
  for (const ManifestFunction &function : manifest.functions) {
    bool isBehind = false;
    for (auto [index, output] : llvm::enumerate(function.outputs)) {
      std::string what =
          "output " + std::to_string(index) + " of '" + function.name + "' ";
      if (output.mutates.empty()) {
        if (isBehind)
          return llvm::createStringError(
              what + "replaces nothing, but one before it does; expected "
                     "those with tc.mutates to be the last");
        continue;
      }
      isBehind = true;
      const ManifestTensor *target =
          findTarget(manifest, function, output.mutates);
      if (!target)
        return llvm::createStringError(
            what + "replaces " + output.mutates +
            " by tc.mutates, which is no number of an input and no @parameter");
      if (target->typeString() != output.typeString())
        return llvm::createStringError(what + "is " + output.typeString() +
                                       ", but what it replaces by "
                                       "tc.mutates, " +
                                       output.mutates + ", is " +
                                       target->typeString());
    }
  }
  return llvm::Error::success();
}
