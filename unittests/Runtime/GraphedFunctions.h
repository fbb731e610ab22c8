//===- GraphedFunctions.h - Functions for tests of CUDA graphs --*- C++ -*-===//
//
// The "compiled functions" here are written by hand against the C ABI.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_RUNTIME_GRAPHEDFUNCTIONS_H
#define TC_UNITTESTS_RUNTIME_GRAPHEDFUNCTIONS_H

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/CUDAGraphs.h"
#include "TC/Runtime/Call.h"
#include "gtest/gtest.h"

#include <map>
#include <memory>

namespace standin {

using namespace tc::runtime;

inline tc_kernel &kernelNamed(const std::string &name) {
  static auto &kernels = *new std::map<std::string, std::unique_ptr<Kernel>>();
  std::unique_ptr<Kernel> &kernel = kernels[name];
  if (!kernel)
    kernel = std::make_unique<Kernel>(name, 2);
  return *kernel;
}

inline int32_t launch(tc_call *call, const std::string &name, void *from,
                      void *to, int64_t blocks = 4) {
  void *arguments[] = {from, to};
  return call->api->launch_kernel(call, &kernelNamed(name), blocks, arguments);
}

inline int32_t allocateOutput(tc_call *call) {
  const tc_tensor &input = call->inputs[0];
  return call->api->allocate_output(call, 0, input.dtype, input.rank,
                                    input.sizes);
}

/// output 0 = last(middle(first(input 0))), by way of an arena of its size.
inline int32_t chain(tc_call *call) {
  if (int32_t failed = allocateOutput(call))
    return failed;
  void *arena =
      call->api->allocate_arena(call, uint64_t(call->inputs[0].sizes[0]) * 4);
  if (!arena)
    return TC_STATUS_OUT_OF_MEMORY;
  if (int32_t failed = launch(call, "first", call->inputs[0].data, arena))
    return failed;
  if (int32_t failed = launch(call, "middle", arena, arena))
    return failed;
  return launch(call, "last", arena, call->outputs[0].data);
}

/// Two kernels that report what fails.
inline int32_t reporting(tc_call *call) {
  auto *status = static_cast<int64_t *>(call->api->kernel_status(call));
  if (!status)
    return TC_STATUS_OUT_OF_MEMORY;
  if (int32_t failed = allocateOutput(call))
    return failed;
  if (launch(call, "checks", call->inputs[0].data, status) ||
      launch(call, "checks2", call->outputs[0].data, status + 1))
    return TC_STATUS_INTERNAL;
  const int64_t failed = call->api->read_kernel_status(call);
  if (failed < 0)
    return TC_STATUS_INTERNAL;
  return failed ? call->api->report_error(call, TC_STATUS_INDEX_OUT_OF_RANGE,
                                          "an index", nullptr)
                : int32_t(TC_STATUS_OK);
}

inline Tensor onDevice(int64_t size, int32_t device = 0) {
  return *cuda::copyToDevice(
      *Tensor::copyOf<float>(DType::F32, std::vector<int64_t>{size},
                             std::vector<float>(size_t(size))),
      device);
}

/// Calls of one function with its graphs.
class Function {
public:
  explicit Function(tc_function code, size_t capacity = 16)
      : graphs(capacity), code(code) {}
  Expected<Tensor> operator()(const Tensor &input, void *stream = nullptr) {
    auto results = Call(code)
                       .input(input)
                       .outputs(1)
                       .stream(stream)
                       .device(TC_DEVICE_CUDA, input.deviceIndex())
                       .graphs(&graphs)
                       .run();
    if (!results.ok())
      return results.takeStatus();
    return (*results)[0];
  }
  /// Calls until the graphs are there.
  void warmUp(const Tensor &input, void *stream = nullptr) {
    for (int i = 0; i < 2; ++i) {
      Expected<Tensor> result = (*this)(input, stream);
      ASSERT_TRUE(result.ok()) << result.error().message();
    }
  }
  CUDAGraphs graphs;

private:
  tc_function code;
};

/// What the next call logs; it must work.
inline std::string logOf(Function &function, const Tensor &input,
                         void *stream = nullptr) {
  const Log log;
  Expected<Tensor> result = function(input, stream);
  EXPECT_TRUE(result.ok()) << result.error().message();
  return log.text();
}

inline int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at)
    ++found;
  return found;
}

} // namespace standin

#endif // TC_UNITTESTS_RUNTIME_GRAPHEDFUNCTIONS_H
