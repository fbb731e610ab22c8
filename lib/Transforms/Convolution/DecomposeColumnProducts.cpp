//===- DecomposeColumnProducts.cpp - tc-decompose-column-products ---------===//

#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCDECOMPOSECOLUMNPRODUCTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether a contraction multiplies columns by columns, one by one, of many
/// points each: one operand has no dimension that the other has not, so there
/// is no matrix product of the two.
static bool multipliesColumns(ContractStageOp stage) {
  constexpr double kFewPoints = 32;
  auto kernel = stage->getParentOfType<KernelOp>();
  int64_t column = getContiguousDim(kernel);
  KernelDims dims(kernel);
  DimSet left = dims.of(stage.getLhs()), right = dims.of(stage.getRhs());
  DimSet common(left);
  common &= right;
  if (column < 0 || !common.test(unsigned(column)) ||
      (common != left && common != right) ||
      llvm::is_contained(stage.getOver(), column))
    return false;
  DimSet folded(kernel.getNumDims());
  for (int64_t dim : stage.getOver())
    folded.set(unsigned(dim));
  return estimatePoints(kernel, folded) > kFewPoints;
}

/// Makes the sum of products a sum of what is multiplied.
static void decompose(ContractStageOp stage) {
  OpBuilder builder(stage);
  Location loc = stage.getLoc();
  Type type = stage.getResult().getType();
  Value product = MulOp::create(builder, loc,
                                castScalar(builder, loc, stage.getLhs(), type),
                                castScalar(builder, loc, stage.getRhs(), type));
  auto sum = ReduceStageOp::create(
      builder, loc, TypeRange{type},
      ReductionKindAttr::get(builder.getContext(), ReductionKind::Sum), product,
      stage.getOverAttr());
  stage.replaceAllUsesWith(sum->getResult(0));
  stage.erase();
}

namespace {
class DecomposeColumnProductsPass
    : public tc::impl::TCDecomposeColumnProductsPassBase<
          DecomposeColumnProductsPass> {
public:
  void runOnOperation() override {
    if (!MachineModel::get(getOperation()).isGPU)
      return;
    for (KernelOp kernel : getOutermostKernels(getOperation())) {
      auto stages =
          llvm::to_vector(kernel.getBodyBlock().getOps<ContractStageOp>());
      if (stages.empty() || !llvm::all_of(stages, multipliesColumns))
        continue;
      for (ContractStageOp stage : stages)
        decompose(stage);
      kernel.setKernelClass(classifyKernel(kernel));
      ++numDecomposed;
    }
  }
};
} // namespace
