//===- HostBuilder.cpp - Writing host functions ---------------------------===//

#include "HostBuilder.h"
#include "TC/Dialect/TC/IR/SizedTypes.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

Value StringTable::addressOf(OpBuilder &builder, Location loc, StringRef text) {
  LLVM::GlobalOp &global = globals[text];
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(module.getBody());
    std::string content = (text + Twine('\0')).str();
    auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), content.size());
    global =
        LLVM::GlobalOp::create(builder, module.getLoc(), type,
                               /*isConstant=*/true, LLVM::Linkage::Internal,
                               "tc_text_" + std::to_string(globals.size() - 1),
                               builder.getStringAttr(content));
  }
  return LLVM::AddressOfOp::create(builder, loc, global);
}

HostBuilder::HostBuilder(LLVM::LLVMFuncOp function, StringTable &strings)
    : builder(function.getContext()), loc(function.getLoc()),
      function(function), strings(strings) {
  Block *entry = function.addEntryBlock(builder);
  callPointer = entry->getArgument(0);
  continueIn(entry);
  auto module = function->getParentOfType<ModuleOp>();
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttr);
  if (target && target.getKind() == "cuda")
    deviceKind = TC_DEVICE_CUDA;
}

Value HostBuilder::i64(int64_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI64Type(), value);
}

Value HostBuilder::i32(int32_t value) {
  return LLVM::ConstantOp::create(builder, loc, builder.getI32Type(), value);
}

Value HostBuilder::null() {
  return LLVM::ZeroOp::create(builder, loc,
                              LLVM::LLVMPointerType::get(context()));
}

Value HostBuilder::addressOf(StringRef global) {
  return LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context()), global);
}

Value HostBuilder::text(StringRef value) {
  return strings.addressOf(builder, loc, value);
}

std::string tc::getLocationText(Location location) {
  // A name or a fusion may have the file and line inside.
  FileLineColLoc found;
  location->walk([&](Location part) {
    found = dyn_cast<FileLineColLoc>(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return "";
  return (Twine(found.getFilename().getValue()) + ":" + Twine(found.getLine()) +
          ":" + Twine(found.getColumn()))
      .str();
}

Value HostBuilder::locationText(Location location) {
  std::string found = getLocationText(location);
  return found.empty() ? null() : text(found);
}

Value HostBuilder::element(Type elementType, Value base, LLVM::GEPArg index) {
  return LLVM::GEPOp::create(builder, loc,
                             LLVM::LLVMPointerType::get(context()), elementType,
                             base, index);
}

Value HostBuilder::field(LLVM::LLVMStructType type, Value base,
                         unsigned index) {
  return LLVM::GEPOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context()), type, base,
      ArrayRef<LLVM::GEPArg>{0, static_cast<int32_t>(index)});
}

Value HostBuilder::load(Type type, Value address) {
  return LLVM::LoadOp::create(builder, loc, type, address);
}

void HostBuilder::store(Value value, Value address) {
  LLVM::StoreOp::create(builder, loc, value, address);
}

Value HostBuilder::loadCall(CallField which) {
  LLVM::LLVMStructType type = getCallStruct(context());
  auto index = static_cast<unsigned>(which);
  return load(type.getBody()[index], field(type, callPointer, index));
}

Value HostBuilder::loadInBody(Value &loaded, function_ref<Value()> loadHere) {
  if (!bodyBlock)
    return loadHere();
  if (!loaded) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(bodyBlock);
    loaded = loadHere();
  }
  return loaded;
}

Value HostBuilder::loadConstantCall(CallField which) {
  return loadInBody(callFields[static_cast<unsigned>(which)],
                    [&] { return loadCall(which); });
}

Value HostBuilder::loadTensor(Value tensor, TensorField which) {
  LLVM::LLVMStructType type = getTensorStruct(context());
  auto index = static_cast<unsigned>(which);
  return load(type.getBody()[index], field(type, tensor, index));
}

Value HostBuilder::tensorAt(CallField array, int64_t index) {
  Value base = loadCall(array);
  return LLVM::GEPOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context()),
      getTensorStruct(context()), base,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
}

void HostBuilder::giveInput(int64_t input, int64_t output) {
  Value descriptor =
      load(getTensorStruct(context()), tensorAt(CallField::Inputs, input));
  store(descriptor, tensorAt(CallField::Outputs, output));
}

Value HostBuilder::addressOfConstant(memref::GetGlobalOp op) {
  Value data = addressOf(op.getName());
  if (device() == TC_DEVICE_CPU)
    return data;
  auto type = cast<MemRefType>(op.getType());
  int64_t bytes =
      type.getNumElements() * getElementBytes(type.getElementType());
  data = callRuntime(
      APIField::DeviceConstant, LLVM::LLVMPointerType::get(context()),
      {data, i64(bytes), addressOf(getHandlesName(op.getName()))});
  checkPointer(data);
  return data;
}

Value HostBuilder::stackSlots(int64_t count, int64_t alignment) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.front());
  return LLVM::AllocaOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context()), builder.getI64Type(),
      i64(count), unsigned(alignment));
}

Value HostBuilder::compare(LLVM::ICmpPredicate predicate, Value lhs,
                           Value rhs) {
  return LLVM::ICmpOp::create(builder, loc, predicate, lhs, rhs);
}

Value HostBuilder::conjunction(ArrayRef<Value> conditions) {
  Value all;
  for (Value condition : conditions)
    all = all ? Value(LLVM::AndOp::create(builder, loc, all, condition))
              : condition;
  return all;
}

Value HostBuilder::disjunction(Value lhs, Value rhs) {
  return LLVM::OrOp::create(builder, loc, lhs, rhs);
}

Value HostBuilder::runtimeFunction(APIField which) {
  Type pointer = LLVM::LLVMPointerType::get(context());
  auto index = static_cast<unsigned>(which);
  return loadInBody(runtimeFunctions[index], [&] {
    Value table = loadCall(CallField::API);
    return load(pointer, field(getAPIStruct(context()), table, index));
  });
}

Value HostBuilder::callRuntime(APIField which, Type result,
                               ArrayRef<Value> arguments) {
  SmallVector<Type> types{LLVM::LLVMPointerType::get(context())};
  SmallVector<Value> operands{runtimeFunction(which), callPointer};
  for (Value argument : arguments) {
    types.push_back(argument.getType());
    operands.push_back(argument);
  }
  auto type = LLVM::LLVMFunctionType::get(
      result ? result : LLVM::LLVMVoidType::get(context()), types);
  auto made = LLVM::CallOp::create(builder, loc, type, operands);
  return result ? made.getResult() : Value();
}

Block *HostBuilder::appendBlock(ArrayRef<Type> arguments) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(arguments.size(), loc);
  return builder.createBlock(&function.getBody(), function.getBody().end(),
                             arguments, locations);
}

void HostBuilder::check(Value condition, const Report &report) {
  Type pointer = LLVM::LLVMPointerType::get(context());
  Type i32Type = builder.getI32Type(), i64Type = builder.getI64Type();
  if (!failBlock)
    failBlock = appendBlock({i32Type, pointer, i64Type, i64Type, pointer});
  SmallVector<Value> arguments{i32(report.status), text(report.format),
                               report.first ? report.first : i64(0),
                               report.second ? report.second : i64(0),
                               report.location ? locationText(*report.location)
                                               : null()};
  Block *next = appendBlock();
  LLVM::CondBrOp::create(builder, loc, condition, next, ValueRange(), failBlock,
                         arguments);
  continueIn(next);
}

void HostBuilder::checkStatus(Value status) {
  if (!returnBlock)
    returnBlock = appendBlock({builder.getI32Type()});
  Block *next = appendBlock();
  LLVM::CondBrOp::create(builder, loc, equal(status, i32(TC_STATUS_OK)), next,
                         ValueRange(), returnBlock, ValueRange(status));
  continueIn(next);
}

void HostBuilder::checkPointer(Value pointer) {
  checkStatus(LLVM::SelectOp::create(
      builder, loc, compare(LLVM::ICmpPredicate::ne, pointer, null()),
      i32(TC_STATUS_OK), i32(TC_STATUS_OUT_OF_MEMORY)));
}

void HostBuilder::branch(Value condition, function_ref<void()> then,
                         function_ref<void()> otherwise) {
  Block *thenBlock = appendBlock(), *otherwiseBlock = appendBlock(),
        *next = appendBlock();
  LLVM::CondBrOp::create(builder, loc, condition, thenBlock, otherwiseBlock);
  continueIn(thenBlock);
  then();
  LLVM::BrOp::create(builder, loc, next);
  continueIn(otherwiseBlock);
  otherwise();
  LLVM::BrOp::create(builder, loc, next);
  continueIn(next);
}

void HostBuilder::loop(function_ref<Value()> condition,
                       function_ref<void()> body) {
  Block *head = appendBlock();
  LLVM::BrOp::create(builder, loc, head);
  continueIn(head);
  Value holds = condition();
  if (!holds)
    return;
  Block *repeated = appendBlock(), *next = appendBlock();
  LLVM::CondBrOp::create(builder, loc, holds, repeated, next);
  continueIn(repeated);
  body();
  LLVM::BrOp::create(builder, loc, head);
  continueIn(next);
}

void HostBuilder::returnCall(Value condition, StringRef callee) {
  Block *next = nullptr;
  if (condition) {
    Block *taken = appendBlock();
    next = appendBlock();
    LLVM::CondBrOp::create(builder, loc, condition, taken, next);
    continueIn(taken);
  }
  auto status =
      LLVM::CallOp::create(builder, loc, TypeRange(builder.getI32Type()),
                           callee, ValueRange(callPointer));
  LLVM::ReturnOp::create(builder, loc, status.getResult());
  if (next)
    continueIn(next);
}

void HostBuilder::finish() {
  Block *last = builder.getInsertionBlock();
  if (last->empty() || !last->back().hasTrait<OpTrait::IsTerminator>())
    LLVM::ReturnOp::create(builder, loc, i32(TC_STATUS_OK));
  setLoc(function.getLoc());
  bodyBlock = nullptr;
  if (failBlock) {
    continueIn(failBlock);
    Value status =
        callRuntime(APIField::ReportMismatch, builder.getI32Type(),
                    SmallVector<Value>(failBlock->getArguments().begin(),
                                       failBlock->getArguments().end()));
    LLVM::ReturnOp::create(builder, loc, status);
  }
  if (returnBlock) {
    continueIn(returnBlock);
    LLVM::ReturnOp::create(builder, loc, returnBlock->getArgument(0));
  }
}

std::string tc::getImageName(StringRef kernel) {
  return (kernel + "_image").str();
}

std::string tc::getHandlesName(StringRef symbol) {
  return (symbol + "_handles").str();
}

std::string tc::getDescriptorName(StringRef kernel) {
  return (kernel + "_descriptor").str();
}

std::string tc::getFailuresName(StringRef function) {
  return (function + "_failures").str();
}

std::string tc::getTensorMapsName(StringRef kernel) {
  return (kernel + "_tensor_maps").str();
}
