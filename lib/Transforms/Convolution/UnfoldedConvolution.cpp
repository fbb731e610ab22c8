//===- UnfoldedConvolution.cpp - Convolutions as matrices -----------------===//

#include "UnfoldedConvolution.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"

using namespace mlir;
using namespace tc;

bool UnfoldedConvolution::setRow(const DimSet &dims) {
  for (unsigned dim : dims.set_bits()) {
    auto size = kernel.getDimSize(dim).getConstant();
    if (!size || *size < 1)
      return false;
    inRow.push_back(dim);
    points *= *size;
  }
  rowElements = llvm::divideCeil(points, kUnfoldedUnit) * kUnfoldedUnit;
  return true;
}

SmallVector<unsigned> UnfoldedConvolution::getOwnDims(ReadOp read) {
  DimSet own = KernelDims::ofMap(read.getMap(), kernel.getNumDims());
  for (unsigned dim : inRow)
    own.reset(dim);
  return SmallVector<unsigned>(own.set_bits());
}

Value UnfoldedConvolution::buildMatrix(OpBuilder &builder, ReadOp read,
                                       Value source, StringRef name) {
  MLIRContext *context = kernel.getContext();
  SmallVector<unsigned> own = getOwnDims(read);
  SmallVector<SizeExprAttr> sizes;
  SmallVector<AffineExpr> values(kernel.getNumDims(),
                                 getAffineConstantExpr(0, context));
  for (auto [index, dim] : llvm::enumerate(own)) {
    sizes.push_back(kernel.getDimSize(dim));
    values[dim] = getAffineDimExpr(index, context);
  }
  AffineExpr place = getAffineDimExpr(own.size(), context);
  unflattenDims(kernel, inRow, place, values);
  sizes.push_back(SizeExprAttr::constant(context, rowElements));
  const unsigned rank = sizes.size();
  KernelBuilder matrix(builder, read.getLoc(), name, sizes,
                       TypeRange(getTensorType(
                           Sizes(sizes.begin(), sizes.end()), read.getType())));
  SmallVector<AffineExpr> inside;
  if (auto within = read.getWithin())
    for (AffineExpr constraint : within->getConstraints())
      inside.push_back(constraint.replaceDims(values));
  if (points < rowElements)
    inside.push_back(points - 1 - place);
  std::optional<IntegerSet> set;
  if (!inside.empty())
    set = matrix.setOf(inside);
  AffineMap map = read.getMap().replaceDimsAndSymbols(values, {}, rank, 0);
  matrix.write(matrix.read(source, map.getResults(), {}, set), 0,
               matrix.dims(rank));
  KernelOp made = matrix.finish();
  simplifyKernel(made);
  made.setKernelClass(classifyKernel(made));
  return made.getResult(0);
}

void UnfoldedConvolution::readMatrices(Value images, Value filters) {
  MLIRContext *context = kernel.getContext();
  OpBuilder builder(kernel);
  DomainEmbedding embedding;
  SmallVector<DimAttr> dims;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim) {
    bool isReduced = llvm::is_contained(inRow, dim);
    embedding.dims.push_back(isReduced
                                 ? getAffineConstantExpr(0, context)
                                 : getAffineDimExpr(dims.size(), context));
    if (!isReduced)
      dims.push_back(kernel.getDim(dim));
  }
  const int64_t place = int64_t(dims.size());
  dims.push_back(DimAttr::get(context, "c", IteratorKind::Reduced,
                              SizeExprAttr::constant(context, rowElements)));
  embedding.rank = dims.size();
  embedding.numSymbols = kernel.getSymbols().size();
  for (unsigned symbol = 0; symbol < embedding.numSymbols; ++symbol)
    embedding.symbols.push_back(getAffineSymbolExpr(symbol, context));
  SmallVector<Value> inputs(kernel.getIns());
  inputs.append({images, filters});
  KernelOp product =
      KernelOp::create(builder, kernel.getLoc(), kernel.getName(),
                       kernel.getKernelClass(), dims, inputs, kernel.getOuts());
  product.setSymbolsAttr(kernel.getSymbolsAttr());
  Block &body = product.getBodyBlock();
  IRMapping values;
  const unsigned ins = kernel.getIns().size();
  for (BlockArgument argument : kernel.getBodyBlock().getArguments()) {
    unsigned number = argument.getArgNumber();
    values.map(argument, body.getArgument(number < ins ? number : number + 2));
  }
  builder.setInsertionPointToEnd(&body);
  auto readRow = [&](ReadOp read, BlockArgument matrix) {
    SmallVector<AffineExpr> at;
    for (unsigned dim : getOwnDims(read))
      at.push_back(embedding.dims[dim]);
    at.push_back(getAffineDimExpr(place, context));
    Value element =
        ReadOp::create(builder, read.getLoc(), read.getType(), matrix,
                       AffineMap::get(embedding.rank, 0, at, context),
                       ValueRange(), IntegerSetAttr());
    values.map(read.getResult(), element);
  };
  for (Operation &op : kernel.getBodyBlock()) {
    if (&op == reads.images || &op == reads.weights) {
      bool isImages = &op == reads.images;
      readRow(cast<ReadOp>(op), body.getArgument(isImages ? ins : ins + 1));
    } else if (&op == reads.stage) {
      ContractStageOp stage = reads.stage;
      Value sum = ContractStageOp::create(
          builder, op.getLoc(), stage.getResult().getType(),
          values.lookup(stage.getLhs()), values.lookup(stage.getRhs()),
          ArrayRef<int64_t>(place));
      values.map(stage.getResult(), sum);
    } else {
      cloneEmbedded(builder, &op, embedding, values);
    }
  }
  simplifyKernel(product);
  kernel->replaceAllUsesWith(product->getResults());
  kernel.erase();
}
