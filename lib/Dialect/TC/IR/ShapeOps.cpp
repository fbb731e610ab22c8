//===- ShapeOps.cpp - Constants, shapes and views -------------------------===//

#include "TC/Dialect/TC/IR/SizeAlgebra.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"
#include <limits>

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

LogicalResult FullOp::verify() {
  Type element = cast<RankedTensorType>(getResult().getType()).getElementType();
  // Attributes of unsigned integers are written with their own type.
  if (cast<TypedAttr>(getValue()).getType() == element)
    return success();
  return emitOpError("has a value of type ")
         << cast<TypedAttr>(getValue()).getType() << " in a tensor of "
         << element;
}

LogicalResult IotaOp::verify() {
  int64_t rank = cast<RankedTensorType>(getResult().getType()).getRank();
  int64_t dim = getDim();
  if (dim >= 0 && dim < rank)
    return success();
  return emitOpError("has dim ") << dim << "; the result has rank " << rank;
}

//===----------------------------------------------------------------------===//
// Broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type from ")
           << from.getElementType() << " to " << to.getElementType();
  if (static_cast<int64_t>(getDims().size()) != from.getRank())
    return emitOpError("has ")
           << getDims().size()
           << " dims; expected one for each of the operand's " << from.getRank()
           << " dimensions";
  Sizes fromSizes = getSizes(from), toSizes = getSizes(to);
  int64_t previous = -1;
  for (auto [index, dim] : llvm::enumerate(getDims())) {
    if (dim <= previous || dim >= to.getRank())
      return emitOpError("has dims [")
             << getDims() << "]; expected them increasing and below "
             << to.getRank();
    previous = dim;
    if (fromSizes[index] != toSizes[dim] && !fromSizes[index].isConstant(1))
      return emitOpError("takes dimension ")
             << index << " of size " << fromSizes[index].str() << " to size "
             << toSizes[dim].str() << "; expected equal sizes or 1";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Transpose and reshape
//===----------------------------------------------------------------------===//

/// Whether `permutation` has every number below `rank` once.
static bool isPermutation(ArrayRef<int64_t> permutation, int64_t rank) {
  if (static_cast<int64_t>(permutation.size()) != rank)
    return false;
  SmallVector<bool> seen(rank, false);
  for (int64_t dim : permutation) {
    if (dim < 0 || dim >= rank || seen[dim])
      return false;
    seen[dim] = true;
  }
  return true;
}

LogicalResult
TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                              ValueRange operands, DictionaryAttr attrs,
                              OpaqueProperties properties, RegionRange regions,
                              SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attrs, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  if (!type || !isPermutation(adaptor.getPermutation(), type.getRank()))
    return emitOptionalError(loc, "'tc.transpose' op permutation [",
                             adaptor.getPermutation(),
                             "] is none of the operand's dimensions, of type ",
                             adaptor.getX().getType());
  Sizes from = getSizes(type), to;
  for (int64_t dim : adaptor.getPermutation())
    to.push_back(from[dim]);
  results.push_back(getTensorType(to, type.getElementType()));
  return success();
}

LogicalResult TransposeOp::verify() { return verifyInference(*this); }

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType())
    return emitOpError("changes the element type from ")
           << from.getElementType() << " to " << to.getElementType();
  SizeExpr fromCount = getElementCount(getSizes(from), getContext());
  SizeExpr toCount = getElementCount(getSizes(to), getContext());
  SizeExpr difference = fromCount.sub(toCount);
  // Of what depends on data, a guard may say that it is equal.
  if (difference.isConstant(0) || !isPolynomial(difference) ||
      isDataDependent(difference))
    return success();
  return emitOpError("takes ")
         << fromCount.str() << " elements to " << toCount.str();
}

//===----------------------------------------------------------------------===//
// Slice, pad, concat
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType()),
       to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType() ||
      from.getRank() != to.getRank())
    return emitOpError("takes ") << from << " to " << to
                                 << "; expected the same element type and rank";
  ArrayRef<SizeExpr> offsets = getOffsets().getSizes();
  if (static_cast<int64_t>(offsets.size()) != from.getRank() ||
      static_cast<int64_t>(getStrides().size()) != from.getRank())
    return emitOpError("has ")
           << offsets.size() << " offsets and " << getStrides().size()
           << " strides; expected " << from.getRank() << " of each";
  Sizes fromSizes = getSizes(from), toSizes = getSizes(to);
  for (int64_t dim = 0; dim < from.getRank(); ++dim) {
    auto size = toSizes[dim].getConstant(),
         whole = fromSizes[dim].getConstant(),
         offset = offsets[dim].getConstant();
    if (getStrides()[dim] == 0)
      return emitOpError("has stride 0 in dimension ")
             << dim << "; expected another";
    if (!size || !whole || !offset || *size == 0)
      continue; // symbolic: checked when the symbols are known
    int64_t last = *offset + (*size - 1) * getStrides()[dim];
    if (*offset < 0 || *offset >= *whole || last < 0 || last >= *whole)
      return emitOpError("takes elements ")
             << *offset << " to " << last << " of dimension " << dim
             << ", which has " << *whole;
  }
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *,
                                      std::optional<Location> loc,
                                      ValueRange operands, DictionaryAttr attrs,
                                      OpaqueProperties properties,
                                      RegionRange regions,
                                      SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attrs, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  size_t rank = type ? type.getRank() : 0;
  if (!type || adaptor.getLow().size() != rank ||
      adaptor.getHigh().size() != rank)
    return emitOptionalError(
        loc, "'tc.pad' op has ", adaptor.getLow().size(), " low and ",
        adaptor.getHigh().size(),
        " high entries; expected one each for the dimensions of ",
        adaptor.getX().getType());
  Sizes sizes = getSizes(type);
  for (auto [size, low, high] :
       llvm::zip_equal(sizes, adaptor.getLow(), adaptor.getHigh()))
    size = size.add(low + high);
  results.push_back(getTensorType(sizes, type.getElementType()));
  return success();
}

/// The most elements that `mode` adds at an end of a dimension of `size`.
static int64_t getMostPadding(PadMode mode, int64_t size) {
  switch (mode) {
  case PadMode::Reflect:
    return std::max<int64_t>(size - 1, 0);
  case PadMode::Circular:
    return size;
  case PadMode::Replicate:
    return size == 0 ? 0 : std::numeric_limits<int64_t>::max();
  case PadMode::Constant:
    break;
  }
  return std::numeric_limits<int64_t>::max();
}

LogicalResult PadOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  for (auto [dim, low, high, size] :
       llvm::enumerate(getLow(), getHigh(),
                       getSizes(cast<RankedTensorType>(getX().getType())))) {
    if (!size.isConstant())
      continue;
    int64_t most = getMostPadding(getMode(), size.getValue());
    if (std::max(low, high) > most)
      return emitOpError("pads dimension ")
             << dim << " of size " << size.getValue() << " by "
             << std::max(low, high) << "; expected at most " << most
             << " in mode " << stringifyPadMode(getMode());
  }
  auto type = cast<RankedTensorType>(getX().getType());
  if ((getMode() == PadMode::Constant) != getValue().has_value())
    return emitOpError("has ") << (getValue() ? "a" : "no") << " value in mode "
                               << stringifyPadMode(getMode())
                               << "; expected one exactly in mode constant";
  if (getValue() &&
      cast<TypedAttr>(*getValue()).getType() != type.getElementType())
    return emitOpError("has a value of type ")
           << cast<TypedAttr>(*getValue()).getType() << " for a tensor of "
           << type.getElementType();
  for (auto [dim, size] :
       llvm::enumerate(getSizes(cast<RankedTensorType>(getResult().getType()))))
    if (size.isConstant() && size.getValue() < 0)
      return emitOpError("leaves dimension ")
             << dim << " with size " << size.getValue();
  return success();
}

LogicalResult
ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                           ValueRange operands, DictionaryAttr attrs,
                           OpaqueProperties properties, RegionRange regions,
                           SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attrs, properties, regions);
  if (operands.empty())
    return emitOptionalError(
        loc, "'tc.concat' op has no operands; expected at least one");
  auto first = dyn_cast<RankedTensorType>(operands.front().getType());
  int64_t dim = adaptor.getDim();
  if (!first || dim < 0 || dim >= first.getRank())
    return emitOptionalError(loc, "'tc.concat' op has dim ", dim,
                             " on operands of type ",
                             operands.front().getType());
  Sizes sizes = getSizes(first);
  for (Value operand : operands.drop_front()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getRank() != first.getRank() ||
        type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "'tc.concat' op joins ", first, " and ",
                               operand.getType(),
                               "; expected the same rank and element type");
    sizes[adaptor.getDim()] =
        sizes[adaptor.getDim()].add(getSizes(type)[adaptor.getDim()]);
  }
  results.push_back(getTensorType(sizes, first.getElementType()));
  return success();
}

LogicalResult ConcatOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
  Sizes first = getSizes(cast<RankedTensorType>(getInputs().front().getType()));
  for (Value input : getInputs())
    for (auto [dim, size] :
         llvm::enumerate(getSizes(cast<RankedTensorType>(input.getType()))))
      if (dim != getDim() && size != first[dim])
        return emitOpError("joins sizes ")
               << first[dim].str() << " and " << size.str() << " in dimension "
               << dim << "; expected equal sizes in all but dimension "
               << getDim();
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/ShapeOps.cpp.inc"
