//===- GPUFrame.cpp - The gpu.func a kernel becomes -----------------------===//

#include "GPUFrame.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Of NVVM: memory of the device, and of a block.
static constexpr unsigned kGlobalAddressSpace = 1, kSharedAddressSpace = 3;

/// Makes an argument one of 128 bytes that is given by value.
static void markTensorMap(gpu::GPUFuncOp function, unsigned index) {
  constexpr unsigned kWords = 16, kAlignment = 64;
  Builder b(function.getContext());
  function.setArgAttr(index, LLVM::LLVMDialect::getAlignAttrName(),
                      b.getI64IntegerAttr(kAlignment));
  function.setArgAttr(
      index, LLVM::LLVMDialect::getByValAttrName(),
      TypeAttr::get(LLVM::LLVMArrayType::get(b.getI64Type(), kWords)));
}

GPUFrame::GPUFrame(KernelOp kernel, StringRef name, ModuleOp module,
                   Attribute target, vectormath::VectorMathOptions options,
                   Launches launches, bool overlaps)
    : KernelFrame(kernel, options), threads(launches.threads),
      cluster(launches.cluster), alignedBuffers(launches.alignedBuffers),
      hasSteps(launches.hasSteps), overlaps(overlaps) {
  if (launches.hasSteps)
    addStep();
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext()),
       i64 = builder.getI64Type();
  SmallVector<Type> arguments(size_t(launches.tensorMaps) +
                                  kernel.getBodyBlock().getNumArguments(),
                              pointer);
  arguments.append(contextSizes().size(), i64);
  arguments.append(1 + launches.usesCounters, pointer);

  builder.setInsertionPointToEnd(module.getBody());
  gpuModule =
      gpu::GPUModuleOp::create(builder, loc, name, ArrayRef<Attribute>(target));
  builder.setInsertionPointToStart(gpuModule.getBody());
  auto made = gpu::GPUFuncOp::create(builder, loc, name,
                                     builder.getFunctionType(arguments, {}));
  made->setAttr(gpu::GPUDialect::getKernelFuncAttrName(),
                builder.getUnitAttr());
  made.setKnownBlockSizeAttr(
      builder.getDenseI32ArrayAttr({int32_t(threads), 1, 1}));
  if (cluster > 1)
    made.setKnownClusterSizeAttr(
        builder.getDenseI32ArrayAttr({int32_t(cluster), 1, 1}));
  for (int64_t map = 0; map < launches.tensorMaps; ++map)
    markTensorMap(made, unsigned(map));
  function = made;
  Block &entry = made.getBody().front();
  builder.setInsertionPointToEnd(&entry);
  builder.setInsertionPoint(gpu::ReturnOp::create(builder, loc));

  auto wide = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, i64, index);
  };
  threadNumber = wide(gpu::ThreadIdOp::create(builder, loc, gpu::Dimension::x));
  // A launch of more than 2^31 - 1 blocks has several along y.
  auto [x, y] = std::pair(gpu::Dimension::x, gpu::Dimension::y);
  Value width = wide(gpu::GridDimOp::create(builder, loc, x)),
        row = wide(gpu::BlockIdOp::create(builder, loc, y));
  blockNumber =
      add(mul(row, width), wide(gpu::BlockIdOp::create(builder, loc, x)));
  blockCount = mul(width, wide(gpu::GridDimOp::create(builder, loc, y)));
  if (cluster > 1)
    clusterRank = arith::ExtUIOp::create(
        builder, loc, i64,
        NVVM::BlockInClusterIdXOp::create(builder, loc, builder.getI32Type()));
  ValueRange slots = entry.getArguments();
  llvm::append_range(tensorMaps, slots.take_front(launches.tensorMaps));
  slots = slots.drop_front(launches.tensorMaps);
  if (launches.usesCounters) {
    counters = slots.back();
    slots = slots.drop_back();
  }
  startBody(slots);
  if (!launches.waitsLater)
    emitWait();
}

void GPUFrame::emitWait() {
  if (!overlaps)
    return;
  NVVM::GriddepcontrolOp::create(builder, loc, NVVM::GridDepActionKind::wait);
  // The blocks of another kernel would fill the multiprocessors whose blocks
  // are done first, and leave the others without.
  if (hasSteps)
    NVVM::GriddepcontrolOp::create(builder, loc,
                                   NVVM::GridDepActionKind::launch_dependents);
}

Value GPUFrame::emitAssembly(Type type, ValueRange operands, StringRef text,
                             StringRef constraints, bool isPure) {
  auto made = LLVM::InlineAsmOp::create(
      builder, loc, type ? TypeRange(type) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/!isPure, /*is_align_stack=*/false,
      LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
      ArrayAttr());
  return type ? made.getRes() : Value();
}

scf::IfOp GPUFrame::emitIf(Value condition, llvm::function_ref<void()> body) {
  auto made = scf::IfOp::create(builder, loc, condition, /*withElse=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(made.thenBlock()->getTerminator());
  body();
  return made;
}

Value GPUFrame::copyOpaquely(Value value) {
  constexpr int64_t kWordBits = 32;
  auto type = dyn_cast<VectorType>(value.getType());
  int64_t bits =
      type ? type.getNumElements() * type.getElementTypeBitWidth() : 1;
  if (bits % kWordBits != 0)
    return value;
  Type word = builder.getI32Type();
  auto words = VectorType::get({bits / kWordBits}, word);
  value = vector::BitCastOp::create(builder, loc, words, value);
  SmallVector<Value> copies;
  for (int64_t index = 0; index < words.getNumElements(); ++index) {
    Value bits = vector::ExtractOp::create(builder, loc, value, index);
    copies.push_back(
        emitAssembly(word, bits, "mov.b32 $0, $1;", "=r,r", /*isPure=*/false));
  }
  value = vector::FromElementsOp::create(builder, loc, words, copies);
  return vector::BitCastOp::create(builder, loc, type, value);
}

Value GPUFrame::subtractRounded(Value x, Value y, unsigned rounded) {
  if (auto type = dyn_cast<VectorType>(x.getType())) {
    SmallVector<Value> lanes;
    for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
      lanes.push_back(subtractRounded(
          vector::ExtractOp::create(builder, loc, x, lane),
          vector::ExtractOp::create(builder, loc, y, lane), rounded));
    return vector::FromElementsOp::create(builder, loc, type, lanes);
  }
  bool isWide = x.getType().isF64();
  return emitAssembly(x.getType(), ValueRange{x, y},
                      isWide ? "sub.rn.f64 $0, $1, $2;"
                             : "sub.rn.f32 $0, $1, $2;",
                      isWide ? "=d,d,d" : "=f,f,f");
}

Value GPUFrame::isZero(Value number) {
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, number,
                               constant(0));
}

Value GPUFrame::getKeepingPolicy() {
  if (keepingPolicy)
    return keepingPolicy;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  keepingPolicy =
      emitAssembly(builder.getI64Type(), {},
                   "createpolicy.fractional.L2::evict_last.b64 $0;", "=l");
  return keepingPolicy;
}

Value GPUFrame::emitKeptLoad(Type type, Value pointer, unsigned alignment) {
  constexpr int64_t kBytes = 16, kBits = 8 * kBytes, kWords = 4;
  auto vector = dyn_cast<VectorType>(type);
  int64_t bits =
      vector ? vector.getNumElements() * vector.getElementTypeBitWidth() : 1;
  if (bits % kBits != 0 || alignment % kBytes != 0)
    return KernelFrame::emitKeptLoad(type, pointer, alignment);
  MLIRContext *context = builder.getContext();
  Type word = builder.getI32Type();
  auto result = LLVM::LLVMStructType::getLiteral(
      context, SmallVector<Type>(kWords, word));
  Value global = LLVM::AddrSpaceCastOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context, kGlobalAddressSpace),
      pointer);
  SmallVector<Value> words;
  for (int64_t part = 0; part < bits / kBits; ++part) {
    Value from = LLVM::GEPOp::create(
        builder, loc, global.getType(), builder.getI8Type(), global,
        ArrayRef<LLVM::GEPArg>{int32_t(part * kBytes)});
    Value loaded = emitAssembly(
        result, {from, getKeepingPolicy()},
        "ld.global.L2::cache_hint.v4.b32 {$0, $1, $2, $3}, [$4], $5;",
        "=r,=r,=r,=r,l,l", /*isPure=*/false);
    for (int64_t index = 0; index < kWords; ++index)
      words.push_back(
          LLVM::ExtractValueOp::create(builder, loc, loaded, index));
  }
  auto all = VectorType::get({int64_t(words.size())}, word);
  return vector::BitCastOp::create(
      builder, loc, type,
      vector::FromElementsOp::create(builder, loc, all, words));
}

Value GPUFrame::getZeros() {
  if (zeros)
    return zeros;
  constexpr int64_t kBytes = 16;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(gpuModule.getBody());
  auto memory = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), kBytes),
      /*isConstant=*/false, LLVM::Linkage::Internal,
      (gpuModule.getName() + "_zeros").str(),
      builder.getStringAttr(std::string(kBytes, '\0')), /*alignment=*/kBytes,
      kGlobalAddressSpace);
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  MLIRContext *context = builder.getContext();
  Value address = LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context, kGlobalAddressSpace),
      memory.getName());
  zeros = LLVM::AddrSpaceCastOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context), address);
  return zeros;
}

Value GPUFrame::makeShared(const Twine &suffix, int64_t bytes,
                           LLVM::Linkage linkage) {
  constexpr unsigned kAlignment = 16;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(gpuModule.getBody());
  auto memory = LLVM::GlobalOp::create(
      builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), bytes),
      /*isConstant=*/false, linkage, (gpuModule.getName() + suffix).str(),
      Attribute(), kAlignment, kSharedAddressSpace);
  builder.setInsertionPointToStart(&function.getFunctionBody().front());
  return LLVM::AddressOfOp::create(
      builder, loc,
      LLVM::LLVMPointerType::get(builder.getContext(), kSharedAddressSpace),
      memory.getName());
}

Value GPUFrame::allocateShared(int64_t bytes) {
  return makeShared("_shared_" + Twine(sharedCount++), bytes,
                    LLVM::Linkage::Internal);
}

Value GPUFrame::allocateDynamicShared(int64_t bytes) {
  dynamicSharedBytes = bytes;
  return makeShared("_dynamic_shared", /*bytes=*/0, LLVM::Linkage::External);
}

Value GPUFrame::sharedAddressOf(Value pointer) {
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

void GPUFrame::emitPhaseWait(Value barrier) {
  constexpr int64_t kNanoseconds = 10'000'000; // for which a thread may sleep
  auto number = [&](int64_t value) -> Value {
    return arith::ConstantIntOp::create(builder, loc, value, 32);
  };
  NVVM::MBarrierTryWaitParityOp::create(builder, loc, barrier, number(0),
                                        number(kNanoseconds));
}

void GPUFrame::limitRegisters(int64_t resident) {
  int64_t blocks = std::max<int64_t>(1, resident / threads);
  function->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    builder.getI32IntegerAttr(int32_t(blocks)));
}

Value GPUFrame::getExchange(size_t index, int64_t bytes) {
  while (exchanges.size() <= index) {
    Value address = allocateShared(bytes);
    auto memory = gpuModule.lookupSymbol(
        address.getDefiningOp<LLVM::AddressOfOp>().getGlobalName());
    exchanges.push_back({memory, address, bytes});
  }
  Exchange &exchange = exchanges[index];
  if (exchange.bytes < bytes) {
    exchange.bytes = bytes;
    cast<LLVM::GlobalOp>(exchange.memory)
        .setGlobalType(LLVM::LLVMArrayType::get(builder.getI8Type(), bytes));
  }
  return exchange.address;
}
