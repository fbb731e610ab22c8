//===- Importer.cpp - an exported program as a tc module ------------------===//

#include "TC/Frontend/PT2/Importer.h"

#include "GraphImporter.h"
#include "ImportTypes.h"
#include "InputStrides.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/RandomSeed.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace tc::pt2 {

namespace {
class ModuleImporter {
public:
  ModuleImporter(const ExportedProgram &program, MLIRContext *context)
      : program(program), context(context), builder(context),
        graphImporter(builder),
        fileLocation(FileLineColLoc::get(context, program.path, 0, 0)) {}

  OwningOpRef<ModuleOp> import();

private:
  LogicalResult importFunction(ModuleOp module);
  LogicalResult collectArguments(SmallVectorImpl<Type> &types);
  LogicalResult bindInputs(func::FuncOp function);
  LogicalResult bindParameter(const InputSpec &spec, RankedTensorType type);
  FailureOr<Value> createParameter(const InputSpec &spec,
                                   RankedTensorType type);
  LogicalResult importGuards();
  LogicalResult importGuard(const Guard &guard, const Expression &condition);
  void importRanges(func::FuncOp function);
  DictionaryAttr getPermission(const OutputSpec &output);
  LogicalResult collectResults();
  LogicalResult addMutations();
  void addMutation(const InputSpec &spec, Value value);
  void setSymbols(func::FuncOp function);
  void setSignature(func::FuncOp function);
  SizeExpr lookUpInput(const Expression &property);

  const ExportedProgram &program;
  MLIRContext *context;
  OpBuilder builder;
  GraphImporter graphImporter;
  Location fileLocation;
  Scope scope;
  ModuleOp module;

  /// Inputs that are arguments of @main, and the numbers of the arguments.
  llvm::MapVector<const InputSpec *, unsigned> argumentOf;
  SmallVector<const TensorMeta *> inputs; ///< of the arguments, in order
  llvm::DenseMap<const InputSpec *, TensorEntry *> entryOf;
  /// Sources by what they hold, so that tied weights share one.
  llvm::StringMap<FlatSymbolRefAttr> sourceOf;
  llvm::DenseMap<const InputSpec *, Attribute> sourceSymbolOf;

  SmallVector<Value> results;
  SmallVector<DictionaryAttr> resultAttributes;
  SmallVector<Attribute> outputNames;
  /// For each output of the user: the number of its result, or the constant.
  SmallVector<Attribute> userOutputs;
};
} // namespace

static bool isUserTensor(const InputSpec &spec) {
  return spec.kind == InputSpec::UserInput &&
         spec.argument.kind == ArgumentKind::Tensor;
}

LogicalResult ModuleImporter::collectArguments(SmallVectorImpl<Type> &types) {
  for (const InputSpec &spec : program.inputSpecs) {
    if (spec.kind == InputSpec::CustomObject || spec.kind == InputSpec::Token)
      return emitError(fileLocation)
             << "input '" << (spec.target.empty() ? "token" : spec.target)
             << "' is a custom object or a token, which is not supported; "
                "remove it from the model before the export";
    if (spec.kind != InputSpec::UserInput)
      continue;
    if (spec.argument.kind == ArgumentKind::SymInt ||
        spec.argument.kind == ArgumentKind::SymFloat)
      return emitError(fileLocation)
             << "input '" << spec.argument.text
             << "' is a symbolic number, which is not supported; pass it as a "
                "tensor, or fix its value in the export";
    if (!isUserTensor(spec))
      continue;
    auto meta = program.graph.tensorValues.find(spec.argument.text);
    if (meta == program.graph.tensorValues.end())
      return emitError(fileLocation)
             << "the type of input '" << spec.argument.text
             << "' is missing; the archive is damaged, export it again";
    RankedTensorType type =
        convertTensorType(meta->second, spec.argument.text, fileLocation);
    if (!type)
      return failure();
    argumentOf[&spec] = types.size();
    types.push_back(type);
    inputs.push_back(&meta->second);
  }
  return success();
}

FailureOr<Value> ModuleImporter::createParameter(const InputSpec &spec,
                                                 RankedTensorType type) {
  auto found = program.weights.find(spec.target);
  if (found == program.weights.end())
    return emitError(fileLocation)
           << "the archive holds no data for '" << spec.target
           << "'; it is damaged, export it again";
  const Weight &weight = found->second;
  RankedTensorType storedType =
      convertTensorType(weight.meta, spec.target, fileLocation);
  if (!storedType)
    return failure();
  if (storedType != type)
    return emitError(fileLocation)
           << "'" << spec.target << "' is stored as " << storedType
           << ", but the graph takes " << type
           << "; the archive is damaged, export it again";
  int64_t offset =
      weight.storage->offset +
      weight.meta.storageOffset.integer * getScalarTypeSize(weight.meta.dtype);
  DenseI64ArrayAttr strides = getWeightStrides(weight.meta, context);
  std::string identity;
  llvm::raw_string_ostream(identity) << offset << type << strides;
  FlatSymbolRefAttr &source = sourceOf[identity];
  if (!source) {
    StringRef role = spec.kind == InputSpec::Parameter ? "parameter"
                     : spec.kind == InputSpec::Buffer  ? "buffer"
                                                       : "constant";
    OpBuilder atModule = OpBuilder::atBlockEnd(module.getBody());
    atModule.setInsertionPoint(builder.getBlock()->getParentOp());
    ParameterSourceOp::create(
        atModule, fileLocation, builder.getStringAttr(spec.target),
        TypeAttr::get(type), builder.getStringAttr(program.path),
        builder.getI64IntegerAttr(offset), strides, StringAttr(),
        builder.getStringAttr(role));
    source = FlatSymbolRefAttr::get(context, spec.target);
  }
  sourceSymbolOf[&spec] = source;
  return ParameterOp::create(builder, fileLocation, type, source).getResult();
}

LogicalResult ModuleImporter::bindParameter(const InputSpec &spec,
                                            RankedTensorType type) {
  FailureOr<Value> value = createParameter(spec, type);
  if (failed(value))
    return failure();
  TensorEntry *entry = graphImporter.getTensors().add(*value);
  scope.tensors[spec.argument.text] = entry;
  entryOf[&spec] = entry;
  return success();
}

LogicalResult ModuleImporter::bindInputs(func::FuncOp function) {
  scope.graph = &program.graph;
  for (const InputSpec &spec : program.inputSpecs) {
    if (argumentOf.contains(&spec)) {
      unsigned index = argumentOf[&spec];
      TensorEntry *entry =
          graphImporter.getTensors().add(function.getArgument(index));
      scope.tensors[spec.argument.text] = entry;
      entryOf[&spec] = entry;
      continue;
    }
    if (spec.kind != InputSpec::Parameter && spec.kind != InputSpec::Buffer &&
        spec.kind != InputSpec::TensorConstant)
      continue;
    auto meta = program.graph.tensorValues.find(spec.argument.text);
    if (meta == program.graph.tensorValues.end())
      return emitError(fileLocation)
             << "the type of '" << spec.target
             << "' is missing; the archive is damaged, export it again";
    RankedTensorType type =
        convertTensorType(meta->second, spec.target, fileLocation);
    if (!type || failed(bindParameter(spec, type)))
      return failure();
  }
  return success();
}

/// A guard speaks of an input by its path; the graph knows the same size as an
/// expression.
SizeExpr ModuleImporter::lookUpInput(const Expression &property) {
  const InputSpec *spec = program.findInput(property.name);
  if (!spec)
    return SizeExpr();
  if (property.kind == ExpressionKind::InputValue)
    return spec->argument.kind == ArgumentKind::Int
               ? SizeExpr::constant(context, spec->argument.integer)
               : SizeExpr();
  auto meta = program.graph.tensorValues.find(spec->argument.text);
  if (!isUserTensor(*spec) || meta == program.graph.tensorValues.end())
    return SizeExpr();
  if (property.kind == ExpressionKind::InputOffset)
    return convertSize(meta->second.storageOffset, context);
  const std::vector<Expression> &values =
      property.kind == ExpressionKind::InputSize ? meta->second.sizes
                                                 : meta->second.strides;
  if (property.integer < 0 ||
      property.integer >= static_cast<int64_t>(values.size()))
    return SizeExpr();
  return convertSize(values[property.integer], context);
}

LogicalResult ModuleImporter::importGuard(const Guard &guard,
                                          const Expression &condition) {
  if (condition.kind == ExpressionKind::And) {
    for (const Expression &operand : condition.operands)
      if (failed(importGuard(guard, operand)))
        return failure();
    return success();
  }
  if (isAboutStrides(condition))
    return success();
  auto lookup = [&](const Expression &property) {
    return lookUpInput(property);
  };
  SizeExpr expr = convertCondition(condition, context, lookup);
  if (!expr)
    return emitError(fileLocation)
           << "guard '" << guard.text
           << "' is not supported: expected integer conditions on sizes of "
              "inputs; of real numbers, fractions such as 0.5 and 1.75 alone "
              "are exact";
  int64_t maximum = INT64_MAX;
  if (condition.kind == ExpressionKind::Equal && !expr.isConstant()) {
    // A difference of 0 reads better than a square that is not positive.
    expr = convertSize(condition.operands[0], context, lookup)
               .sub(convertSize(condition.operands[1], context, lookup));
    maximum = 0;
  }
  if (expr.isConstant() && expr.getValue() >= 0 && expr.getValue() <= maximum)
    return success();
  GuardOp::create(builder, fileLocation, GuardKind::Scalar, ValueRange(),
                  IntegerAttr(), Attribute(), expr,
                  builder.getI64IntegerAttr(0),
                  builder.getI64IntegerAttr(maximum), IntegerAttr(),
                  builder.getStringAttr(guard.text));
  return success();
}

LogicalResult ModuleImporter::importGuards() {
  for (const Guard &guard : program.guards)
    if (failed(importGuard(guard, guard.condition)))
      return failure();
  return success();
}

/// A range of a symbol is checked where an input first has that size.
void ModuleImporter::importRanges(func::FuncOp function) {
  for (const auto &[name, range] : program.ranges) {
    SizeExpr symbol = SizeExpr::named(context, name);
    bool found = false;
    for (BlockArgument argument : function.getArguments()) {
      auto type = cast<RankedTensorType>(argument.getType());
      for (auto [dim, size] : llvm::enumerate(getSizes(type))) {
        if (found || size != symbol)
          continue;
        found = true;
        GuardOp::create(
            builder, fileLocation, GuardKind::SizeRange, argument,
            builder.getI64IntegerAttr(dim), Attribute(), SizeExpr(),
            builder.getI64IntegerAttr(range.minimum.value_or(0)),
            builder.getI64IntegerAttr(range.maximum.value_or(INT64_MAX)),
            IntegerAttr(), builder.getStringAttr("range of " + name));
      }
    }
  }
}

void ModuleImporter::addMutation(const InputSpec &spec, Value value) {
  Attribute target;
  if (argumentOf.contains(&spec)) {
    target = builder.getI64IntegerAttr(argumentOf[&spec]);
  } else {
    target = sourceSymbolOf.lookup(&spec);
  }
  results.push_back(value);
  resultAttributes.push_back(
      builder.getDictionaryAttr(builder.getNamedAttr(kMutatesAttr, target)));
  outputNames.push_back(builder.getStringAttr(
      spec.target.empty() ? spec.argument.text : spec.target));
}

/// The attributes of an output of the user's.
DictionaryAttr ModuleImporter::getPermission(const OutputSpec &output) {
  NamedAttrList attributes;
  if (output.kind == OutputSpec::UserOutput && !output.target.empty())
    for (const InputSpec &input : program.inputSpecs)
      if (input.kind == InputSpec::UserInput &&
          input.argument.text == output.target && argumentOf.contains(&input))
        attributes.set(kMayOverwriteAttr,
                       builder.getI64IntegerAttr(argumentOf[&input]));
  return attributes.getDictionary(context);
}

/// The outputs of the user, in order; constants among them are noted only.
LogicalResult ModuleImporter::collectResults() {
  for (const OutputSpec &spec : program.outputSpecs) {
    if (spec.kind == OutputSpec::Token ||
        spec.kind == OutputSpec::BufferMutation ||
        spec.kind == OutputSpec::ParameterMutation ||
        spec.kind == OutputSpec::UserInputMutation)
      continue;
    FailureOr<Value> value =
        graphImporter.getCalls().getValue(scope, spec.argument, fileLocation);
    if (failed(value))
      return failure();
    if (*value) {
      userOutputs.push_back(builder.getI64IntegerAttr(results.size()));
      results.push_back(*value);
      resultAttributes.push_back(getPermission(spec));
      outputNames.push_back(builder.getStringAttr(spec.argument.text));
      continue;
    }
    Attribute constant = builder.getUnitAttr();
    if (spec.argument.kind == ArgumentKind::Float)
      constant = builder.getF64FloatAttr(spec.argument.real);
    else if (spec.argument.kind == ArgumentKind::String)
      constant = builder.getStringAttr(spec.argument.text);
    else if (spec.argument.kind == ArgumentKind::Bool)
      constant = builder.getBoolAttr(spec.argument.integer);
    else if (spec.argument.kind == ArgumentKind::Int)
      constant = builder.getArrayAttr(
          builder.getI64IntegerAttr(spec.argument.integer));
    userOutputs.push_back(constant);
  }
  return success();
}

/// The values that replace inputs and buffers: the signature of a functional
/// graph names them, in another graph its in-place calls do.
LogicalResult ModuleImporter::addMutations() {
  for (const OutputSpec &output : program.outputSpecs) {
    bool ofInput = output.kind == OutputSpec::UserInputMutation;
    if (!ofInput && output.kind != OutputSpec::BufferMutation &&
        output.kind != OutputSpec::ParameterMutation)
      continue;
    FailureOr<Value> value =
        graphImporter.getCalls().getValue(scope, output.argument, fileLocation);
    if (failed(value))
      return failure();
    const auto *spec =
        llvm::find_if(program.inputSpecs, [&](const InputSpec &input) {
          return ofInput ? input.kind == InputSpec::UserInput &&
                               input.argument.text == output.target
                         : input.kind != InputSpec::UserInput &&
                               input.target == output.target;
        }).base();
    if (spec == program.inputSpecs.data() + program.inputSpecs.size())
      return emitError(fileLocation)
             << "an output replaces '" << output.target
             << "', which is no input; the archive is damaged, export it "
                "again";
    addMutation(*spec, *value);
  }
  for (const InputSpec &spec : program.inputSpecs)
    if (TensorEntry *entry = entryOf.lookup(&spec);
        entry && entry->storage->version)
      addMutation(spec, graphImporter.getCalls().read(entry));
  return success();
}

void ModuleImporter::setSymbols(func::FuncOp function) {
  llvm::SetVector<StringRef> names;
  auto visitSize = [&](SizeExpr size) {
    size.walkSymbols([&](StringRef name) { names.insert(name); });
  };
  function.walk([&](Operation *op) {
    auto visit = [&](Type type) {
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        llvm::for_each(getSizes(tensor), visitSize);
    };
    llvm::for_each(op->getResultTypes(), visit);
    for (Region &region : op->getRegions())
      if (!region.empty())
        llvm::for_each(region.front().getArgumentTypes(), visit);
    if (auto definition = dyn_cast<SizeFromOp>(op))
      names.insert(definition.getSymbol());
  });
  unsigned sizeSymbols = names.size();
  for (unsigned index = 0; index < function.getNumArguments(); ++index)
    if (std::optional<Sizes> strides = getInputStrides(function, index))
      llvm::for_each(*strides, visitSize);
  llvm::StringMap<int64_t> sizes = program.getExampleSizes(),
                           strides = getLeastStrides(function, inputs);
  SmallVector<Attribute> symbols;
  for (auto [index, name] : llvm::enumerate(names)) {
    RangeConstraint range = graphImporter.getNumbers().getRange(name);
    int64_t least = isDataDependent(name) ? INT64_MIN : index >= sizeSymbols;
    int64_t low = range.minimum.value_or(least),
            high = range.maximum.value_or(INT64_MAX),
            likely = sizes.lookup(name);
    if (index >= sizeSymbols)
      low = std::max(low, strides.lookup(name));
    symbols.push_back(
        tc::SymbolAttr::get(context, name, low, high, /*divisor=*/1,
                            low <= likely && likely <= high ? likely : 0));
  }
  if (!symbols.empty())
    function->setAttr(kSymbolsAttr, builder.getArrayAttr(symbols));
}

void ModuleImporter::setSignature(func::FuncOp function) {
  SmallVector<Attribute> inputNames, inputPaths;
  for (auto [spec, index] : argumentOf) {
    inputNames.push_back(builder.getStringAttr(spec->argument.text));
    inputPaths.push_back(builder.getStringAttr(spec->path));
  }
  function->setAttr(
      kSignatureAttr,
      builder.getDictionaryAttr({
          builder.getNamedAttr("inputs", builder.getArrayAttr(inputNames)),
          builder.getNamedAttr("input_paths", builder.getArrayAttr(inputPaths)),
          builder.getNamedAttr("outputs", builder.getArrayAttr(outputNames)),
          builder.getNamedAttr("user_outputs",
                               builder.getArrayAttr(userOutputs)),
      }));
}

LogicalResult ModuleImporter::importFunction(ModuleOp parent) {
  module = parent;
  SmallVector<Type> argumentTypes;
  if (failed(collectArguments(argumentTypes)))
    return failure();
  builder.setInsertionPointToEnd(module.getBody());
  auto function =
      func::FuncOp::create(builder, fileLocation, "main",
                           builder.getFunctionType(argumentTypes, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
  graphImporter.getNumbers().setRanges(program.ranges);
  importRanges(function);
  if (failed(importGuards()) || failed(bindInputs(function)) ||
      failed(graphImporter.importNodes(scope)) || failed(collectResults()) ||
      failed(addMutations()))
    return failure();
  func::ReturnOp::create(builder, fileLocation, results);
  SmallVector<Type> resultTypes;
  for (Value result : results)
    resultTypes.push_back(result.getType());
  function.setType(builder.getFunctionType(argumentTypes, resultTypes));
  for (auto [index, attributes] : llvm::enumerate(resultAttributes))
    for (NamedAttribute attribute : attributes)
      function.setResultAttr(index, attribute.getName(), attribute.getValue());
  for (auto [spec, index] : argumentOf)
    if (spec->isRandomSeed)
      function.setArgAttr(index, kRandomSeedAttr, builder.getUnitAttr());
  setInputStrides(function, program.graph, inputs);
  setSymbols(function);
  setSignature(function);
  return success();
}

/// The module declares only the weights that the graph uses.
static void eraseUnusedParameters(ModuleOp module) {
  llvm::DenseSet<StringRef> used;
  module.walk([&](ParameterOp parameter) {
    if (parameter->use_empty())
      parameter.erase();
    else
      used.insert(parameter.getSource());
  });
  module.walk([&](func::FuncOp function) {
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      if (auto target = dyn_cast_or_null<FlatSymbolRefAttr>(
              function.getResultAttr(i, kMutatesAttr)))
        used.insert(target.getValue());
  });
  for (auto source :
       llvm::make_early_inc_range(module.getOps<ParameterSourceOp>()))
    if (!used.contains(source.getSymName()))
      source.erase();
}

OwningOpRef<ModuleOp> ModuleImporter::import() {
  OwningOpRef<ModuleOp> owned = ModuleOp::create(fileLocation);
  if (failed(importFunction(*owned)))
    return nullptr;
  eraseUnusedParameters(*owned);
  if (failed(verify(*owned)))
    return nullptr;
  return owned;
}

OwningOpRef<ModuleOp> importExportedProgram(const ExportedProgram &program,
                                            MLIRContext *context) {
  context->loadDialect<TCDialect, func::FuncDialect>();
  return ModuleImporter(program, context).import();
}

} // namespace tc::pt2
