//===- TCAttributes.cpp - Attributes of the tc dialect --------------------===//

#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

#include "TC/Dialect/TC/IR/TCEnums.cpp.inc"

#include "TC/Dialect/TC/IR/TCAttrInterfaces.cpp.inc"

/// The fields of a #tc.symbol that it need not have, in any order.
static ParseResult parseSymbolRest(AsmParser &parser, int64_t &divisor,
                                   int64_t &likely) {
  divisor = 1;
  likely = 0;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef name;
    auto location = parser.getCurrentLocation();
    if (parser.parseKeyword(&name))
      return failure();
    if (name != "divisor" && name != "likely")
      return parser.emitError(location)
             << "expected 'divisor' or 'likely', found '" << name << "'";
    if (parser.parseEqual() ||
        parser.parseInteger(name == "divisor" ? divisor : likely))
      return failure();
  }
  return success();
}

static void printSymbolRest(AsmPrinter &printer, int64_t divisor,
                            int64_t likely) {
  if (divisor != 1)
    printer << ", divisor = " << divisor;
  if (likely != 0)
    printer << ", likely = " << likely;
}

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
/// product := atom (('*'|'floordiv'|'mod') atom)*. How deep operators are
/// nested has a limit, as everything that reads an expression goes down into
/// its parts, and so has their number.
class SizeExprParser {
public:
  explicit SizeExprParser(AsmParser &parser)
      : parser(parser), context(parser.getContext()) {}

  FailureOr<SizeExpr> parseSum() {
    SmallVector<SizeExpr> terms;
    unsigned deepest = 0;
    bool minus = false;
    while (true) {
      FailureOr<SizeExpr> term = parseProduct();
      if (failed(term) || failed(count(deepest = std::max(deepest, depth))))
        return failure();
      terms.push_back(minus ? term->mul(-1) : *term);
      minus = false;
      if (failed(parser.parseOptionalPlus())) {
        if (failed(parser.parseOptionalMinus()))
          break;
        minus = true;
      }
    }
    // By halves, so that each term is copied the logarithm of their number of
    // times.
    for (; terms.size() > 1; terms.resize((terms.size() + 1) / 2))
      for (size_t i = 0; i < terms.size() / 2; ++i)
        terms[i] = terms[i].add(terms[terms.size() - 1 - i]);
    return terms.front();
  }

private:
  /// Counts a term, a factor or a pair of parentheses, with what it holds as
  /// deep as `nested`.
  LogicalResult count(unsigned nested) {
    constexpr unsigned kMostNested = 1000, kMost = 10000;
    depth = nested;
    if (depth <= kMostNested && ++operators <= kMost)
      return success();
    return parser.emitError(parser.getCurrentLocation(),
                            "expected a size of at most ")
           << kMost << " operators and parentheses, " << kMostNested
           << " of them nested";
  }

  /// What parentheses or a sign hold, `parse` says how.
  FailureOr<SizeExpr>
  parseNested(FailureOr<SizeExpr> (SizeExprParser::*parse)()) {
    // The parser itself goes down too.
    if (failed(count(++open)))
      return failure();
    FailureOr<SizeExpr> inner = (this->*parse)();
    --open;
    if (failed(inner) || failed(count(depth + 1)))
      return failure();
    return inner;
  }

  FailureOr<SizeExpr> parseProduct() {
    FailureOr<SizeExpr> left = parseAtom();
    while (succeeded(left)) {
      bool star = succeeded(parser.parseOptionalStar());
      bool div = !star && succeeded(parser.parseOptionalKeyword("floordiv"));
      if (!star && !div && failed(parser.parseOptionalKeyword("mod")))
        return left;
      unsigned before = depth;
      FailureOr<SizeExpr> right = parseAtom();
      if (failed(right) || failed(count(std::max(before, depth) + !star)))
        return failure();
      left = star  ? left->mul(*right)
             : div ? left->floorDiv(*right)
                   : left->mod(*right);
    }
    return left;
  }

  FailureOr<SizeExpr> parseAtom() {
    if (succeeded(parser.parseOptionalLParen())) {
      FailureOr<SizeExpr> inner = parseNested(&SizeExprParser::parseSum);
      if (failed(inner) || failed(parser.parseRParen()))
        return failure();
      return inner;
    }
    if (succeeded(parser.parseOptionalMinus())) {
      FailureOr<SizeExpr> inner = parseNested(&SizeExprParser::parseAtom);
      if (failed(inner))
        return failure();
      return inner->mul(-1);
    }
    depth = 0;
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
    FailureOr<SizeExpr> left = parseNested(&SizeExprParser::parseSum);
    if (failed(left) || failed(parser.parseComma()))
      return failure();
    unsigned before = depth;
    FailureOr<SizeExpr> right = parseNested(&SizeExprParser::parseSum);
    if (failed(right) || failed(count(std::max(before, depth))) ||
        failed(parser.parseRParen()))
      return failure();
    return isMin ? left->min(*right) : left->max(*right);
  }

  AsmParser &parser;
  MLIRContext *context;
  unsigned operators = 0; ///< and parentheses, of the whole size
  unsigned depth = 0;     ///< of what was parsed last
  unsigned open = 0;      ///< parentheses and signs around the place
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

//===----------------------------------------------------------------------===//
// #tc.symbol, #tc.dim
//===----------------------------------------------------------------------===//

LogicalResult SymbolAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, int64_t min, int64_t max,
                                 int64_t divisor, int64_t likely) {
  if (name.empty())
    return emitError() << "#tc.symbol needs a name";
  // A number from the elements of a tensor may be negative, a size may not.
  if (min > max || (min < 0 && !isDataDependent(name)))
    return emitError() << "#tc.symbol \"" << name << "\" has the range [" << min
                       << ", " << max << "]; expected 0 <= min <= max";
  if (divisor < 1)
    return emitError() << "#tc.symbol \"" << name << "\" has divisor "
                       << divisor << "; expected at least 1";
  if (likely != 0 && (likely < min || likely > max))
    return emitError() << "#tc.symbol \"" << name << "\" has likely " << likely
                       << "; expected a value from " << min << " to " << max
                       << ", or 0 for none";
  return success();
}

SmallVector<SizeExpr> TensorMapAttr::getElementStrides() const {
  if (SizesAttr strides = getStrides())
    return llvm::to_vector(strides.getSizes());
  ArrayRef<SizeExpr> sizes = getSizes().getSizes();
  SmallVector<SizeExpr> strides(sizes.size(),
                                SizeExpr::constant(getContext(), 1));
  for (size_t dim = sizes.size() - 1; dim > 0; --dim)
    strides[dim - 1] = strides[dim].mul(sizes[dim]);
  return strides;
}

LogicalResult WindowAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 DenseI64ArrayAttr lower,
                                 DenseI64ArrayAttr upper,
                                 DenseI64ArrayAttr steps) {
  // The driver has 16 bits for the corners of all dimensions together.
  constexpr int64_t kMostDims = 3, kCornerBits = 16, kMostStep = 8;
  const int64_t rank = lower.size();
  if (rank < 1 || rank > kMostDims || upper.size() != rank ||
      steps.size() != rank)
    return emitError() << "#tc.window has " << rank << " lower and "
                       << upper.size() << " upper places and " << steps.size()
                       << " steps; expected equally many, 1 to " << kMostDims;
  const int64_t end = int64_t(1) << (kCornerBits / rank - 1);
  for (int64_t place :
       llvm::concat<const int64_t>(lower.asArrayRef(), upper.asArrayRef()))
    if (place < -end || place >= end)
      return emitError() << "#tc.window has place " << place << "; expected "
                         << -end << " to " << end - 1;
  for (int64_t step : steps.asArrayRef())
    if (step < 1 || step > kMostStep)
      return emitError() << "#tc.window has step " << step << "; expected 1 to "
                         << kMostStep;
  return success();
}

/// Verifies the box and the rank of a tensor map.
static LogicalResult verifyBox(function_ref<InFlightDiagnostic()> emitError,
                               size_t rank, size_t strides,
                               ArrayRef<int64_t> box, WindowAttr window) {
  constexpr int64_t kLargestBox = 256;
  const size_t extents = window ? 2 : rank;
  if (box.size() != extents || strides != rank)
    return emitError() << "#tc.tensor_map has " << rank << " sizes, " << strides
                       << " strides and a box of " << box.size()
                       << "; expected as many strides and a box of " << extents;
  if (window && size_t(window.getRank()) + 2 != rank)
    return emitError() << "#tc.tensor_map has " << rank
                       << " sizes and a window of " << window.getRank()
                       << " dimensions; expected " << rank - 2;
  for (int64_t extent : box)
    if (extent < 1 || extent > kLargestBox)
      return emitError() << "#tc.tensor_map has a box of " << extent
                         << " elements along a dimension; expected 1 to "
                         << kLargestBox;
  return success();
}

LogicalResult
TensorMapAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                      int64_t buffer, SizesAttr sizes, SizesAttr strides,
                      DenseI64ArrayAttr box, int64_t swizzle, bool, bool,
                      WindowAttr window) {
  constexpr size_t kMostDims = 5;
  size_t rank = sizes.getSizes().size();
  if (rank < 1 || rank > kMostDims)
    return emitError() << "#tc.tensor_map has " << rank
                       << " sizes; expected 1 to " << kMostDims;
  if (failed(verifyBox(emitError, rank,
                       strides ? strides.getSizes().size() : rank,
                       box.asArrayRef(), window)))
    return failure();
  for (SizeExpr size : sizes.getSizes())
    if (size.getConstant().value_or(1) < 1)
      return emitError() << "#tc.tensor_map has size " << size.str()
                         << "; expected at least 1";
  if (strides && !strides.getSizes().back().isConstant(1))
    return emitError() << "#tc.tensor_map has stride "
                       << strides.getSizes().back().str()
                       << " along its innermost dimension; expected 1";
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "#tc.tensor_map has a swizzle of " << swizzle
                       << " bytes; expected 0, 32, 64 or 128";
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
