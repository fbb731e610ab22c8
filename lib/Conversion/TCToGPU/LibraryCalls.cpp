//===- LibraryCalls.cpp - Kernels become calls of libraries ---------------===//

#include "LibraryCalls.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/LibraryProduct.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"

using namespace mlir;
using namespace tc;

static LogicalResult replace(KernelOp kernel, LibraryScheduleAttr schedule) {
  if (!kernel.hasBufferSemantics())
    return kernel.emitOpError(
        "is on tensors; expected memrefs (run the bufferize phase first)");
  if (failed(verifySchedule(kernel, schedule)) ||
      failed(verifyInPlaceWrites(kernel)))
    return failure();
  LibraryProduct product = llvm::cantFail(LibraryProduct::find(kernel));
  OpBuilder builder(kernel);
  Value bias =
      schedule.getBias() < 0 ? Value() : kernel.getIns()[schedule.getBias()];
  LibraryCallOp::create(builder, kernel.getLoc(), kernel.getName(), schedule,
                        product.batches, product.rows, product.columns,
                        product.reduced, kernel.getIns()[schedule.getA()],
                        product.a, kernel.getIns()[schedule.getB()], product.b,
                        bias, kernel.getOuts().front(), product.d,
                        kernel.getWorkspace());
  kernel.erase();
  return success();
}

LogicalResult tc::replaceByLibraryCalls(ModuleOp module) {
  SmallVector<KernelOp> kernels;
  module.walk([&](KernelOp kernel) {
    if (isa_and_nonnull<LibraryScheduleAttr>(kernel.getScheduleAttr()))
      kernels.push_back(kernel);
  });
  for (KernelOp kernel : kernels)
    if (failed(replace(kernel,
                       cast<LibraryScheduleAttr>(kernel.getScheduleAttr()))))
      return failure();
  return success();
}
