//===- BufferizeKernels.cpp - tc-bufferize-kernels ------------------------===//

#include "../Schedule/ModelSchedule.h"
#include "CarriedBuffers.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Dialect/TC/IR/KernelBuilder.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCBUFFERIZEKERNELSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The memref that holds a tensor of this type.
static MemRefType getBufferType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  return getMemRefType(getSizes(type), type.getElementType());
}

namespace {
/// `memref.global`s of a module, one for each distinct constant.
class ConstantTable {
public:
  explicit ConstantTable(ModuleOp module) : symbols(module) {}

  memref::GlobalOp get(ConstantOp op) {
    memref::GlobalOp &global = globals[op.getValue()];
    if (global)
      return global;
    OpBuilder builder(op.getContext());
    global = memref::GlobalOp::create(
        builder, op.getLoc(), "constant", builder.getStringAttr("private"),
        getBufferType(op.getType()), op.getValue(), /*constant=*/true,
        /*alignment=*/builder.getI64IntegerAttr(64));
    symbols.insert(global, symbols.getOp()->getRegion(0).front().begin());
    return global;
  }

private:
  SymbolTable symbols;
  llvm::DenseMap<Attribute, memref::GlobalOp> globals;
};

/// One function: buffers of its values, then the same ops on them.
class FunctionBufferizer {
public:
  FunctionBufferizer(func::FuncOp function, ConstantTable &constants,
                     PreparedValues &prepared)
      : function(function), constants(constants), prepared(prepared),
        machine(MachineModel::get(function)), builder(function.getContext()) {}

  LogicalResult run();

private:
  LogicalResult check();
  LogicalResult check(Block &block);
  void assignTargets(Block &block, ArrayRef<Value> wanted,
                     llvm::function_ref<bool(unsigned)> mayWriteThere);
  void shareBuffers(Block &block);
  void createOutputs();
  void convert(Operation &op);
  void convertKernel(KernelOp op);
  void convertIf(IfOp op);
  void convertWhile(WhileOp op);
  void convertRegion(Block &from, Block &to);
  void convertSignature();
  Value getDestination(KernelOp op, unsigned index);
  Value createBuffer(Value result);
  Value bufferOf(Value value);
  Value reshape(Value buffer, MemRefType type);
  void copy(Location loc, Value from, Value to);
  void assign(Location loc, ValueRange values, ArrayRef<Value> wanted);

  func::FuncOp function;
  ConstantTable &constants;
  PreparedValues &prepared;
  MachineModel machine;
  OpBuilder builder;
  /// The op of the function's block that is converted: buffers, views and
  /// constants go before it, also those of a region, where the memory plan and
  /// all regions see them.
  Operation *current = nullptr;
  llvm::DenseMap<Value, Value> buffers;
  /// The buffers into which results are written because the caller, what is
  /// behind a branch, or the next iteration of a loop wants them there.
  llvm::DenseMap<Value, Value> targets;
  /// The results of loops in whose buffers their initial values are made.
  llvm::DenseMap<Value, Value> loopResults;
  SmallVector<Value> outputs;
  SmallVector<Type> resultTypes;
};
} // namespace

LogicalResult FunctionBufferizer::check(Block &block) {
  for (Operation &op : block) {
    if (isa<IfOp, WhileOp>(op)) {
      for (Region &region : op.getRegions())
        if (failed(check(region.front())))
          return failure();
      continue;
    }
    if (!isa<KernelOp, ReshapeOp, InputStorageOp, EmptyOp, ConstantOp,
             ParameterOp, GuardOp, SizeFromOp, SizeGuardOp, YieldOp,
             func::ReturnOp>(op))
      return op.emitOpError(
          "cannot be put on buffers; tc-bufferize-kernels expects tc.kernel, "
          "tc.reshape, tc.input_storage, tc.if, tc.while, tc.parameter and "
          "tc.constant, which "
          "phase fuse leaves");
  }
  return success();
}

LogicalResult FunctionBufferizer::check() {
  if (!llvm::hasSingleElement(function.getBody()))
    return function.emitError()
           << "function @" << function.getSymName()
           << " has a body of several blocks; tc-bufferize-kernels expects one";
  if (failed(check(function.front())))
    return failure();
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(),
                                            function.getResultTypes()))
    if (!isa<RankedTensorType>(type))
      return function.emitError()
             << "function @" << function.getSymName() << " has a value of type "
             << type << "; tc-bufferize-kernels expects ranked tensors";
  return success();
}

/// Has what the block ends with written to the buffers where it is wanted,
/// where ops of the block make it and may write there.
void FunctionBufferizer::assignTargets(
    Block &block, ArrayRef<Value> wanted,
    function_ref<bool(unsigned)> mayWriteThere) {
  for (auto [index, value, buffer] :
       llvm::enumerate(block.getTerminator()->getOperands(), wanted)) {
    Value root = getShownValue(value);
    if (!isMadeIn(block, root) || !mayWriteThere(index))
      continue;
    // A buffer of data-dependent sizes is not there before they are known.
    Operation *allocation = buffer.getDefiningOp();
    if (!allocation || allocation->getBlock() != &block ||
        allocation->isBeforeInBlock(root.getDefiningOp()))
      targets.try_emplace(root, buffer); // the first; others are copies
  }
}

/// Has the ops of the block write to buffers that later ops of it go on with:
/// loops with their initial values, kernels with their destinations.
void FunctionBufferizer::shareBuffers(Block &block) {
  for (Operation &op : llvm::reverse(block)) {
    if (auto loop = dyn_cast<WhileOp>(op))
      for (unsigned index = 0; index < loop.getNumResults(); ++index)
        if (takesOverInitial(loop, index))
          loopResults[getShownValue(loop.getInitial()[index])] =
              loop.getResult(index);
    auto updating = dyn_cast<KernelOp>(op);
    for (unsigned index = 0; updating && index < updating.getNumResults();
         ++index) {
      Value result = updating.getResult(index);
      if (!takesOver(updating, index))
        continue;
      Value destination = getShownValue(updating.getOuts()[index]);
      if (Value buffer = targets.lookup(result))
        targets[destination] = buffer;
      if (Value later = loopResults.lookup(result))
        loopResults[destination] = later;
    }
  }
}

void FunctionBufferizer::createOutputs() {
  SizeEpochs epochs(function.front());
  builder.setInsertionPointToStart(&function.front());
  OpBuilder::InsertionGuard start(builder);
  for (auto [index, type] : llvm::enumerate(resultTypes)) {
    unsigned epoch = epochs.of(cast<ShapedType>(type));
    OpBuilder::InsertionGuard restore(builder);
    if (epoch > 0) // as soon as its sizes are known
      builder.setInsertionPointAfter(epochs.getDefinition(epoch));
    auto target =
        function.getResultAttrOfType<IntegerAttr>(index, kMayOverwriteAttr);
    outputs.push_back(OutputBufferOp::create(
        builder, function.getLoc(), getBufferType(type),
        builder.getI64IntegerAttr(index), /*over=*/Value(), target));
  }
}

Value FunctionBufferizer::reshape(Value buffer, MemRefType type) {
  if (buffer.getType() == type)
    return buffer;
  OpBuilder before(current);
  return BufferReshapeOp::create(before, buffer.getLoc(), type, buffer);
}

Value FunctionBufferizer::createBuffer(Value result) {
  MemRefType type = getBufferType(result.getType());
  if (Value target = targets.lookup(result))
    return reshape(target, type);
  if (Value later = loopResults.lookup(result))
    return reshape(bufferOf(later), type);
  OpBuilder before(current);
  return BufferOp::create(before, result.getLoc(), type);
}

/// The buffer of a value; memory of unspecified elements for a `tc.empty`.
Value FunctionBufferizer::bufferOf(Value value) {
  if (Value known = buffers.lookup(value))
    return known;
  Value buffer = createBuffer(value);
  buffers[value] = buffer;
  return buffer;
}

/// A pointwise kernel over the elements in row-major order.
void FunctionBufferizer::copy(Location loc, Value from, Value to) {
  remark::missed(loc, remark::RemarkOpts::name("copy")
                          .category("tc-bufferize-kernels")
                          .function(function.getName()))
      << remark::metric("Type", Type(to.getType()));
  auto type = cast<MemRefType>(to.getType());
  Sizes sizes = getSizes(type);
  if (sizes.size() > 1) {
    sizes = {getElementCount(sizes, builder.getContext())};
    type = getMemRefType(sizes, type.getElementType());
    from = reshape(from, type);
    to = reshape(to, type);
  }
  KernelBuilder kernel(builder, loc, "copy",
                       getNamedDims(builder.getContext(), sizes), to);
  SmallVector<AffineExpr> point = kernel.dims(kernel.getRank());
  kernel.write(kernel.read(from, point), 0, point);
  KernelOp made = kernel.finish();
  made.setScheduleAttr(getModelSchedule(made, machine, prepared));
}

Value FunctionBufferizer::getDestination(KernelOp op, unsigned index) {
  Value destination = op.getOuts()[index];
  if (takesOver(op, index))
    return bufferOf(destination);
  Value fresh = createBuffer(op.getResult(index));
  // What the kernel does not write keeps the destination's elements.
  if (!getShownValue(destination).getDefiningOp<EmptyOp>() &&
      getBufferRoot(bufferOf(destination)) != getBufferRoot(fresh))
    copy(op.getLoc(), bufferOf(destination), fresh);
  return fresh;
}

void FunctionBufferizer::convertKernel(KernelOp op) {
  SmallVector<Value> ins =
      llvm::map_to_vector(op.getIns(), [&](Value in) { return bufferOf(in); });
  SmallVector<Value> outs;
  for (unsigned index = 0; index < op.getOuts().size(); ++index)
    outs.push_back(getDestination(op, index));
  auto kernel =
      KernelOp::create(builder, op.getLoc(), op.getName(), op.getKernelClass(),
                       ArrayRef<DimAttr>(), ins, outs);
  kernel.getProperties() = op.getProperties();
  kernel->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  kernel.getBody().takeBody(op.getBody());
  for (auto [argument, operand] : llvm::zip_equal(
           kernel.getBodyBlock().getArguments(), kernel.getOperands()))
    argument.setType(operand.getType());
  for (auto [result, out] : llvm::zip_equal(op.getResults(), outs))
    buffers[result] = out;
}

/// Puts values where they are wanted, all at once: a buffer is overwritten when
/// no copy reads it any more.
void FunctionBufferizer::assign(Location loc, ValueRange values,
                                ArrayRef<Value> wanted) {
  struct Copy {
    Value from, to;
  };
  SmallVector<Copy> copies;
  llvm::DenseMap<Value, unsigned> readers; // copies that read a buffer
  for (auto [value, target] : llvm::zip_equal(values, wanted)) {
    Value from = bufferOf(value);
    if (getBufferRoot(from) == getBufferRoot(target))
      continue; // it is made there
    ++readers[getBufferRoot(from)];
    copies.push_back(
        {reshape(from, cast<MemRefType>(target.getType())), target});
  }
  while (!copies.empty()) {
    size_t before = copies.size();
    llvm::erase_if(copies, [&](Copy &each) {
      if (readers.lookup(getBufferRoot(each.to)) > 0)
        return false;
      copy(loc, each.from, each.to);
      --readers[getBufferRoot(each.from)];
      return true;
    });
    if (copies.size() < before)
      continue;
    // A circle: one value waits in a buffer of its own.
    Copy &first = copies.front();
    OpBuilder atCurrent(current);
    Value kept = BufferOp::create(atCurrent, loc, first.to.getType());
    copy(loc, first.from, kept);
    --readers[getBufferRoot(first.from)];
    ++readers[kept];
    first.from = kept;
  }
}

void FunctionBufferizer::convertRegion(Block &from, Block &to) {
  builder.setInsertionPointToEnd(&to);
  shareBuffers(from);
  for (Operation &inner : from.without_terminator())
    convert(inner);
}

/// Both branches write to the buffers of the results.
void FunctionBufferizer::convertIf(IfOp op) {
  SmallVector<Value> results = llvm::map_to_vector(
      op.getResults(), [&](Value result) { return bufferOf(result); });
  auto made = IfOp::create(builder, op.getLoc(), TypeRange(),
                           bufferOf(op.getCondition()));
  if (current == op)
    current = made; // what the branches need goes before it
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] :
       llvm::zip_equal(op->getRegions(), made->getRegions())) {
    Block &block = from.front();
    assignTargets(block, results, [](unsigned) { return true; });
    convertRegion(block, to.emplaceBlock());
    Operation *end = block.getTerminator();
    assign(end->getLoc(), end->getOperands(), results);
    YieldOp::create(builder, end->getLoc());
  }
}

/// The carried values are in the buffers of the results, in front of the loop
/// and in both regions.
void FunctionBufferizer::convertWhile(WhileOp op) {
  SmallVector<Value> carried = llvm::map_to_vector(
      op.getResults(), [&](Value result) { return bufferOf(result); });
  assign(op.getLoc(), op.getInitial(), carried);
  auto made = WhileOp::create(builder, op.getLoc(), ValueRange());
  if (current == op)
    current = made; // what the regions need goes before it
  OpBuilder::InsertionGuard guard(builder);
  Block &condition = op.getConditionBlock(), &body = op.getBodyBlock();
  for (Block *block : {&condition, &body})
    for (auto [argument, buffer] :
         llvm::zip_equal(block->getArguments(), carried))
      buffers[argument] = buffer;
  convertRegion(condition, made.getConditionBlock());
  YieldOp holds = op.getConditionYield(), next = op.getBodyYield();
  YieldOp::create(builder, holds.getLoc(), bufferOf(holds.getOperand(0)));
  assignTargets(body, carried,
                [&](unsigned index) { return takesOverCarried(op, index); });
  convertRegion(body, made.getBodyBlock());
  assign(next.getLoc(), next.getOperands(), carried);
  YieldOp::create(builder, next.getLoc());
}

void FunctionBufferizer::convert(Operation &op) {
  OpBuilder before(current);
  llvm::TypeSwitch<Operation *>(&op)
      .Case([&](KernelOp kernel) { convertKernel(kernel); })
      .Case([&](IfOp branches) { convertIf(branches); })
      .Case([&](WhileOp loop) { convertWhile(loop); })
      .Case([&](ReshapeOp view) {
        // Memory of a tc.empty is made only when something reads it.
        if (!getShownValue(view).getDefiningOp<EmptyOp>())
          buffers[view] =
              reshape(bufferOf(view.getX()), getBufferType(view.getType()));
      })
      .Case([&](ParameterOp parameter) {
        buffers[parameter] = ParameterOp::create(
            before, op.getLoc(), getBufferType(parameter.getType()),
            parameter.getSourceAttr());
      })
      .Case([&](InputStorageOp storage) {
        buffers[storage] = InputStorageOp::create(
            before, op.getLoc(), getBufferType(storage.getType()),
            bufferOf(storage.getX()));
      })
      .Case([&](ConstantOp constant) {
        memref::GlobalOp global = constants.get(constant);
        buffers[constant] = memref::GetGlobalOp::create(
            before, op.getLoc(), global.getType(), global.getSymName());
      })
      .Case([&](GuardOp guard) {
        SmallVector<Value> inputs = llvm::map_to_vector(
            guard.getInputs(), [&](Value in) { return bufferOf(in); });
        auto made = GuardOp::create(builder, op.getLoc(), TypeRange(), inputs);
        made.getProperties() = guard.getProperties();
      })
      .Case([&](SizeFromOp definition) {
        SizeFromOp::create(builder, op.getLoc(), definition.getSymbol(),
                           bufferOf(definition.getValue()));
      })
      .Case([&](SizeGuardOp guard) { builder.clone(*guard); })
      .Case([&](func::ReturnOp end) {
        assign(end.getLoc(), end.getOperands(), outputs);
        func::ReturnOp::create(builder, end.getLoc());
      });
}

/// The function takes memrefs and returns nothing; what it returned is kept as
/// `tc.result_types`, what a result replaces in `tc.signature`.
void FunctionBufferizer::convertSignature() {
  SmallVector<Attribute> types, mutates;
  bool anyMutation = false;
  for (auto [index, type] : llvm::enumerate(resultTypes)) {
    types.push_back(TypeAttr::get(type));
    Attribute target = function.getResultAttr(index, kMutatesAttr);
    anyMutation |= bool(target);
    mutates.push_back(target ? target : builder.getUnitAttr());
  }
  function.removeResAttrsAttr();
  function.setType(builder.getFunctionType(function.front().getArgumentTypes(),
                                           TypeRange()));
  function->setAttr(kResultTypesAttr, builder.getArrayAttr(types));
  if (!anyMutation)
    return;
  NamedAttrList signature;
  if (auto known = function->getAttrOfType<DictionaryAttr>(kSignatureAttr))
    signature.append(known.begin(), known.end());
  signature.set("mutates", builder.getArrayAttr(mutates));
  function->setAttr(kSignatureAttr, builder.getDictionaryAttr(signature));
}

LogicalResult FunctionBufferizer::run() {
  if (failed(check()))
    return failure();
  Block &body = function.front();
  resultTypes.append(function.getResultTypes().begin(),
                     function.getResultTypes().end());
  SmallVector<Operation *> before =
      llvm::map_to_vector(body, [](Operation &op) { return &op; });
  for (BlockArgument argument : body.getArguments()) {
    argument.setType(getBufferType(argument.getType()));
    buffers[argument] = argument;
  }
  createOutputs();
  assignTargets(body, outputs, [](unsigned) { return true; });
  shareBuffers(body);
  for (Operation *op : before) {
    builder.setInsertionPoint(op);
    current = op;
    convert(*op);
  }
  for (Operation *op : llvm::reverse(before))
    op->erase();
  // Views that only the return named.
  SmallVector<BufferReshapeOp> views =
      llvm::to_vector(body.getOps<BufferReshapeOp>());
  for (BufferReshapeOp view : llvm::reverse(views))
    if (view->use_empty())
      view.erase();
  convertSignature();
  return success();
}

namespace {
class BufferizeKernelsPass
    : public tc::impl::TCBufferizeKernelsPassBase<BufferizeKernelsPass> {
public:
  using TCBufferizeKernelsPassBase::TCBufferizeKernelsPassBase;

  void runOnOperation() override {
    ConstantTable constants(getOperation());
    PreparedValues prepared(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isDeclaration() || function->hasAttr(kResultTypesAttr))
        continue;
      FunctionBufferizer bufferizer(function, constants, prepared);
      if (failed(bufferizer.run()))
        return signalPassFailure();
    }
  }
};
} // namespace
