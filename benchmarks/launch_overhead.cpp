//===- launch_overhead.cpp - What a call of an empty kernel costs the host ===//
//
// launch_overhead [--rounds=N] [--device=N]
//
// Times, on one thread and one stream of a CUDA device, in interleaved rounds:
//   cuLaunchKernel   the driver's function, with an empty kernel
//   function         a function in TC's C ABI that starts this kernel, called
//                    on a CallFrame that is kept
//   output           the same with an input, an output and an arena for each
//                    call
//   20 kernels       the same with 20 launches
//   as a graph       this in mode reduce-overhead
//   held results     this where the result of the call before is still held, so
//                    that the output has another address each time
//   tc_program_call  a compiled module, tc.relu of one float, through the C API
//                    (libTCCompiler.so, where it is found)
// and prints the median of each in microseconds and next to the first. The
// device is waited for outside of the times.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/Call.h"
#include "tc-c/Compiler.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>

using namespace tc::runtime;

namespace {

constexpr const char *image = R"(.version 7.0
.target sm_80
.address_size 64
.visible .entry empty(.param .u64 first)
{
  ret;
}
)";

/// Launches of a round: fewer than the driver queues without waiting.
constexpr int launchesOfRound = 256;

[[noreturn]] void fail(const std::string &message) {
  std::fprintf(stderr, "launch_overhead: error: %s\n", message.c_str());
  std::exit(1);
}

void check(const Status &status) {
  if (!status.ok())
    fail(status.toString());
}

/// The driver's functions that a launch without TC needs.
struct Driver {
  void *library = dlopen("libcuda.so.1", RTLD_NOW);
  template <typename Function> Function find(const char *name) const {
    void *symbol = library ? dlsym(library, name) : nullptr;
    if (!symbol)
      fail(std::string("the CUDA driver has no function ") + name);
    return reinterpret_cast<Function>(symbol);
  }
  static void check(int error, const char *what) {
    if (error)
      fail(std::string(what) + " failed with error " + std::to_string(error));
  }
};

using Launch = int (*)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                       unsigned, unsigned, void *, void **, void **);

/// cuLaunchKernel of the empty kernel, in the device's primary context, which
/// becomes the thread's.
std::function<void()> makeRawLaunch(const Driver &driver, int device) {
  void *context = nullptr, *module = nullptr, *function = nullptr;
  Driver::check(driver.find<int (*)(void **, int)>("cuDevicePrimaryCtxRetain")(
                    &context, device),
                "cuDevicePrimaryCtxRetain");
  Driver::check(driver.find<int (*)(void *)>("cuCtxSetCurrent")(context),
                "cuCtxSetCurrent");
  Driver::check(
      driver.find<int (*)(void **, const void *, unsigned, int *, void **)>(
          "cuModuleLoadDataEx")(&module, image, 0, nullptr, nullptr),
      "cuModuleLoadDataEx");
  Driver::check(driver.find<int (*)(void **, void *, const char *)>(
                    "cuModuleGetFunction")(&function, module, "empty"),
                "cuModuleGetFunction");
  auto launch = driver.find<Launch>("cuLaunchKernel");
  return [=] {
    uint64_t argument = 0;
    size_t bytes = sizeof(argument);
    void *extra[] = {reinterpret_cast<void *>(1), &argument,
                     reinterpret_cast<void *>(2), &bytes, nullptr};
    Driver::check(
        launch(function, 1, 1, 1, 32, 1, 1, 0, nullptr, nullptr, extra),
        "cuLaunchKernel");
  };
}

/// The empty kernel as emitted code describes it.
const tc_kernel &emptyKernel() {
  static void *handles[TC_MAX_DEVICES];
  static const tc_kernel kernel = [] {
    tc_kernel made{};
    made.size = sizeof(made);
    made.name = "empty";
    made.image = image;
    made.image_bytes = std::strlen(image);
    made.handles = handles;
    made.argument_bytes = sizeof(uint64_t);
    made.threads = 32;
    return made;
  }();
  return kernel;
}

int32_t launchOnly(tc_call *call) {
  uint64_t argument = 0;
  return call->api->launch_kernel(call, &emptyKernel(), 1, &argument);
}

int32_t launchWithOutput(tc_call *call, int launches) {
  const int64_t sizes[] = {1024};
  if (int32_t status =
          call->api->allocate_output(call, 0, TC_DTYPE_F32, 1, sizes))
    return status;
  if (!call->api->allocate_arena(call, 4096))
    return TC_STATUS_OUT_OF_MEMORY;
  // The last one is given the output.
  for (int i = 1; i < launches; ++i)
    if (int32_t status = launchOnly(call))
      return status;
  return call->api->launch_kernel(call, &emptyKernel(), 1,
                                  &call->outputs[0].data);
}

int32_t launchOne(tc_call *call) { return launchWithOutput(call, 1); }
int32_t launch20(tc_call *call) { return launchWithOutput(call, 20); }

/// A compiled module through the C API; nothing where its library is not found.
class Program {
public:
  explicit Program(int device) : device("cuda:" + std::to_string(device)) {
    library = dlopen("libTCCompiler.so", RTLD_NOW);
    if (!library)
      return;
    check(find<decltype(&tc_session_create)>("tc_session_create")(
        TC_C_API_VERSION, &session));
    constexpr const char *text = "func.func @main(%x: tensor<1xf32>) -> "
                                 "tensor<1xf32> {\n"
                                 "  %0 = tc.relu %x : tensor<1xf32>\n"
                                 "  return %0 : tensor<1xf32>\n}\n";
    tc_compile_options options{};
    options.size = sizeof(options);
    options.device = this->device.c_str();
    check(find<decltype(&tc_compile_buffer)>("tc_compile_buffer")(
        session, text, std::strlen(text), "relu", &options, &program));
    function = find<decltype(&tc_program_call)>("tc_program_call");
  }
  explicit operator bool() const { return program; }

  void call(const tc_array *input) const {
    tc_array *output = nullptr;
    check(function(program, 0, &input, 1, &output, 1));
    tc_array_free(output);
  }

private:
  template <typename Function> Function find(const char *name) const {
    return reinterpret_cast<Function>(dlsym(library, name));
  }
  static void check(tc_error *error) {
    if (error)
      fail(tc_error_message(error));
  }

  std::string device;
  void *library = nullptr;
  tc_session *session = nullptr;
  tc_program *program = nullptr;
  decltype(&tc_program_call) function = nullptr;
};

struct Row {
  const char *name;
  std::function<void()> call;
  int launches = 1; ///< of a call
  std::vector<double> microseconds = {};

  double median() {
    std::sort(microseconds.begin(), microseconds.end());
    return microseconds[microseconds.size() / 2];
  }
};

/// Times the calls of one round; the device is idle before and after.
void runRound(Row &row, int device) {
  using Clock = std::chrono::steady_clock;
  const int calls = launchesOfRound / row.launches;
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < calls; ++i)
    row.call();
  const std::chrono::duration<double, std::micro> time = Clock::now() - begin;
  row.microseconds.push_back(time.count() / calls);
  check(cuda::synchronize(device));
}

int readOption(const char *text, const char *name, int otherwise) {
  const size_t length = std::strlen(name);
  return std::strncmp(text, name, length) == 0 ? std::atoi(text + length)
                                               : otherwise;
}

} // namespace

int main(int argc, char **argv) {
  int rounds = 101, device = 0;
  for (int i = 1; i < argc; ++i) {
    rounds = readOption(argv[i], "--rounds=", rounds);
    device = readOption(argv[i], "--device=", device);
  }
  check(cuda::checkDevice(device));
  const Driver driver;
  Tensor host = *Tensor::copyOf<float>(DType::F32, std::vector<int64_t>{1},
                                       std::vector<float>(1));
  Expected<Tensor> copied = cuda::copyToDevice(host, device);
  check(copied.takeStatus());
  const Tensor &input = *copied;
  const tc_tensor descriptor = input.descriptor();
  tc_array *array = nullptr;
  if (tc_array_wrap(&descriptor, nullptr, nullptr, &array))
    fail("the input cannot be wrapped");
  const Program program(device);

  CallFrame frame;
  frame.setDevice(TC_DEVICE_CUDA, device);
  std::vector<Row> rows;
  rows.push_back({"cuLaunchKernel", makeRawLaunch(driver, device)});
  rows.push_back({"function", [&] { check(frame.invoke(launchOnly)); }});
  CUDAGraphs graphs, graphsOfHeld;
  Tensor held;
  auto call = [&](tc_function function, CUDAGraphs *used) {
    auto outputs = Call(function)
                       .input(input)
                       .outputs(1)
                       .device(TC_DEVICE_CUDA, device)
                       .graphs(used)
                       .run();
    check(outputs.takeStatus());
    return std::move((*outputs)[0]);
  };
  rows.push_back({"output", [&] { call(launchOne, nullptr); }});
  rows.push_back({"20 kernels", [&] { call(launch20, nullptr); }, 20});
  rows.push_back({"as a graph", [&] { call(launch20, &graphs); }, 20});
  rows.push_back(
      {"held results", [&] { held = call(launch20, &graphsOfHeld); }, 20});
  if (program)
    rows.push_back({"tc_program_call", [&] { program.call(array); }});
  for (int round = 0; round < rounds + 1; ++round) {
    for (Row &row : rows)
      runRound(row, device);
    if (round == 0) // kernels were loaded
      for (Row &row : rows)
        row.microseconds.clear();
  }
  const double first = rows.front().median();
  for (Row &row : rows)
    std::printf("%-16s %8.3f us %6.2f\n", row.name, row.median(),
                row.median() / first);
  tc_array_free(array);
  return 0;
}
