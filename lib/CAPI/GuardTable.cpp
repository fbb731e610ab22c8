//===- GuardTable.cpp - Guards as a table of checks -----------------------===//

#include "GuardTable.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "TC/Runtime/DType.h"
#include "TC/Runtime/Tensor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::capi;
using runtime::Extents;

//===----------------------------------------------------------------------===//
// Reading guards
//===----------------------------------------------------------------------===//

/// Writes an attribute as JSON; false for one that JSON has not. A float has a
/// point or an exponent, so that it is read as one.
static bool writeJSON(Attribute attribute, llvm::raw_ostream &os) {
  if (auto boolean = dyn_cast<BoolAttr>(attribute)) {
    os << (boolean.getValue() ? "true" : "false");
  } else if (auto integer = dyn_cast<IntegerAttr>(attribute)) {
    os << integer.getValue().getSExtValue();
  } else if (auto number = dyn_cast<FloatAttr>(attribute)) {
    double value = number.getValueAsDouble();
    std::string text;
    llvm::raw_string_ostream(text) << llvm::format("%.17g", value);
    if (!std::isfinite(value))
      text = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
    else if (StringRef(text).find_first_of(".e") == StringRef::npos)
      text += ".0";
    os << text;
  } else if (auto string = dyn_cast<StringAttr>(attribute)) {
    os << llvm::json::Value(string.getValue());
  } else if (isa<UnitAttr>(attribute)) {
    os << "null";
  } else if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    os << "[";
    for (auto [index, one] : llvm::enumerate(list)) {
      os << (index ? ", " : "");
      if (!writeJSON(one, os))
        return false;
    }
    os << "]";
  } else {
    return false;
  }
  return true;
}

static llvm::Error refuse(GuardOp guard, const Twine &reason) {
  return llvm::createStringError(
      "the guard " + stringifyGuardKind(guard.getKind()) +
      (guard.getOrigin() ? " of " + *guard.getOrigin() : StringRef().str()) +
      " " + reason);
}

/// Reads "cpu" or "cuda:N".
static bool readDevice(StringRef text, int32_t &kind, int64_t &index) {
  kind = text == "cpu" ? TC_DEVICE_CPU : TC_DEVICE_CUDA;
  index = 0;
  return text == "cpu" || text == "cuda" ||
         (text.consume_front("cuda:") && !text.getAsInteger(10, index));
}

llvm::Error GuardTable::addValue(GuardOp guard) {
  if (!guard.getOrigin() || !guard.getValueAttr())
    return refuse(guard, "has no operand and no expr: expected both an origin "
                         "and a value");
  std::string value;
  llvm::raw_string_ostream os(value);
  if (!writeJSON(guard.getValueAttr(), os))
    return refuse(guard, "has a value that is no bool, integer, float, string, "
                         "unit or list of such");
  valueGuards.push_back({guard.getOrigin()->str(), value,
                         guard.getKind() == GuardKind::Identity});
  return llvm::Error::success();
}

llvm::Error GuardTable::setExpression(SizeExpr expr, Check &check) {
  check.expr = expr;
  check.form = Check::General;
  if (std::optional<int64_t> constant = expr.getConstant()) {
    check.form = Check::Constant;
    check.value = *constant;
    return llvm::Error::success();
  }
  std::string unknown;
  expr.walkSymbols([&](StringRef name) {
    if (!llvm::is_contained(symbolNames, name))
      unknown = name;
  });
  if (!unknown.empty())
    return llvm::createStringError("the symbol '" + unknown +
                                   "' of a guard is no size of an argument");
  if (expr.getKind() == SizeExprKind::Symbol) {
    check.form = Check::Symbol;
    check.value = llvm::find(symbolNames, expr.getSymbol().getValue()) -
                  symbolNames.begin();
  }
  return llvm::Error::success();
}

/// Sets what a guard of a rank, a dtype or a device compares with.
llvm::Error GuardTable::setValue(GuardOp guard, Check &check) {
  if (guard.getKind() == GuardKind::Rank) {
    check.value = cast<IntegerAttr>(guard.getValueAttr()).getInt();
    int64_t rank = cast<ShapedType>(guard.getInputs()[0].getType()).getRank();
    if (check.value != rank)
      return refuse(guard, "expects " + Twine(check.value) +
                               ", but its operand has rank " + Twine(rank));
  } else if (guard.getKind() == GuardKind::DType) {
    std::string name;
    llvm::raw_string_ostream(name) << guard.getValueAttr();
    std::optional<runtime::DType> dtype = runtime::dtypeFromName(name);
    if (auto complex = dyn_cast<ComplexType>(
            cast<TypeAttr>(guard.getValueAttr()).getValue()))
      dtype = complex.getElementType().isF32() ? runtime::DType::C64
                                               : runtime::DType::C128;
    if (auto type = cast<TypeAttr>(guard.getValueAttr()).getValue();
        isa<Float8E4M3FNType, Float8E5M2Type>(type))
      dtype = isa<Float8E5M2Type>(type) ? runtime::DType::F8E5M2
                                        : runtime::DType::F8E4M3FN;
    if (!dtype)
      return refuse(guard, "has the type " + name + ", which no tensor has");
    check.value = int64_t(*dtype);
  } else if (guard.getKind() == GuardKind::Device) {
    StringRef device = cast<StringAttr>(guard.getValueAttr()).getValue();
    if (!readDevice(device, check.deviceKind, check.value))
      return refuse(guard,
                    "has the device '" + device + "', expected cpu or cuda:N");
  }
  return llvm::Error::success();
}

llvm::Error GuardTable::add(GuardOp guard) {
  if (guard.getInputs().empty() && !guard.getExpr())
    return addValue(guard);
  if (!guard.getInputs().empty() && (guard.getKind() == GuardKind::Scalar ||
                                     guard.getKind() == GuardKind::Identity))
    return refuse(guard, "has an operand, expected none");
  Check check{guard.getKind()};
  for (auto [index, input] : llvm::enumerate(guard.getInputs())) {
    auto argument = dyn_cast<BlockArgument>(input);
    if (!argument)
      return refuse(guard, "is about no argument of the function");
    (index ? check.other : check.input) = argument.getArgNumber();
  }
  check.dim = unsigned(guard.getDim().value_or(0));
  if (guard.getMin())
    check.min = int64_t(*guard.getMin());
  if (guard.getMax())
    check.max = int64_t(*guard.getMax());
  check.divisor = int64_t(guard.getDivisor().value_or(1));
  check.origin = guard.getOrigin().value_or("").str();
  if (llvm::Error error = setValue(guard, check))
    return error;
  if (guard.getExpr())
    if (llvm::Error error = setExpression(*guard.getExpr(), check))
      return error;
  checks.push_back(std::move(check));
  return llvm::Error::success();
}

/// Finds, for each symbol, a size of an argument that is the symbol alone.
void GuardTable::bind(func::FuncOp function) {
  for (auto [input, type] : llvm::enumerate(function.getArgumentTypes()))
    for (auto [dim, size] : llvm::enumerate(getSizes(cast<ShapedType>(type))))
      if (size.getKind() == SizeExprKind::Symbol &&
          !llvm::is_contained(symbolNames, size.getSymbol().getValue())) {
        symbolNames.push_back(size.getSymbol().getValue().str());
        bindings.push_back({unsigned(input), unsigned(dim)});
      }
}

llvm::Expected<GuardTable> GuardTable::read(func::FuncOp function) {
  GuardTable table;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes())) {
    auto shaped = dyn_cast<RankedTensorType>(type);
    if (!shaped || shaped.getRank() > TC_MAX_RANK)
      return llvm::createStringError(
          "argument %zu of the guards' function is no tensor of a rank of at "
          "most %d",
          index, TC_MAX_RANK);
    table.inputNames.push_back("argument " + std::to_string(index));
  }
  table.bind(function);
  for (auto guard : function.getOps<GuardOp>())
    if (llvm::Error error = table.add(guard))
      return std::move(error);
  std::vector<Check> others;
  llvm::erase_if(table.checks, [&](const Check &one) {
    if (one.kind != GuardKind::Rank)
      others.push_back(one);
    return one.kind != GuardKind::Rank;
  });
  table.rankCount = table.checks.size();
  llvm::append_range(table.checks, others);
  std::vector<bool> isKnown(table.tensorCount());
  for (size_t i = 0; i < table.rankCount; ++i)
    isKnown[table.checks[i].input] = true;
  for (const Check &one : table.checks) // messages have the user's names
    if (!one.origin.empty() && one.kind == GuardKind::Rank)
      table.inputNames[one.input] = "'" + one.origin + "'";
  for (auto [index, is] : llvm::enumerate(isKnown))
    if (!is)
      return llvm::createStringError(
          "argument %zu of the guards' function has no guard of its rank",
          index);
  return table;
}

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

GuardTable::Symbols GuardTable::readSymbols(const tc_tensor *tensors) const {
  Symbols symbols;
  for (const Binding &binding : bindings)
    symbols.push_back(tensors[binding.input].sizes[binding.dim]);
  return symbols;
}

/// The value of the guard's expression; INT64_MIN where it has none.
int64_t GuardTable::evaluate(const Check &check, const Symbols &symbols) const {
  if (check.form == Check::Constant)
    return check.value;
  if (check.form == Check::Symbol)
    return symbols[size_t(check.value)];
  return check.expr
      .evaluate([&](StringRef name) -> std::optional<int64_t> {
        return symbols[size_t(llvm::find(symbolNames, name) -
                              symbolNames.begin())];
      })
      .value_or(INT64_MIN);
}

/// Bytes from the first to behind the last that a tensor reaches.
static std::pair<uintptr_t, uintptr_t> getExtent(const tc_tensor &tensor) {
  auto begin = reinterpret_cast<uintptr_t>(tensor.data);
  int64_t last = 0;
  for (int32_t i = 0; i < tensor.rank; ++i) {
    if (tensor.sizes[i] == 0)
      return {begin, begin};
    last += (tensor.sizes[i] - 1) * tensor.strides[i];
  }
  std::optional<runtime::DType> dtype = runtime::dtypeFromABI(tensor.dtype);
  return {begin, begin + size_t(last + 1) * (dtype ? dtypeSize(*dtype) : 1)};
}

static bool overlap(const tc_tensor &one, const tc_tensor &other) {
  auto [begin, end] = getExtent(one);
  auto [otherBegin, otherEnd] = getExtent(other);
  return begin < otherEnd && otherBegin < end;
}

/// The number that a guard looks at; 0 for one that looks at none.
int64_t GuardTable::actual(const Check &check, const tc_tensor *tensors,
                           const Symbols &symbols) const {
  const tc_tensor &tensor = tensors[check.input];
  switch (check.kind) {
  case GuardKind::Rank:
    return tensor.rank;
  case GuardKind::DType:
    return tensor.dtype;
  case GuardKind::Device:
    return tensor.device_index;
  case GuardKind::SizeEqual:
  case GuardKind::SizeRange:
  case GuardKind::SizeMultiple:
    return tensor.sizes[check.dim];
  case GuardKind::Stride:
    return tensor.strides[check.dim];
  case GuardKind::Alignment:
    return int64_t(reinterpret_cast<uintptr_t>(tensor.data));
  case GuardKind::Scalar:
    return evaluate(check, symbols);
  default:
    return 0;
  }
}

bool GuardTable::holds(const Check &check, const tc_tensor *tensors,
                       const Symbols &symbols) const {
  const tc_tensor &tensor = tensors[check.input];
  switch (check.kind) {
  case GuardKind::Rank:
    return tensor.rank == check.value;
  case GuardKind::DType:
    return tensor.dtype == check.value;
  case GuardKind::Device:
    return tensor.device_kind == check.deviceKind &&
           (check.deviceKind == TC_DEVICE_CPU ||
            tensor.device_index == check.value);
  case GuardKind::SizeEqual:
    return tensor.sizes[check.dim] == evaluate(check, symbols);
  case GuardKind::Stride:
    // That of a size of at most 1 is never used.
    return tensor.sizes[check.dim] <= 1 ||
           tensor.strides[check.dim] == evaluate(check, symbols);
  case GuardKind::Contiguous:
    return runtime::isContiguous(Extents(tensor.sizes, size_t(tensor.rank)),
                                 Extents(tensor.strides, size_t(tensor.rank)));
  case GuardKind::NoAlias:
    return !overlap(tensor, tensors[check.other]);
  case GuardKind::Identity:
    return true; // the caller's
  case GuardKind::SizeRange:
  case GuardKind::Scalar: {
    int64_t value = actual(check, tensors, symbols);
    return value >= check.min && value <= check.max;
  }
  case GuardKind::SizeMultiple:
  case GuardKind::Alignment:
    return uint64_t(actual(check, tensors, symbols)) %
               uint64_t(check.divisor) ==
           0;
  }
  llvm_unreachable("a guard kind without a check");
}

int64_t GuardTable::check(const tc_tensor *tensors) const {
  const Symbols none;
  for (size_t i = 0; i < rankCount; ++i)
    if (!holds(checks[i], tensors, none))
      return int64_t(i);
  const Symbols symbols = readSymbols(tensors);
  for (size_t i = rankCount; i < checks.size(); ++i)
    if (!holds(checks[i], tensors, symbols))
      return int64_t(i);
  return -1;
}

static std::string describeDevice(int32_t kind, int64_t index) {
  return kind == TC_DEVICE_CPU ? "cpu" : "cuda:" + std::to_string(index);
}

static std::string describeDType(int64_t number) {
  std::optional<runtime::DType> dtype = runtime::dtypeFromABI(int32_t(number));
  return dtype ? std::string(dtypeName(*dtype)) : std::to_string(number);
}

std::string GuardTable::describeMiss(const tc_tensor *tensors,
                                     size_t number) const {
  const Check &check = checks[number];
  const bool isRank = check.kind == GuardKind::Rank;
  const Symbols symbols = isRank ? Symbols() : readSymbols(tensors);
  const tc_tensor &tensor = tensors[check.input];
  std::string of = " of " + inputNames[check.input],
              dim = " " + std::to_string(check.dim) + of, from;
  auto differs = [&](const std::string &what, const std::string &found,
                     const std::string &wanted) {
    return what + " is " + found + ", expected " + wanted + from;
  };
  if (!check.origin.empty() &&
      "'" + check.origin + "'" != inputNames[check.input])
    from = " (" + check.origin + ")";
  std::string found = std::to_string(actual(check, tensors, symbols));
  std::string wanted =
      check.form == Check::None ? "" : std::to_string(evaluate(check, symbols));
  if (check.form > Check::Constant)
    wanted += " = " + check.expr.str();
  switch (check.kind) {
  case GuardKind::Rank:
    return differs("the rank" + of, found, std::to_string(check.value));
  case GuardKind::DType:
    return differs("the dtype" + of, describeDType(tensor.dtype),
                   describeDType(check.value));
  case GuardKind::Device:
    return differs("the device" + of,
                   describeDevice(tensor.device_kind, tensor.device_index),
                   describeDevice(check.deviceKind, check.value));
  case GuardKind::SizeEqual:
    return differs("size" + dim, found, wanted);
  case GuardKind::Stride:
    return differs("stride" + dim, found, wanted);
  case GuardKind::Contiguous:
    return differs("the memory order" + of, "another", "row-major");
  case GuardKind::Alignment:
    return differs("the address" + of, found,
                   "a multiple of " + std::to_string(check.divisor));
  case GuardKind::SizeMultiple:
    return differs("size" + dim, found,
                   "a multiple of " + std::to_string(check.divisor));
  case GuardKind::NoAlias:
    return differs("the memory" + of,
                   "in part that of " + inputNames[check.other],
                   "memory of its own");
  case GuardKind::SizeRange:
  case GuardKind::Scalar: {
    bool isBelow = actual(check, tensors, symbols) < check.min;
    return differs(check.kind == GuardKind::Scalar ? check.expr.str()
                                                   : "size" + dim,
                   found,
                   isBelow ? "at least " + std::to_string(check.min)
                           : "at most " + std::to_string(check.max));
  }
  case GuardKind::Identity:
    break;
  }
  return "";
}
