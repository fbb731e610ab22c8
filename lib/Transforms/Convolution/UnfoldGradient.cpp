//===- UnfoldGradient.cpp - Gradients of weights as products --------------===//

#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "UnfoldedConvolution.h"

using namespace mlir;
using namespace tc;

/// The only write of a kernel that computes nothing but casts of the sums of
/// `stage`, or null.
static WriteOp getWriteOfSums(KernelOp kernel, ContractStageOp stage) {
  WriteOp found;
  for (Operation &op : kernel.getBodyBlock()) {
    auto write = dyn_cast<WriteOp>(op);
    if (!isa<ReadOp, CastOp, ContractStageOp, WriteOp>(op) || (write && found))
      return nullptr;
    if (write)
      found = write;
  }
  if (!found || found.isScatter() || found.getWithin())
    return nullptr;
  Value value = found.getValue();
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getX();
  return value == stage.getResult() ? found : WriteOp();
}

namespace {
class UnfoldedGradient {
public:
  UnfoldedGradient(KernelOp kernel, const ConvolutionReads &reads,
                   WriteOp write)
      : unfolded{kernel, reads}, write(write),
        filters(KernelDims::ofMap(ReadOp(reads.weights).getMap(),
                                  kernel.getNumDims())) {}
  /// Finds what a row of the matrix has; false where a size is unknown.
  bool findRow();
  void apply();

private:
  Value buildProduct(OpBuilder &builder, Value matrix);
  KernelOp buildResult(OpBuilder &builder, Value product);

  UnfoldedConvolution unfolded;
  WriteOp write;
  DimSet filters; ///< and places, which the weights of the product have
};
} // namespace

bool UnfoldedGradient::findRow() {
  KernelOp kernel = unfolded.kernel;
  DimSet row =
      KernelDims::ofMap(unfolded.reads.images.getMap(), kernel.getNumDims());
  row.reset(filters);
  row.reset(unfolded.reads.getReduced(kernel));
  return unfolded.setRow(row) && !unfolded.inRow.empty();
}

/// The product: a row for each point of the filters' dimensions, of the lanes
/// that a row of the matrix has.
Value UnfoldedGradient::buildProduct(OpBuilder &builder, Value matrix) {
  KernelOp kernel = unfolded.kernel;
  MLIRContext *context = kernel.getContext();
  ReadOp weights = unfolded.reads.weights;
  ContractStageOp stage = unfolded.reads.stage;
  DimSet reduced = unfolded.reads.getReduced(kernel), own(filters);
  own.reset(reduced);
  SmallVector<SizeExprAttr> domain;
  SmallVector<AffineExpr> at(kernel.getNumDims(),
                             getAffineConstantExpr(0, context)),
      places;
  Sizes sizes;
  for (unsigned dim : own.set_bits()) {
    at[dim] = getAffineDimExpr(domain.size(), context);
    sizes.push_back(kernel.getDimSize(dim));
    domain.push_back(kernel.getDimSize(dim));
  }
  const unsigned lane = domain.size();
  sizes.push_back(SizeExpr::constant(context, unfolded.rowElements));
  domain.push_back(sizes.back());
  SmallVector<int64_t> over;
  for (unsigned dim : unfolded.getOwnDims(unfolded.reads.images)) {
    at[dim] = getAffineDimExpr(domain.size(), context);
    places.push_back(at[dim]);
    over.push_back(int64_t(domain.size()));
    domain.push_back(kernel.getDimSize(dim));
  }
  KernelBuilder b(builder, kernel.getLoc(), kernel.getName(), domain,
                  TypeRange(getTensorType(sizes, write.getValue().getType())));
  places.push_back(b.dim(lane));
  AffineMap map =
      weights.getMap().replaceDimsAndSymbols(at, {}, domain.size(), 0);
  Value left =
            b.read(getOperandOf(kernel, weights.getSource()), map.getResults()),
        right = b.read(matrix, places);
  Value sum = ContractStageOp::create(
      b.body, kernel.getLoc(), stage.getResult().getType(), left, right, over);
  IRMapping values;
  values.map(stage.getResult(), sum);
  for (Operation &op : kernel.getBodyBlock())
    if (auto cast = dyn_cast<CastOp>(op); cast && values.contains(cast.getX()))
      b.body.clone(op, values);
  b.write(values.lookup(write.getValue()), 0, b.dims(lane + 1));
  KernelOp made = b.finish();
  simplifyAndClassify(made);
  return made.getResult(0);
}

/// The results with their own indices.
KernelOp UnfoldedGradient::buildResult(OpBuilder &builder, Value product) {
  KernelOp kernel = unfolded.kernel;
  MLIRContext *context = kernel.getContext();
  SmallVector<SizeExprAttr> domain;
  SmallVector<AffineExpr> dims(kernel.getNumDims(),
                               getAffineConstantExpr(0, context)),
      at;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (kernel.getDim(dim).getIterator() == IteratorKind::Parallel) {
      dims[dim] = getAffineDimExpr(domain.size(), context);
      domain.push_back(kernel.getDimSize(dim));
    }
  DimSet own(filters);
  own.reset(unfolded.reads.getReduced(kernel));
  for (unsigned dim : own.set_bits())
    at.push_back(dims[dim]);
  at.push_back(unfolded.getPlace().replaceDims(dims));
  KernelBuilder b(builder, kernel.getLoc(), "reorder", domain,
                  kernel->getResultTypes());
  AffineMap map =
      write.getMap().replaceDimsAndSymbols(dims, {}, domain.size(), 0);
  b.write(b.read(product, at), 0, map.getResults());
  KernelOp made = b.finish();
  simplifyAndClassify(made);
  return made;
}

void UnfoldedGradient::apply() {
  KernelOp kernel = unfolded.kernel;
  OpBuilder builder(kernel);
  ReadOp images = unfolded.reads.images;
  Value matrix = unfolded.buildMatrix(
      builder, images, getOperandOf(kernel, images.getSource()), "unfold");
  KernelOp result = buildResult(builder, buildProduct(builder, matrix));
  kernel->replaceAllUsesWith(result->getResults());
  kernel.erase();
}

bool tc::unfoldGradient(KernelOp kernel, const ConvolutionReads &reads) {
  WriteOp write = getWriteOfSums(kernel, reads.stage);
  ReadOp images = reads.images, weights = reads.weights;
  if (!write || kernel.getNumResults() != 1 || !kernel.getSymbols().empty() ||
      weights.getWithin() || images.getMap().getNumSymbols() > 0)
    return false;
  UnfoldedGradient gradient(kernel, reads, write);
  if (!gradient.findRow())
    return false;
  gradient.apply();
  return true;
}
