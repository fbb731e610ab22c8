//===- SortScanOps.cpp - Sorting and scans --------------------------------===//

#include "ScanKinds.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TypeInference.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// SortOp
//===----------------------------------------------------------------------===//

LogicalResult
SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<SortOp>(location, operands, 0, "x");
  if (failed(x) ||
      failed(checkDim<SortOp>(location, adaptor.getDim(), x->getRank())))
    return failure();
  results.push_back(*x);
  results.push_back(withElementType(*x, IntegerType::get(context, 64)));
  return success();
}

LogicalResult SortOp::verify() { return verifyInference(*this); }

//===----------------------------------------------------------------------===//
// TopKOp
//===----------------------------------------------------------------------===//

LogicalResult
TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location,
                         ValueRange operands, DictionaryAttr attributes,
                         OpaqueProperties properties, RegionRange regions,
                         SmallVectorImpl<Type> &results) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto x = getTensorOperand<TopKOp>(location, operands, 0, "x");
  if (failed(x) ||
      failed(checkDim<TopKOp>(location, adaptor.getDim(), x->getRank())))
    return failure();
  int64_t k = adaptor.getK();
  Sizes sizes = getSizes(*x);
  SizeExpr &size = sizes[adaptor.getDim()];
  if (k < 0)
    return inferenceError<TopKOp>(location,
                                  "expects 'k' of at least 0, but it is ", k);
  size = SizeExpr::constant(context, k);
  results.push_back(tc::getTensorType(sizes, x->getElementType()));
  results.push_back(tc::getTensorType(sizes, IntegerType::get(context, 64)));
  return success();
}

LogicalResult TopKOp::verify() { return verifyInference(*this); }

SmallVector<SizePrecondition> TopKOp::getSizePreconditions() {
  return {SizePrecondition::atMost("'k'",
                                   SizeExpr::constant(getContext(), getK()),
                                   "size " + Twine(getDim()) + " of 'x'",
                                   getSizes(getX().getType())[getDim()])};
}

//===----------------------------------------------------------------------===//
// ScanOp
//===----------------------------------------------------------------------===//

LogicalResult ScanOp::verify() {
  if (failed(verifyScanKind(*this, getKind())))
    return failure();
  return checkDim<ScanOp>(getLoc(), getDim(), getX().getType().getRank());
}

#define GET_OP_CLASSES
#include "TC/Dialect/TC/IR/SortScanOps.cpp.inc"
