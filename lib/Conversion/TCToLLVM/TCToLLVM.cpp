//===- TCToLLVM.cpp - convert-tc-to-llvm ----------------------------------===//

#include "HostBuilder.h"
#include "TC/Conversion/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOLLVMPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Makes a function with LLVM types and an LLVM body an `llvm.func`.
static LogicalResult convertKernelFunction(func::FuncOp function) {
  for (Type type : function.getArgumentTypes())
    if (!LLVM::isCompatibleType(type))
      return function.emitOpError() << "has an argument of type " << type
                                    << ", expected a type of the LLVM dialect";
  if (function.getNumResults() > 1)
    return function.emitOpError()
           << "has " << function.getNumResults() << " results, expected one at "
           << "most";
  OpBuilder builder(function);
  Type result = function.getNumResults() == 0
                    ? LLVM::LLVMVoidType::get(function.getContext())
                    : function.getResultTypes().front();
  auto converted = LLVM::LLVMFuncOp::create(
      builder, function.getLoc(), function.getName(),
      LLVM::LLVMFunctionType::get(result, function.getArgumentTypes()));
  for (NamedAttribute attribute : function->getDiscardableAttrs())
    converted->setAttr(attribute.getName(), attribute.getValue());
  converted.getBody().takeBody(function.getBody());
  function.erase();
  converted.walk([&](Operation *op) {
    builder.setInsertionPoint(op);
    if (isa<func::ReturnOp>(op)) {
      LLVM::ReturnOp::create(builder, op->getLoc(), op->getOperands());
      op->erase();
    } else if (auto call = dyn_cast<func::CallOp>(op)) {
      auto made =
          LLVM::CallOp::create(builder, op->getLoc(), call.getResultTypes(),
                               call.getCallee(), call.getOperands());
      call->replaceAllUsesWith(made);
      call->erase();
    }
  });
  return success();
}

namespace {
class TCToLLVMPass : public tc::impl::ConvertTCToLLVMPassBase<TCToLLVMPass> {
public:
  using ConvertTCToLLVMPassBase::ConvertTCToLLVMPassBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::StringMap<int64_t> parameterNumbers;
    for (auto [index, source] :
         llvm::enumerate(module.getOps<ParameterSourceOp>()))
      parameterNumbers[source.getSymName()] = index;
    StringTable strings(module);
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      LogicalResult converted =
          function.isPublic() && !function.isDeclaration()
              ? emitHostFunction(function, parameterNumbers, strings)
              : convertKernelFunction(function);
      if (failed(converted))
        return signalPassFailure();
    }
  }
};
} // namespace
