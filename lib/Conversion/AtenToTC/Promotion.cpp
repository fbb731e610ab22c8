//===- Promotion.cpp - PyTorch's rules of element types -------------------===//
//
// c10/core/ScalarType.h (promoteTypes) and ATen/native/TypeProperties.cpp
// (result_type) of PyTorch are the rules.
//
//===----------------------------------------------------------------------===//

#include "Promotion.h"
#include "AtenCall.h"

#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;

namespace tc::aten {

namespace {
enum class Category { Bool, Integer, Float, Complex };
} // namespace

static Category getCategory(Type element) {
  if (element.isInteger(1))
    return Category::Bool;
  if (isa<IntegerType>(element))
    return Category::Integer;
  return isa<ComplexType>(element) ? Category::Complex : Category::Float;
}

static Type promoteIntegers(IntegerType a, IntegerType b) {
  bool sameSign = a.isUnsigned() == b.isUnsigned();
  if (sameSign)
    return a.getWidth() >= b.getWidth() ? a : b;
  IntegerType isSigned = a.isUnsigned() ? b : a;
  IntegerType isUnsigned = a.isUnsigned() ? a : b;
  // u8 and i8 give i16; a wider unsigned type has no common type in PyTorch.
  if (isSigned.getWidth() > isUnsigned.getWidth())
    return isSigned;
  return IntegerType::get(a.getContext(),
                          std::min(64u, 2 * isUnsigned.getWidth()));
}

Type promoteTypes(Type a, Type b) {
  if (a == b)
    return a;
  Category categoryA = getCategory(a), categoryB = getCategory(b);
  if (categoryA != categoryB && categoryA != Category::Complex &&
      categoryB != Category::Complex)
    return categoryA > categoryB ? a : b;
  if (categoryA == Category::Integer)
    return promoteIntegers(cast<IntegerType>(a), cast<IntegerType>(b));
  if (categoryA == Category::Float && categoryB == Category::Float) {
    unsigned widthA = a.getIntOrFloatBitWidth(),
             widthB = b.getIntOrFloatBitWidth();
    if (widthA == widthB) // f16 and bf16
      return Float32Type::get(a.getContext());
    return widthA > widthB ? a : b;
  }
  auto getPart = [](Type type) {
    auto complex = dyn_cast<ComplexType>(type);
    return complex ? complex.getElementType() : type;
  };
  Type part = promoteTypes(getPart(a), getPart(b));
  return ComplexType::get(part.isF64() ? part
                                       : Float32Type::get(a.getContext()));
}

/// The type of a Python number: i1, i64 or the default float type.
static Type getNumberType(Attribute number) {
  MLIRContext *context = number.getContext();
  if (isa<FloatAttr>(number))
    return Float32Type::get(context);
  auto integer = dyn_cast<IntegerAttr>(number);
  if (integer && integer.getType().isInteger(1))
    return integer.getType();
  return IntegerType::get(context, 64);
}

Type promoteOperands(ArrayRef<Operand> operands) {
  // Tensors with dimensions, 0-d tensors, numbers.
  Type groups[3];
  for (const Operand &operand : operands) {
    unsigned group = 2;
    Type type;
    if (operand.tensor) {
      type = elementOf(operand.tensor);
      group = rankOf(operand.tensor) == 0 ? 1 : 0;
      if (operand.isNumber) { // a Python float is of the default float type
        group = 2;
        type =
            isa<FloatType>(type) ? Float32Type::get(type.getContext()) : type;
      }
    } else if (operand.number) {
      type = getNumberType(operand.number);
    } else {
      continue;
    }
    groups[group] = groups[group] ? promoteTypes(groups[group], type) : type;
  }
  Type result;
  for (Type group : groups) {
    if (!group)
      continue;
    if (!result || getCategory(group) > getCategory(result))
      result = result && getCategory(result) == Category::Float &&
                       getCategory(group) == Category::Complex
                   ? promoteTypes(result, group)
                   : group;
  }
  return result;
}

Type promoteToFloat(ArrayRef<Operand> operands) {
  Type type = promoteOperands(operands);
  return isa<IntegerType>(type) ? Type(Float32Type::get(type.getContext()))
                                : type;
}

TypedAttr convertNumber(Attribute number, Type element) {
  double real = 0.0;
  int64_t integer = 0;
  if (auto value = dyn_cast<FloatAttr>(number)) {
    real = value.getValueAsDouble();
    // A conversion out of range is not defined in C++.
    integer = real >= -9.2e18 && real <= 9.2e18 ? static_cast<int64_t>(real)
                                                : INT64_MIN;
  } else if (auto value = dyn_cast<IntegerAttr>(number)) {
    integer = value.getType().isInteger(1)
                  ? static_cast<int64_t>(value.getValue().getBoolValue())
                  : value.getValue().getSExtValue();
    real = static_cast<double>(integer);
  }
  if (auto type = dyn_cast<FloatType>(element))
    return FloatAttr::get(type, real);
  if (auto type = dyn_cast<ComplexType>(element))
    return complex::NumberAttr::get(type, real, 0.0);
  auto type = cast<IntegerType>(element);
  if (type.getWidth() == 1) // NaN is true as well
    return IntegerAttr::get(type, llvm::APInt(1, !(real == 0.0)));
  return IntegerAttr::get(
      type,
      llvm::APInt(64, static_cast<uint64_t>(integer)).trunc(type.getWidth()));
}

} // namespace tc::aten
