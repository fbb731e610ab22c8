//===- KernelDescriptors.cpp - What a GPU launch is given -----------------===//

#include "KernelDescriptors.h"
#include "LaunchArguments.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Target/CUDA/CUDATarget.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

static constexpr StringRef kListName = "tc_kernel_list";

void tc::makeHandles(OpBuilder &builder, Location loc, StringRef symbol) {
  auto values = DenseElementsAttr::get(
      RankedTensorType::get({TC_MAX_DEVICES}, builder.getI64Type()),
      int64_t(0));
  LLVM::GlobalOp::create(
      builder, loc,
      LLVM::LLVMArrayType::get(builder.getI64Type(), TC_MAX_DEVICES),
      /*isConstant=*/false, LLVM::Linkage::Internal, getHandlesName(symbol),
      values);
}

/// Makes the PTX of a kernel a global, with a zero after it; its bytes without
/// that.
static FailureOr<int64_t> convertBinary(gpu::BinaryOp binary) {
  auto object = binary.getObjects().size() == 1
                    ? dyn_cast<gpu::ObjectAttr>(binary.getObjects()[0])
                    : gpu::ObjectAttr();
  if (!object || object.getFormat() != gpu::CompilationTarget::Assembly)
    return binary.emitOpError("has no PTX, expected one object of format "
                              "assembly, as convert-nvvm-to-ptx makes it");
  OpBuilder builder(binary);
  std::string text = object.getObject().getValue().str();
  text.push_back('\0');
  auto type = LLVM::LLVMArrayType::get(builder.getI8Type(), text.size());
  auto image = LLVM::GlobalOp::create(
      builder, binary.getLoc(), type, /*isConstant=*/true,
      LLVM::Linkage::Internal, getImageName(binary.getName()),
      builder.getStringAttr(text));
  image->setAttr(kImageAttr, binary.getSymNameAttr());
  makeHandles(builder, binary.getLoc(), binary.getName());
  return int64_t(text.size()) - 1;
}

void tc::makeConstant(
    OpBuilder &builder, Location loc, Type type, StringRef name,
    llvm::function_ref<SmallVector<Value>(OpBuilder &)> fill) {
  auto global =
      LLVM::GlobalOp::create(builder, loc, type, /*isConstant=*/true,
                             LLVM::Linkage::Internal, name, Attribute());
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&global.getInitializerRegion());
  Value whole = LLVM::UndefOp::create(builder, loc, type);
  for (auto [index, value] : llvm::enumerate(fill(builder)))
    whole = LLVM::InsertValueOp::create(builder, loc, whole, value,
                                        ArrayRef<int64_t>(int64_t(index)));
  LLVM::ReturnOp::create(builder, loc, whole);
}

/// Makes the array of the tc_tensor_maps of the kernel that `launch` starts.
static void makeTensorMaps(OpBuilder &builder, LaunchOp launch) {
  SmallVector<int32_t> fields = LaunchArguments(launch).describeTensorMaps();
  auto values = DenseElementsAttr::get(
      RankedTensorType::get({int64_t(fields.size())}, builder.getI32Type()),
      ArrayRef<int32_t>(fields));
  LLVM::GlobalOp::create(
      builder, launch.getLoc(),
      LLVM::LLVMArrayType::get(builder.getI32Type(), fields.size()),
      /*isConstant=*/true, LLVM::Linkage::Internal,
      getTensorMapsName(launch.getKernel()), values);
}

/// Makes the tc_kernel of the kernel that `launch` starts.
static void makeDescriptor(OpBuilder &builder, LaunchOp launch,
                           int64_t imageBytes, StringTable &strings) {
  Location loc = launch.getLoc();
  StringRef kernel = launch.getKernel();
  if (!launch.getTensorMaps().empty())
    makeTensorMaps(builder, launch);
  auto pointer = LLVM::LLVMPointerType::get(builder.getContext());
  auto fill = [&](OpBuilder &b) {
    auto i64 = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI64Type(), value);
    };
    auto i32 = [&](int64_t value) -> Value {
      return LLVM::ConstantOp::create(b, loc, b.getI32Type(), value);
    };
    auto address = [&](StringRef symbol) -> Value {
      return LLVM::AddressOfOp::create(b, loc, pointer, symbol);
    };
    int64_t maps = launch.getTensorMaps().size();
    return SmallVector<Value>{
        i64(sizeof(tc_kernel)),
        strings.addressOf(b, loc, kernel),
        address(getImageName(kernel)),
        i64(imageBytes),
        address(getHandlesName(kernel)),
        address(kListName),
        maps ? address(getTensorMapsName(kernel))
             : Value(LLVM::ZeroOp::create(b, loc, pointer)),
        i32(maps),
        i32(8 * LaunchArguments(launch).count()),
        i32(*launch.getThreads()),
        i32(launch.getCluster().value_or(1)),
        i32(launch.getSharedBytes().value_or(0)),
        i32(launch.getProgrammatic() ? TC_KERNEL_PROGRAMMATIC : 0)};
  };
  makeConstant(builder, loc, getKernelStruct(builder.getContext()),
               getDescriptorName(kernel), fill);
}

/// Makes the list of the descriptors of `kernels`.
static void makeList(OpBuilder &builder, Location loc,
                     ArrayRef<StringRef> kernels) {
  MLIRContext *context = builder.getContext();
  auto pointer = LLVM::LLVMPointerType::get(context);
  auto array = LLVM::LLVMArrayType::get(pointer, kernels.size());
  std::string arrayName = (kListName + "_kernels").str();
  makeConstant(builder, loc, array, arrayName, [&](OpBuilder &b) {
    SmallVector<Value> addresses;
    for (StringRef kernel : kernels)
      addresses.push_back(LLVM::AddressOfOp::create(b, loc, pointer,
                                                    getDescriptorName(kernel)));
    return addresses;
  });
  makeConstant(builder, loc, getKernelListStruct(context), kListName,
               [&](OpBuilder &b) {
                 return SmallVector<Value>{
                     LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                              int64_t(kernels.size())),
                     LLVM::AddressOfOp::create(b, loc, pointer, arrayName)};
               });
}

LogicalResult tc::makeKernelDescriptors(ModuleOp module, StringTable &strings) {
  llvm::StringMap<LaunchOp> launches; // the first of each kernel
  WalkResult walked = module.walk([&](LaunchOp launch) {
    if (!launch.getThreads())
      return WalkResult::advance();
    LaunchOp first =
        launches.try_emplace(launch.getKernel(), launch).first->second;
    if (first.getThreads() == launch.getThreads() &&
        first.getCluster() == launch.getCluster() &&
        first.getSharedBytes() == launch.getSharedBytes() &&
        first.getProgrammatic() == launch.getProgrammatic() &&
        first.getUsesCounters() == launch.getUsesCounters() &&
        first.getAlignedBuffers() == launch.getAlignedBuffers() &&
        LaunchArguments(first).describeTensorMaps() ==
            LaunchArguments(launch).describeTensorMaps())
      return WalkResult::advance();
    InFlightDiagnostic error =
        launch.emitOpError("starts @")
        << launch.getKernel()
        << " with other threads, cluster, shared memory, overlap, counters, "
           "alignment or boxes than another launch of it; expected the same";
    error.attachNote(first.getLoc()) << "the other launch";
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  SmallVector<gpu::BinaryOp> binaries(module.getOps<gpu::BinaryOp>());
  SmallVector<StringRef> kernels;
  for (gpu::BinaryOp binary : binaries) {
    FailureOr<int64_t> bytes = convertBinary(binary);
    if (failed(bytes))
      return failure();
    auto launch = launches.find(binary.getName());
    if (launch == launches.end())
      continue;
    OpBuilder builder(binary);
    makeDescriptor(builder, launch->second, *bytes, strings);
    kernels.push_back(launch->first());
  }
  if (!kernels.empty()) {
    auto builder = OpBuilder::atBlockEnd(module.getBody());
    makeList(builder, module.getLoc(), kernels);
  }
  for (gpu::BinaryOp binary : binaries)
    binary.erase();
  return success();
}
