//===- DecomposeConvolution.cpp - tc-decompose-convolution ----------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Fuse/KernelDimensions.h"
#include "TC/Transforms/Fuse/KernelEmbedding.h"
#include "TC/Transforms/Fuse/KernelSimplification.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "UnfoldedConvolution.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSECONVOLUTIONPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

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

/// Unfolds the gradient of a convolution's weights whose channels are no whole
/// boxes of a copy.
static bool unfoldsGradient(KernelOp kernel) {
  auto reads = ConvolutionReads::find(kernel);
  if (!reads || !reads->isForTensorCores() || reads->hasGradientBoxes(kernel))
    return false;
  auto channel = reads->findGradientChannel(kernel);
  return channel && unfoldGradient(kernel, *reads);
}

namespace {
class DecomposeConvolutionPass
    : public tc::impl::TCDecomposeConvolutionPassBase<
          DecomposeConvolutionPass> {
public:
  using TCDecomposeConvolutionPassBase::TCDecomposeConvolutionPassBase;

  void runOnOperation() override {
    if (!MachineModel::get(getOperation()).isGPU)
      return;
    PreparedValues prepared(getOperation());
    prepared.rewriteFunctions([&](func::FuncOp function) {
      for (KernelOp kernel : getOutermostKernels(function))
        if (unfoldsGradient(kernel))
          ++numUnfolded;
        else if (auto convolution = find(kernel))
          unfold(*convolution, prepared);
    });
  }

private:
  std::optional<UnfoldedConvolution> find(KernelOp kernel);
  void unfold(UnfoldedConvolution convolution, PreparedValues &prepared);
};
} // namespace

/// The convolution that `kernel` is, if its operands are worth matrices.
std::optional<UnfoldedConvolution>
DecomposeConvolutionPass::find(KernelOp kernel) {
  auto reads = ConvolutionReads::find(kernel);
  if (!reads || !reads->isForTensorCores())
    return std::nullopt;
  auto channel = reads->findChannel(kernel);
  if (!channel || reads->findGradientChannel(kernel) ||
      reads->images.getMap().getNumSymbols() > 0 ||
      reads->weights.getMap().getNumSymbols() > 0 ||
      reads->weights.getWithin() || !reads->weights.getIndices().empty())
    return std::nullopt;
  UnfoldedConvolution found{kernel, *reads, {}, 1, 0};
  DimSet reduced = reads->getReduced(kernel);
  for (unsigned dim : reduced.set_bits()) {
    auto size = kernel.getDimSize(dim).getConstant();
    if (!size || *size < 1)
      return std::nullopt;
    found.inRow.push_back(dim);
    found.points *= *size;
  }
  found.rowElements =
      llvm::divideCeil(found.points, kUnfoldedUnit) * kUnfoldedUnit;
  Value images = getOperandOf(kernel, reads->images.getSource());
  auto channels =
      getSizes(cast<ShapedType>(images.getType()))[*channel].getConstant();
  double places = 1, filters = 1;
  for (unsigned dim : found.getOwnDims(reads->images))
    places *= estimateSize(kernel, kernel.getDimSize(dim));
  for (unsigned dim : found.getOwnDims(reads->weights))
    filters *= estimateSize(kernel, kernel.getDimSize(dim));
  bool isWorthIt =
      places * filters * double(found.points) >= double(minMultiplications) &&
      places * double(found.rowElements) <=
          double(maxGrowth) * estimateElements(kernel, images.getType());
  if (!channels || *channels % kUnfoldedUnit == 0 || !isWorthIt ||
      isConvolutionForLibrary(kernel, MachineModel::get(kernel)))
    return std::nullopt;
  return found;
}

void DecomposeConvolutionPass::unfold(UnfoldedConvolution convolution,
                                      PreparedValues &prepared) {
  KernelOp kernel = convolution.kernel;
  const ConvolutionReads &reads = convolution.reads;
  Value images = getOperandOf(kernel, ReadOp(reads.images).getSource()),
        filters = getOperandOf(kernel, ReadOp(reads.weights).getSource());
  OpBuilder builder(kernel);
  Value places =
      convolution.buildMatrix(builder, reads.images, images, "unfold");
  Value rows = prepared.computeFor(
      kernel, filters, "unfolded", [&](OpBuilder &where, Value source) {
        return convolution.buildMatrix(where, reads.weights, source, "unfold");
      });
  convolution.readMatrices(places, rows);
  ++numUnfolded;
}
