//===- ShapeOps.cpp - Constants, shapes and views -------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"

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
  return success();
}

SmallVector<SizePrecondition> ReshapeOp::getSizePreconditions() {
  auto count = [&](Value tensor) {
    return getElementCount(getSizes(cast<RankedTensorType>(tensor.getType())),
                           getContext());
  };
  return {SizePrecondition::equal("the number of elements of the result",
                                  count(getResult()), "that of 'x'",
                                  count(getX()))};
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
  for (int64_t dim = 0; dim < from.getRank(); ++dim)
    if (getStrides()[dim] == 0)
      return emitOpError("has stride 0 in dimension ")
             << dim << "; expected another";
  return success();
}

SmallVector<SizePrecondition> SliceOp::getSizePreconditions() {
  SmallVector<SizePrecondition> conditions;
  Sizes whole = getSizes(cast<RankedTensorType>(getX().getType())),
        taken = getSizes(cast<RankedTensorType>(getResult().getType()));
  for (auto [dim, first, stride] :
       llvm::enumerate(getOffsets().getSizes(), getStrides())) {
    SizeExpr last = first.add(taken[dim].add(-1).mul(stride));
    std::string along = " of the slice along dimension " + std::to_string(dim);
    // A slice without elements may be anywhere.
    conditions.push_back(SizePrecondition::atLeast(
        "the begin" + along, stride > 0 ? first : last, 0, taken[dim]));
    conditions.push_back(SizePrecondition::atMost(
        "the end" + along, (stride > 0 ? last : first).add(1),
        "size " + Twine(dim) + " of 'x'", whole[dim], taken[dim]));
  }
  return conditions;
}

/// What is removed is there, and so is what a mode other than constant takes.
static SmallVector<SizePrecondition>
getPadPreconditions(PadMode mode, ArrayRef<SizeExpr> sizes,
                    ArrayRef<int64_t> lows, ArrayRef<int64_t> highs) {
  SmallVector<SizePrecondition> conditions;
  for (auto [dim, size, low, high] : llvm::enumerate(sizes, lows, highs)) {
    std::string name = "size " + std::to_string(dim) + " of 'x'";
    int64_t removed = std::max<int64_t>(-low, 0) + std::max<int64_t>(-high, 0);
    if (removed > 0)
      conditions.push_back(SizePrecondition::atLeast(name, size, removed));
    for (auto [end, count] : {std::pair("low", low), std::pair("high", high)}) {
      std::string what = "entry " + std::to_string(dim) + " of '" + end + "'";
      SizeExpr added = SizeExpr::constant(size.getContext(), count);
      if (count <= 0 || mode == PadMode::Constant)
        continue;
      if (mode == PadMode::Replicate)
        conditions.push_back(SizePrecondition::atLeast(name, size, 1));
      else if (mode == PadMode::Circular)
        conditions.push_back(SizePrecondition::atMost(what, added, name, size));
      else
        conditions.push_back(SizePrecondition::atMost(
            what, added, name + " less 1", size.add(-1)));
    }
  }
  return conditions;
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
  if (failed(checkPreconditions<PadOp>(
          loc, getPadPreconditions(adaptor.getMode(), sizes, adaptor.getLow(),
                                   adaptor.getHigh()))))
    return failure();
  for (auto [size, low, high] :
       llvm::zip_equal(sizes, adaptor.getLow(), adaptor.getHigh()))
    size = size.add(low + high);
  results.push_back(getTensorType(sizes, type.getElementType()));
  return success();
}

LogicalResult PadOp::verify() {
  if (failed(verifyInference(*this)))
    return failure();
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
  return success();
}

SmallVector<SizePrecondition> PadOp::getSizePreconditions() {
  return getPadPreconditions(getMode(),
                             getSizes(cast<RankedTensorType>(getX().getType())),
                             getLow(), getHigh());
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
