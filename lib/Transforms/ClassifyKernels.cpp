//===- ClassifyKernels.cpp - tc-classify-kernels --------------------------===//

#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/KernelEmbedding.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCCLASSIFYKERNELSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The order that dimensions should have: parallel ones as the first result's
/// indices run, other parallel ones, then the reduced ones.
static SmallVector<unsigned> getDimOrder(KernelOp kernel) {
  KernelDims values(kernel);
  SmallVector<unsigned> order;
  llvm::SmallBitVector placed(kernel.getNumDims());
  auto place = [&](unsigned dim) {
    if (!placed.test(dim))
      order.push_back(dim);
    placed.set(dim);
  };
  // The largest result's order is the one to follow.
  WriteOp leading;
  unsigned most = 0;
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>()) {
    unsigned used =
        KernelDims::ofMap(write.getMap(), kernel.getNumDims()).count();
    if (!leading || used > most) {
      leading = write;
      most = used;
    }
  }
  if (leading)
    for (AffineExpr expr : leading.getMap().getResults())
      for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
        if (expr.isFunctionOfDim(dim))
          place(dim);
  for (unsigned dim : values.written().set_bits())
    place(dim);
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    place(dim);
  return order;
}

/// Renumbers the dimensions; unused ones of size one are dropped.
static void reorderDims(KernelOp kernel, ArrayRef<unsigned> order) {
  MLIRContext *context = kernel.getContext();
  DomainEmbedding embedding;
  embedding.rank = order.size();
  embedding.numSymbols = kernel.getSymbols().size();
  embedding.dims.resize(kernel.getNumDims());
  SmallVector<Attribute> dims;
  for (auto [position, dim] : llvm::enumerate(order)) {
    embedding.dims[dim] = getAffineDimExpr(position, context);
    dims.push_back(kernel.getDim(dim));
  }
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  if (llvm::is_sorted(order))
    return;
  SmallVector<Operation *> old;
  IRMapping values;
  for (Operation &op : kernel.getBodyBlock())
    old.push_back(&op);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBodyBlock());
  for (BlockArgument argument : kernel.getBodyBlock().getArguments())
    values.map(argument, argument);
  for (Operation *op : old)
    cloneEmbedded(builder, op, embedding, values);
  for (Operation *op : llvm::reverse(old))
    op->erase();
  kernel.setDimsAttr(ArrayAttr::get(context, dims));
}

namespace {
class ClassifyKernelsPass
    : public tc::impl::TCClassifyKernelsPassBase<ClassifyKernelsPass> {
public:
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>([](KernelOp kernel) {
      simplifyKernel(kernel);
      reorderDims(kernel, getDimOrder(kernel));
      updateIteratorKinds(kernel);
      kernel.setKernelClass(classifyKernel(kernel));
      return WalkResult::skip();
    });
  }
};
} // namespace
