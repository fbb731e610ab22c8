//===- CUDAGraphsTest.cpp - Tests of calls that repeat as CUDA graphs -----===//

#include "GraphedFunctions.h"

#include <algorithm>
#include <thread>

using namespace tc::runtime;
using namespace standin;

namespace {

/// The value that `branching` finds, as the device would compute it.
int64_t &condition() {
  static int64_t value = 0;
  return value;
}

/// Launches two kernels, reads a condition, and launches two or three others
/// with the same kernel first.
int32_t branching(tc_call *call) {
  if (int32_t failed = allocateOutput(call))
    return failed;
  void *in = call->inputs[0].data, *out = call->outputs[0].data;
  if (launch(call, "test", in, out) || launch(call, "test2", in, out))
    return TC_STATUS_INTERNAL;
  int64_t ignored = 0;
  if (int32_t failed = call->api->copy_to_host(call, &ignored, in, 8))
    return failed;
  if (launch(call, "common", in, out))
    return TC_STATUS_INTERNAL;
  for (int64_t i = 0; i < condition(); ++i)
    if (launch(call, "again", in, out, 4 + i))
      return TC_STATUS_INTERNAL;
  return condition() ? TC_STATUS_OK : launch(call, "otherwise", in, out);
}

/// Bytes that `tiled` reads its input behind its first element.
int64_t &distance() {
  static int64_t value = 0;
  return value;
}

/// Three kernels, of which the middle one has a tensor map of the input.
int32_t tiled(tc_call *call) {
  static Kernel &kernel = *new Kernel("tiled", 1);
  static tc_tensor_map map{};
  if (!kernel.tensor_map_count) {
    kernel.ptx = ".visible .entry tiled(.param .align 64 .b8 map[128], "
                 ".param .u64 y) {}\n";
    kernel.image = kernel.ptx.c_str();
    kernel.image_bytes = kernel.ptx.size();
    kernel.argument_bytes = 136;
    map.source = 136;
    map.dtype = TC_DTYPE_F32;
    map.rank = 1;
    map.box[0] = 8;
    map.flags = TC_TENSOR_MAP_REALIGNS;
    kernel.tensor_maps = &map;
    kernel.tensor_map_count = 1;
  }
  if (int32_t failed = allocateOutput(call))
    return failed;
  void *in = call->inputs[0].data, *out = call->outputs[0].data;
  if (launch(call, "before", in, out))
    return TC_STATUS_INTERNAL;
  struct alignas(64) {
    char map[128];
    int64_t y;
    int64_t source[2];
  } arguments = {{}, 0, {int64_t(in) + distance(), 8}};
  if (call->api->launch_kernel(call, &kernel, 1, &arguments))
    return TC_STATUS_INTERNAL;
  return launch(call, "behind", in, out);
}

/// One kernel.
int32_t single(tc_call *call) {
  if (int32_t failed = allocateOutput(call))
    return failed;
  return launch(call, "single", call->inputs[0].data, call->outputs[0].data);
}

/// The second kernel waits for the first itself.
int32_t overlapping(tc_call *call) {
  kernelNamed("waiting").flags = TC_KERNEL_PROGRAMMATIC;
  if (int32_t failed = allocateOutput(call))
    return failed;
  void *in = call->inputs[0].data, *out = call->outputs[0].data;
  return launch(call, "waiting", in, out) || launch(call, "waiting", out, out)
             ? int32_t(TC_STATUS_INTERNAL)
             : launch(call, "behind", out, out);
}

TEST(CUDAGraphs, KernelsThatWaitThemselvesFollowByProgrammaticEdges) {
  Function function(overlapping);
  const Tensor input = onDevice(201);
  EXPECT_EQ(count(logOf(function, input), "programmatic"), 2);
  const std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuGraphAddKernelNode("), 3);
  EXPECT_EQ(count(log, "cuGraphAddDependencies("), 1) << log;
  EXPECT_EQ(count(log, "cuGraphInstantiateWithFlags(3)"), 1) << log;
}

TEST(CUDAGraphs, TheThirdCallIsOneLaunch) {
  Function function(chain);
  const Tensor input = onDevice(101);
  std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3);
  EXPECT_EQ(count(log, "cuGraph"), 0);
  EXPECT_EQ(function.graphs.describe(), "inputs 101: no CUDA graph\n");
  log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3);
  EXPECT_EQ(count(log, "cuGraphAddKernelNode("), 3);
  EXPECT_EQ(count(log, "cuGraphInstantiateWithFlags(3)"), 1);
  EXPECT_EQ(function.graphs.describe(),
            "inputs 101: 1 CUDA graph of 3 kernels\n");
  for (int repeat = 0; repeat < 3; ++repeat) {
    log = logOf(function, input);
    EXPECT_EQ(count(log, "\n"), 1) << log;
    EXPECT_EQ(count(log, "cuGraphLaunch(first, 4 x 32, "), 1) << log;
  }
}

/// A result that is held is never overwritten, and its address alone changes;
/// no input is copied.
TEST(CUDAGraphs, UpdatesTheNodesWhosePointersChange) {
  Function function(chain);
  const Tensor input = onDevice(102), other = onDevice(102);
  function.warmUp(input);
  Expected<Tensor> held = function(input);
  const standin::Log log;
  Expected<Tensor> result = function(input);
  ASSERT_TRUE(held.ok() && result.ok());
  EXPECT_NE(held->data(), result->data());
  EXPECT_EQ(log.count("cuGraphExecKernelNodeSetParams("), 1);
  EXPECT_EQ(log.count("cuGraphExecKernelNodeSetParams(2, last, 4 x 32, "), 1);
  EXPECT_EQ(log.count("cuGraphLaunch("), 1);
  const standin::Log second;
  Expected<Tensor> third = function(other);
  ASSERT_TRUE(third.ok());
  EXPECT_EQ(second.count("cuGraphExecKernelNodeSetParams(0, first, 4 x 32, "),
            1);
  EXPECT_EQ(second.count("cuMemcpy"), 0);
  EXPECT_EQ(second.count("cuLaunchKernel("), 0);
}

TEST(CUDAGraphs, OneKernelIsNoGraph) {
  Function function(single);
  const Tensor input = onDevice(103);
  function.warmUp(input);
  const std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel(single"), 1);
  EXPECT_EQ(count(log, "cuGraph"), 0);
  EXPECT_EQ(function.graphs.describe(),
            "inputs 103: no CUDA graph, 1 kernel launched alone\n");
}

TEST(CUDAGraphs, KeepsSeveralSizesTheLatestOnes) {
  Function function(chain, /*capacity=*/2);
  const Tensor a = onDevice(8), b = onDevice(16), c = onDevice(24);
  function.warmUp(a);
  function.warmUp(b);
  EXPECT_EQ(count(logOf(function, a), "cuGraphLaunch("), 1);
  EXPECT_EQ(count(logOf(function, b), "cuGraphLaunch("), 1);
  EXPECT_EQ(count(logOf(function, a), "cuGraphLaunch("), 1);
  // The graphs of b go.
  const std::string log = logOf(function, c);
  EXPECT_EQ(count(log, "cuGraphExecDestroy("), 1);
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3);
  EXPECT_EQ(count(logOf(function, a), "cuGraphLaunch("), 1);
  EXPECT_EQ(count(logOf(function, b), "cuLaunchKernel("), 3);
}

/// A graph ends where the host waits, and each way through has its own.
TEST(CUDAGraphs, BranchesThatDataDecides) {
  Function function(branching);
  const Tensor input = onDevice(104);
  condition() = 0;
  function.warmUp(input);
  std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuGraphLaunch(test, "), 1) << log;
  EXPECT_EQ(count(log, "cuGraphLaunch(common, "), 1) << log;
  EXPECT_LT(log.find("cuGraphLaunch(test"), log.find("cuMemcpyDtoHAsync"));
  EXPECT_LT(log.find("cuMemcpyDtoHAsync"), log.find("cuGraphLaunch(common"));
  condition() = 2; // another way, that has not been taken
  log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel(common, "), 1) << log;
  EXPECT_EQ(count(log, "cuLaunchKernel(again, "), 2) << log;
  condition() = 1; // the same, and shorter
  log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel(again, "), 1) << log;
  for (const int64_t value : {0, 2, 1, 2, 0}) {
    condition() = value;
    log = logOf(function, input);
    EXPECT_EQ(count(log, "cuGraphLaunch("), 2) << log;
    EXPECT_EQ(count(log, "cuLaunchKernel("), 0) << log;
    EXPECT_EQ(count(log.substr(log.rfind("cuGraphLaunch")), "again, "), value)
        << log;
  }
  EXPECT_EQ(function.graphs.describe(),
            "inputs 104: 4 CUDA graphs of 2, 2, 3, 2 kernels; the host waits "
            "for the device between graphs\n");
}

TEST(CUDAGraphs, StatusesOfKernelsAreRead) {
  Function function(reporting);
  const Tensor input = onDevice(105);
  function.warmUp(input);
  const std::string log = logOf(function, input);
  EXPECT_LT(log.find("cuGraphLaunch(checks"), log.find("cuStreamSynchronize"));
  {
    const standin::Setting status("STAND_IN_STATUS", "1");
    Expected<Tensor> failed = function(input);
    ASSERT_FALSE(failed.ok());
    EXPECT_EQ(failed.error().message(), "an index");
  }
  EXPECT_EQ(count(logOf(function, input), "cuGraphLaunch("), 1);
}

TEST(CUDAGraphs, EachStreamHasItsOwn) {
  Function function(chain);
  const Tensor input = onDevice(106);
  void *streams[] = {standin::makeStream(0), standin::makeStream(0)};
  for (void *stream : streams)
    function.warmUp(input, stream);
  const std::string first = logOf(function, input, streams[0]),
                    second = logOf(function, input, streams[1]);
  EXPECT_EQ(count(first, "cuGraphLaunch("), 1);
  EXPECT_EQ(count(second, "cuGraphLaunch("), 1);
  // With an arena of its own: the text has the arguments.
  EXPECT_NE(first.substr(first.find("middle")),
            second.substr(second.find("middle")));
}

TEST(CUDAGraphs, ThreadsOnOneStreamAndOnSeveralDevices) {
  Function function(chain);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] {
      const Tensor input = onDevice(107 + i % 2, i % 2);
      void *stream = i < 4 ? standin::makeStream(i % 2) : nullptr;
      for (int round = 0; round < 50; ++round) {
        Expected<Tensor> result = function(input, stream);
        EXPECT_TRUE(result.ok()) << result.error().message();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

TEST(CUDAGraphs, MemoryIsGivenBackOnRequest) {
  ASSERT_TRUE(cuda::releaseCachedMemory(3).ok());
  Function function(chain);
  const Tensor input = onDevice(112, 3);
  function.warmUp(input);
  {
    const standin::Log log;
    ASSERT_TRUE(cuda::releaseCachedMemory(3).ok());
    EXPECT_EQ(log.count("cuGraphExecDestroy("), 1);
    EXPECT_EQ(log.count("cuMemFreeAsync("), 2); // the arena and an output
  }
  function.warmUp(input);
  EXPECT_EQ(count(logOf(function, input), "cuGraphLaunch("), 1);
}

/// Where memory runs out in a call, graphs of others give theirs.
TEST(CUDAGraphs, MemoryIsGivenToACallThatFindsNone) {
  ASSERT_TRUE(cuda::releaseCachedMemory(3).ok());
  const standin::Setting memory("STAND_IN_MEMORY", "1048576");
  Function function(chain), other(chain);
  const Tensor input = onDevice(80000, 3); // three blocks of 320 KiB
  function.warmUp(input);
  EXPECT_EQ(count(logOf(function, input), "cuGraphLaunch("), 1);
  std::string log = logOf(other, input);
  EXPECT_EQ(count(log, "cuGraphExecDestroy("), 1) << log;
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3) << log;
  log = logOf(function, input);
  EXPECT_EQ(count(log, "cuLaunchKernel("), 3) << log;
}

/// Outputs are the caller's memory; what a graph keeps between its kernels is
/// the pool's.
TEST(CUDAGraphs, TheCallersAllocator) {
  static int allocations = 0;
  CUDAGraphs graphs;
  const Tensor input = onDevice(113);
  CallFrame frame;
  for (int call = 0; call < 4; ++call) {
    frame.clear();
    frame.addInput(input);
    frame.setOutputCount(1);
    frame.setDevice(TC_DEVICE_CUDA, 0);
    frame.setGraphs(&graphs);
    frame.setAllocator(
        [](void *, size_t bytes) {
          ++allocations;
          auto storage = cuda::allocate(bytes, 0);
          return storage.ok() ? *storage : StorageRef();
        },
        nullptr);
    Status status = frame.invoke(chain);
    ASSERT_TRUE(status.ok()) << status.message();
  }
  EXPECT_EQ(allocations, 4);
}

/// A copy that a tensor map is of is made behind the kernels before it.
TEST(CUDAGraphs, RealignedViewsAreLaunchedOneByOne) {
  Function function(tiled);
  const Tensor input = onDevice(118);
  distance() = 0;
  function.warmUp(input);
  std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "cuGraphLaunch("), 1) << log;
  distance() = 4;
  log = logOf(function, input);
  distance() = 0;
  EXPECT_EQ(count(log, "cuGraphLaunch("), 0) << log;
  const size_t places[] = {
      log.find("cuLaunchKernel(before"), log.find("cuMemcpyDtoDAsync("),
      log.find("cuLaunchKernel(tiled"), log.find("cuMemFreeAsync("),
      log.find("cuLaunchKernel(behind")};
  EXPECT_TRUE(std::is_sorted(std::begin(places), std::end(places))) << log;
  EXPECT_NE(places[4], std::string::npos) << log;
  log = logOf(function, input);
  EXPECT_EQ(count(log, "cuGraphLaunch("), 1) << log;
}

TEST(CUDAGraphs, ClustersAndSharedMemory) {
  tc_kernel &middle = kernelNamed("middle");
  middle.cluster = 2;
  middle.dynamic_shared_bytes = 1000;
  Function function(chain);
  const Tensor input = onDevice(117);
  function.warmUp(input);
  const std::string log = logOf(function, input);
  EXPECT_EQ(count(log, "; middle, 4 x 32, shared 1000, cluster 2, "), 1) << log;
  middle.cluster = middle.dynamic_shared_bytes = 0;
}

} // namespace
