//===- Pipelines.cpp - What each phase runs -------------------------------===//

#include "TC/Pipelines/Pipelines.h"
#include "TC/Conversion/Passes.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace tc;

static void buildImport(OpPassManager &manager, const PhaseOptions &options) {
  manager.addPass(createConvertAtenToTCPass());
}

static void buildSpecialize(OpPassManager &manager,
                            const PhaseOptions &options) {
  manager.addNestedPass<func::FuncOp>(createTCDecomposeStridedInputsPass());
  manager.addNestedPass<func::FuncOp>(createTCPlanLikelySizesPass());
  TCSpecializeSizesPassOptions sizes;
  sizes.specialize = llvm::to_vector(options.specialize);
  manager.addPass(createTCSpecializeSizesPass(sizes));
  manager.addNestedPass<func::FuncOp>(createTCPlanSizeGuardsPass());
  manager.addPass(createTCPlanDispatchPass());
  manager.addNestedPass<DispatchOp>(createTCFoldGuardsPass());
}

static void buildSimplify(OpPassManager &manager, const PhaseOptions &options) {
  // Again, for a module that was edited after phase specialize.
  manager.addNestedPass<func::FuncOp>(createTCPlanSizeGuardsPass());
  manager.addPass(createCanonicalizerPass());
  OpPassManager &composites = manager.nest<func::FuncOp>();
  composites.addPass(createTCFoldBatchNormPass());
  composites.addPass(createTCDecomposeAdaptiveAvgPoolPass());
  composites.addPass(createTCDecomposeAttentionPass());
  composites.addPass(createTCDecomposeAttentionBackwardPass());
  composites.addPass(createTCDecomposeBatchNormPass());
  composites.addPass(createTCDecomposeGroupNormPass());
  composites.addPass(createTCDecomposeLogSoftmaxPass());
  composites.addPass(createTCDecomposeNonzeroPass());
  composites.addPass(createTCDecomposePadModesPass());
  composites.addPass(createTCDecomposeRandomPass());
  composites.addPass(createTCDecomposeResamplePass());
  composites.addPass(createTCDecomposeVariancePass());
  manager.addPass(createCanonicalizerPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createTCFoldConstantsPass());
  functions.addPass(createTCFoldPositionsPass());
  functions.addPass(createTCDecomposeStaticScatterPass());
  functions.addPass(createTCDecomposeSingleScatterPass());
  functions.addPass(createTCFoldAlgebraicIdentitiesPass());
  functions.addPass(createTCPropagateTransposesPass());
  functions.addPass(createTCFoldContractionDimsPass());
  functions.addPass(createTCPropagateReshapesPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  manager.addPass(createTCFuseContractionsPass());
  manager.addPass(createTCHoistParameterComputationsPass());
}

static void buildFuse(OpPassManager &manager, const PhaseOptions &options) {
  manager.addPass(createConvertTCToKernelPass());
  manager.addPass(createTCFuseReshapesPass());
  manager.addPass(createTCSplitDimensionsPass());
  manager.addPass(createTCFuseElementwisePass());
  manager.addPass(createTCFuseEpiloguePass());
  manager.addPass(createTCFuseProloguePass());
  // Reads and kernels that the prologues brought together can be fused again.
  manager.addPass(createTCFuseReshapesPass());
  manager.addPass(createTCSplitDimensionsPass());
  manager.addPass(createTCFuseEpiloguePass());
  manager.addPass(createTCFuseAttentionPass());
  manager.addPass(createTCFuseSiblingsPass());
  manager.addPass(createTCEliminateDeadOutputsPass());
  manager.addPass(createTCPropagateCastsPass());
  manager.addPass(createTCAssignChannelsLastPass());
  manager.addPass(createTCPackFiltersPass());
  manager.addPass(createTCDecomposeConvolutionPass());
  manager.addPass(createTCDecomposeTransposedConvolutionPass());
  manager.addPass(createTCSplitShortRowsPass());
  manager.addPass(createTCCollapseDimensionsPass());
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createTCDecomposeColumnProductsPass());
  manager.addPass(createTCSplitFoldsPass());
  // Domains that differed in how a dimension was divided are the same now.
  manager.addPass(createTCFuseSiblingsPass());
  manager.addPass(createTCFuseIndependentPass());
  manager.addNestedPass<func::FuncOp>(createTCSplitOverwritesPass());
  manager.addPass(createTCEliminateDeadOutputsPass());
  manager.addPass(createTCClassifyKernelsPass());
  manager.addPass(createTCAssignSchedulesPass({options.schedules}));
  manager.addPass(createTCPackParametersPass());
  manager.addPass(createTCAssignSchedulesPass({options.schedules}));
}

static void buildBufferize(OpPassManager &manager,
                           const PhaseOptions &options) {
  manager.addPass(createTCBufferizeKernelsPass());
  OpPassManager &functions = manager.nest<func::FuncOp>();
  functions.addPass(createTCPlanKernelOrderPass());
  functions.addPass(createTCAssignBuffersInPlacePass());
  functions.addPass(createTCAssignBuffersToResultsPass());
  functions.addPass(createTCAssignWorkspacesPass());
  functions.addPass(createTCPlanMemoryPass());
}

/// The CPU that host code is generated for, and kernels unless the module's
/// `tc.target` is a GPU.
static std::string getHostTarget(const PhaseOptions &options) {
  return CUDATarget::isCUDA(options.target) ? "cpu" : options.target.getValue();
}

static void buildGenerate(OpPassManager &manager, const PhaseOptions &options) {
  manager.addPass(createConvertTCToGPUPass());
  ConvertTCToVectorPassOptions vector;
  vector.target = getHostTarget(options);
  manager.addPass(createConvertTCToVectorPass(vector));
}

static void buildEmit(OpPassManager &manager, const PhaseOptions &options) {
  ConvertKernelToLLVMPassOptions kernels;
  kernels.target = getHostTarget(options);
  manager.addNestedPass<func::FuncOp>(createConvertKernelToLLVMPass(kernels));
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertBlockToNVVMPass());
  manager.addNestedPass<gpu::GPUModuleOp>(createConvertKernelToNVVMPass());
  manager.addPass(createConvertNVVMToPTXPass(options.onPTX));
  manager.addPass(createConvertTCToLLVMPass());
}

/// A verifier as the last pass of its phase.
template <std::unique_ptr<Pass> (*create)()>
static void addVerifier(OpPassManager &manager) {
  manager.addPass(create());
}

static const PhaseInfo kPhases[] = {
    {Phase::Import, "the graph as tc ops, one for each captured call",
     buildImport, addVerifier<createTCVerifyImportPass>},
    {Phase::Specialize,
     "one function per specialisation and a dispatch function that checks the "
     "guards",
     buildSpecialize, addVerifier<createTCVerifySpecializePass>},
    {Phase::Simplify,
     "the small core of tc ops, folded; composites that later phases need "
     "whole are kept",
     buildSimplify, addVerifier<createTCVerifySimplifyPass>},
    {Phase::Fuse,
     "tc.kernel ops in normal form, each one launch, with class and schedule",
     buildFuse, addVerifier<createTCVerifyFusePass>},
    {Phase::Bufferize,
     "the same kernels on memrefs; every intermediate has an offset in one "
     "arena",
     buildBufferize,
     [](OpPassManager &manager) {
       manager.addNestedPass<func::FuncOp>(createTCVerifyBufferizePass());
     }},
    {Phase::Generate,
     "each kernel as vectorised loops (CPU) or a gpu.module (GPU)",
     buildGenerate, addVerifier<createTCVerifyGeneratePass>},
    {Phase::Emit,
     "host functions of TC's C ABI in the LLVM dialect, ready for object code",
     buildEmit, addVerifier<createTCVerifyEmitPass>},
};

ArrayRef<PhaseInfo> tc::getPhases() { return kPhases; }
