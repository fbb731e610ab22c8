//===- PreparedValues.cpp - Writing @tc.prepare ---------------------------===//

#include "TC/Transforms/Parameters/PreparedValues.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

static unsigned hashOf(Operation *op) {
  return static_cast<size_t>(OperationEquivalence::computeHash(
      op, OperationEquivalence::directHashValue,
      OperationEquivalence::ignoreHashValue,
      OperationEquivalence::IgnoreLocations));
}

PreparedValues::PreparedValues(ModuleOp module)
    : module(module), symbols(module),
      function(symbols.lookup<func::FuncOp>(kPrepareFunction)) {
  for (auto other : module.getOps<func::FuncOp>())
    for (unsigned index = 0; index < other.getNumResults(); ++index)
      if (auto target =
              other.getResultAttrOfType<FlatSymbolRefAttr>(index, kMutatesAttr))
        mutated.insert(target.getValue());
}

/// Whether the op, or one of its attributes, depends on a symbol.
static bool hasSymbolicSizes(Operation *op) {
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.hasStaticShape())
      return true;
  }
  WalkResult result = op->getAttrDictionary().walk([](SizeExprAttr size) {
    return size.getConstant() ? WalkResult::advance() : WalkResult::interrupt();
  });
  return result.wasInterrupted();
}

bool PreparedValues::isOfParameters(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  Operation *op = value.getDefiningOp();
  bool isPure = op && op->getNumRegions() == 0 && isMemoryEffectFree(op) &&
                !hasSymbolicSizes(op);
  if (auto parameter = dyn_cast_or_null<ParameterOp>(op))
    isPure &= !mutated.contains(parameter.getSource());
  bool result = isPure && llvm::all_of(op->getOperands(), [&](Value operand) {
                  return isOfParameters(operand);
                });
  known[value] = result;
  return result;
}

SmallVector<ParameterOp> PreparedValues::getParameters(Value value) {
  llvm::SetVector<Value> needed;
  needed.insert(value);
  SmallVector<ParameterOp> parameters;
  for (size_t index = 0; index < needed.size(); ++index) {
    Operation *op = needed[index].getDefiningOp();
    if (auto parameter = dyn_cast<ParameterOp>(op))
      parameters.push_back(parameter);
    needed.insert_range(op->getOperands());
  }
  return parameters;
}

void PreparedValues::createFunction() {
  if (function)
    return;
  OpBuilder builder(module.getContext());
  // Before the functions that use it, after the parameters.
  auto functions = module.getOps<func::FuncOp>();
  if (functions.empty())
    builder.setInsertionPointToEnd(module.getBody());
  else
    builder.setInsertionPoint(*functions.begin());
  function =
      func::FuncOp::create(builder, module.getLoc(), kPrepareFunction,
                           builder.getFunctionType(TypeRange(), TypeRange()));
  symbols.insert(function);
  builder.setInsertionPointToStart(function.addEntryBlock());
  func::ReturnOp::create(builder, module.getLoc());
}

OpBuilder PreparedValues::getBuilder() {
  createFunction();
  return OpBuilder(function.front().getTerminator());
}

/// An op of @tc.prepare that computes the same as `op`; null if there is none.
Operation *PreparedValues::findEqual(Operation *op) {
  if (!isIndexed)
    for (Operation &known : function.front().without_terminator())
      ops[hashOf(&known)].push_back(&known);
  isIndexed = true;
  for (Operation *other : ops.lookup(hashOf(op)))
    if (OperationEquivalence::isEquivalentTo(
            op, other, OperationEquivalence::IgnoreLocations))
      return other;
  return nullptr;
}

Value PreparedValues::copy(Value value) {
  if (Value found = copies.lookupOrNull(value))
    return found;
  Operation *op = value.getDefiningOp();
  createFunction();
  if (op->getParentOp() == function)
    return value;
  if (auto parameter = dyn_cast<ParameterOp>(op))
    if (auto prepared = symbols.lookup<PreparedOp>(parameter.getSource())) {
      Value result =
          function.front().getTerminator()->getOperand(prepared.getResult());
      copies.map(value, result);
      return result;
    }
  for (Value operand : op->getOperands())
    copy(operand);
  Operation *copied = op->clone(copies);
  if (Operation *equal = findEqual(copied)) {
    copied->erase();
    copied = equal;
  } else {
    getBuilder().insert(copied);
    ops[hashOf(copied)].push_back(copied);
  }
  copies.map(op->getResults(), copied->getResults());
  return copies.lookup(value);
}

PreparedOp PreparedValues::publish(Value value, StringRef parameter,
                                   StringRef purpose) {
  Operation *end = function.front().getTerminator();
  if (published.empty())
    for (auto prepared : module.getOps<PreparedOp>())
      published.try_emplace(end->getOperand(prepared.getResult()), prepared);
  PreparedOp &declared = published[value];
  if (declared)
    return declared;
  int64_t index = end->getNumOperands();
  end->insertOperands(index, value);
  function.setType(FunctionType::get(module.getContext(), TypeRange(),
                                     end->getOperandTypes()));
  OpBuilder builder(function);
  parameter.consume_back(".prepared");
  std::string name =
      parameter.empty() ? purpose.str() : (parameter + "." + purpose).str();
  declared =
      PreparedOp::create(builder, value.getLoc(), name, value.getType(), index);
  symbols.insert(declared, Block::iterator(function));
  return declared;
}

Value PreparedValues::read(PreparedOp prepared, Operation *op) {
  OpBuilder builder(op);
  return ParameterOp::create(builder, op->getLoc(), prepared.getType(),
                             prepared.getSymName());
}

void PreparedValues::eraseUnread() {
  if (!function)
    return;
  llvm::StringSet<> read;
  module.walk([&](ParameterOp op) { read.insert(op.getSource()); });
  SmallVector<PreparedOp> all = llvm::to_vector(module.getOps<PreparedOp>());
  Operation *end = function.front().getTerminator();
  SmallVector<Value> results;
  for (PreparedOp prepared : all) {
    if (!read.contains(prepared.getSymName())) {
      symbols.erase(prepared);
      continue;
    }
    Value value = end->getOperand(prepared.getResult());
    size_t index = llvm::find(results, value) - results.begin();
    if (index == results.size())
      results.push_back(value);
    prepared.setResult(index);
  }
  if (results.empty()) {
    forget(function);
    symbols.erase(function);
    function = nullptr;
    return;
  }
  end->setOperands(results);
  function.setType(FunctionType::get(module.getContext(), TypeRange(),
                                     end->getOperandTypes()));
  eraseDeadOps(function);
}

void PreparedValues::forget(func::FuncOp changed) {
  known.clear();
  copies.clear();
  if (changed != function)
    return;
  ops.clear();
  isIndexed = false;
  published.clear();
}

void PreparedValues::eraseDeadOps(func::FuncOp from) {
  forget(from);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(from.front())))
    if (isOpTriviallyDead(&op) || (isa<KernelOp>(op) && op.use_empty()))
      op.erase();
}

void PreparedValues::rewriteFunctions(
    function_ref<void(func::FuncOp)> rewrite) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && function.getSymName() != kPrepareFunction)
      functions.push_back(function);
  for (func::FuncOp function : functions) {
    rewrite(function);
    eraseDeadOps(function);
  }
  eraseUnread();
}

Value PreparedValues::computeFor(
    KernelOp kernel, Value value, StringRef purpose,
    function_ref<Value(OpBuilder &, Value)> build) {
  SmallVector<ParameterOp> parameters;
  if (isOfParameters(value))
    parameters = getParameters(value);
  if (parameters.empty()) {
    OpBuilder builder(kernel);
    return build(builder, value);
  }
  Value copied = copy(value);
  OpBuilder builder = getBuilder();
  Value made = build(builder, copied);
  return read(publish(made, parameters.front().getSource(), purpose), kernel);
}

void tc::readInstead(KernelOp kernel, ReadOp read, Value value) {
  auto argument = cast<BlockArgument>(read.getSource());
  if (argument.hasOneUse()) {
    kernel->setOperand(argument.getArgNumber(), value);
    argument.setType(value.getType());
  } else {
    unsigned index = kernel.getIns().size();
    kernel.getInsMutable().append(value);
    argument = kernel.getBodyBlock().insertArgument(index, value.getType(),
                                                    value.getLoc());
    read.getSourceMutable().assign(argument);
  }
}
