//===- KernelOps.cpp - Kernels in normal form -----------------------------===//

#include "RegionBindings.h"
#include "ScanKinds.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// tc.kernel: text
//===----------------------------------------------------------------------===//

void KernelOp::build(OpBuilder &builder, OperationState &state, StringRef name,
                     KernelClass kernelClass, ArrayRef<DimAttr> dims,
                     ValueRange ins, ValueRange outs) {
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.name = builder.getStringAttr(name);
  properties.kernelClass =
      KernelClassAttr::get(builder.getContext(), kernelClass);
  properties.dims =
      builder.getArrayAttr(SmallVector<Attribute>(dims.begin(), dims.end()));
  properties.symbols = builder.getArrayAttr({});
  properties.operandSegmentSizes = {static_cast<int32_t>(ins.size()),
                                    static_cast<int32_t>(outs.size()),
                                    /*workspace=*/0};
  state.addOperands(ins);
  state.addOperands(outs);
  for (Value out : outs)
    if (isa<RankedTensorType>(out.getType()))
      state.addTypes(out.getType());
  Block *body = &state.addRegion()->emplaceBlock();
  for (Value operand :
       llvm::concat<Value>(SmallVector<Value>(ins), SmallVector<Value>(outs)))
    body->addArgument(operand.getType(), operand.getLoc());
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Properties &properties = result.getOrAddProperties<Properties>();
  Builder &builder = parser.getBuilder();
  StringRef className;
  SMLoc where;
  if (failed(parser.parseAttribute(properties.name)))
    return failure();
  where = parser.getCurrentLocation();
  if (failed(parser.parseKeyword(&className)))
    return failure();
  auto kernelClass = symbolizeKernelClass(className);
  if (!kernelClass)
    return parser.emitError(where, "no kernel class is named '")
           << className << "'";
  properties.kernelClass =
      KernelClassAttr::get(builder.getContext(), *kernelClass);
  properties.symbols = builder.getArrayAttr({});
  if (failed(parser.parseKeyword("dims")) ||
      failed(parser.parseAttribute(properties.dims)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("symbols")) &&
      failed(parser.parseAttribute(properties.symbols)))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("schedule")) &&
      failed(parser.parseAttribute(properties.schedule)))
    return failure();

  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  if (failed(parseBindings(parser, "ins", arguments, operands)))
    return failure();
  int32_t numIns = operands.size();
  SMLoc operandsLoc = parser.getCurrentLocation();
  if (failed(parseBindings(parser, "outs", arguments, operands)))
    return failure();
  int32_t numBuffers = operands.size();
  if (failed(parseBindings(parser, "workspace", arguments, operands)) ||
      failed(parser.parseOptionalAttrDictWithKeyword(result.attributes)))
    return failure();
  int32_t numWorkspaces = static_cast<int32_t>(operands.size()) - numBuffers;
  if (numWorkspaces > 1)
    return parser.emitError(operandsLoc,
                            "expected one workspace, but there are ")
           << numWorkspaces;
  properties.operandSegmentSizes = {numIns, numBuffers - numIns, numWorkspaces};

  SmallVector<Type> types = llvm::map_to_vector(
      arguments, [](OpAsmParser::Argument &a) { return a.type; });
  if (failed(parser.resolveOperands(operands, types, operandsLoc,
                                    result.operands)))
    return failure();
  for (Type type : ArrayRef<Type>(types).slice(numIns, numBuffers - numIns))
    if (isa<RankedTensorType>(type))
      result.addTypes(type);
  Region *body = result.addRegion();
  if (failed(parser.parseRegion(*body, arguments)))
    return failure();
  if (body->empty())
    body->emplaceBlock();
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printer << " " << getNameAttr() << " "
          << stringifyKernelClass(getKernelClass()) << " dims "
          << getDimsAttr();
  if (!getSymbols().empty())
    printer << " symbols " << getSymbolsAttr();
  if (getSchedule())
    printer << " schedule " << *getSchedule();
  ValueRange arguments = getBodyBlock().getArguments();
  printBindings(printer, "ins", arguments.take_front(getIns().size()),
                getIns());
  printBindings(printer, "outs",
                arguments.slice(getIns().size(), getOuts().size()), getOuts());
  printBindings(printer, "workspace",
                arguments.drop_front(getIns().size() + getOuts().size()),
                getOperands().take_back(getWorkspace() ? 1 : 0));
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"name", "kernelClass", "dims", "symbols",
                            "schedule", "operandSegmentSizes"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false,
                      /*printBlockTerminators=*/false);
}

void KernelOp::addWorkspace(Value workspace) {
  getWorkspaceMutable().assign(workspace);
  getBodyBlock().addArgument(workspace.getType(), workspace.getLoc());
}

//===----------------------------------------------------------------------===//
// tc.kernel: verification
//===----------------------------------------------------------------------===//

LogicalResult KernelOp::verify() {
  llvm::StringSet<> names;
  for (Attribute attribute : getDims()) {
    auto dim = dyn_cast<DimAttr>(attribute);
    if (!dim)
      return emitOpError("has the dimension ")
             << attribute << "; expected a #tc.dim";
    if (!names.insert(dim.getName()).second)
      return emitOpError("has two dimensions named '") << dim.getName() << "'";
    if (std::optional<int64_t> size = dim.getSize().getConstant();
        size && *size < 0)
      return emitOpError("has a dimension '")
             << dim.getName() << "' of size " << *size
             << "; expected at least 0";
  }
  llvm::DenseSet<Attribute> symbols;
  for (unsigned index = 0; index < getSymbols().size(); ++index) {
    if (getSymbol(index).isConstant())
      return emitOpError("has the affine symbol ")
             << getSymbol(index).str()
             << "; expected a size expression that is no constant";
    if (!symbols.insert(getSymbol(index)).second)
      return emitOpError("has the affine symbol ")
             << getSymbol(index).str() << " twice; expected it once";
  }
  if (getBody().empty() || getBodyBlock().getNumArguments() != getNumOperands())
    return emitOpError("has ")
           << (getBody().empty() ? 0 : getBodyBlock().getNumArguments())
           << " body arguments; expected one for each of its "
           << getNumOperands() << " operands";
  bool hasTensor = false, hasMemRef = false;
  for (auto [argument, operand] :
       llvm::zip_equal(getBodyBlock().getArguments(), getOperands())) {
    if (argument.getType() != operand.getType())
      return emitOpError("binds an operand of type ")
             << operand.getType() << " to an argument of type "
             << argument.getType();
    (isa<MemRefType>(operand.getType()) ? hasMemRef : hasTensor) = true;
  }
  if (hasTensor && hasMemRef)
    return emitOpError("mixes tensors and memrefs; expected either");
  size_t expected = hasMemRef ? 0 : getOuts().size();
  if (getNumResults() != expected)
    return emitOpError("has ")
           << getNumResults() << " results; expected " << expected;
  for (auto [result, out] : llvm::zip(getResults(), getOuts()))
    if (result.getType() != out.getType())
      return emitOpError("has a result of type ")
             << result.getType() << " for an out of type " << out.getType();
  for (int64_t input : getWritesOverInput().value_or(ArrayRef<int64_t>()))
    if (input < 0 || input >= static_cast<int64_t>(getIns().size()))
      return emitOpError("lists input ")
             << input << " in 'writes_over_input'; expected one of its "
             << getIns().size() << " inputs";
  if (getSchedule() && failed(getSchedule()->verifyFor(*this)))
    return failure();
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  for (Operation &op : getBodyBlock())
    if (!isa<ReadOp, WriteOp, DimIndexOp, WithinOp, ScalarOp, SizeScalarOp,
             ReduceStageOp, ContractStageOp, ScanStageOp, SortStageOp,
             RoutineStageOp, AttentionBackwardStageOp, ElementwiseOpInterface>(
            op))
      return op.emitOpError("is no stage of a tc.kernel; expected an access, a "
                            "pointwise op on scalars, or a stage");
  KernelDims dims(*this);
  for (unsigned index = 0; index < getNumDims(); ++index) {
    bool parallel = getDim(index).getIterator() == IteratorKind::Parallel;
    if (parallel != dims.written().test(index))
      return emitOpError("calls dimension '")
             << getDim(index).getName() << "' "
             << stringifyIteratorKind(getDim(index).getIterator()) << ", but "
             << (parallel ? "no" : "a") << " tc.write varies over it";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// The kernel around a body op; the parent may be missing while parsing.
static KernelOp getKernel(Operation *op) {
  return dyn_cast_or_null<KernelOp>(op->getParentOp());
}

/// The corners of the domain are points of it: at each, result `position` of
/// the map is an index into the buffer. Left to the interpreter are results
/// that depend on values or on sizes known only at run time, and accesses that
/// use a dimension which may have no points.
static LogicalResult verifyInside(Operation *op, AffineMap map,
                                  unsigned position, int64_t size) {
  constexpr unsigned kMaxDims = 6; // of which one result is a function
  KernelOp kernel = getKernel(op);
  AffineExpr index = map.getResult(position);
  SmallVector<std::pair<unsigned, int64_t>> used; // dimension, last point
  for (unsigned dim = 0; dim < map.getNumDims(); ++dim) {
    std::optional<int64_t> points;
    if (dim < kernel.getNumDims())
      points = kernel.getDimSize(dim).getConstant();
    bool isUsed = index.isFunctionOfDim(dim);
    if (points == 0 || (!points && map.isFunctionOfDim(dim)))
      return success();
    if (isUsed)
      used.emplace_back(dim, *points - 1);
  }
  if (used.size() > kMaxDims)
    return success();
  MLIRContext *context = op->getContext();
  SmallVector<AffineExpr> point(map.getNumDims(),
                                getAffineConstantExpr(0, context));
  for (unsigned corner = 0; corner < 1u << used.size(); ++corner) {
    for (auto [bit, end] : llvm::enumerate(used))
      point[end.first] =
          getAffineConstantExpr(corner >> bit & 1 ? end.second : 0, context);
    auto value = dyn_cast<AffineConstantExpr>(index.replaceDims(point));
    if (!value || (value.getValue() >= 0 && value.getValue() < size))
      continue;
    return op->emitOpError("has index ")
           << value.getValue() << " for dimension " << position
           << " of a buffer, of size " << size
           << ", at a corner of the kernel's domain; expected 0 to "
           << size - 1;
  }
  return success();
}

static LogicalResult verifyAccess(Operation *op, Value buffer, Type element,
                                  AffineMap map, size_t numIndices,
                                  std::optional<IntegerSet> within) {
  KernelOp kernel = getKernel(op);
  auto type = cast<ShapedType>(buffer.getType());
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != op->getBlock())
    return op->emitOpError(
        "accesses a value that is no argument of the kernel");
  if (argument == kernel.getWorkspaceArgument())
    return op->emitOpError("accesses the workspace of the kernel; expected an "
                           "input or an output");
  if (type.getElementType() != element)
    return op->emitOpError("accesses elements of ")
           << type.getElementType() << " as " << element;
  size_t expectedDims = kernel.getNumDims() + numIndices;
  if (map.getNumDims() != expectedDims ||
      static_cast<int64_t>(map.getNumResults()) != type.getRank())
    return op->emitOpError("has a map of ")
           << map.getNumDims() << " dimensions and " << map.getNumResults()
           << " results; expected " << expectedDims
           << " (the kernel's dimensions and the indices) and "
           << type.getRank() << " (the buffer's rank)";
  if (map.getNumSymbols() > kernel.getSymbols().size())
    return op->emitOpError("has a map of ")
           << map.getNumSymbols() << " symbols; the kernel has "
           << kernel.getSymbols().size();
  if (within && within->getNumDims() != kernel.getNumDims())
    return op->emitOpError("has a set of ")
           << within->getNumDims() << " dimensions; the kernel has "
           << kernel.getNumDims();
  for (unsigned position = 0; !within && position < map.getNumResults();
       ++position)
    if (!type.isDynamicDim(position) &&
        failed(verifyInside(op, map, position, type.getDimSize(position))))
      return failure();
  return success();
}

LogicalResult ReadOp::verify() {
  return verifyAccess(*this, getSource(), getResult().getType(), getMap(),
                      getIndices().size(), getWithin());
}

LogicalResult WriteOp::verify() {
  return verifyAccess(*this, getDestination(), getValue().getType(), getMap(),
                      getIndices().size(), getWithin());
}

LogicalResult DimIndexOp::verify() {
  KernelOp kernel = getKernel(*this);
  if (getMap().getNumDims() == kernel.getNumDims() &&
      getMap().getNumResults() == 1)
    return success();
  return emitOpError("has a map of ")
         << getMap().getNumDims() << " dimensions and "
         << getMap().getNumResults() << " results; expected "
         << kernel.getNumDims() << " and 1";
}

LogicalResult WithinOp::verify() {
  KernelOp kernel = getKernel(*this);
  if (getSet().getNumDims() == kernel.getNumDims())
    return success();
  return emitOpError("has a set of ")
         << getSet().getNumDims() << " dimensions; the kernel has "
         << kernel.getNumDims();
}

OpFoldResult ScalarOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

/// `over` are distinct dimensions of the kernel.
static LogicalResult verifyOver(Operation *op, ArrayRef<int64_t> over) {
  int64_t rank = getKernel(op).getNumDims();
  DimSet seen(rank);
  for (int64_t dim : over) {
    if (dim < 0 || dim >= rank || seen.test(dim))
      return op->emitOpError("is over [")
             << over << "]; expected distinct dimensions below " << rank;
    seen.set(dim);
  }
  return success();
}

LogicalResult ReduceStageOp::verify() {
  if (failed(verifyOver(*this, getOver())))
    return failure();
  Type value = getValue().getType(), index = IntegerType::get(getContext(), 64);
  SmallVector<Type> expected{value};
  if (getKind() == ReductionKind::ArgMax || getKind() == ReductionKind::ArgMin)
    expected.push_back(index);
  if (getKind() == ReductionKind::Welford)
    expected.push_back(value);
  if (TypeRange(getResultTypes()) == TypeRange(expected))
    return success();
  return emitOpError("of kind ")
         << stringifyReductionKind(getKind()) << " has results "
         << getResultTypes() << "; expected " << TypeRange(expected);
}

LogicalResult ContractStageOp::verify() {
  if (failed(verifyOver(*this, getOver())))
    return failure();
  Type lhs = getLhs().getType(), rhs = getRhs().getType(),
       expected = KernelBuilder::getComputeType(lhs);
  if ((lhs == rhs || (isFloat8Type(lhs) && isFloat8Type(rhs))) &&
      getResult().getType() == expected)
    return success();
  return emitOpError("multiplies ")
         << lhs << " and " << rhs << " to " << getResult().getType()
         << "; expected equal operands and the result " << expected;
}

LogicalResult ScanStageOp::verify() {
  if (failed(verifyScanKind(*this, getKind())))
    return failure();
  int64_t along = getAlong();
  return verifyOver(*this, along);
}

LogicalResult SortStageOp::verify() {
  int64_t along = getAlong();
  if (getSorted().getType() != getValue().getType())
    return emitOpError("sorts ")
           << getValue().getType() << " to " << getSorted().getType();
  return verifyOver(*this, along);
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult OutputBufferOp::verify() {
  auto argument = dyn_cast_or_null<BlockArgument>(getOver());
  auto function = dyn_cast<FunctionOpInterface>((*this)->getParentOp());
  if (getOver() && (!argument || !function ||
                    argument.getOwner()->getParentOp() != function))
    return emitOpError("is over a value that is computed; expected an argument "
                       "of the function");
  std::optional<int64_t> number = getMayOverwrite();
  if (number && function &&
      (*number < 0 || *number >= int64_t(function.getNumArguments())))
    return emitOpError("may overwrite argument ")
           << *number << "; expected one of " << function.getNumArguments();
  return success();
}

LogicalResult BufferReshapeOp::verify() {
  auto bytesOf = [](Type type) {
    auto buffer = cast<MemRefType>(type);
    return getElementCount(getSizes(buffer), buffer.getContext())
        .mul(getElementBytes(buffer.getElementType()));
  };
  SizeExpr bytes = bytesOf(getX().getType()), shown = bytesOf(getType());
  // Sizes in symbols may be equal for reasons that are not in the types.
  if (bytes.sub(shown).getConstant().value_or(0) == 0)
    return success();
  return emitOpError("shows ")
         << bytes.str() << " bytes of type " << getX().getType() << " as "
         << shown.str() << " bytes of type " << getType()
         << "; expected equally many";
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/KernelOps.cpp.inc"
