//===- TCAttributes.cpp - Attributes of the tc dialect --------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

#include "TC/Dialect/TC/IR/TCEnums.cpp.inc"

#include "TC/Dialect/TC/IR/TCAttrInterfaces.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "TC/Dialect/TC/IR/TCAttributes.cpp.inc"

void TCDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TC/Dialect/TC/IR/TCAttributes.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #tc.expr
//===----------------------------------------------------------------------===//

namespace {
/// Recursive descent over: sum := product (('+'|'-') product)*,
/// product := atom (('*'|'floordiv'|'mod') atom)*. What an expression holds has
/// a limit, as everything that reads it goes down into its parts.
class SizeExprParser {
public:
  explicit SizeExprParser(AsmParser &parser)
      : parser(parser), context(parser.getContext()) {}

  FailureOr<SizeExpr> parseSum() {
    FailureOr<SizeExpr> left = parseProduct();
    while (succeeded(left)) {
      bool plus = succeeded(parser.parseOptionalPlus());
      if (!plus && failed(parser.parseOptionalMinus()))
        return left;
      if (failed(countTerm()))
        return failure();
      FailureOr<SizeExpr> right = parseProduct();
      if (failed(right))
        return failure();
      left = plus ? left->add(*right) : left->sub(*right);
    }
    return left;
  }

private:
  /// Counts an operator or a pair of parentheses.
  LogicalResult countTerm() {
    constexpr unsigned kMostTerms = 1000;
    if (++terms <= kMostTerms)
      return success();
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a size of at most ")
           << kMostTerms << " operators and parentheses";
  }

  FailureOr<SizeExpr> parseProduct() {
    FailureOr<SizeExpr> left = parseAtom();
    while (succeeded(left)) {
      bool star = succeeded(parser.parseOptionalStar());
      bool div = !star && succeeded(parser.parseOptionalKeyword("floordiv"));
      if (!star && !div && failed(parser.parseOptionalKeyword("mod")))
        return left;
      if (failed(countTerm()))
        return failure();
      FailureOr<SizeExpr> right = parseAtom();
      if (failed(right))
        return failure();
      left = star  ? left->mul(*right)
             : div ? left->floorDiv(*right)
                   : left->mod(*right);
    }
    return left;
  }

  FailureOr<SizeExpr> parseAtom() {
    if (succeeded(parser.parseOptionalLParen())) {
      if (failed(countTerm()))
        return failure();
      FailureOr<SizeExpr> inner = parseSum();
      if (failed(inner) || failed(parser.parseRParen()))
        return failure();
      return inner;
    }
    if (succeeded(parser.parseOptionalMinus())) {
      if (failed(countTerm()))
        return failure();
      FailureOr<SizeExpr> inner = parseAtom();
      if (failed(inner))
        return failure();
      return inner->mul(-1);
    }
    int64_t value;
    if (OptionalParseResult parsed = parser.parseOptionalInteger(value);
        parsed.has_value()) {
      if (failed(*parsed))
        return failure();
      return SizeExpr::constant(context, value);
    }
    StringRef name;
    SMLoc where = parser.getCurrentLocation();
    if (failed(parser.parseOptionalKeyword(&name)))
      return parser.emitError(where, "expected a size: an integer, a symbol, "
                                     "'min(', 'max(' or '('"),
             failure();
    if ((name == "min" || name == "max") &&
        succeeded(parser.parseOptionalLParen()))
      return parseExtreme(name == "min");
    return SizeExpr::named(context, name);
  }

  FailureOr<SizeExpr> parseExtreme(bool isMin) {
    if (failed(countTerm()))
      return failure();
    FailureOr<SizeExpr> left = parseSum();
    if (failed(left) || failed(parser.parseComma()))
      return failure();
    FailureOr<SizeExpr> right = parseSum();
    if (failed(right) || failed(parser.parseRParen()))
      return failure();
    return isMin ? left->min(*right) : left->max(*right);
  }

  AsmParser &parser;
  MLIRContext *context;
  unsigned terms = 0;
};
} // namespace

Attribute SizeExprAttr::parse(AsmParser &parser, Type) {
  if (failed(parser.parseLess()))
    return {};
  FailureOr<SizeExpr> expr = SizeExprParser(parser).parseSum();
  if (failed(expr) || failed(parser.parseGreater()))
    return {};
  return *expr;
}

void SizeExprAttr::print(AsmPrinter &printer) const {
  printer << "<";
  printExpression(printer.getStream());
  printer << ">";
}

//===----------------------------------------------------------------------===//
// #tc.sizes
//===----------------------------------------------------------------------===//

Attribute SizesAttr::parse(AsmParser &parser, Type) {
  SmallVector<SizeExpr> sizes;
  auto parseSize = [&]() -> ParseResult {
    FailureOr<SizeExpr> size = SizeExprParser(parser).parseSum();
    if (failed(size))
      return failure();
    sizes.push_back(*size);
    return success();
  };
  if (failed(parser.parseLess()) ||
      failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                            parseSize)) ||
      failed(parser.parseGreater()))
    return {};
  return SizesAttr::get(parser.getContext(), sizes);
}

void SizesAttr::print(AsmPrinter &printer) const {
  printer << "<[";
  llvm::interleaveComma(getSizes(), printer.getStream(), [&](SizeExpr size) {
    size.printExpression(printer.getStream());
  });
  printer << "]>";
}

AffineMap SizesAttr::getAffineMap() const {
  return AffineMap::getMultiDimIdentityMap(getSizes().size(), getContext());
}

bool SizesAttr::isIdentity() const { return true; }

/// Shared by tensors and memrefs: `sizes` says the same as `shape`.
static LogicalResult verifySizes(ArrayRef<SizeExpr> sizes,
                                 ArrayRef<int64_t> shape,
                                 function_ref<InFlightDiagnostic()> emitError) {
  if (sizes.size() != shape.size())
    return emitError() << "#tc.sizes has " << sizes.size()
                       << " sizes, the type has rank " << shape.size();
  for (auto [index, size, extent] : llvm::enumerate(sizes, shape)) {
    if (ShapedType::isDynamic(extent) == !size.isConstant() &&
        (ShapedType::isDynamic(extent) || size.getValue() == extent))
      continue;
    auto diagnostic = emitError()
                      << "#tc.sizes gives dimension " << index << " the size "
                      << size.str() << ", the type gives it ";
    return ShapedType::isDynamic(extent) ? diagnostic << "'?'"
                                         : diagnostic << extent;
  }
  return success();
}

LogicalResult
SizesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return emitError() << "#tc.sizes on a tensor of constant sizes: remove it";
  return verifySizes(getSizes(), shape, emitError);
}

LogicalResult
SizesAttr::verifyLayout(ArrayRef<int64_t> shape,
                        function_ref<InFlightDiagnostic()> emitError) const {
  return verifySizes(getSizes(), shape, emitError);
}

LogicalResult SizesAttr::getStridesAndOffset(ArrayRef<int64_t> shape,
                                             SmallVectorImpl<int64_t> &strides,
                                             int64_t &offset) const {
  offset = 0;
  strides.assign(shape.size(), 1);
  for (int64_t i = static_cast<int64_t>(shape.size()) - 2; i >= 0; --i) {
    bool dynamic = ShapedType::isDynamic(shape[i + 1]) ||
                   ShapedType::isDynamic(strides[i + 1]) ||
                   llvm::MulOverflow(strides[i + 1], shape[i + 1], strides[i]);
    if (dynamic)
      strides[i] = ShapedType::kDynamic;
  }
  return success();
}

Sizes tc::getSizes(ShapedType type) {
  Attribute holder;
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    holder = tensor.getEncoding();
  else if (auto memref = dyn_cast<MemRefType>(type))
    holder = memref.getLayout();
  if (auto sizes = dyn_cast_or_null<SizesAttr>(holder))
    return Sizes(sizes.getSizes());
  Sizes result;
  for (int64_t extent : type.getShape())
    result.push_back(SizeExpr::constant(type.getContext(), extent));
  return result;
}

bool tc::hasKnownSizes(RankedTensorType type) {
  if (type.hasStaticShape())
    return !type.getEncoding();
  return isa_and_nonnull<SizesAttr>(type.getEncoding());
}

static SmallVector<int64_t> getShape(ArrayRef<SizeExpr> sizes) {
  return llvm::map_to_vector(sizes, [](SizeExpr size) {
    return size.getConstant().value_or(ShapedType::kDynamic);
  });
}

RankedTensorType tc::getTensorType(ArrayRef<SizeExpr> sizes, Type elementType) {
  SmallVector<int64_t> shape = getShape(sizes);
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return RankedTensorType::get(shape, elementType);
  return RankedTensorType::get(shape, elementType,
                               SizesAttr::get(elementType.getContext(), sizes));
}

MemRefType tc::getMemRefType(ArrayRef<SizeExpr> sizes, Type elementType) {
  SmallVector<int64_t> shape = getShape(sizes);
  if (llvm::none_of(shape, ShapedType::isDynamic))
    return MemRefType::get(shape, elementType);
  return MemRefType::get(shape, elementType,
                         SizesAttr::get(elementType.getContext(), sizes));
}

RankedTensorType tc::withElementType(RankedTensorType type, Type elementType) {
  return RankedTensorType::get(type.getShape(), elementType,
                               type.getEncoding());
}

SizeExpr tc::getElementCount(ArrayRef<SizeExpr> sizes, MLIRContext *context) {
  SizeExpr count = SizeExpr::constant(context, 1);
  for (SizeExpr size : sizes)
    count = count.mul(size);
  return count;
}

int64_t tc::getElementBytes(Type elementType) {
  if (auto complex = dyn_cast<ComplexType>(elementType))
    return 2 * getElementBytes(complex.getElementType());
  return llvm::divideCeil(elementType.getIntOrFloatBitWidth(), 8);
}

//===----------------------------------------------------------------------===//
// #tc.symbol, #tc.dim
//===----------------------------------------------------------------------===//

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, int64_t min, int64_t max,
                                 int64_t divisor) {
  if (name.empty())
    return emitError() << "#tc.symbol needs a name";
  // A number from the elements of a tensor may be negative, a size may not.
  if (min > max || (min < 0 && !isDataDependent(name)))
    return emitError() << "#tc.symbol \"" << name << "\" has the range [" << min
                       << ", " << max << "]; expected 0 <= min <= max";
  if (divisor < 1)
    return emitError() << "#tc.symbol \"" << name << "\" has divisor "
                       << divisor << "; expected at least 1";
  return success();
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  std::string name;
  StringRef iterator;
  SMLoc where;
  if (failed(parser.parseLess()) || failed(parser.parseString(&name)) ||
      failed(parser.parseComma()))
    return {};
  where = parser.getCurrentLocation();
  if (failed(parser.parseKeyword(&iterator)))
    return {};
  auto kind = symbolizeIteratorKind(iterator);
  if (!kind)
    return parser.emitError(where, "expected 'parallel' or 'reduced', got '")
               << iterator << "'",
           Attribute();
  if (failed(parser.parseComma()))
    return {};
  FailureOr<SizeExpr> size = SizeExprParser(parser).parseSum();
  if (failed(size) || failed(parser.parseGreater()))
    return {};
  return DimAttr::get(parser.getContext(), name, *kind, *size);
}

void DimAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName() << "\", "
          << stringifyIteratorKind(getIterator()) << ", ";
  getSize().printExpression(printer.getStream());
  printer << ">";
}
