//===- TCToLLVM.cpp - convert-tc-to-llvm ----------------------------------===//

#include "Dispatch.h"
#include "HostBuilder.h"
#include "HostFunction.h"
#include "KernelDescriptors.h"
#include "TC/Conversion/Passes.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTTCTOLLVMPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The elements as laid out in memory: little endian, one byte a bool.
static FailureOr<std::string> getBytes(ElementsAttr elements) {
  std::string bytes;
  if (elements.getElementType().isInteger(1)) {
    auto values = elements.tryGetValues<bool>();
    if (!values)
      return failure();
    for (bool value : *values)
      bytes.push_back(value ? 1 : 0);
    return bytes;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(elements)) {
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return std::string(blob->getData().data(), blob->getData().size());
    return failure();
  }
  auto dense = dyn_cast<DenseElementsAttr>(elements);
  if (!dense)
    return failure();
  StringRef raw(dense.getRawData().data(), dense.getRawData().size());
  int64_t repeats = dense.isSplat() ? dense.getNumElements() : 1;
  for (int64_t i = 0; i < repeats; ++i)
    bytes += raw;
  return bytes;
}

/// Makes a constant buffer a global of bytes.
static LogicalResult convertConstant(memref::GlobalOp global) {
  auto elements = dyn_cast_or_null<ElementsAttr>(
      global.getInitialValue().value_or(Attribute()));
  FailureOr<std::string> bytes =
      elements ? getBytes(elements) : FailureOr<std::string>();
  if (failed(bytes))
    return global.emitOpError() << "has no elements that can be emitted";
  OpBuilder builder(global);
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), bytes->size());
  LLVM::GlobalOp::create(builder, global.getLoc(), type, /*isConstant=*/true,
                         LLVM::Linkage::Internal, global.getSymName(),
                         builder.getStringAttr(*bytes), /*alignment=*/64);
  auto target = global->getParentOfType<ModuleOp>()->getAttrOfType<TargetAttr>(
      kTargetAttr);
  if (target && target.getKind() == "cuda")
    makeHandles(builder, global.getLoc(), global.getSymName());
  global.erase();
  return success();
}

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
    for (auto source : module.getOps<ParameterSourceOp>())
      parameterNumbers.try_emplace(source.getSymName(),
                                   parameterNumbers.size());
    for (auto prepared : module.getOps<PreparedOp>())
      parameterNumbers.try_emplace(prepared.getSymName(),
                                   parameterNumbers.size());
    StringTable strings(module);
    for (auto global :
         llvm::make_early_inc_range(module.getOps<memref::GlobalOp>()))
      if (failed(convertConstant(global)))
        return signalPassFailure();
    if (failed(makeKernelDescriptors(module, strings)))
      return signalPassFailure();
    for (auto function :
         llvm::make_early_inc_range(module.getOps<func::FuncOp>())) {
      LogicalResult converted =
          function.isPublic() && !function.isDeclaration()
              ? emitHostFunction(function, parameterNumbers, strings)
              : convertKernelFunction(function);
      if (failed(converted))
        return signalPassFailure();
    }
    for (auto dispatch :
         llvm::make_early_inc_range(module.getOps<DispatchOp>()))
      if (failed(emitDispatch(dispatch, parameterNumbers, strings)))
        return signalPassFailure();
  }
};
} // namespace
