//===- VerifyGenerate.cpp - tc-verify-generate ----------------------------===//

#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYGENERATEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether a function can be what a launch calls: (ptr, i64, i64), no result.
static bool isKernelFunction(func::FuncOp function) {
  FunctionType type = function.getFunctionType();
  return function.isPrivate() && type.getNumResults() == 0 &&
         type.getNumInputs() == 3 &&
         isa<LLVM::LLVMPointerType>(type.getInput(0)) &&
         type.getInput(1).isInteger(64) && type.getInput(2).isInteger(64);
}

/// Whether argument `index` of a kernel can be a tensor map: 128 bytes by
/// value.
static bool isTensorMap(gpu::GPUFuncOp kernel, size_t index) {
  auto bytes = kernel.getArgAttrOfType<TypeAttr>(
      index, LLVM::LLVMDialect::getByValAttrName());
  auto alignment = kernel.getArgAttrOfType<IntegerAttr>(
      index, LLVM::LLVMDialect::getAlignAttrName());
  auto array = bytes ? dyn_cast<LLVM::LLVMArrayType>(bytes.getValue())
                     : LLVM::LLVMArrayType();
  return array && array.getNumElements() == 16 &&
         array.getElementType().isInteger(64) && alignment &&
         alignment.getInt() == 64;
}

/// A launch with threads runs a kernel of its gpu.module's name, which has an
/// argument for each tensor map and slot.
static LogicalResult verifyGPULaunch(LaunchOp launch,
                                     const SymbolTable &symbols) {
  auto module = symbols.lookup<gpu::GPUModuleOp>(launch.getKernel());
  auto kernel = module ? module.lookupSymbol<gpu::GPUFuncOp>(launch.getKernel())
                       : gpu::GPUFuncOp();
  size_t maps = launch.getTensorMaps().size();
  size_t expected = maps + static_cast<size_t>(launch.countSlots());
  bool isKernel =
      kernel && kernel.isKernel() && kernel.getNumArguments() == expected;
  if (isKernel && llvm::all_of(llvm::seq(maps), [&](size_t index) {
        return isTensorMap(kernel, index);
      }))
    return success();
  InFlightDiagnostic error = launch.emitOpError("runs @") << launch.getKernel();
  if (isKernel)
    error << " with " << maps << " tensor maps, expected as many first "
          << "arguments '!llvm.ptr {llvm.align = 64 : i64, llvm.byval = "
          << "!llvm.array<16 x i64>}'";
  else
    error << " with threads, expected a gpu.module with a kernel of that name "
          << "and " << expected << " arguments";
  error.attachNote() << "convert-tc-to-gpu should have made it";
  return error;
}

/// The slots of its context that a kernel function looks at: one more than the
/// last.
static int64_t countSlots(func::FuncOp kernel) {
  int64_t slots = 0;
  for (Operation *user : kernel.getArgument(0).getUsers()) {
    auto address = dyn_cast<LLVM::GEPOp>(user);
    if (!address)
      slots = std::max<int64_t>(slots, 1);
    else if (address.getRawConstantIndices().size() == 1 &&
             address.getDynamicIndices().empty())
      slots = std::max<int64_t>(slots, address.getRawConstantIndices()[0] + 1);
  }
  return slots;
}

static LogicalResult verifyLaunch(LaunchOp launch, const SymbolTable &symbols) {
  if (launch.getThreads())
    return verifyGPULaunch(launch, symbols);
  auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
  if (kernel && isKernelFunction(kernel)) {
    int64_t given = launch.countSlots();
    if (kernel.isDeclaration() || countSlots(kernel) <= given)
      return success();
    return launch.emitOpError("gives @")
           << launch.getKernel() << " " << given
           << " slots (buffers, sizes, status), but it reads "
           << countSlots(kernel);
  }
  InFlightDiagnostic error = launch.emitOpError("runs @")
                             << launch.getKernel() << ", which is "
                             << (kernel ? "no kernel function" : "missing")
                             << "; expected a private function (!llvm.ptr, "
                                "i64, i64)";
  error.attachNote() << "convert-tc-to-vector should have made it";
  return error;
}

/// A host function is a list of buffers and launches, and of branches and loops
/// of launches.
static LogicalResult verifyHost(Block &block, const SymbolTable &symbols) {
  for (Operation &op : block) {
    if (isa<IfOp, WhileOp>(op)) {
      for (Region &region : op.getRegions())
        if (failed(verifyHost(region.front(), symbols)))
          return failure();
      continue;
    }
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (failed(verifyLaunch(launch, symbols)))
        return failure();
      continue;
    }
    if (isa<ArenaOp, ArenaViewOp, OutputBufferOp, BufferReshapeOp,
            InputStorageOp, LibraryCallOp, LibraryConvolutionOp, ParameterOp,
            GuardOp, SizeFromOp, SizeGuardOp, memref::GetGlobalOp, YieldOp,
            func::ReturnOp>(op))
      continue;
    InFlightDiagnostic error =
        op.emitOpError("cannot be in a host function after phase generate");
    error.attachNote() << "convert-tc-to-vector should have made it a "
                          "tc.launch";
    return error;
  }
  return success();
}

static LogicalResult verifyKernel(Operation *kernel) {
  WalkResult result = kernel->walk([&](Operation *op) {
    if (!isa_and_nonnull<TCDialect>(op->getDialect()))
      return WalkResult::advance();
    InFlightDiagnostic error =
        op->emitOpError("is left in a kernel function after phase generate");
    error.attachNote() << "convert-tc-to-vector should have emitted it as "
                          "loops and arithmetic";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

namespace {
class VerifyGeneratePass
    : public tc::impl::TCVerifyGeneratePassBase<VerifyGeneratePass> {
public:
  using TCVerifyGeneratePassBase::TCVerifyGeneratePassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration())
        continue;
      if (failed(function.isPublic() ? verifyHost(function.front(), symbols)
                                     : verifyKernel(function)))
        return signalPassFailure();
    }
    for (auto module : getOperation().getOps<gpu::GPUModuleOp>())
      if (failed(verifyKernel(module)))
        return signalPassFailure();
  }
};
} // namespace
