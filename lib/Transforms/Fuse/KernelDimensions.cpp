//===- KernelDimensions.cpp - Renumbering a kernel's domain ---------------===//

#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"

using namespace mlir;
using namespace tc;

LogicalResult tc::changeDomain(KernelOp kernel, ArrayRef<DimAttr> dims,
                               ArrayRef<AffineExpr> exprs) {
  MLIRContext *context = kernel.getContext();
  DomainEmbedding embedding;
  embedding.rank = dims.size();
  embedding.dims.assign(exprs.begin(), exprs.end());
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  SmallVector<Operation *> old;
  for (Operation &op : kernel.getBodyBlock()) {
    if (!canEmbed(&op, embedding))
      return failure();
    old.push_back(&op);
  }
  IRMapping values;
  for (BlockArgument argument : kernel.getBodyBlock().getArguments())
    values.map(argument, argument);
  OpBuilder builder = OpBuilder::atBlockEnd(&kernel.getBodyBlock());
  for (Operation *op : old)
    cloneEmbedded(builder, op, embedding, values);
  for (Operation *op : llvm::reverse(old))
    op->erase();
  // A schedule's lanes stay on the dimension they were on.
  if (ScheduleAttrInterface schedule = kernel.getScheduleAttr();
      schedule && schedule.getVectorDim() >= 0) {
    auto dim = dyn_cast<AffineDimExpr>(exprs[schedule.getVectorDim()]);
    if (dim)
      kernel.setScheduleAttr(schedule.withVectorDim(dim.getPosition()));
    else
      kernel.removeScheduleAttr();
  }
  kernel.setDimsAttr(ArrayAttr::get(
      context, SmallVector<Attribute>(dims.begin(), dims.end())));
  simplifyKernel(kernel);
  return success();
}

void tc::dropReducedDims(KernelOp kernel) {
  SmallVector<DimAttr> dims;
  SmallVector<AffineExpr> exprs;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    bool isReduced = kernel.getDim(dim).getIterator() == IteratorKind::Reduced;
    exprs.push_back(isReduced
                        ? getAffineConstantExpr(0, kernel.getContext())
                        : getAffineDimExpr(dims.size(), kernel.getContext()));
    if (!isReduced)
      dims.push_back(kernel.getDim(dim));
  }
  [[maybe_unused]] LogicalResult changed = changeDomain(kernel, dims, exprs);
  assert(succeeded(changed) && "nothing is folded over these dimensions");
}

AffineExpr tc::flattenDims(KernelOp kernel, ArrayRef<unsigned> dims) {
  AffineExpr flat = getAffineConstantExpr(0, kernel.getContext());
  for (unsigned dim : dims)
    flat = flat * *kernel.getDimSize(dim).getConstant() +
           getAffineDimExpr(dim, kernel.getContext());
  return flat;
}

void tc::unflattenDims(KernelOp kernel, ArrayRef<unsigned> dims,
                       AffineExpr flat, MutableArrayRef<AffineExpr> values) {
  for (unsigned dim : llvm::reverse(dims)) {
    int64_t size = *kernel.getDimSize(dim).getConstant();
    bool isLast = dim == dims.front();
    values[dim] = isLast ? flat : flat % size;
    flat = flat.floorDiv(size);
  }
}
