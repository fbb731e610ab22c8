//===- RunArtefact.cpp - Running an artefact ------------------------------===//

#include "RunArtefact.h"
#include "Inputs.h"
#include "Outputs.h"
#include "RunInputs.h"
#include "TC/Runtime/Artefact.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

bool runner::isArtefact(const RunOptions &options) {
  return StringRef(options.file).ends_with(".tca");
}

/// The first option that is given although it is about the compilation; empty
/// for none.
static StringRef findCompilerOption(const RunOptions &options) {
  const std::pair<bool, StringRef> given[] = {
      {options.device == "reference", "device=reference"},
      {!options.schedules.empty(), "schedules"},
      {!options.specialize.empty(), "specialize"},
      {!options.libraries.empty(), "libraries"},
      {!options.compileTo.empty(), "compile-to"},
      {!options.dumpPhases.empty(), "dump-phases"},
      {options.printKernels, "print-kernels"},
      {options.explain, "explain"},
      {options.check, "check"},
      {options.timesKernels(), options.profile ? "profile" : "trace"},
      {options.printLLVM, "print-llvm"},
      {options.printAssembly, "print-assembly"},
      {!options.objectFiles.empty(), "object-files"}};
  for (auto [isGiven, name] : given)
    if (isGiven)
      return name;
  return "";
}

/// The type of a tensor with named sizes.
static ShapedType makeType(const ManifestTensor &tensor, MLIRContext &context) {
  std::string text = "tensor<", sizes;
  for (const ManifestSize &size : tensor.sizes) {
    text += (size.constant ? size.text : "?") + "x";
    sizes += (sizes.empty() ? "" : ", ") + size.text;
  }
  const bool isDynamic = text.find('?') != std::string::npos;
  text += std::string(runtime::dtypeName(tensor.dtype)) +
          (isDynamic ? ", #tc.sizes<[" + sizes + "]>" : "") + ">";
  return dyn_cast_or_null<ShapedType>(parseType(text, &context));
}

static llvm::Expected<Entry> makeEntry(const ManifestFunction &function,
                                       MLIRContext &context) {
  Entry entry;
  entry.name = function.name;
  for (const ManifestInput &input : function.inputs) {
    ShapedType type = makeType(input, context);
    if (!type)
      return llvm::createStringError(
          "input '" + input.name + "' of '" + function.name +
          "' has the type " + input.typeString() + ", which cannot be read");
    entry.inputTypes.push_back(type);
    entry.inputNames.push_back(input.name);
  }
  for (const ManifestSymbol &symbol : function.symbols)
    if (!isDataDependent(symbol.name)) // the call finds those
      entry.symbols.push_back(
          tc::SymbolAttr::get(&context, symbol.name, symbol.minimum,
                              symbol.maximum, symbol.divisor));
  return entry;
}

/// The function of that name, or the only one, or main.
static llvm::Expected<const ManifestFunction *>
findFunction(const Manifest &manifest, const std::string &name) {
  if (name.empty() && manifest.functions.size() == 1)
    return &manifest.functions.front();
  const std::string wanted = name.empty() ? "main" : name;
  if (const ManifestFunction *function = manifest.find(wanted))
    return function;
  return llvm::createStringError("the artefact has no function '" + wanted +
                                 "'; it has " + manifest.functionNames());
}

/// The functions that are the versions of one of Python's, in their order;
/// none for other artefacts.
static std::vector<std::string>
findVersions(const runtime::ArtefactFile &file) {
  std::vector<std::string> names;
  auto all = llvm::json::parse(runtime::readVersions(file));
  if (!all) {
    llvm::consumeError(all.takeError()); // no text is no JSON
    return names;
  }
  if (const llvm::json::Object *object = all->getAsObject())
    if (const llvm::json::Array *list = object->getArray("versions"))
      for (const llvm::json::Value &version : *list)
        if (const llvm::json::Object *one = version.getAsObject())
          names.push_back(one->getString("function").value_or("").str());
  return names;
}

namespace {
/// What is called, and with what.
struct Choice {
  Entry entry;
  Tensors inputs;
};
} // namespace

static llvm::Expected<Choice> prepareCall(const Manifest &manifest,
                                          const std::string &name,
                                          const RunOptions &options,
                                          MLIRContext &context) {
  auto function = findFunction(manifest, name);
  if (!function)
    return function.takeError();
  auto entry = makeEntry(**function, context);
  if (!entry)
    return entry.takeError();
  auto inputs = makeInputs(*entry, options);
  if (!inputs)
    return inputs.takeError();
  return Choice{std::move(*entry), std::move(*inputs)};
}

/// The function that the options name; where they name none, the first version
/// that takes their inputs.
static llvm::Expected<Choice> chooseFunction(const Manifest &manifest,
                                             ArrayRef<std::string> versions,
                                             const RunOptions &options,
                                             MLIRContext &context) {
  if (!options.function.empty() || versions.empty())
    return prepareCall(manifest, options.function, options, context);
  std::string misses;
  for (const std::string &version : versions) {
    auto choice = prepareCall(manifest, version, options, context);
    llvm::Error miss =
        choice ? checkTypes(choice->entry.inputTypes, choice->inputs)
               : choice.takeError();
    if (!miss)
      miss = checkSymbols(choice->entry, choice->inputs);
    if (!miss)
      return choice;
    misses += "\n" + version + ": " + llvm::toString(std::move(miss));
  }
  return llvm::createStringError(
      "no version in the artefact takes the inputs:" + misses);
}

static llvm::Expected<CompiledModule> load(const runtime::ArtefactFile &opened,
                                           const RunOptions &options) {
  auto device = toExpected(runtime::ArtefactDevice::parse(options.device));
  if (!device)
    return device.takeError();
  auto code = toExpected(runtime::ArtefactCode::load(opened, *device));
  if (!code)
    return code.takeError();
  return CompiledModule(std::move(*code));
}

llvm::Expected<int> runner::runArtefact(const RunOptions &options) {
  if (StringRef option = findCompilerOption(options); !option.empty())
    return llvm::createStringError(
        "--" + option + " is about compiling, '" + options.file +
        "' is compiled: run the module that it was made of");
  FirstResult first;
  std::vector<std::string> versions;
  auto compiled = [&]() -> llvm::Expected<CompiledModule> {
    Stopwatch watch(first.read);
    auto file = toExpected(runtime::ArtefactFile::open(options.file));
    if (!file)
      return file.takeError();
    versions = findVersions(*file);
    return load(*file, options);
  }();
  if (!compiled)
    return compiled.takeError();
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<TCDialect>();
  auto choice =
      chooseFunction(compiled->manifest(), versions, options, context);
  if (!choice)
    return choice.takeError();
  const std::string &name = choice->entry.name;
  auto data =
      bindRun(*compiled, name, std::move(choice->inputs), options, first);
  if (!data)
    return data.takeError();
  auto result = [&] {
    Stopwatch watch(first.call);
    return callCompiled(*compiled, name, *data);
  }();
  if (!result)
    return result.takeError();
  if (options.benchmark) {
    if (llvm::Error error =
            benchmark(*compiled, name, *data, MemoryReport(), first, options))
      return std::move(error);
    if (options.outputs.empty() && options.expectedOutputs.empty())
      return 0;
  }
  auto asExpected = handleOutputs(*result, options);
  if (!asExpected)
    return asExpected.takeError();
  return *asExpected ? 0 : 1;
}
