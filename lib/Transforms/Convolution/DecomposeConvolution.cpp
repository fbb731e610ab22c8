//===- DecomposeConvolution.cpp - tc-decompose-convolution ----------------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/LibraryConvolution.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Parameters/PreparedValues.h"
#include "TC/Transforms/Passes.h"
#include "UnfoldedConvolution.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSECONVOLUTIONPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

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
  UnfoldedConvolution found{kernel, *reads};
  if (!found.setRow(reads->getReduced(kernel)))
    return std::nullopt;
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
