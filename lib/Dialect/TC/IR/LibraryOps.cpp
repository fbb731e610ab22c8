//===- LibraryOps.cpp - Calls of libraries --------------------------------===//

#include "TC/Dialect/TC/IR/LibraryOps.h"

using namespace mlir;
using namespace tc;

SmallVector<SizeExprAttr, 13> LibraryCallOp::getSizeExpressions() {
  SmallVector<SizeExprAttr, 13> result{getBatches(), getRows(), getColumns(),
                                       getReduced()};
  for (MatrixAttr matrix : {getAMatrix(), getBMatrix(), getDMatrix()})
    llvm::append_values(result, matrix.getPitch(), matrix.getBatchStride(),
                        matrix.getOffset());
  return result;
}

LogicalResult LibraryCallOp::verify() {
  Type element = cast<MemRefType>(getA().getType()).getElementType(),
       result = cast<MemRefType>(getD().getType()).getElementType();
  Type other = cast<MemRefType>(getB().getType()).getElementType();
  bool isKnown = element.isF32() || element.isBF16() || element.isF16();
  if (!isKnown || element != other || !(result == element || result.isF32()))
    return emitOpError("multiplies ")
           << element << " by " << other << " to " << result
           << "; expected f32, bf16 or f16, the same for both, and that or f32 "
              "as the result";
  LibraryScheduleAttr schedule = getSchedule();
  if (bool(getBias()) != (schedule.getBias() >= 0))
    return emitOpError("has ")
           << (getBias() ? "a" : "no") << " bias and a schedule with bias "
           << schedule.getBias()
           << "; expected a bias exactly where the schedule names an input";
  if (getBias() &&
      cast<MemRefType>(getBias().getType()).getElementType() != result)
    return emitOpError("has a bias of type ")
           << getBias().getType() << "; expected elements of type " << result
           << ", as the result has";
  if (bool(getWorkspace()) != (schedule.getWorkspace() > 0))
    return emitOpError("has ")
           << (getWorkspace() ? "a" : "no")
           << " workspace and a schedule with workspace "
           << schedule.getWorkspace()
           << "; expected one exactly where the schedule asks for bytes";
  return success();
}

//===----------------------------------------------------------------------===//
// tc.library_convolution
//===----------------------------------------------------------------------===//

static Sizes getSizesOf(Value buffer) {
  return getSizes(cast<MemRefType>(buffer.getType()));
}

SmallVector<SizeExprAttr, 12> LibraryConvolutionOp::getSizeExpressions() {
  const bool isLast = getSchedule().getChannelsLast();
  Sizes images = getSizesOf(getImages()), filters = getSizesOf(getFilters()),
        result = getSizesOf(getResult());
  const unsigned rank = getSpatialRank(), batch = images.size() - rank - 1,
                 ahead = isLast ? 0 : 1;
  auto one = SizeExprAttr::constant(getContext(), 1);
  SmallVector<SizeExprAttr, 12> sizes{batch ? images[0] : one,
                                      images[isLast ? batch + rank : batch],
                                      filters[0]};
  auto add = [&](const Sizes &of, unsigned begin) {
    llvm::append_range(sizes, ArrayRef(of).slice(begin, rank));
  };
  add(images, batch + ahead);
  if (filters.size() > 2)
    add(filters, 1 + ahead);
  else
    sizes.append(rank, one);
  add(result, batch + ahead);
  return sizes;
}

/// The operands that a schedule may name are there exactly where it does.
static LogicalResult verifyNamed(LibraryConvolutionOp op, Value operand,
                                 StringRef name, int64_t number) {
  if (bool(operand) == (number >= 0))
    return success();
  return op.emitOpError("has ")
         << (operand ? "an input for " : "no input for ") << name
         << " and a schedule with " << name << " " << number
         << "; expected one exactly where the schedule names it";
}

LogicalResult LibraryConvolutionOp::verify() {
  auto typeOf = [](Value buffer) { return cast<MemRefType>(buffer.getType()); };
  Type element = typeOf(getImages()).getElementType();
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return emitOpError("convolves images of ")
           << element << "; expected f32, bf16 or f16";
  const int64_t rank = getSpatialRank();
  if (rank < 1 || rank > 3 || int64_t(getPadding().size()) != rank ||
      int64_t(getDilation().size()) != rank)
    return emitOpError("has ")
           << rank << " strides, " << getPadding().size() << " paddings and "
           << getDilation().size()
           << " dilations; expected as many of each, from 1 to 3";
  const int64_t batch = typeOf(getImages()).getRank() - rank - 1;
  if (batch != 0 && batch != 1)
    return emitOpError("has images of type ")
           << getImages().getType() << "; expected " << rank + 1 << " or "
           << rank + 2 << " indices";
  for (Value buffer : {getFilters(), getResult(), getAddend()}) {
    if (!buffer)
      continue;
    const bool isFilters = buffer == getFilters();
    const int64_t least = isFilters ? 2 : rank + 1 + batch,
                  most = isFilters ? rank + 2 : least,
                  indices = typeOf(buffer).getRank();
    if ((indices != least && indices != most) ||
        typeOf(buffer).getElementType() != element)
      return emitOpError("has an operand of type ")
             << buffer.getType() << "; expected " << most
             << " indices and elements of type " << element;
  }
  if (getBias() && typeOf(getBias()).getElementType() != element)
    return emitOpError("has a bias of type ")
           << getBias().getType() << "; expected elements of type " << element;
  ConvolutionLibraryScheduleAttr schedule = getSchedule();
  if (failed(verifyNamed(*this, getBias(), "bias", schedule.getBias())) ||
      failed(verifyNamed(*this, getAddend(), "addend", schedule.getAddend())))
    return failure();
  if (bool(getWorkspace()) != (schedule.getWorkspace() > 0))
    return emitOpError("has ")
           << (getWorkspace() ? "a" : "no")
           << " workspace and a schedule with workspace "
           << schedule.getWorkspace()
           << "; expected one exactly where the schedule asks for bytes";
  return success();
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/LibraryOps.cpp.inc"
