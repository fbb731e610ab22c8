//===- RoutineOps.cpp - Factorisations and Fourier transforms -------------===//

#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"
#include "TypeInference.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// RoutineOp
//===----------------------------------------------------------------------===//

LogicalResult RoutineOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location, ValueRange operands,
    DictionaryAttr attributes, OpaqueProperties properties, RegionRange regions,
    SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  RoutineKind kind = adaptor.getKind();
  RoutineSignature signature = getRoutineSignature(kind);
  if (operands.size() != signature.operands.size())
    return inferenceError<RoutineOp>(location, "expects ",
                                     signature.operands.size(),
                                     " operands, but it has ", operands.size());
  Sizes batch;
  SmallVector<Sizes> matrices;
  Type element;
  for (auto [index, letters] : llvm::enumerate(signature.operands)) {
    auto type = getTensorOperand<RoutineOp>(location, operands, index,
                                            "operand " + std::to_string(index));
    if (failed(type))
      return failure();
    int64_t rank = type->getRank(), inner = letters.size();
    if (rank < inner)
      return inferenceError<RoutineOp>(location, "expects operand ", index,
                                       " of rank ", inner,
                                       " at least, but it is ", *type);
    Sizes sizes = getSizes(*type);
    Sizes outer(sizes.begin(), sizes.end() - inner);
    if (index == 0) {
      batch = outer;
      element = type->getElementType();
    } else if (type->getElementType() != element) {
      return inferenceError<RoutineOp>(location, "expects operands of type ",
                                       element, ", but operand ", index, " is ",
                                       *type);
    } else if (outer != batch) {
      return inferenceError<RoutineOp>(
          location, "expects leading sizes ", formatSizes(batch),
          ", but those of operand ", index, " are ", formatSizes(outer));
    }
    matrices.emplace_back(sizes.end() - inner, sizes.end());
  }
  auto sizes =
      getRoutineSizes(context, kind, matrices, [&](const Twine &message) {
        (void)inferenceError<RoutineOp>(location, message.str());
      });
  if (!sizes)
    return failure();
  for (StringLiteral letters : signature.results) {
    Sizes result = batch;
    for (char letter : letters)
      result.push_back(sizes->of(letter));
    results.push_back(tc::getTensorType(result, element));
  }
  return success();
}

LogicalResult RoutineOp::verify() {
  size_t expected = getRoutineSignature(getKind()).results.size();
  if (getNumResults() != expected)
    return emitOpError("expects ")
           << expected << " results, but it has " << getNumResults();
  return verifyInference(*this);
}

bool RoutineOp::isSelection() {
  return getRoutineSignature(getKind()).results.front() == "k";
}

SmallVector<SizePrecondition> RoutineOp::getSizePreconditions() {
  if (!isSelection())
    return {};
  auto last = [&](unsigned index) {
    return getSizes(cast<ShapedType>(getOperand(index).getType())).back();
  };
  return {SizePrecondition::atMost("the last size of operand 1", last(1),
                                   "the last size of operand 0", last(0))};
}

//===----------------------------------------------------------------------===//
// RoutineStageOp
//===----------------------------------------------------------------------===//

static ParseResult parseDimLists(OpAsmParser &parser, ArrayAttr &lists) {
  SmallVector<Attribute> parsed;
  auto parseList = [&]() -> ParseResult {
    SmallVector<int64_t> dims;
    auto parseDim = [&] { return parser.parseInteger(dims.emplace_back()); };
    if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square,
                                       parseDim))
      return failure();
    parsed.push_back(parser.getBuilder().getDenseI64ArrayAttr(dims));
    return success();
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Square, parseList))
    return failure();
  lists = parser.getBuilder().getArrayAttr(parsed);
  return success();
}

static void printDimLists(OpAsmPrinter &printer, Operation *, ArrayAttr lists) {
  printer << "[";
  llvm::interleaveComma(lists, printer, [&](Attribute list) {
    printer << "[";
    if (auto dims = dyn_cast<DenseI64ArrayAttr>(list))
      llvm::interleaveComma(dims.asArrayRef(), printer);
    printer << "]";
  });
  printer << "]";
}

SmallVector<int64_t> RoutineStageOp::getOverDims(unsigned index) {
  return llvm::to_vector(
      cast<DenseI64ArrayAttr>(getOver()[index]).asArrayRef());
}

SmallVector<int64_t> RoutineStageOp::getToDims(unsigned index) {
  return llvm::to_vector(cast<DenseI64ArrayAttr>(getTo()[index]).asArrayRef());
}

/// The lists name distinct dimensions of the kernel, as many as the letters.
static LogicalResult verifyDimLists(RoutineStageOp op, StringRef name,
                                    ArrayAttr lists,
                                    ArrayRef<StringLiteral> letters,
                                    int64_t rank, DimSet &seen) {
  if (lists.size() != letters.size())
    return op.emitOpError("expects ") << letters.size() << " lists in '" << name
                                      << "', but there are " << lists.size();
  for (auto [index, attribute] : llvm::enumerate(lists)) {
    auto list = dyn_cast<DenseI64ArrayAttr>(attribute);
    if (!list || list.size() != static_cast<int64_t>(letters[index].size()))
      return op.emitOpError("expects list ")
             << index << " of '" << name << "' to have "
             << letters[index].size() << " dimensions";
    for (int64_t dim : list.asArrayRef()) {
      if (dim < 0 || dim >= rank || seen.test(dim))
        return op.emitOpError("names dimension ")
               << dim << " in '" << name
               << "'; expected distinct dimensions below " << rank;
      seen.set(dim);
    }
  }
  return success();
}

LogicalResult RoutineStageOp::verify() {
  auto kernel = dyn_cast_or_null<KernelOp>((*this)->getParentOp());
  if (!kernel)
    return success(); // the parent's trait says it
  RoutineSignature signature = getRoutineSignature(getKind());
  if (getNumOperands() != signature.operands.size() ||
      getNumResults() != signature.results.size())
    return emitOpError("expects ")
           << signature.operands.size() << " operands and "
           << signature.results.size() << " results, but it has "
           << getNumOperands() << " and " << getNumResults();
  Type type = getOperand(0).getType();
  for (Value value : llvm::concat<Value>(getOperands(), getResults()))
    if (value.getType() != type)
      return emitOpError("has values of type ")
             << value.getType() << " and " << type << "; expected one type";
  DimSet seen(kernel.getNumDims());
  int64_t rank = kernel.getNumDims();
  if (failed(verifyDimLists(*this, "over", getOver(), signature.operands, rank,
                            seen)) ||
      failed(
          verifyDimLists(*this, "to", getTo(), signature.results, rank, seen)))
    return failure();
  SmallVector<Sizes> matrices;
  for (unsigned index = 0; index < getNumOperands(); ++index) {
    Sizes &sizes = matrices.emplace_back();
    for (int64_t dim : getOverDims(index))
      sizes.push_back(kernel.getDimSize(dim));
  }
  auto sizes =
      getRoutineSizes(getContext(), getKind(), matrices,
                      [&](const Twine &message) { emitOpError(message); });
  if (!sizes)
    return failure();
  for (auto [index, letters] : llvm::enumerate(signature.results))
    for (auto [dim, letter] : llvm::zip(getToDims(index), letters))
      if (kernel.getDimSize(dim) != sizes->of(letter))
        return emitOpError("has result ")
               << index << " over a dimension of size "
               << kernel.getDimSize(dim).str() << "; expected "
               << sizes->of(letter).str();
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/RoutineOps.cpp.inc"
