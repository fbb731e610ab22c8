//===- LibraryScheduleAttributes.cpp - Convolutions of libraries ----------===//

#include "TC/Dialect/TC/IR/LibraryScheduleAttributes.h"
#include "ScheduleFields.h"

using namespace mlir;
using namespace tc;

#include "TC/Dialect/TC/IR/LibraryScheduleEnums.cpp.inc"

LogicalResult ConvolutionLibraryScheduleAttr::verify(
    EmitError emitError, ConvolutionLibraryKind, int64_t images,
    int64_t filters, int64_t bias, int64_t addend, bool relu, FloatAttr scale,
    bool, int64_t workspace) {
  FieldChecks checks(emitError, getMnemonic());
  checks.within("images", images, 0, kNoLimit)
      .within("filters", filters, 0, kNoLimit)
      .within("bias", bias, -1, kNoLimit)
      .within("addend", addend, -1, bias < 0 ? -1 : kNoLimit)
      .multipleOf("workspace", workspace, kLibraryAlignment, kMostLibraryBytes,
                  /*least=*/0);
  if (failed(checks.result()))
    return failure();
  if (relu && bias < 0)
    return emitError() << "#tc." << getMnemonic()
                       << " field relu is true without a bias; expected false";
  if (!scale || scale.getType().isF32())
    return success();
  return emitError() << "#tc." << getMnemonic() << " field scale is " << scale
                     << "; expected an f32";
}

LogicalResult ConvolutionLibraryScheduleAttr::verifyFor(Operation *op) const {
  auto kernel = cast<KernelOp>(op);
  if (kernel.getKernelClass() != KernelClass::Contraction)
    return refuseClass(kernel, getMnemonic(), "a kernel of class contraction");
  return success();
}

StringRef ConvolutionLibraryScheduleAttr::getDeviceKind() const {
  return "cuda";
}
ScheduleAttrInterface
ConvolutionLibraryScheduleAttr::withVectorDim(int64_t) const {
  return *this;
}
ConvolutionLibraryScheduleAttr
ConvolutionLibraryScheduleAttr::withWorkspace(int64_t bytes) const {
  return get(getContext(), getLibrary(), getImages(), getFilters(), getBias(),
             getAddend(), getRelu(), getScale(), getChannelsLast(), bytes);
}
