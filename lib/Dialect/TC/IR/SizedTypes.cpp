//===- SizedTypes.cpp - Sizes of tensor and memref types ------------------===//

#include "TC/Dialect/TC/IR/SizedTypes.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

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

bool tc::isFloat8Type(Type elementType) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(elementType);
}
