//===- GPUStatus.cpp - What kernels of a GPU report -----------------------===//

#include "GPUStatus.h"

using namespace mlir;
using namespace tc;
using namespace tc::abi;

/// How many statuses a call has, and what the number of one is multiplied with;
/// see tc_runtime_api::kernel_status and read_kernel_status.
static constexpr size_t kStatuses = 8;
static constexpr int64_t kNumberFactor = 256;

void GPUStatus::emitBegin() {
  begin = host.callRuntime(APIField::KernelStatus,
                           LLVM::LLVMPointerType::get(host.context()), {});
  host.checkPointer(begin);
}

Value GPUStatus::addressFor(LaunchOp launch) {
  if (!begin)
    return host.null();
  if (!launch.getMayFail())
    return begin;
  size_t number = std::min<size_t>(launches.size(), kStatuses - 1);
  launches.push_back(launch.getLoc());
  return host.element(host.get().getI64Type(), begin, int32_t(number));
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
             launches[number]);
    report(host.equal(status, host.i64(0)), std::nullopt);
  };
  host.branch(host.compare(LLVM::ICmpPredicate::ne, status, host.i64(0)),
              checkFailures, [] {});
}
