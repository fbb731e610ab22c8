//===- HostFunction.cpp - One host function in the C ABI ------------------===//

#include "HostFunction.h"
#include "GPUStatus.h"
#include "HostLaunch.h"
#include "HostSignature.h"
#include "InputChecks.h"
#include "LaunchArguments.h"
#include "LibraryCalls.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

namespace {
class HostFunction {
public:
  HostFunction(func::FuncOp function, LLVM::LLVMFuncOp emitted,
               const llvm::StringMap<int64_t> &parameterNumbers,
               StringTable &strings)
      : function(function), host(emitted, strings), sizes(host),
        checks(function, host, sizes), onHost(host, sizes),
        parameterNumbers(parameterNumbers), gpuStatus(host, strings),
        libraryCalls(host, sizes, strings) {}

  LogicalResult emit();

private:
  LogicalResult emitOp(Operation *op);
  LogicalResult emitOutput(OutputBufferOp op);
  LogicalResult emitArena(ArenaOp op);
  LogicalResult emitLaunch(LaunchOp op);
  LogicalResult emitSizeFrom(SizeFromOp op);
  LogicalResult emitIf(IfOp op);
  LogicalResult emitWhile(WhileOp op);
  LogicalResult emitRegion(Region &region);
  FailureOr<Value> emitCondition(Operation *op, Value condition);
  void emitSizeGuard(SizeGuardOp op);
  void emitEntryGuards();
  void evaluateSizes(Operation *op);
  void emitCall(LaunchOp op, Value context);
  void emitGPULaunch(LaunchOp op);
  void emitStatus();
  void checkIndices(std::optional<Location> location);
  void checkStatus(Value status, std::optional<Location> location,
                   bool mayBeSingular);
  Value storageOf(Value tensor) {
    return host.loadTensor(tensor, TensorField::Data);
  }

  func::FuncOp function;
  HostBuilder host;
  SizeValues sizes;
  InputChecks checks;
  HostLaunches onHost;
  const llvm::StringMap<int64_t> &parameterNumbers;
  llvm::DenseMap<Value, Value> pointers; ///< memref to address
  GPUStatus gpuStatus;
  LibraryCalls libraryCalls;
  Value contextSlots, sizeSlots, statusSlot; ///< the last of a CPU
  Value counters;                            ///< null where no launch uses them
  llvm::DenseSet<Operation *> entryGuards;   ///< checked before the body
  bool statusPending = false; ///< a launch may have set it since the last check
};
} // namespace

LogicalResult HostFunction::emitOutput(OutputBufferOp op) {
  auto type = cast<MemRefType>(op.getType());
  std::optional<tc_dtype> dtype = getDType(type.getElementType());
  if (!dtype || type.getRank() > TC_MAX_RANK)
    return op.emitOpError() << "has type " << type
                            << ", which the calling convention has no place "
                               "for";
  if (Value over = op.getOver()) {
    host.giveInput(cast<BlockArgument>(over).getArgNumber(), op.getIndex());
    pointers[op.getResult()] = pointers.lookup(over);
    return success();
  }
  if (!sizeSlots)
    sizeSlots = host.stackSlots(TC_MAX_RANK);
  for (auto [dim, size] : llvm::enumerate(getSizes(type)))
    host.store(sizes.of(size),
               host.element(host.get().getI64Type(), sizeSlots, int32_t(dim)));
  Value status =
      host.callRuntime(APIField::AllocateOutput, host.get().getI32Type(),
                       {host.i32(op.getIndex()), host.i32(*dtype),
                        host.i32(type.getRank()), sizeSlots});
  host.checkStatus(status);
  pointers[op.getResult()] =
      storageOf(host.tensorAt(CallField::Outputs, op.getIndex()));
  return success();
}

LogicalResult HostFunction::emitArena(ArenaOp op) {
  if (op.getBytes().isConstant(0)) {
    pointers[op.getResult()] = host.null();
    return success();
  }
  Type pointer = LLVM::LLVMPointerType::get(host.context());
  Value arena = host.callRuntime(APIField::AllocateArena, pointer,
                                 {sizes.of(op.getBytes())});
  host.checkPointer(arena);
  pointers[op.getResult()] = arena;
  return success();
}

void HostFunction::emitCall(LaunchOp op, Value context) {
  Value begin = host.i64(0), end = sizes.of(op.getCount());
  Value grain = sizes.of(op.getGrain());
  Value name = host.text(op.getKernel());
  Value started =
      host.callRuntime(APIField::ProfileBegin, host.get().getI64Type(), {name});
  auto direct = [&] {
    LLVM::CallOp::create(host.get(), host.getLoc(), TypeRange(), op.getKernel(),
                         ValueRange{context, begin, end});
  };
  auto parallel = [&] {
    Value kernel = LLVM::AddressOfOp::create(
        host.get(), host.getLoc(), LLVM::LLVMPointerType::get(host.context()),
        op.getKernel());
    host.callRuntime(APIField::ParallelFor, Type(),
                     {kernel, context, end, grain});
  };
  // One task needs no other thread.
  auto count = op.getCount().getConstant(), least = op.getGrain().getConstant();
  if (count && least)
    *count <= *least ? direct() : parallel();
  else
    host.branch(host.compare(LLVM::ICmpPredicate::sle, end, grain), direct,
                parallel);
  host.callRuntime(APIField::ProfileEnd, Type(), {name, started});
}

void HostFunction::emitGPULaunch(LaunchOp op) {
  Value status =
      host.callRuntime(APIField::LaunchKernel, host.get().getI32Type(),
                       {host.addressOf(getDescriptorName(op.getKernel())),
                        sizes.of(op.getCount()), contextSlots});
  host.checkStatus(status);
}

/// The status in which kernels report an index out of range.
void HostFunction::emitStatus() {
  bool mayFail = false, callsRoutines = false;
  function.walk([&](LaunchOp op) {
    mayFail |= op.getMayFail() && !op.getOnHost();
    callsRoutines |= op.getCallsRoutines();
  });
  if (host.device() == TC_DEVICE_CPU) {
    statusSlot = host.stackSlots(1 + callsRoutines);
    host.store(host.i64(0), statusSlot);
    if (callsRoutines)
      host.store(host.runtimeFunction(APIField::RunRoutine),
                 host.element(host.get().getI64Type(), statusSlot, int32_t(1)));
  } else if (mayFail) {
    gpuStatus.emitBegin(function);
  }
}

void HostFunction::checkIndices(std::optional<Location> location) {
  if (host.device() != TC_DEVICE_CPU)
    return gpuStatus.emitCheck();
  checkStatus(host.load(host.get().getI64Type(), statusSlot), location,
              /*mayBeSingular=*/false);
}

void HostFunction::checkStatus(Value status, std::optional<Location> location,
                               bool mayBeSingular) {
  if (mayBeSingular)
    host.check(host.compare(LLVM::ICmpPredicate::ne, status,
                            host.i64(kSingularMatrix)),
               {TC_STATUS_INVALID_ARGUMENT, kSingularMatrixText, Value(),
                Value(), location});
  host.check(host.equal(status, host.i64(0)),
             {TC_STATUS_INDEX_OUT_OF_RANGE, kIndexOutOfRangeText, Value(),
              Value(), location});
}

LogicalResult HostFunction::emitLaunch(LaunchOp op) {
  SmallVector<Value> slots;
  for (Value buffer : op.getBuffers()) {
    Value pointer = pointers.lookup(buffer);
    if (!pointer)
      return op.emitOpError() << "has a buffer that is no argument, output, "
                                 "parameter or part of the arena";
    slots.push_back(pointer);
  }
  for (Attribute size : op.getSizes()) {
    auto expr = dyn_cast<SizeExpr>(size);
    if (!expr || !sizes.canEvaluate(expr))
      return op.emitOpError() << "has size " << size
                              << ", which the function's symbols do not give";
    slots.push_back(sizes.of(expr));
  }
  for (auto [name, size] :
       {std::pair("count", op.getCount()), std::pair("grain", op.getGrain())})
    if (!sizes.canEvaluate(size))
      return op.emitOpError() << "has " << name << " " << size
                              << ", which the function's symbols do not give";
  SmallVector<Value> onDevice(slots);
  Value status; // of a launch on the host: its own
  if (host.device() == TC_DEVICE_CPU)
    status = statusSlot;
  else if (!op.getOnHost())
    status = gpuStatus.addressFor(op);
  slots.push_back(status);
  if (op.getUsesCounters())
    slots.push_back(counters);
  if (op.getOnHost())
    onHost.enter(op, slots);
  LaunchArguments arguments(op);
  for (auto [index, value] : llvm::enumerate(slots))
    host.store(value,
               host.element(host.get().getI64Type(), contextSlots,
                            int32_t(arguments.firstBuffer() + int64_t(index))));
  if (failed(arguments.storeSources(host, sizes, slots, contextSlots)))
    return failure();
  if (op.getThreads())
    emitGPULaunch(op);
  else
    emitCall(op, contextSlots);
  if (op.getOnHost())
    onHost.leave(op, onDevice);
  // A GPU's status is not read here.
  if (op.getThreads())
    statusPending |= op.getMayFail();
  else if (op.getMayFail())
    checkStatus(host.load(host.get().getI64Type(), slots.back()), op.getLoc(),
                op.getCallsRoutines());
  else if (host.device() == TC_DEVICE_CPU)
    statusPending = true;
  return success();
}

/// Reads the value of a symbol and checks its range, after the errors that
/// kernels before report of their indices.
LogicalResult HostFunction::emitSizeFrom(SizeFromOp op) {
  Value pointer = pointers.lookup(op.getValue());
  if (!pointer)
    return op.emitOpError() << "has a value that is no argument, output, "
                               "parameter or part of the arena";
  if (statusPending)
    checkIndices(std::nullopt);
  statusPending = false;
  checks.bindDataDependent(op.getSymbol(),
                           onHost.read(host.get().getI64Type(), pointer),
                           op.getLoc());
  return success();
}

/// Checks the conditions of an op on sizes.
void HostFunction::emitSizeGuard(SizeGuardOp op) {
  host.setLoc(op.getLoc());
  SizePrecondition condition = op.getPrecondition();
  Value value = sizes.of(condition.value), bound = sizes.of(condition.bound);
  auto compare = [&](LLVM::ICmpPredicate predicate) {
    return host.compare(predicate, value, bound);
  };
  Value holds;
  switch (condition.relation) {
  case SizeRelation::AtLeast:
    holds = compare(LLVM::ICmpPredicate::sge);
    break;
  case SizeRelation::AtMost:
    holds = compare(LLVM::ICmpPredicate::sle);
    break;
  case SizeRelation::Equal:
    holds = compare(LLVM::ICmpPredicate::eq);
    break;
  case SizeRelation::MultipleOf:
    holds = host.equal(sizes.combine(SizeExprKind::Mod, {value, bound}),
                       host.i64(0));
    break;
  }
  if (condition.where)
    holds =
        host.disjunction(host.compare(LLVM::ICmpPredicate::slt,
                                      sizes.of(condition.where), host.i64(1)),
                         holds);
  std::string text = condition.describe([&](SizeExpr expr) -> std::string {
    return expr == condition.value ? "{0}" : "{1}";
  });
  host.check(holds, {TC_STATUS_GUARD_FAILED,
                     ("'" + op.getUser() + "' op ").str() + text, value, bound,
                     op.getLoc()});
}

/// Checks the guards of the function that the sizes of the inputs decide,
/// before memory is taken.
void HostFunction::emitEntryGuards() {
  for (auto guard : function.front().getOps<SizeGuardOp>()) {
    auto canEvaluate = [&](SizeExpr expr) { return sizes.canEvaluate(expr); };
    if (!llvm::all_of(guard.getPrecondition().getExpressions(), canEvaluate))
      continue;
    emitSizeGuard(guard);
    entryGuards.insert(guard);
  }
  host.setLoc(function.getLoc());
}

/// Computes the sizes that the regions of `op` need in front of it, so that all
/// that comes later may use them.
void HostFunction::evaluateSizes(Operation *op) {
  auto evaluate = [&](Attribute size) {
    if (auto expr = dyn_cast<SizeExpr>(size); expr && sizes.canEvaluate(expr))
      sizes.of(expr);
  };
  op->walk([&](Operation *inner) {
    if (auto launch = dyn_cast<LaunchOp>(inner)) {
      evaluate(launch.getCount());
      evaluate(launch.getGrain());
      llvm::for_each(launch.getSizes(), evaluate);
      llvm::for_each(LaunchArguments(launch).getSourceSizes(), evaluate);
      onHost.allocate(launch);
    } else if (auto call = dyn_cast<LibraryCallOp>(inner)) {
      llvm::for_each(call.getSizeExpressions(), evaluate);
    } else if (auto call = dyn_cast<LibraryConvolutionOp>(inner)) {
      llvm::for_each(call.getSizeExpressions(), evaluate);
    } else if (auto view = dyn_cast<ArenaViewOp>(inner)) {
      evaluate(view.getOffset());
    } else if (auto guard = dyn_cast<SizeGuardOp>(inner)) {
      llvm::for_each(guard.getPrecondition().getExpressions(), evaluate);
    }
  });
}

LogicalResult HostFunction::emitRegion(Region &region) {
  for (Operation &inner : region.front())
    if (failed(emitOp(&inner)))
      return failure();
  return success();
}

/// Whether the bool in memory is true.
FailureOr<Value> HostFunction::emitCondition(Operation *op, Value condition) {
  Value pointer = pointers.lookup(condition);
  if (!pointer)
    return op->emitOpError() << "has a condition that is no argument, output, "
                                "parameter or part of the arena";
  host.setLoc(op->getLoc());
  Value value = onHost.read(host.get().getI8Type(), pointer);
  Value zero =
      LLVM::ConstantOp::create(host.get(), op->getLoc(), value.getType(), 0);
  return host.compare(LLVM::ICmpPredicate::ne, value, zero);
}

LogicalResult HostFunction::emitIf(IfOp op) {
  evaluateSizes(op);
  FailureOr<Value> holds = emitCondition(op, op.getCondition());
  if (failed(holds))
    return failure();
  bool isEmitted = true;
  auto emitBranch = [&](Region &region) {
    isEmitted = isEmitted && succeeded(emitRegion(region));
    host.setLoc(op.getLoc());
  };
  host.branch(
      *holds, [&] { emitBranch(op.getThenRegion()); },
      [&] { emitBranch(op.getElseRegion()); });
  return success(isEmitted);
}

LogicalResult HostFunction::emitWhile(WhileOp op) {
  evaluateSizes(op);
  FailureOr<Value> holds = failure();
  bool isEmitted = true;
  host.loop(
      [&]() -> Value {
        if (succeeded(emitRegion(op.getCondition())))
          holds = emitCondition(op, op.getConditionYield().getOperand(0));
        return succeeded(holds) ? *holds : Value();
      },
      [&] {
        isEmitted = succeeded(emitRegion(op.getBody()));
        host.setLoc(op.getLoc());
      });
  return success(succeeded(holds) && isEmitted);
}

LogicalResult HostFunction::emitOp(Operation *op) {
  host.setLoc(op->getLoc());
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](OutputBufferOp output) { return emitOutput(output); })
      .Case([&](ArenaOp arena) { return emitArena(arena); })
      .Case([&](ArenaViewOp view) -> LogicalResult {
        pointers[view.getResult()] = host.element(
            host.get().getI8Type(), pointers.lookup(view.getArena()),
            sizes.of(view.getOffset()));
        return success();
      })
      .Case<BufferReshapeOp, InputStorageOp>([&](auto view) -> LogicalResult {
        pointers[view.getResult()] = pointers.lookup(view.getX());
        return success();
      })
      .Case([&](ParameterOp parameter) -> LogicalResult {
        Type pointer = LLVM::LLVMPointerType::get(host.context());
        Value storage = host.loadConstantCall(CallField::Parameters);
        int64_t number = parameterNumbers.lookup(parameter.getSource());
        pointers[parameter.getResult()] =
            host.load(pointer, host.element(pointer, storage, int32_t(number)));
        return success();
      })
      .Case([&](memref::GetGlobalOp constant) -> LogicalResult {
        pointers[constant.getResult()] = host.addressOfConstant(constant);
        return success();
      })
      .Case([&](LaunchOp launch) { return emitLaunch(launch); })
      .Case<LibraryCallOp, LibraryConvolutionOp>(
          [&](auto call) { return libraryCalls.emit(call, pointers); })
      .Case([&](SizeFromOp definition) { return emitSizeFrom(definition); })
      .Case([&](GuardOp guard) -> LogicalResult {
        checks.checkDataDependent(guard); // others are checked on entry
        return success();
      })
      .Case([&](IfOp branches) { return emitIf(branches); })
      .Case([&](WhileOp loop) { return emitWhile(loop); })
      .Case([&](SizeGuardOp guard) -> LogicalResult {
        if (!entryGuards.contains(guard))
          emitSizeGuard(guard);
        return success();
      })
      .Case<YieldOp, func::ReturnOp>(
          [](Operation *) -> LogicalResult { return success(); })
      .Default([](Operation *other) -> LogicalResult {
        return other->emitOpError()
               << "cannot be in a host function when it is emitted; "
                  "tc-verify-generate lists what can";
      });
}

LogicalResult HostFunction::emit() {
  int64_t largestContext = 0, alignment = 1;
  function.walk([&](LaunchOp op) {
    LaunchArguments arguments(op);
    largestContext = std::max(largestContext, arguments.countWithSources());
    alignment = std::max(alignment, arguments.alignment());
  });
  if (largestContext > 0)
    contextSlots = host.stackSlots(largestContext, alignment);
  if (failed(checks.emit(getOutputCount(function), parameterNumbers.size())))
    return failure();
  emitEntryGuards();
  host.beginBody();
  if (largestContext > 0) {
    emitStatus();
    counters = gpuStatus.emitCounters(function);
    onHost.alignInputs(function);
  }
  for (BlockArgument argument : function.getArguments())
    pointers[argument] =
        storageOf(host.tensorAt(CallField::Inputs, argument.getArgNumber()));
  for (Operation &op : function.front())
    if (failed(emitOp(&op)))
      return failure();
  host.setLoc(function.getLoc());
  if (statusPending)
    checkIndices(std::nullopt);
  gpuStatus.makeFailures(function->getParentOfType<ModuleOp>());
  host.finish();
  return success();
}

LogicalResult
tc::emitHostFunction(func::FuncOp function,
                     const llvm::StringMap<int64_t> &parameterNumbers,
                     StringTable &strings) {
  OpBuilder builder(function);
  Type pointer = LLVM::LLVMPointerType::get(function.getContext());
  auto emitted = LLVM::LLVMFuncOp::create(
      builder, function.getLoc(), function.getName(),
      LLVM::LLVMFunctionType::get(builder.getI32Type(), {pointer}));
  emitted->setAttr(kSignatureAttr, getEmittedSignature(function));
  if (Attribute of = function->getAttr(kVersionOfAttr)) {
    emitted->setAttr(kVersionOfAttr, of);
    emitted.setLinkage(LLVM::Linkage::Internal);
  }
  HostFunction host(function, emitted, parameterNumbers, strings);
  if (failed(host.emit()))
    return failure();
  function.erase();
  return success();
}
