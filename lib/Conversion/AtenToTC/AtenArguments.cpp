//===- AtenArguments.cpp - arguments of a captured call -------------------===//

#include "AtenArguments.h"
#include "Promotion.h"
#include "TC/Frontend/PT2/ConstantArguments.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::aten {

using pt2::SchemaValue;

/// Whether `value` is one element of the declared type.
static bool isElement(const SchemaValue &declared, Attribute value,
                      int64_t operandCount) {
  StringRef type = declared.type;
  if (type == "Tensor") {
    auto operand = dyn_cast<OperandAttr>(value);
    return operand && operand.getIndex() >= 0 &&
           operand.getIndex() < operandCount;
  }
  bool isInteger = isa<IntegerAttr, SizeExprAttr>(value);
  if (type == "int" || type == "SymInt")
    return isInteger;
  if (type == "float")
    return isa<FloatAttr, IntegerAttr>(value);
  if (type == "Scalar")
    return isInteger || isa<FloatAttr, OperandAttr>(value);
  if (type == "bool")
    return isa<IntegerAttr>(value);
  if (type == "str")
    return isa<StringAttr>(value);
  if (type == "ScalarType")
    return isa<TypeAttr>(value);
  return true; // devices, layouts, memory formats, generators
}

LogicalResult AtenArguments::checkArgument(const SchemaValue &declared,
                                           Attribute &value) {
  int64_t operandCount = op.getInputs().size();
  Builder builder(getContext());
  if (!value && declared.defaultValue)
    value = pt2::convertConstant(*declared.defaultValue, /*wantsReal=*/false,
                                 builder);
  if (!value && (declared.defaultValue || declared.isOptional))
    value = builder.getUnitAttr();
  bool valid = false;
  if (value && isa<UnitAttr>(value)) {
    // PyTorch leaves out where sequences of different lengths begin, of those
    // of one, and a bias that there is not, though the schema says that they
    // are tensors.
    StringRef name = declared.name;
    valid = declared.isOptional || declared.defaultValue ||
            declared.type == "Generator" || name.starts_with("cum_seq_") ||
            name == "attn_bias";
  } else if (auto list = dyn_cast_or_null<ArrayAttr>(value);
             list && declared.isList) {
    valid = llvm::all_of(list, [&](Attribute element) {
      return isElement(declared, element, operandCount) ||
             (declared.isElementOptional && isa<UnitAttr>(element));
    });
  } else if (value) {
    // int[2] accepts one number for both.
    bool single = !declared.isList || declared.type != "Tensor";
    valid = single && isElement(declared, value, operandCount);
    // Python's numbers stand for tensors.
    valid |= declared.type == "Tensor" && !declared.isList &&
             isa<IntegerAttr, FloatAttr, SizeExprAttr>(value);
  }
  if (valid)
    return success();
  InFlightDiagnostic error = emitError(location)
                             << "'" << getTarget() << "' expects argument '"
                             << declared.name << "' of type " << declared.type
                             << (declared.isList ? "[]" : "") << ", but it ";
  if (value)
    error << "is " << value;
  else
    error << "is missing";
  return error;
}

LogicalResult AtenArguments::prepare() {
  for (NamedAttribute given : op.getArguments()) {
    bool known = llvm::any_of(schema.arguments, [&](const SchemaValue &value) {
      return value.name == given.getName();
    });
    if (!known)
      return emitError(location) << "'" << getTarget() << "' has no argument '"
                                 << given.getName().getValue() << "'";
  }
  for (const SchemaValue &declared : schema.arguments) {
    Attribute value = op.getArguments().get(declared.name);
    if (mlir::failed(checkArgument(declared, value)))
      return failure();
    arguments.set(declared.name, value);
  }
  return success();
}

LogicalResult AtenArguments::refuse(const Twine &reason) {
  failed = true;
  return emitError(location)
         << "'" << getTarget() << "' is not supported with " << reason;
}

Attribute AtenArguments::getArgument(StringRef name) const {
  return arguments.get(name);
}

bool AtenArguments::isNone(StringRef name) const {
  return isa<UnitAttr>(arguments.get(name));
}

std::optional<int64_t> AtenArguments::readInteger(StringRef name,
                                                  Attribute value) {
  if (isa<IntegerAttr>(value))
    return cast<IntegerAttr>(
               convertNumber(value, IntegerType::get(getContext(), 64)))
        .getInt();
  if (auto size = dyn_cast<SizeExprAttr>(value); size && size.isConstant())
    return size.getValue();
  (void)refuse("a symbolic '" + name + "'; expected a constant");
  return std::nullopt;
}

int64_t AtenArguments::getInteger(StringRef name) {
  return readInteger(name, arguments.get(name)).value_or(0);
}

std::optional<int64_t> AtenArguments::getOptionalInteger(StringRef name) {
  if (isNone(name))
    return std::nullopt;
  return getInteger(name);
}

SmallVector<int64_t> AtenArguments::getIntegers(StringRef name) {
  SmallVector<int64_t> values;
  Attribute argument = arguments.get(name);
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      values.push_back(readInteger(name, element).value_or(0));
  } else if (!isa<UnitAttr>(argument)) {
    values.push_back(readInteger(name, argument).value_or(0));
  }
  return values;
}

SmallVector<int64_t> AtenArguments::getIntegers(StringRef name, size_t count) {
  SmallVector<int64_t> values = getIntegers(name);
  if (values.size() == 1)
    values.resize(count, values.front());
  if (values.size() != count && !values.empty())
    (void)refuse("'" + name + "' of " + Twine(values.size()) +
                 " entries; expected " + Twine(count));
  values.resize(count, 0);
  return values;
}

/// An integer argument as an expression.
static SizeExpr toSize(Attribute value) {
  if (auto size = dyn_cast<SizeExprAttr>(value))
    return size;
  MLIRContext *context = value.getContext();
  auto integer =
      cast<IntegerAttr>(convertNumber(value, IntegerType::get(context, 64)));
  return SizeExpr::constant(context, integer.getInt());
}

SizeExpr AtenArguments::getSize(StringRef name) {
  return toSize(arguments.get(name));
}

Sizes AtenArguments::getSizeList(StringRef name) {
  Sizes sizes;
  Attribute argument = arguments.get(name);
  if (auto list = dyn_cast<ArrayAttr>(argument)) {
    for (Attribute element : list)
      sizes.push_back(toSize(element));
  } else if (!isa<UnitAttr>(argument)) {
    sizes.push_back(toSize(argument));
  }
  return sizes;
}

double AtenArguments::getReal(StringRef name) {
  Attribute value = arguments.get(name);
  if (isa<FloatAttr, IntegerAttr>(value))
    return cast<FloatAttr>(convertNumber(value, Float64Type::get(getContext())))
        .getValueAsDouble();
  (void)refuse("a symbolic '" + name + "'; expected a constant");
  return 0.0;
}

bool AtenArguments::getBool(StringRef name) {
  auto value = dyn_cast<IntegerAttr>(arguments.get(name));
  return value && !value.getValue().isZero();
}

StringRef AtenArguments::getString(StringRef name) {
  auto value = dyn_cast<StringAttr>(arguments.get(name));
  return value ? value.getValue() : StringRef();
}

Type AtenArguments::getDType(StringRef name) {
  auto value = dyn_cast<TypeAttr>(arguments.get(name));
  return value ? value.getValue() : Type();
}

int64_t AtenArguments::getDim(StringRef name, int64_t rank) {
  int64_t dim = getInteger(name), range = std::max<int64_t>(rank, 1);
  if (dim >= -range && dim < range)
    return dim < 0 ? dim + range : dim;
  (void)refuse("'" + name + "' " + Twine(dim) + " of a tensor of rank " +
               Twine(rank));
  return 0;
}

SmallVector<int64_t> AtenArguments::getDims(StringRef name, int64_t rank,
                                            bool emptyIsAll) {
  SmallVector<int64_t> dims = getIntegers(name);
  if (isNone(name) || (dims.empty() && emptyIsAll))
    return llvm::to_vector(llvm::seq<int64_t>(0, rank));
  int64_t range = std::max<int64_t>(rank, 1);
  for (int64_t &dim : dims) {
    if (dim < -range || dim >= range) {
      (void)refuse("'" + name + "' " + Twine(dim) + " of a tensor of rank " +
                   Twine(rank));
      dim = 0;
    }
    dim = dim < 0 ? dim + range : dim;
  }
  llvm::sort(dims);
  dims.erase(llvm::unique(dims), dims.end());
  if (rank == 0)
    dims.clear(); // PyTorch takes dimension 0 of a 0-d tensor
  return dims;
}

} // namespace tc::aten
