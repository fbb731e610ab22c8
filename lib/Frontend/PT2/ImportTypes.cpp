//===- ImportTypes.cpp - types and sizes of the archive in MLIR -----------===//

#include "ImportTypes.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace tc::pt2 {

Type getElementType(ScalarType type, MLIRContext *context) {
  auto makeUnsigned = [&](unsigned width) {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case ScalarType::Byte:
    return makeUnsigned(8);
  case ScalarType::UInt16:
    return makeUnsigned(16);
  case ScalarType::UInt32:
    return makeUnsigned(32);
  case ScalarType::UInt64:
    return makeUnsigned(64);
  case ScalarType::Char:
    return IntegerType::get(context, 8);
  case ScalarType::Short:
    return IntegerType::get(context, 16);
  case ScalarType::Int:
    return IntegerType::get(context, 32);
  case ScalarType::Long:
    return IntegerType::get(context, 64);
  case ScalarType::Bool:
    return IntegerType::get(context, 1);
  case ScalarType::Half:
    return Float16Type::get(context);
  case ScalarType::BFloat16:
    return BFloat16Type::get(context);
  case ScalarType::Float:
    return Float32Type::get(context);
  case ScalarType::Double:
    return Float64Type::get(context);
  case ScalarType::ComplexFloat:
    return ComplexType::get(Float32Type::get(context));
  case ScalarType::ComplexDouble:
    return ComplexType::get(Float64Type::get(context));
  case ScalarType::Float8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ScalarType::Float8E5M2:
    return Float8E5M2Type::get(context);
  case ScalarType::Unknown:
  case ScalarType::ComplexHalf:
  case ScalarType::Float8E4M3FNUZ:
  case ScalarType::Float8E5M2FNUZ:
  case ScalarType::Float8E8M0FNU:
    return Type();
  }
  return Type();
}

/// Combines the operands of a sum, product, maximum or minimum.
static SizeExpr combine(ExpressionKind kind, SizeExpr left, SizeExpr right) {
  switch (kind) {
  case ExpressionKind::Add:
    return left.add(right);
  case ExpressionKind::Mul:
    return left.mul(right);
  case ExpressionKind::Max:
    return left.max(right);
  case ExpressionKind::Min:
    return left.min(right);
  case ExpressionKind::FloorDiv:
    return left.floorDiv(right);
  case ExpressionKind::CeilDiv:
    return left.ceilDiv(right);
  case ExpressionKind::Mod:
    return left.mod(right);
  default:
    return SizeExpr();
  }
}

static SizeExpr convertPower(SizeExpr base, const Expression &exponent) {
  // Exponents of sizes are small; a large one is no size.
  if (exponent.kind != ExpressionKind::Integer || exponent.integer < 0 ||
      exponent.integer > 8)
    return SizeExpr();
  SizeExpr result = SizeExpr::constant(base.getContext(), 1);
  for (int64_t i = 0; i < exponent.integer; ++i)
    result = result.mul(base);
  return result;
}

namespace {
/// The real number numerator / denominator, the latter above 0.
struct Quotient {
  SizeExpr numerator;
  int64_t denominator = 1;
};
} // namespace

/// A float as a fraction of small numbers, such as 1.5; nothing for others,
/// whose products round.
static std::optional<Quotient> convertFloat(double value,
                                            MLIRContext *context) {
  constexpr int64_t largest = 1 << 20;
  for (int64_t denominator = 1; denominator <= largest; denominator *= 2) {
    double numerator = value * double(denominator);
    if (std::abs(numerator) > double(largest))
      return std::nullopt;
    if (numerator == std::trunc(numerator))
      return Quotient{SizeExpr::constant(context, int64_t(numerator)),
                      denominator};
  }
  return std::nullopt;
}

/// A real number made of sizes by exact steps: products with small binary
/// fractions and one division. Floats do these without rounding for sizes
/// below 2^32.
static std::optional<Quotient> convertReal(const Expression &expression,
                                           MLIRContext *context,
                                           InputLookup lookup) {
  StringRef name = expression.name;
  if (expression.kind == ExpressionKind::Float)
    return convertFloat(expression.real, context);
  if (expression.kind == ExpressionKind::Other &&
      (name == "ToFloat" || name == "torch.sym_float") &&
      expression.operands.size() == 1)
    return convertReal(expression.operands[0], context, lookup);
  if (expression.kind == ExpressionKind::TrueDiv) {
    SizeExpr left = convertSize(expression.operands[0], context, lookup);
    SizeExpr right = convertSize(expression.operands[1], context, lookup);
    if (left && right && right.isConstant() && right.getValue() > 0)
      return Quotient{left, right.getValue()};
    return std::nullopt;
  }
  if (expression.kind == ExpressionKind::Mul) {
    Quotient product{SizeExpr::constant(context, 1)};
    bool rounds = false;
    for (const Expression &operand : expression.operands) {
      std::optional<Quotient> factor = convertReal(operand, context, lookup);
      if (!factor || product.denominator > INT32_MAX / factor->denominator)
        return std::nullopt;
      product.numerator = product.numerator.mul(factor->numerator);
      product.denominator *= factor->denominator;
      rounds |= !llvm::isPowerOf2_64(factor->denominator);
    }
    return rounds && expression.operands.size() > 1 ? std::nullopt
                                                    : std::optional(product);
  }
  SizeExpr size = convertSize(expression, context, lookup);
  return size ? std::optional(Quotient{size}) : std::nullopt;
}

/// Whether the expression is at least 0 by its form, sizes being so.
static bool isNonNegative(SizeExpr expr) {
  switch (expr.getKind()) {
  case SizeExprKind::Constant:
    return expr.getValue() >= 0;
  case SizeExprKind::Symbol:
    return !isDataDependent(expr);
  case SizeExprKind::Sum:
  case SizeExprKind::Product: // what is added, or multiplied by
    return expr.getValue() >= 0 &&
           llvm::all_of(expr.getOperands(), [](Attribute operand) {
             return isNonNegative(cast<SizeExpr>(operand));
           });
  default:
    return false;
  }
}

/// A real number as an integer, by the rounding that the call is named after;
/// null for other calls.
static SizeExpr convertRounding(const Expression &call, MLIRContext *context,
                                InputLookup lookup) {
  bool truncates = call.name == "TruncToInt" || call.name == "math.trunc";
  bool isFloor = call.name == "FloorToInt" || call.name == "math.floor";
  bool isCeil = call.name == "CeilToInt" || call.name == "math.ceil";
  if (call.operands.size() != 1 || (!truncates && !isFloor && !isCeil))
    return SizeExpr();
  auto real = convertReal(call.operands[0], context, lookup);
  if (!real)
    return SizeExpr();
  SizeExpr divisor = SizeExpr::constant(context, real->denominator);
  if (isCeil)
    return real->numerator.ceilDiv(divisor);
  if (isFloor || isNonNegative(real->numerator))
    return real->numerator.floorDiv(divisor);
  // Towards 0: the positive part and the negative one.
  SizeExpr zero = SizeExpr::constant(context, 0);
  SizeExpr negative = real->numerator.mul(-1).max(zero).floorDiv(divisor);
  return real->numerator.max(zero).floorDiv(divisor).sub(negative);
}

SizeExpr convertSize(const Expression &expression, MLIRContext *context,
                     InputLookup lookup) {
  switch (expression.kind) {
  case ExpressionKind::Integer:
    return SizeExpr::constant(context, expression.integer);
  case ExpressionKind::Symbol: // zf0, zuf0 are floats
    return StringRef(expression.name).starts_with("z")
               ? SizeExpr()
               : SizeExpr::named(context, expression.name);
  case ExpressionKind::InputSize:
  case ExpressionKind::InputStride:
  case ExpressionKind::InputOffset:
  case ExpressionKind::InputValue:
    return lookup ? lookup(expression) : SizeExpr();
  case ExpressionKind::Pow: {
    SizeExpr base = convertSize(expression.operands[0], context, lookup);
    return base ? convertPower(base, expression.operands[1]) : base;
  }
  case ExpressionKind::Other:
    return convertRounding(expression, context, lookup);
  default:
    break;
  }
  SizeExpr result;
  for (const Expression &operand : expression.operands) {
    SizeExpr next = convertSize(operand, context, lookup);
    if (!next)
      return SizeExpr();
    result = result ? combine(expression.kind, result, next) : next;
    if (!result)
      return SizeExpr();
  }
  return result;
}

/// Comparisons as "at least 0": a < b is b - a - 1 >= 0, and so on.
static SizeExpr convertComparison(ExpressionKind kind, SizeExpr left,
                                  SizeExpr right) {
  SizeExpr difference = left.sub(right);
  SizeExpr square = difference.mul(difference);
  switch (kind) {
  case ExpressionKind::Equal:
    return square.mul(-1);
  case ExpressionKind::NotEqual:
    return square.add(-1);
  case ExpressionKind::Less:
    return difference.mul(-1).add(-1);
  case ExpressionKind::LessEqual:
    return difference.mul(-1);
  case ExpressionKind::Greater:
    return difference.add(-1);
  case ExpressionKind::GreaterEqual:
    return difference;
  default:
    return SizeExpr();
  }
}

/// The result of a comparison with a number beyond 64 bits, which no size
/// reaches: torch has 2^63 - 1 for "no limit", and prints "< 2^63".
static std::optional<bool> compareWithLarge(const Expression &comparison) {
  auto isLarge = [](const Expression &operand) {
    return operand.kind == ExpressionKind::Float && operand.real >= 0x1p63;
  };
  bool leftIsLarge = isLarge(comparison.operands[0]);
  if (leftIsLarge == isLarge(comparison.operands[1]))
    return std::nullopt;
  switch (comparison.kind) {
  case ExpressionKind::NotEqual:
    return true;
  case ExpressionKind::Less:
  case ExpressionKind::LessEqual:
    return !leftIsLarge;
  case ExpressionKind::Greater:
  case ExpressionKind::GreaterEqual:
    return leftIsLarge;
  default:
    return false;
  }
}

SizeExpr convertCondition(const Expression &condition, MLIRContext *context,
                          InputLookup lookup) {
  switch (condition.kind) {
  case ExpressionKind::Boolean:
    return SizeExpr::constant(context, condition.integer ? 0 : -1);
  case ExpressionKind::Not: {
    SizeExpr inner = convertCondition(condition.operands[0], context, lookup);
    return inner ? inner.mul(-1).add(-1) : inner;
  }
  case ExpressionKind::And:
  case ExpressionKind::Or: {
    SizeExpr result;
    for (const Expression &operand : condition.operands) {
      SizeExpr next = convertCondition(operand, context, lookup);
      if (!next)
        return SizeExpr();
      if (!result)
        result = next;
      else
        result = condition.kind == ExpressionKind::And ? result.min(next)
                                                       : result.max(next);
    }
    return result;
  }
  default:
    break;
  }
  if (!condition.isCondition())
    return SizeExpr();
  if (std::optional<bool> known = compareWithLarge(condition))
    return SizeExpr::constant(context, *known ? 0 : -1);
  SizeExpr left = convertSize(condition.operands[0], context, lookup);
  SizeExpr right = convertSize(condition.operands[1], context, lookup);
  return left && right ? convertComparison(condition.kind, left, right)
                       : SizeExpr();
}

RankedTensorType convertTensorType(const TensorMeta &meta, StringRef name,
                                   Location location) {
  MLIRContext *context = location.getContext();
  Type element = getElementType(meta.dtype, context);
  if (!element) {
    emitError(location) << "value '" << name << "' has element type "
                        << getScalarTypeName(meta.dtype)
                        << ", which is not supported; cast it to another type "
                           "before the export";
    return RankedTensorType();
  }
  constexpr int64_t strided = 7;
  if (meta.layout != 0 && meta.layout != strided) {
    emitError(location) << "value '" << name << "' has layout " << meta.layout
                        << " (sparse), expected strided; convert it with "
                           "to_dense() before the export";
    return RankedTensorType();
  }
  Sizes sizes;
  for (const Expression &size : meta.sizes) {
    sizes.push_back(convertSize(size, context));
    if (sizes.back())
      continue;
    emitError(location) << "size '" << size.str() << "' of value '" << name
                        << "' is no integer expression of +, *, //, %, max, "
                           "min and fractions such as 0.5";
    return RankedTensorType();
  }
  return getTensorType(sizes, element);
}

namespace {
struct Frame {
  StringRef file;
  unsigned line = 0;
};
} // namespace

/// Reads `File "a.py", line 3, in f`.
static std::optional<Frame> parseFrame(StringRef text) {
  Frame frame;
  text = text.trim();
  if (!text.consume_front("File \""))
    return std::nullopt;
  std::tie(frame.file, text) = text.split('"');
  if (!text.consume_front(", line ") || text.consumeInteger(10, frame.line))
    return std::nullopt;
  return frame;
}

static bool isOwnedByTorch(StringRef file) {
  return file.starts_with("torch/") || file.contains("/torch/");
}

Location convertLocation(StringRef stackTrace, StringRef name,
                         MLIRContext *context) {
  std::optional<Frame> innermost, user;
  while (!stackTrace.empty()) {
    StringRef line;
    std::tie(line, stackTrace) = stackTrace.split('\n');
    std::optional<Frame> frame = parseFrame(line);
    if (!frame)
      continue;
    innermost = frame;
    if (!isOwnedByTorch(frame->file))
      user = frame;
  }
  Location location = UnknownLoc::get(context);
  if (!user)
    user = innermost;
  if (user)
    location = FileLineColLoc::get(context, user->file, user->line, 0);
  return name.empty() ? location
                      : NameLoc::get(StringAttr::get(context, name), location);
}

bool isAboutStrides(const Expression &condition) {
  return condition.kind == ExpressionKind::InputStride ||
         StringRef(condition.name).ends_with("._base") ||
         llvm::any_of(condition.operands, isAboutStrides);
}

//===----------------------------------------------------------------------===//
// Strides
//===----------------------------------------------------------------------===//

static std::optional<int64_t> getInteger(const Expression &expression) {
  if (expression.kind != ExpressionKind::Integer)
    return std::nullopt;
  return expression.integer;
}

DenseI64ArrayAttr getWeightStrides(const TensorMeta &meta,
                                   MLIRContext *context) {
  SmallVector<int64_t> strides;
  bool contiguous = true;
  int64_t expected = 1;
  for (int64_t i = meta.sizes.size() - 1; i >= 0; --i) {
    int64_t size = getInteger(meta.sizes[i]).value_or(1);
    int64_t stride = getInteger(meta.strides[i]).value_or(1);
    contiguous &= size == 1 || stride == expected;
    expected *= size;
    strides.insert(strides.begin(), stride);
  }
  return contiguous ? DenseI64ArrayAttr()
                    : DenseI64ArrayAttr::get(context, strides);
}

} // namespace tc::pt2
