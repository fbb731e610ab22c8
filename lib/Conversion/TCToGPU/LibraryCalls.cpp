//===- LibraryCalls.cpp - Kernels become calls of libraries ---------------===//

#include "LibraryCalls.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/LibraryProduct.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

/// The input that a schedule names; null for -1.
static Value getInput(KernelOp kernel, int64_t number) {
  return number < 0 ? Value() : kernel.getIns()[number];
}

static void replaceBy(KernelOp kernel, LibraryScheduleAttr schedule) {
  LibraryProduct product = llvm::cantFail(LibraryProduct::find(kernel));
  OpBuilder builder(kernel);
  LibraryCallOp::create(builder, kernel.getLoc(), kernel.getName(), schedule,
                        product.batches, product.rows, product.columns,
                        product.reduced, kernel.getIns()[schedule.getA()],
                        product.a, kernel.getIns()[schedule.getB()], product.b,
                        getInput(kernel, schedule.getBias()),
                        kernel.getOuts().front(), product.d,
                        kernel.getWorkspace());
}

static void replaceBy(KernelOp kernel,
                      ConvolutionLibraryScheduleAttr schedule) {
  LibraryConvolution found = llvm::cantFail(LibraryConvolution::find(kernel));
  OpBuilder builder(kernel);
  LibraryConvolutionOp::create(builder, kernel.getLoc(), kernel.getName(),
                               schedule, found.groups, found.stride,
                               found.padding, found.dilation,
                               kernel.getIns()[schedule.getImages()],
                               kernel.getIns()[schedule.getFilters()],
                               getInput(kernel, schedule.getBias()),
                               getInput(kernel, schedule.getAddend()),
                               kernel.getOuts().front(), kernel.getWorkspace());
}

static LogicalResult replace(KernelOp kernel) {
  if (!kernel.hasBufferSemantics())
    return kernel.emitOpError(
        "is on tensors; expected memrefs (run the bufferize phase first)");
  if (failed(verifySchedule(kernel, *kernel.getSchedule())) ||
      failed(verifyInPlaceWrites(kernel)))
    return failure();
  llvm::TypeSwitch<Attribute>(*kernel.getSchedule())
      .Case<LibraryScheduleAttr, ConvolutionLibraryScheduleAttr>(
          [&](auto schedule) { replaceBy(kernel, schedule); });
  kernel.erase();
  return success();
}

LogicalResult tc::replaceByLibraryCalls(ModuleOp module) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) {
    if (isa_and_nonnull<LibraryScheduleAttr, ConvolutionLibraryScheduleAttr>(
            kernel.getScheduleAttr()))
      kernels.push_back(kernel);
  });
  for (KernelOp kernel : kernels)
    if (failed(replace(kernel)))
      return failure();
  return success();
}
