//===- GPUStatus.cpp - What kernels of a GPU report -----------------------===//

#include "GPUStatus.h"
#include "KernelDescriptors.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

/// How many statuses a call has, and what the number of one is multiplied with;
/// see tc_runtime_api::kernel_status and read_kernel_status.
static constexpr size_t kStatuses = 8;
static constexpr int64_t kNumberFactor = 256;

void GPUStatus::emitBegin(func::FuncOp function) {
  Type pointer = LLVM::LLVMPointerType::get(host.context());
  SmallVector<Value> arguments;
  auto api = APIField::KernelStatus;
  if (!function.walk([](SizeFromOp) { return WalkResult::interrupt(); })
           .wasInterrupted()) {
    api = APIField::KernelFailures;
    failures = getFailuresName(function.getName());
    arguments.push_back(host.addressOf(failures));
  }
  begin = host.callRuntime(api, pointer, arguments);
  host.checkPointer(begin);
}

Value GPUStatus::addressFor(LaunchOp launch) {
  if (!begin)
    return host.null();
  if (!launch.getMayFail())
    return begin;
  size_t number = launches.size();
  if (failures.empty())
    number = std::min(number, kStatuses - 1);
  launches.push_back(launch);
  return host.element(host.get().getI64Type(), begin, int32_t(number));
}

void GPUStatus::makeFailures(ModuleOp module) {
  if (failures.empty())
    return;
  Location loc = host.getLoc();
  auto builder = OpBuilder::atBlockEnd(module.getBody());
  auto pointer = LLVM::LLVMPointerType::get(host.context());
  auto address = [&](OpBuilder &b, StringRef name) -> Value {
    return LLVM::AddressOfOp::create(b, loc, pointer, name);
  };
  auto makeTexts = [&](StringRef name,
                       llvm::function_ref<std::string(LaunchOp)> textOf) {
    makeConstant(
        builder, loc, LLVM::LLVMArrayType::get(pointer, launches.size()), name,
        [&](OpBuilder &b) {
          return llvm::map_to_vector(launches, [&](LaunchOp launch) -> Value {
            std::string text = textOf(launch);
            if (text.empty())
              return LLVM::ZeroOp::create(b, loc, pointer);
            return strings.addressOf(b, loc, text);
          });
        });
  };
  std::string kernels = failures + "_kernels";
  std::string locations = failures + "_locations";
  makeTexts(kernels, [](LaunchOp op) { return op.getKernel().str(); });
  makeTexts(locations,
            [](LaunchOp op) { return getLocationText(op.getLoc()); });
  makeHandles(builder, loc, failures);
  makeConstant(builder, loc, getFailuresStruct(host.context()), failures,
               [&](OpBuilder &b) {
                 auto i64 = [&](size_t value) -> Value {
                   return LLVM::ConstantOp::create(b, loc, b.getI64Type(),
                                                   int64_t(value));
                 };
                 return SmallVector<Value>{
                     i64(sizeof(tc_kernel_failures)),
                     address(b, getHandlesName(failures)),
                     i64(launches.size()),
                     strings.addressOf(b, loc, kIndexOutOfRangeText),
                     address(b, kernels),
                     address(b, locations)};
               });
}

Value GPUStatus::emitCounters(func::FuncOp function) {
  WalkResult found = function.walk([](LaunchOp op) {
    return op.getUsesCounters() ? WalkResult::interrupt()
                                : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return {};
  Value counters =
      host.callRuntime(APIField::AllocateCounters,
                       LLVM::LLVMPointerType::get(host.context()), {});
  host.checkPointer(counters);
  return counters;
}

void GPUStatus::emitCheck() {
  if (!failures.empty())
    return;
  Value status =
      host.callRuntime(APIField::ReadKernelStatus, host.get().getI64Type(), {});
  auto report = [&](Value holds, std::optional<Location> location) {
    host.check(holds, {TC_STATUS_INDEX_OUT_OF_RANGE, kIndexOutOfRangeText,
                       Value(), Value(), location});
  };
  auto checkFailures = [&] {
    Value isBroken =
        host.compare(LLVM::ICmpPredicate::slt, status, host.i64(0));
    host.checkStatus(LLVM::SelectOp::create(host.get(), host.getLoc(), isBroken,
                                            host.i32(TC_STATUS_INTERNAL),
                                            host.i32(TC_STATUS_OK)));
    size_t known =
        launches.size() > kStatuses ? kStatuses - 1 : launches.size();
    for (size_t number = 0; number < known; ++number)
      report(host.compare(
                 LLVM::ICmpPredicate::ne, status,
                 host.i64(int64_t(number) * kNumberFactor + kIndexOutOfRange)),
             launches[number].getLoc());
    report(host.equal(status, host.i64(0)), std::nullopt);
  };
  host.branch(host.compare(LLVM::ICmpPredicate::ne, status, host.i64(0)),
              checkFailures, [] {});
}
