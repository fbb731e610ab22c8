//===- DeviceMeasurement.cpp - Times of calls on a GPU --------------------===//

#include "DeviceMeasurement.h"
#include "DriverLaunch.h"
#include "TC/Pipelines/Registration.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CUDAMeasurement.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/STLExtras.h"
#include <chrono>

using namespace tc;
using namespace tc::runner;
using runtime::cuda::Event;

namespace {
using Clock = std::chrono::steady_clock;

/// Adds up rows, of so many values, and negates values: the first reads its
/// input and writes next to nothing, the second writes as much as it reads.
constexpr const char *kSource = R"(
func.func @read(%x: tensor<?x4096xf32, #tc.sizes<[n, 4096]>>) -> tensor<?xf32, #tc.sizes<[n]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 1048576>]} {
  %0 = tc.reduce sum %x dims [1] : tensor<?x4096xf32, #tc.sizes<[n, 4096]>> -> tensor<?xf32, #tc.sizes<[n]>>
  return %0 : tensor<?xf32, #tc.sizes<[n]>>
}
func.func @copy(%x: tensor<?x4096xf32, #tc.sizes<[n, 4096]>>) -> tensor<?x4096xf32, #tc.sizes<[n, 4096]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 1048576>]} {
  %0 = tc.neg %x : tensor<?x4096xf32, #tc.sizes<[n, 4096]>>
  return %0 : tensor<?x4096xf32, #tc.sizes<[n, 4096]>>
}
)";
constexpr int64_t kRowBytes = 4096 * 4;
constexpr int64_t kLargestCopy = int64_t(1) << 30; ///< bytes read

/// The kernels that measurements need, and their memory.
class Instruments {
public:
  static llvm::Expected<Instruments> make(const std::string &target);
  /// Enqueues what clears the second-level cache.
  llvm::Error flush() const { return run("read", flushed); }
  llvm::Error copy() const { return run("copy", copied); }
  double copiedBytes() const { return 2.0 * double(copied.byteCount()); }

private:
  llvm::Error run(const std::string &function,
                  const runtime::Tensor &input) const {
    auto outputs = runtime::Call(compiled->function(function))
                       .input(input)
                       .device(TC_DEVICE_CUDA, 0)
                       .outputs(1)
                       .run();
    return outputs.ok() ? llvm::Error::success() : toError(outputs.error());
  }

  std::optional<CompiledModule> compiled;
  runtime::Tensor flushed, copied;
};
} // namespace

/// A matrix of whole rows on the device, of about so many bytes.
static llvm::Expected<runtime::Tensor> allocateRows(int64_t bytes) {
  const int64_t rows = std::max<int64_t>(bytes / kRowBytes, 1);
  auto storage = toExpected(
      runtime::cuda::allocate(size_t(rows * kRowBytes), /*device=*/0));
  if (!storage)
    return storage.takeError();
  void *data = (*storage)->data;
  const int64_t sizes[] = {rows, kRowBytes / 4}, strides[] = {kRowBytes / 4, 1};
  // Not zero, so that it is not special.
  if (runtime::Status status = runtime::cuda::fill(0, nullptr, data, 0x3c,
                                                   uint64_t(rows * kRowBytes));
      !status.ok())
    return toError(status);
  runtime::Tensor tensor = runtime::Tensor::viewUnchecked(
      *std::move(storage), data, runtime::DType::F32, sizes, strides);
  tensor.setDevice(TC_DEVICE_CUDA, 0);
  return tensor;
}

llvm::Expected<Instruments> Instruments::make(const std::string &target) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(kSource, &context);
  if (!module)
    return llvm::createStringError("the kernels that measure cannot be read");
  CompileOptions options;
  options.target = target;
  auto compiled = compile(*module, options);
  if (!compiled)
    return compiled.takeError();
  Instruments made;
  made.compiled = std::move(*compiled);
  auto properties = toExpected(runtime::cuda::deviceProperties(0));
  if (!properties)
    return properties.takeError();
  const auto memory = int64_t(properties->memoryBytes);
  auto flushed =
      allocateRows(std::min(4 * int64_t(properties->l2Bytes), memory / 8));
  if (!flushed)
    return flushed.takeError();
  made.flushed = std::move(*flushed);
  auto copied = allocateRows(std::min(kLargestCopy, memory / 32));
  if (!copied)
    return copied.takeError();
  made.copied = std::move(*copied);
  return made;
}

/// Seconds of the device for `call`, enqueued after `before`.
static llvm::Expected<double> timeOnce(llvm::function_ref<llvm::Error()> before,
                                       llvm::function_ref<llvm::Error()> call) {
  auto begin = toExpected(Event::create(0)), end = toExpected(Event::create(0));
  if (!begin)
    return llvm::joinErrors(begin.takeError(), end.takeError());
  if (!end)
    return end.takeError();
  if (llvm::Error error = before())
    return std::move(error);
  if (auto status = begin->record(nullptr); !status.ok())
    return toError(status);
  if (llvm::Error error = call())
    return std::move(error);
  auto status = end->record(nullptr);
  if (status.ok())
    status = end->synchronize();
  if (!status.ok())
    return toError(status);
  return toExpected(end->secondsSince(*begin));
}

static llvm::Expected<std::vector<double>>
timeRepeatedly(llvm::function_ref<llvm::Error()> before,
               llvm::function_ref<llvm::Error()> call, double wantedSeconds) {
  constexpr size_t kFewest = 7, kMost = 10000;
  std::vector<double> times;
  const auto begin = Clock::now();
  auto elapsed = [&] {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  };
  while (times.size() < kFewest ||
         (elapsed() < wantedSeconds && times.size() < kMost)) {
    auto seconds = timeOnce(before, call);
    if (!seconds)
      return seconds.takeError();
    times.push_back(*seconds);
  }
  llvm::sort(times);
  return times;
}

llvm::Expected<DeviceTimes>
runner::measureOnDevice(llvm::function_ref<llvm::Error()> call,
                        const std::string &target, double wantedSeconds) {
  auto instruments = Instruments::make(target);
  if (!instruments)
    return instruments.takeError();
  auto flush = [&] { return instruments->flush(); };
  auto copy = [&] { return instruments->copy(); };
  DeviceTimes times;
  auto cold = timeRepeatedly(flush, call, wantedSeconds / 2);
  if (!cold)
    return cold.takeError();
  times.cold = std::move(*cold);
  auto warm = timeRepeatedly(call, call, wantedSeconds / 4);
  if (!warm)
    return warm.takeError();
  times.warm = std::move(*warm);
  auto host = timeOnHost(call);
  if (!host)
    return host.takeError();
  times.host = *host;
  auto launch = timeDriverLaunch();
  if (!launch)
    return launch.takeError();
  times.driverLaunch = *launch;
  auto copies = timeRepeatedly(flush, copy, wantedSeconds / 8);
  if (!copies)
    return copies.takeError();
  times.copyRate = instruments->copiedBytes() / (*copies)[copies->size() / 2];
  return times;
}
