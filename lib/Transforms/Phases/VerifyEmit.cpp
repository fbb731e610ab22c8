//===- VerifyEmit.cpp - tc-verify-emit ------------------------------------===//

#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYEMITPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// A function with a signature is `i32 (ptr)`, as ABI.h has it.
static LogicalResult verifySignature(LLVM::LLVMFuncOp function) {
  LLVM::LLVMFunctionType type = function.getFunctionType();
  bool fits = type.getReturnType().isInteger(32) && type.getNumParams() == 1 &&
              isa<LLVM::LLVMPointerType>(type.getParamType(0)) &&
              !type.isVarArg();
  if (!function->hasAttr(kSignatureAttr) || fits)
    return success();
  InFlightDiagnostic error = function.emitOpError("is a host function of type ")
                             << type << "; expected i32 (ptr)";
  error.attachNote() << "convert-tc-to-llvm should have made it one";
  return error;
}

namespace {
class VerifyEmitPass : public tc::impl::TCVerifyEmitPassBase<VerifyEmitPass> {
public:
  using TCVerifyEmitPassBase::TCVerifyEmitPassBase;

  void runOnOperation() override {
    WalkResult result =
        getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (isa<ModuleOp, ParameterSourceOp, PreparedOp>(op))
            return WalkResult::advance();
          if (auto function = dyn_cast<LLVM::LLVMFuncOp>(op))
            if (failed(verifySignature(function)))
              return WalkResult::interrupt();
          if (isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
            return WalkResult::advance();
          InFlightDiagnostic error =
              op->emitOpError("is left after phase emit; expected ops of the "
                              "llvm dialect and tc.parameter_source");
          error.attachNote()
              << "convert-kernel-to-llvm should have lowered it in kernels, "
                 "convert-tc-to-llvm in host functions";
          return WalkResult::interrupt();
        });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
