//===- LibraryFusion.cpp - Fusion with kernels of libraries ---------------===//
//
// Whether a library has what a fused kernel would be is seen from that kernel:
// both checks make it of copies, which they drop.
//
//===----------------------------------------------------------------------===//

#include "TC/Transforms/Fuse/LibraryFusion.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/LibraryProduct.h"
#include "TC/Transforms/Fuse/FusionRemarks.h"
#include "TC/Transforms/Fuse/KernelMerging.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tc;

llvm::Error tc::checkLibraryEpilogue(KernelOp producer, KernelOp consumer,
                                     const MergedDomain &domain,
                                     const MachineModel &machine) {
  if (!isForLibrary(producer, machine))
    return llvm::Error::success();
  if (!llvm::all_of(producer->getUsers(), [&](Operation *user) {
        return user == consumer.getOperation();
      }))
    return refuse("a library computes the contraction, whose result others "
                  "need as well");
  IRRewriter rewriter(producer->getContext());
  rewriter.setInsertionPoint(consumer);
  IRMapping values;
  auto first = cast<KernelOp>(rewriter.clone(*producer, values)),
       second = cast<KernelOp>(rewriter.clone(*consumer, values));
  // A user, without which the results would be dropped.
  auto user = UnrealizedConversionCastOp::create(rewriter, consumer.getLoc(),
                                                 second.getResultTypes(),
                                                 second.getResults());
  mergeKernels(rewriter, first, second, domain);
  auto merged = user.getOperand(0).getDefiningOp<KernelOp>();
  // What a library would round twice is better in one kernel of TC's.
  bool isProduct =
      isForLibrary(merged, machine) || mayLibraryRoundTwice(merged);
  rewriter.eraseOp(user);
  rewriter.eraseOp(merged);
  if (isProduct)
    return llvm::Error::success();
  return refuse("a library computes the contraction, and has no such epilogue");
}

llvm::Error tc::checkLibraryPrologue(const PointwiseProducer &producer,
                                     ReadOp read, const MachineModel &machine) {
  auto consumer = cast<KernelOp>(read->getParentOp());
  if (!isForLibrary(consumer, machine))
    return llvm::Error::success();
  OpBuilder builder(consumer);
  IRMapping values;
  auto fused = cast<KernelOp>(builder.clone(*consumer, values));
  producer.inlineAt(values.lookup(read.getResult()).getDefiningOp<ReadOp>());
  simplifyKernel(fused);
  bool isProduct = isForLibrary(fused, machine);
  fused.erase();
  if (isProduct)
    return llvm::Error::success();
  return refuse("a library computes the contraction, and reads its operands "
                "from memory");
}
