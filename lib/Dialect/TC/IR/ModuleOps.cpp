//===- ModuleOps.cpp - Captured calls, parameters and control flow --------===//

#include "RegionBindings.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// AtenOp
//===----------------------------------------------------------------------===//

LogicalResult AtenOp::verify() {
  int64_t count = getInputs().size();
  WalkResult result = getArguments().walk([&](OperandAttr operand) {
    if (operand.getIndex() >= 0 && operand.getIndex() < count)
      return WalkResult::advance();
    emitOpError("names operand ")
        << operand.getIndex() << " in its arguments; expected one of its "
        << count << " operands";
    return WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    return failure();
  for (int64_t number : getNumbers().value_or(ArrayRef<int64_t>())) {
    if (number < 0 || number >= count)
      return emitOpError("lists operand ")
             << number << " in 'numbers'; expected one of its " << count
             << " operands";
    Type type = getInputs()[number].getType();
    if (cast<RankedTensorType>(type).getRank() != 0)
      return emitOpError("lists operand ")
             << number << " of type " << type
             << " in 'numbers'; expected a tensor without dimensions";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// ParameterSourceOp
//===----------------------------------------------------------------------===//

LogicalResult ParameterSourceOp::verify() {
  auto type = dyn_cast<RankedTensorType>(getType());
  if (!type || !type.hasStaticShape())
    return emitOpError("expects a tensor type of constant sizes, but it is ")
           << getType();
  if (static_cast<int64_t>(getOffset()) < 0)
    return emitOpError("expects 'offset' of at least 0, but it is ")
           << static_cast<int64_t>(getOffset());
  if (std::optional<ArrayRef<int64_t>> strides = getStrides()) {
    if (static_cast<int64_t>(strides->size()) != type.getRank())
      return emitOpError("expects 'strides' to have ")
             << type.getRank() << " entries, but it has " << strides->size();
    for (int64_t stride : *strides)
      if (stride < 0)
        return emitOpError("expects entries of 'strides' of at least 0, but "
                           "one is ")
               << stride;
  }
  StringRef role = getRole();
  if (role != "parameter" && role != "buffer" && role != "constant")
    return emitOpError("expects 'role' to be parameter, buffer or constant, "
                       "but it is \"")
           << role << "\"";
  return success();
}

//===----------------------------------------------------------------------===//
// ParameterOp
//===----------------------------------------------------------------------===//

/// The type that a parameter is declared with; null for another symbol.
static Type getDeclaredType(Operation *declaration) {
  if (auto source = dyn_cast_or_null<ParameterSourceOp>(declaration))
    return source.getType();
  if (auto prepared = dyn_cast_or_null<PreparedOp>(declaration))
    return prepared.getType();
  return Type();
}

LogicalResult
ParameterOp::verifySymbolUses(SymbolTableCollection &symbolTable) {
  Operation *source =
      symbolTable.lookupNearestSymbolFrom(*this, getSourceAttr());
  Type declared = getDeclaredType(source);
  if (!declared)
    return emitOpError("expects a tc.parameter_source or tc.prepared named ")
           << getSourceAttr() << " in the module";
  auto function = (*this)->getParentOfType<func::FuncOp>();
  if (isa<PreparedOp>(source) && function &&
      function.getSymName() == kPrepareFunction)
    return emitOpError("reads ")
           << getSourceAttr() << " in @" << kPrepareFunction
           << ", which computes it; expected a tc.parameter_source";
  Type asTensor = getType();
  if (auto buffer = dyn_cast<MemRefType>(asTensor))
    asTensor = getTensorType(getSizes(buffer), buffer.getElementType());
  if (declared == asTensor)
    return success();
  InFlightDiagnostic error = emitOpError("expects the type of its source, ")
                             << declared << ", but it is " << getType();
  error.attachNote(source->getLoc()) << "the source is declared here";
  return error;
}

//===----------------------------------------------------------------------===//
// GuardOp
//===----------------------------------------------------------------------===//

namespace {
/// What a kind of guard needs.
struct GuardNeeds {
  unsigned fewestInputs, mostInputs;
  /// Names of the attributes that must be there.
  SmallVector<StringRef, 3> attributes;
};
} // namespace

static GuardNeeds getNeeds(GuardKind kind) {
  switch (kind) {
  case GuardKind::Rank:
  case GuardKind::DType:
  case GuardKind::Device:
    return {1, 1, {"value"}};
  case GuardKind::SizeEqual:
  case GuardKind::Stride:
    return {1, 1, {"dim", "expr"}};
  case GuardKind::SizeRange:
    return {1, 1, {"dim", "min", "max"}};
  case GuardKind::SizeMultiple:
    return {1, 1, {"dim", "divisor"}};
  case GuardKind::Contiguous:
    return {1, 1, {}};
  case GuardKind::Alignment:
    return {1, 1, {"divisor"}};
  case GuardKind::Scalar:
    return {0, 1, {}};
  case GuardKind::NoAlias:
    return {2, 2, {}};
  case GuardKind::Identity:
    return {0, 1, {}};
  }
  llvm_unreachable("a guard kind without a row");
}

/// Checks that `value` is of the kind of attribute that the guard compares.
static LogicalResult verifyGuardValue(GuardOp guard) {
  Attribute value = guard.getValueAttr();
  switch (guard.getKind()) {
  case GuardKind::Rank:
    if (!isa<IntegerAttr>(value))
      return guard.emitOpError("expects 'value' to be an integer, but it is ")
             << value;
    return success();
  case GuardKind::DType:
    if (!isa<TypeAttr>(value))
      return guard.emitOpError("expects 'value' to be a type, but it is ")
             << value;
    return success();
  case GuardKind::Device:
    if (!isa<StringAttr>(value))
      return guard.emitOpError("expects 'value' to be a string, but it is ")
             << value;
    return success();
  case GuardKind::Scalar:
    if (!value && !guard.getExprAttr())
      return guard.emitOpError("expects attribute 'value' or 'expr' for kind "
                               "scalar");
    return success();
  default:
    return success();
  }
}

LogicalResult GuardOp::verify() {
  GuardNeeds needs = getNeeds(getKind());
  StringRef kind = stringifyGuardKind(getKind());
  size_t inputs = getInputs().size();
  if (inputs < needs.fewestInputs || inputs > needs.mostInputs)
    return emitOpError("expects ")
           << (needs.fewestInputs < needs.mostInputs ? "at most " : "")
           << needs.mostInputs << " operands for kind " << kind
           << ", but it has " << inputs;
  for (StringRef name : needs.attributes)
    if (!(*this)->getAttr(name))
      return emitOpError("expects attribute '")
             << name << "' for kind " << kind;
  if (failed(verifyGuardValue(*this)))
    return failure();
  if (std::optional<uint64_t> dim = getDim(); dim && !getInputs().empty()) {
    int64_t rank = cast<ShapedType>(getInputs()[0].getType()).getRank();
    int64_t signedDim = *dim;
    if (signedDim < 0 || signedDim >= rank)
      return emitOpError("expects 'dim' in [0, ")
             << rank << "), but it is " << signedDim;
  }
  if (getMin() && getMax()) {
    int64_t min = *getMin(), max = *getMax();
    if (min > max)
      return emitOpError("expects 'min' of at most 'max', ")
             << max << ", but it is " << min;
  }
  if (std::optional<uint64_t> divisor = getDivisor()) {
    int64_t value = *divisor;
    if (value < 1)
      return emitOpError("expects 'divisor' of at least 1, but it is ")
             << value;
    if (getKind() == GuardKind::Alignment && !llvm::isPowerOf2_64(value))
      return emitOpError("expects 'divisor' to be a power of two for kind "
                         "alignment, but it is ")
             << value;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// SizeGuardOp
//===----------------------------------------------------------------------===//

SizePrecondition SizeGuardOp::getPrecondition() {
  return {getSubject().str(), getValue(),
          getRelation(),      getReference().value_or("").str(),
          getBound(),         getWhere().value_or(SizeExpr())};
}

//===----------------------------------------------------------------------===//
// IfOp
//===----------------------------------------------------------------------===//

LogicalResult IfOp::verify() {
  if (hasBufferSemantics() && getNumResults() != 0)
    return emitOpError("has a condition on a buffer and ")
           << getNumResults() << " results; expected none";
  std::pair<StringRef, Region *> regions[] = {{"then", &getThenRegion()},
                                              {"else", &getElseRegion()}};
  for (auto [name, region] : regions) {
    auto yield = cast<YieldOp>(region->front().getTerminator());
    if (yield.getOperandTypes() == getResultTypes())
      continue;
    InFlightDiagnostic error = emitOpError("expects the ")
                               << name << " region to yield ("
                               << getResultTypes() << "), but it yields ("
                               << yield.getOperandTypes() << ")";
    error.attachNote(yield.getLoc()) << "yielded here";
    return error;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// WhileOp
//===----------------------------------------------------------------------===//

void WhileOp::build(OpBuilder &builder, OperationState &state,
                    ValueRange initial) {
  state.addOperands(initial);
  state.addTypes(initial.getTypes());
  for (unsigned region = 0; region < 2; ++region) {
    Block &block = state.addRegion()->emplaceBlock();
    for (Value value : initial)
      block.addArgument(value.getType(), value.getLoc());
  }
}

YieldOp WhileOp::getConditionYield() {
  return cast<YieldOp>(getConditionBlock().getTerminator());
}

YieldOp WhileOp::getBodyYield() {
  return cast<YieldOp>(getBodyBlock().getTerminator());
}

bool WhileOp::hasBufferSemantics() {
  TypeRange yielded = getConditionYield().getOperandTypes();
  return yielded.size() == 1 && isa<MemRefType>(yielded.front());
}

/// `carry(%a = %x : type, ...) {...} do(%b, ...) {...}`
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::Argument> arguments, inBody;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SMLoc where = parser.getCurrentLocation();
  Region *condition = result.addRegion(), *body = result.addRegion();
  if (failed(parseBindings(parser, "carry", arguments, operands)) ||
      failed(parser.parseOptionalAttrDictWithKeyword(result.attributes)))
    return failure();
  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &a) { return a.type; });
  result.addTypes(types);
  if (failed(parser.resolveOperands(operands, types, where, result.operands)) ||
      failed(parser.parseRegion(*condition, arguments)) ||
      failed(parser.parseKeyword("do")))
    return failure();
  where = parser.getCurrentLocation();
  if (failed(parser.parseArgumentList(inBody,
                                      OpAsmParser::Delimiter::OptionalParen)))
    return failure();
  if (inBody.size() != types.size())
    return parser.emitError(where, "expected ")
           << types.size() << " names of carried values after 'do', but found "
           << inBody.size();
  for (auto [argument, type] : llvm::zip_equal(inBody, types))
    argument.type = type;
  if (failed(parser.parseRegion(*body, inBody)))
    return failure();
  ensureTerminator(*condition, parser.getBuilder(), result.location);
  ensureTerminator(*body, parser.getBuilder(), result.location);
  return success();
}

void WhileOp::print(OpAsmPrinter &printer) {
  printBindings(printer, "carry", getConditionBlock().getArguments(),
                getInitial());
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " ";
  printer.printRegion(getCondition(), /*printEntryBlockArgs=*/false);
  printer << " do";
  if (!getInitial().empty()) {
    printer << "(";
    printer.printOperands(getBodyBlock().getArguments());
    printer << ")";
  }
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

/// One bool without dimensions, in a tensor or in memory.
static bool isCondition(TypeRange types) {
  auto type =
      types.size() == 1 ? dyn_cast<ShapedType>(types.front()) : ShapedType();
  return type && type.hasRank() && type.getRank() == 0 &&
         type.getElementType().isInteger(1);
}

LogicalResult WhileOp::verify() {
  TypeRange carried = getInitial().getTypes();
  if (carried != getResultTypes())
    return emitOpError("carries (") << carried << "), but has results of type ("
                                    << getResultTypes() << ")";
  std::pair<StringRef, Block *> blocks[] = {{"condition", &getConditionBlock()},
                                            {"body", &getBodyBlock()}};
  for (auto [name, block] : blocks)
    if (block->getArgumentTypes() != carried)
      return emitOpError("expects the ")
             << name << " region to have arguments of type (" << carried
             << "), but it has (" << TypeRange(block->getArgumentTypes())
             << ")";
  if (TypeRange yielded = getConditionYield().getOperandTypes();
      !isCondition(yielded)) {
    InFlightDiagnostic error =
        emitOpError("expects the condition region to yield one i1 without "
                    "dimensions, but it yields (")
        << yielded << ")";
    error.attachNote(getConditionYield().getLoc()) << "yielded here";
    return error;
  }
  if (hasBufferSemantics() && !carried.empty())
    return emitOpError("has a condition on a buffer and carries ")
           << carried.size() << " values; expected none";
  if (TypeRange yielded = getBodyYield().getOperandTypes();
      yielded != carried) {
    InFlightDiagnostic error = emitOpError("expects the body region to yield (")
                               << carried << "), but it yields (" << yielded
                               << ")";
    error.attachNote(getBodyYield().getLoc()) << "yielded here";
    return error;
  }
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ModuleOps.cpp.inc"
