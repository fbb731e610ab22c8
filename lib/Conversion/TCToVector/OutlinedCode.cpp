//===- OutlinedCode.cpp - Code in a function of its own -------------------===//

#include "OutlinedCode.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace tc;

/// Replaces the values from outside that the code of a region uses: constants
/// by copies, the others by arguments of its block. Returns the others.
static SmallVector<Value> isolate(Region &region, Location loc) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(region, captured);
  Block &block = region.front();
  OpBuilder constants = OpBuilder::atBlockBegin(&block);
  SmallVector<Value> arguments;
  for (Value value : captured) {
    Value own;
    if (matchPattern(value, m_Constant())) {
      own = constants.clone(*value.getDefiningOp())->getResult(0);
    } else {
      arguments.push_back(value);
      own = block.addArgument(value.getType(), loc);
    }
    value.replaceUsesWithIf(own, [&](OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    });
  }
  return arguments;
}

/// `@<kernel's function>_<name>`, with a number where there is one already.
static std::string getFreeName(KernelFrame &frame, StringRef name) {
  auto module = frame.function->getParentOfType<ModuleOp>();
  std::string first = (frame.function.getName() + "_" + name).str(),
              free = first;
  for (unsigned number = 1; SymbolTable::lookupSymbolIn(module, free); ++number)
    free = first + "_" + std::to_string(number);
  return free;
}

void tc::emitOutlined(KernelFrame &frame, StringRef name,
                      llvm::function_ref<void()> body) {
  auto &builder = frame.builder;
  Location loc = frame.loc;
  OpBuilder::InsertionGuard guard(builder);
  auto code = scf::ExecuteRegionOp::create(builder, loc, TypeRange());
  builder.createBlock(&code.getRegion());
  body();
  SmallVector<Value> arguments = isolate(code.getRegion(), loc);

  std::string freeName = getFreeName(frame, name);
  builder.setInsertionPoint(frame.function);
  auto function = func::FuncOp::create(
      builder, loc, freeName,
      builder.getFunctionType(TypeRange(ValueRange(arguments)), {}));
  function.setPrivate();
  function->setAttr("no_inline", builder.getUnitAttr());
  function.getBody().takeBody(code.getRegion());
  builder.setInsertionPointToEnd(&function.getBody().front());
  func::ReturnOp::create(builder, loc);

  builder.setInsertionPoint(code);
  func::CallOp::create(builder, loc, function, arguments);
  code.erase();
}
