//===- DynamicShared.cpp - Shared memory whose size a launch says ---------===//

#include "DynamicShared.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc::block;

Value tc::block::getDynamicShared(Instructions &code, Operation *op) {
  constexpr unsigned kSharedAddressSpace = 3;
  auto module = op->getParentOfType<gpu::GPUModuleOp>();
  std::string name = (module.getName() + "_dynamic_shared").str();
  OpBuilder &b = code.builder;
  if (!module.lookupSymbol(name)) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    LLVM::GlobalOp::create(b, code.loc,
                           LLVM::LLVMArrayType::get(b.getI8Type(), 0),
                           /*isConstant=*/false, LLVM::Linkage::External, name,
                           Attribute(), kBoxAlignment, kSharedAddressSpace);
  }
  Value pointer = LLVM::AddressOfOp::create(
      b, code.loc,
      LLVM::LLVMPointerType::get(b.getContext(), kSharedAddressSpace), name);
  return LLVM::PtrToIntOp::create(b, code.loc, b.getI32Type(), pointer);
}
