//===- InputChecks.cpp - Checks at the start of a host function -----------===//
//
// The order matters: counts before inputs are touched, ranks before sizes are
// read, symbols bound and in range before expressions over them are computed.
//
//===----------------------------------------------------------------------===//

#include "InputChecks.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

/// The name of input `index` in the user's program, or an empty string.
static std::string getInputName(Operation *function, unsigned index) {
  auto signature = function->getAttrOfType<DictionaryAttr>(kSignatureAttr);
  auto names = signature ? signature.getAs<ArrayAttr>("inputs") : ArrayAttr();
  if (!names || index >= names.size())
    return "";
  auto name = dyn_cast<StringAttr>(names[index]);
  return name ? name.str() : "";
}

/// "s0x8xf32", as the type is written in messages.
static std::string describeType(ShapedType type, ArrayRef<SizeExpr> sizes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (SizeExpr size : sizes) {
    bool simple = size.isConstant() || size.getKind() == SizeExprKind::Symbol;
    os << (simple ? "" : "(") << size.str() << (simple ? "x" : ")x");
  }
  os << type.getElementType();
  return text;
}

void InputChecks::checkCounts(int64_t outputCount, int64_t parameterCount) {
  Value version = host.loadCall(CallField::Version);
  OpBuilder &builder = host.get();
  auto extended = [&](Value value) -> Value {
    return LLVM::ZExtOp::create(builder, host.getLoc(), builder.getI64Type(),
                                value);
  };
  check(host.equal(version, host.i32(TC_ABI_VERSION)),
        {TC_STATUS_INVALID_ARGUMENT,
         "the caller has version {0} of the calling convention, '" +
             function.getName().str() + "' was compiled for version " +
             std::to_string(TC_ABI_VERSION),
         extended(version)});
  auto checkCount = [&](CallField which, int64_t expected, StringRef what) {
    Value count = host.loadCall(which);
    check(host.equal(count, host.i32(expected)),
          {TC_STATUS_INVALID_ARGUMENT,
           ("'" + function.getName() + "' has " + Twine(expected) + " " + what +
            (expected == 1 ? "" : "s") + ", the call has {0}")
               .str(),
           extended(count)});
  };
  checkCount(CallField::InputCount, inputs.size(), "input");
  checkCount(CallField::OutputCount, outputCount, "output");
  checkCount(CallField::ParameterCount, parameterCount, "parameter");
}

LogicalResult InputChecks::checkType(CheckedInput &input, int64_t index) {
  std::optional<tc_dtype> dtype = getDType(input.type.getElementType());
  if (!dtype || input.type.getRank() > TC_MAX_RANK)
    return function->emitOpError()
           << "has " << input.label << " of type " << input.type
           << ", which the calling convention has no place for";
  input.tensor = host.tensorAt(CallField::Inputs, index);
  HostBuilder::Report report{TC_STATUS_INVALID_ARGUMENT,
                             input.label + " is {0:input}, expected " +
                                 describeType(input.type, input.sizes),
                             host.i64(index)};
  auto hasValue = [&](TensorField which, int32_t expected) {
    return host.equal(host.loadTensor(input.tensor, which), host.i32(expected));
  };
  // The rank before the sizes are read.
  check(host.conjunction({hasValue(TensorField::Rank, input.type.getRank()),
                          hasValue(TensorField::DType, *dtype)}),
        report);
  check(hasValue(TensorField::DeviceKind, host.device()),
        {TC_STATUS_INVALID_ARGUMENT,
         input.label + (host.device() == TC_DEVICE_CPU
                            ? " is not in host memory"
                            : " is not in the memory of a CUDA device")});
  Type pointer = LLVM::LLVMPointerType::get(host.context());
  Type i64 = host.get().getI64Type();
  Value sizeArray = host.loadTensor(input.tensor, TensorField::Sizes);
  Value strideArray = host.loadTensor(input.tensor, TensorField::Strides);
  SmallVector<Value> matches;
  for (auto [dim, size] : llvm::enumerate(input.sizes)) {
    auto at = [&](Value array) -> Value {
      return host.load(i64, LLVM::GEPOp::create(
                                host.get(), host.getLoc(), pointer, i64, array,
                                ArrayRef<LLVM::GEPArg>{int32_t(dim)}));
    };
    input.actual.push_back(at(sizeArray));
    input.strides.push_back(at(strideArray));
    if (std::optional<int64_t> constant = size.getConstant())
      matches.push_back(host.equal(input.actual.back(), host.i64(*constant)));
  }
  if (!matches.empty()) {
    report.status = TC_STATUS_GUARD_FAILED;
    check(host.conjunction(matches), report);
  }
  return success();
}

/// Binds the one unbound symbol of a size or stride that is linear in it.
bool InputChecks::bindTo(SizeExpr size, Value value,
                         const std::string &source) {
  MLIRContext *context = size.getContext();
  StringRef name;
  unsigned uses = 0;
  size.walkSymbols([&](StringRef symbol) {
    name = symbol;
    ++uses;
  });
  if (uses != 1 || sizes.isBound(name))
    return false;
  auto at = [&](int64_t value) {
    return size.evaluate([&](StringRef) { return value; });
  };
  std::optional<int64_t> offset = at(0), next = at(1);
  if (!offset || !next || *next == *offset)
    return false;
  int64_t factor = *next - *offset;
  if (SizeExpr::named(context, name).mul(factor).add(*offset) != size)
    return false;
  OpBuilder &builder = host.get();
  if (*offset == 0)
    boundExactly.insert(name);
  if (*offset != 0)
    value =
        LLVM::SubOp::create(builder, host.getLoc(), value, host.i64(*offset));
  // A remainder shows when the size is compared with the expression.
  if (factor != 1)
    value =
        LLVM::SDivOp::create(builder, host.getLoc(), value, host.i64(factor));
  sizes.bind(name, value);
  boundBy[name] = source;
  return true;
}

void InputChecks::bindSymbols() {
  // Sizes that are a symbol bind before those that only contain one.
  for (bool exact : {true, false})
    for (const CheckedInput &input : inputs)
      for (auto [dim, size] : llvm::enumerate(input.sizes))
        if (!exact || size.getKind() == SizeExprKind::Symbol)
          bindTo(size, input.actual[dim],
                 "size " + std::to_string(dim) + " of " + input.label);
  // Symbols that no size has, such as the width of a matrix whose first columns
  // are the input.
  for (const CheckedInput &input : inputs)
    for (int64_t dim = input.type.getRank();
         input.expectedStrides && dim-- > 0;)
      bindTo(cast<SizeExpr>(input.expectedStrides[dim]), input.strides[dim],
             "stride " + std::to_string(dim) + " of " + input.label);
}

/// Checks that the value of a symbol is in its range; of an input's only where
/// no dispatch has checked it.
void InputChecks::checkRange(tc::SymbolAttr symbol, Value value,
                             const std::string &label,
                             std::optional<Location> location, bool always,
                             bool mayBeNegative) {
  auto require = [&](Value condition, const std::string &expected) {
    if (always || !isChecked)
      host.check(condition, {TC_STATUS_GUARD_FAILED,
                             label + " is {0}, expected " + expected, value,
                             Value(), location});
  };
  if (symbol.getMin() > (mayBeNegative ? INT64_MIN : 0))
    require(host.compare(LLVM::ICmpPredicate::sge, value,
                         host.i64(symbol.getMin())),
            "at least " + std::to_string(symbol.getMin()));
  if (symbol.getMax() != INT64_MAX)
    require(host.compare(LLVM::ICmpPredicate::sle, value,
                         host.i64(symbol.getMax())),
            "at most " + std::to_string(symbol.getMax()));
  if (symbol.getDivisor() > 1)
    require(host.equal(LLVM::SRemOp::create(host.get(), host.getLoc(), value,
                                            host.i64(symbol.getDivisor())),
                       host.i64(0)),
            "a multiple of " + std::to_string(symbol.getDivisor()));
}

LogicalResult InputChecks::checkSymbols() {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  if (!symbols)
    return success();
  for (auto symbol : symbols.getAsRange<tc::SymbolAttr>()) {
    StringRef name = symbol.getName();
    if (isDataDependent(name))
      continue; // bindDataDependent
    if (!sizes.isBound(name))
      return function->emitOpError()
             << "declares symbol '" << name
             << "', but no input has a size that gives its value";
    // A size itself is never negative; an expression of one may be.
    checkRange(symbol, sizes.of(SizeExpr::named(host.context(), name)),
               name.str() + ", " + boundBy[name] + ",", std::nullopt,
               /*always=*/false,
               /*mayBeNegative=*/!boundExactly.contains(name));
  }
  return success();
}

void InputChecks::bindDataDependent(StringRef name, Value value,
                                    Location location) {
  auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr);
  for (auto symbol : symbols.getAsRange<tc::SymbolAttr>())
    if (symbol.getName() == name)
      checkRange(symbol, value, name.str() + ", which depends on data,",
                 location, /*always=*/true, /*mayBeNegative=*/true);
  sizes.bind(name, value);
  overflow.emit();
}

/// Whether a guard is about sizes that are known only when it is reached.
static bool isLate(GuardOp guard) {
  return guard.getExpr() && isDataDependent(*guard.getExpr());
}

void InputChecks::checkDataDependent(GuardOp guard) {
  if (!isLate(guard))
    return;
  for (const GuardChecks::Condition &condition : guards.conditionsOf(guard))
    host.check(condition.holds, condition.report);
}

void InputChecks::checkSizes() {
  for (const CheckedInput &input : inputs)
    for (auto [dim, size] : llvm::enumerate(input.sizes)) {
      if (size.isConstant() || !sizes.canEvaluate(size))
        continue;
      Value expected = sizes.of(size);
      if (expected == input.actual[dim])
        continue; // it bound the symbol
      check(host.equal(input.actual[dim], expected),
            {TC_STATUS_GUARD_FAILED,
             "size " + std::to_string(dim) + " of " + input.label +
                 " is {0}, expected " + size.str() + " = {1}",
             input.actual[dim], expected});
    }
}

/// "[s1 + 24, 1]"
static std::string describeStrides(ArrayAttr strides) {
  return "[" +
         llvm::join(llvm::map_range(strides.getAsRange<SizeExpr>(),
                                    [](SizeExpr size) { return size.str(); }),
                    ", ") +
         "]";
}

// Refused on a GPU: an input with other strides, as on a CPU; the message asks
// for a copy.
LogicalResult InputChecks::checkStrides(CheckedInput &input, int64_t index) {
  Value rowMajor = host.i64(1), count = host.i64(1), all;
  for (int64_t dim = input.type.getRank(); dim-- > 0;) {
    Value size = input.actual[dim], expected = rowMajor;
    if (input.expectedStrides) {
      auto stride = cast<SizeExpr>(input.expectedStrides[dim]);
      if (!sizes.canEvaluate(stride))
        return function->emitOpError()
               << "has stride " << stride.str() << " of dimension " << dim
               << " of argument " << index
               << ", which the sizes of the arguments do not give";
      expected = sizes.of(stride);
    }
    Value matches = host.disjunction(
        host.equal(input.strides[dim], expected),
        host.compare(LLVM::ICmpPredicate::sle, size, host.i64(1)));
    all = all ? host.conjunction({all, matches}) : matches;
    count = rowMajor =
        LLVM::MulOp::create(host.get(), host.getLoc(), rowMajor, size);
  }
  if (!all)
    return success();
  std::string expected = input.expectedStrides
                             ? "strides " +
                                   describeStrides(input.expectedStrides) +
                                   ": pass a copy with these strides"
                             : "row-major memory: pass a contiguous copy";
  // Without elements, strides say nothing.
  check(host.disjunction(all, host.equal(count, host.i64(0))),
        {TC_STATUS_INVALID_ARGUMENT,
         input.label + " is {0:input} with strides {0:strides}, expected " +
             expected,
         host.i64(index)});
  return success();
}

/// An argument with strides is read through its memory alone.
static LogicalResult verifyUses(FunctionOpInterface function,
                                BlockArgument argument) {
  for (Operation *user : argument.getUsers())
    if (!isa<InputStorageOp, GuardOp>(user))
      return user->emitOpError("uses argument ")
             << argument.getArgNumber() << " of @" << function.getName()
             << ", which has tc.strides; expected tc.input_storage";
  return success();
}

LogicalResult InputChecks::emit(int64_t outputCount, int64_t parameterCount) {
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<ShapedType>(argument.getType());
    // A dispatch is about the caller's tensors.
    if (!isa_and_nonnull<MemRefType>(type) && !isa<DispatchOp>(function))
      return function->emitOpError()
             << "has argument " << argument.getArgNumber() << " of type "
             << argument.getType() << ", expected a memref";
    std::string name = getInputName(function, argument.getArgNumber());
    std::string label = "input " + std::to_string(argument.getArgNumber());
    if (!name.empty())
      label += " (" + name + ")";
    auto strides = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                        kStridesAttr);
    if (strides && failed(verifyUses(function, argument)))
      return failure();
    inputs.push_back({label, type, getSizes(type), strides, {}, {}, {}});
  }
  checkCounts(outputCount, parameterCount);
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(checkType(input, index)))
      return failure();
  bindSymbols();
  if (failed(checkSymbols()))
    return failure();
  overflow.emit();
  checkSizes();
  for (auto [index, input] : llvm::enumerate(inputs))
    if (failed(checkStrides(input, index)))
      return failure();
  for (auto guard : function.getFunctionBody().getOps<GuardOp>())
    if (!isLate(guard))
      for (const GuardChecks::Condition &condition : guards.conditionsOf(guard))
        check(condition.holds, condition.report);
  host.setLoc(function.getLoc());
  return success();
}
