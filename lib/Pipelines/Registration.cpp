//===- Registration.cpp - Everything TC registers -------------------------===//
//
// The one file that includes the registration headers of MLIR and of TC's
// passes, which take long to compile.
//
//===----------------------------------------------------------------------===//

#include "TC/Pipelines/Registration.h"
#include "TC/Conversion/Passes.h"
#include "TC/Dialect/Block/IR/BlockOps.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Frontend/PT2/Passes.h"
#include "TC/Pipelines/Phases.h"
#include "TC/Transforms/Passes.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_REGISTRATION
#include "TC/Frontend/PT2/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "TC/Conversion/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

void tc::registerDialects(DialectRegistry &registry) {
  registerAllDialects(registry);
  registerAllExtensions(registry);
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
  registry.insert<TCDialect, block::BlockDialect>();
}

void tc::registerPasses(llvm::StringRef defaultTarget) {
  registerAllPasses();
  // Of two registrations of a pass the first counts.
  registerPass([target = defaultTarget.str()] {
    TCAssignTargetPassOptions options;
    options.target = target;
    return createTCAssignTargetPass(options);
  });
  registerTCFrontendPT2Passes();
  registerTCConversionPasses();
  registerTCTransformsPasses();
  registerPhasePipelines(defaultTarget);
}
