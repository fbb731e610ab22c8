//===- ReferenceDevice.cpp - Running in the reference interpreter ---------===//

#include "TC/Runner/ReferenceDevice.h"
#include "Inputs.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Reference/Dispatch.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

/// Row-major elements of a host tensor, as the interpreter takes them.
static FailureOr<reference::Tensor> toReference(Location loc, Type elementType,
                                                const runtime::Tensor &tensor) {
  runtime::Expected<runtime::Tensor> rowMajor = tensor.contiguous();
  if (!rowMajor.ok())
    return emitError(loc) << rowMajor.error().toString();
  ArrayRef<char> bytes(rowMajor->dataAs<char>(), rowMajor->byteCount());
  runtime::Extents sizes = tensor.sizes();
  return reference::Tensor::fromBytes(
      loc, elementType, ArrayRef(sizes.data(), sizes.size()), bytes);
}

static llvm::Expected<runtime::Tensor>
fromReference(const reference::Tensor &tensor) {
  std::string element;
  llvm::raw_string_ostream(element) << tensor.getElementType();
  std::optional<runtime::DType> dtype = runtime::dtypeFromName(element);
  if (!dtype)
    return llvm::createStringError("an output has element type " + element +
                                   ", which no array can have");
  auto result = toExpected(runtime::Tensor::empty(
      *dtype,
      runtime::Extents(tensor.getSizes().data(), tensor.getSizes().size())));
  if (!result)
    return result.takeError();
  tensor.toBytes(MutableArrayRef(result->dataAs<char>(), result->byteCount()));
  return result;
}

/// The values of a float tensor, not rounded to its element type.
static llvm::Expected<runtime::Tensor>
fromReferenceInDouble(const reference::Tensor &tensor) {
  auto result = toExpected(runtime::Tensor::empty(
      runtime::DType::F64,
      runtime::Extents(tensor.getSizes().data(), tensor.getSizes().size())));
  if (result)
    std::copy_n(tensor.data<double>(), tensor.getElementCount(),
                result->dataAs<double>());
  return result;
}

static SmallVector<ShapedType> getTypes(FunctionOpInterface function) {
  return llvm::map_to_vector(function.getArgumentTypes(),
                             [](Type type) { return cast<ShapedType>(type); });
}

llvm::Expected<RunResult>
runner::callReference(ModuleOp module, const std::string &name,
                      const Tensors &inputs, const std::string &directory,
                      const std::vector<ParameterFile> &parameterFiles,
                      reference::Precision precision) {
  Operation *entry = module.lookupSymbol(name);
  auto function = dyn_cast_or_null<FunctionOpInterface>(entry);
  FailureOr<Phase> next = getNextPhase(module);
  if (!function || !isa<func::FuncOp, DispatchOp>(entry) || failed(next) ||
      *next > Phase::Generate)
    return llvm::createStringError(
        "the interpreter runs modules up to phase bufferize; this one has "
        "run a later phase");
  if (llvm::Error error = checkTypes(getTypes(function), inputs))
    return std::move(error);
  Manifest interface = readInterface(module);
  if (llvm::Error error = checkMutations(interface))
    return std::move(error);
  const ManifestFunction *info = interface.find(name);

  std::vector<ManifestParameter> parameters = readParameters(module);
  auto loaded =
      toExpected(loadParameterTensors(parameters, directory, parameterFiles));
  if (!loaded)
    return loaded.takeError();
  reference::Options options;
  options.precision = precision;
  options.parameter =
      [&](ParameterSourceOp source) -> FailureOr<reference::Tensor> {
    for (auto [index, parameter] : llvm::enumerate(parameters))
      if (parameter.name == source.getSymName())
        return toReference(source.getLoc(),
                           cast<ShapedType>(source.getType()).getElementType(),
                           (*loaded)[index]);
    return source.emitError()
           << "parameter '" << source.getSymName() << "' has no value";
  };

  SmallVector<reference::Tensor> arguments;
  for (auto [type, input] :
       llvm::zip_equal(function.getArgumentTypes(), inputs)) {
    auto argument = toReference(function.getLoc(),
                                cast<ShapedType>(type).getElementType(), input);
    if (failed(argument))
      return llvm::createStringError("an input cannot be interpreted");
    arguments.push_back(*argument);
  }
  auto version = dyn_cast<func::FuncOp>(entry);
  if (auto dispatch = dyn_cast<DispatchOp>(entry)) {
    auto choice = reference::chooseVersion(dispatch, arguments);
    if (failed(choice))
      return llvm::createStringError("no version of '" + name +
                                     "' takes the inputs");
    version = choice->version;
  }
  auto results = reference::evaluateFunction(version, arguments, options);
  if (failed(results))
    return llvm::createStringError("the interpreter failed in '" + name + "'");
  RunResult result;
  result.function = name;
  for (auto [index, value] : llvm::enumerate(*results)) {
    auto tensor = precision == reference::Precision::Double &&
                          value.getKind() == reference::ElementKind::Float
                      ? fromReferenceInDouble(value)
                      : fromReference(value);
    if (!tensor)
      return tensor.takeError();
    bool isMutation = info && index < info->outputs.size() &&
                      !info->outputs[index].mutates.empty();
    if (isMutation)
      result.mutations.emplace_back(info->outputs[index].mutates,
                                    std::move(*tensor));
    else
      result.outputs.push_back(std::move(*tensor));
  }
  return result;
}

llvm::Expected<std::string> runner::describeChoice(ModuleOp module,
                                                   const std::string &name,
                                                   const Tensors &inputs) {
  auto dispatch = module.lookupSymbol<DispatchOp>(name);
  if (!dispatch)
    return std::string();
  if (llvm::Error error = checkTypes(getTypes(dispatch), inputs))
    return std::move(error);
  SmallVector<reference::Tensor> arguments;
  for (auto [type, input] :
       llvm::zip_equal(dispatch.getArgumentTypes(), inputs)) {
    auto argument = toReference(dispatch.getLoc(),
                                cast<ShapedType>(type).getElementType(), input);
    if (failed(argument))
      return llvm::createStringError("an input cannot be interpreted");
    arguments.push_back(*argument);
  }
  auto choice = reference::chooseVersion(dispatch, arguments);
  if (failed(choice))
    return llvm::createStringError("no version of '" + name +
                                   "' takes the inputs");
  std::string text = "version: @" + choice->version.getName().str() + "\n";
  for (const std::string &miss : choice->misses)
    text += "  not " + miss + "\n";
  return text;
}
