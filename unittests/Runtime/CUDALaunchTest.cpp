//===- CUDALaunchTest.cpp - Tests of launch descriptors -------------------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tc::runtime;

namespace {

TEST(CUDALaunch, HasAHandleForEachDevice) {
  const standin::Kernel kernel("everywhere", 1);
  int64_t argument = 5;
  const standin::Log log;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (int device : {0, 1}) {
      Status status = cuda::launchKernel(device, nullptr, kernel, 3, &argument);
      EXPECT_TRUE(status.ok()) << status.message();
    }
  EXPECT_NE(kernel.handles[0], kernel.handles[1]);
  EXPECT_EQ(log.count("cuModuleGetFunction(everywhere)"), 2);
  EXPECT_EQ(log.count("cuLaunchKernel(everywhere, 3 x 32, 5)\n"), 2);
  EXPECT_EQ(log.count("cuLaunchKernel(everywhere, 3 x 32, 5) on device 1"), 2);
}

TEST(CUDALaunch, MoreBlocksThanAlongX) {
  const standin::Kernel kernel("large", 1);
  int64_t argument = 5;
  const standin::Log log;
  auto launch = [&](int64_t blocks) {
    return cuda::launchKernel(0, nullptr, kernel, blocks, &argument);
  };
  const int64_t most = (int64_t(1) << 31) - 1;
  EXPECT_TRUE(launch(0).ok());
  EXPECT_EQ(log.count("large"), 0);
  EXPECT_TRUE(launch(most).ok());
  EXPECT_EQ(log.count("cuLaunchKernel(large, 2147483647 x 32, 5)"), 1);
  EXPECT_TRUE(launch(most + 1).ok());
  EXPECT_EQ(log.count("cuLaunchKernel(large, 2147483647 x 2 x 32, 5)"), 1);
  EXPECT_TRUE(launch(5 * most).ok());
  EXPECT_EQ(log.count("cuLaunchKernel(large, 2147483647 x 5 x 32, 5)"), 1);
  EXPECT_EQ(launch(int64_t(1) << 62).message(),
            "the kernel 'large' has 4611686018427387904 blocks, expected at "
            "most 140735340806145");
}

TEST(CUDALaunch, ClustersSharedMemoryAndOverlap) {
  standin::Kernel kernel("team", 1);
  kernel.cluster = 16;
  kernel.dynamic_shared_bytes = 100000;
  kernel.flags = TC_KERNEL_PROGRAMMATIC;
  int64_t argument = 5;
  const standin::Log log;
  Status status = cuda::launchKernel(0, nullptr, kernel, 64, &argument);
  EXPECT_TRUE(status.ok()) << status.message();
  // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, _NON_PORTABLE_CLUSTER_...
  EXPECT_EQ(log.count("cuFuncSetAttribute(8, 100000)"), 1);
  EXPECT_EQ(log.count("cuFuncSetAttribute(14, 1)"), 1);
  EXPECT_EQ(log.count("cuLaunchKernelEx(team, 64 x 32, shared 100000, cluster "
                      "16, programmatic, 5)"),
            1);
  // Rows of whole clusters.
  EXPECT_TRUE(
      cuda::launchKernel(0, nullptr, kernel, int64_t(1) << 31, &argument).ok());
  EXPECT_EQ(log.count("cuLaunchKernelEx(team, 2147483632 x 2 x 32"), 1);
}

namespace {
/// A kernel with one tensor map, of bf16 with a swizzle of 128 bytes, whose
/// source is behind its arguments: the map and a number.
struct TiledKernel : standin::Kernel {
  explicit TiledKernel(const std::string &name) : Kernel(name, 1) {
    ptx = ".visible .entry " + name +
          "(.param .align 64 .b8 map[128], .param .u64 y) {}\n";
    image = ptx.c_str();
    image_bytes = ptx.size();
    argument_bytes = 136;
    map.source = 136;
    map.dtype = TC_DTYPE_BF16;
    map.swizzle_bytes = 128;
    tensor_maps = &map;
    tensor_map_count = 1;
  }
  tc_tensor_map map{};
};
} // namespace

TEST(CUDALaunch, TensorMapsByValue) {
  TiledKernel kernel("tiled");
  tc_tensor_map &map = kernel.map;
  map.rank = 2;
  map.box[0] = 64;
  map.box[1] = 128;
  auto storage = cuda::allocate(4096 * 2048 * 2, 0);
  ASSERT_TRUE(storage.ok());
  struct alignas(64) {
    char map[128];
    int64_t y;
    int64_t source[4];
  } arguments = {};
  arguments.y = 7;
  arguments.source[0] = int64_t((*storage)->data);
  arguments.source[1] = 2048;
  arguments.source[2] = 4096;
  arguments.source[3] = 4096;
  const standin::Log log;
  Status status = cuda::launchKernel(0, nullptr, kernel, 1, &arguments);
  EXPECT_TRUE(status.ok()) << status.message();
  // CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, CU_TENSOR_MAP_SWIZZLE_128B
  EXPECT_EQ(log.count(", type 9, swizzle 3, 64 of 2048, 128 of 4096)"), 1);
  EXPECT_EQ(log.count("cuLaunchKernel(tiled, 1 x 32, 128 bytes, 7)"), 1);

  // A tensor that the copy engine does not take.
  arguments.source[0] += 8;
  arguments.source[3] = 4100;
  status = cuda::launchKernel(0, nullptr, kernel, 1, &arguments);
  EXPECT_EQ(status.message(),
            "tensor map 0 of the kernel 'tiled' cannot be made (sizes 2048, "
            "4096 from the innermost, strides 4100 bytes, address modulo 16 "
            "bytes 8; expected sizes of at least 1 and multiples of 16 bytes): "
            "unknown error (error 1)");
}

/// Of a tensor that begins anywhere the kernel is given an aligned copy.
TEST(CUDALaunch, TensorMapsOfRealignedViews) {
  TiledKernel kernel("realigned");
  tc_tensor_map &map = kernel.map;
  map.rank = 2;
  map.box[0] = 64;
  map.box[1] = 16;
  map.flags = TC_TENSOR_MAP_REALIGNS;
  auto storage = cuda::allocate(4096, 0);
  ASSERT_TRUE(storage.ok());
  const auto address = int64_t((*storage)->data) + 2;
  // 16 rows of 64 elements, 160 bytes apart.
  struct alignas(64) {
    char map[128];
    int64_t y;
    int64_t source[4];
  } arguments = {{}, 7, {address, 64, 16, 160}};
  const standin::Log log;
  EXPECT_TRUE(cuda::launchKernel(0, nullptr, kernel, 1, &arguments).ok());
  EXPECT_EQ(log.count("cuMemAllocAsync(2528"), 1) << log.text();
  EXPECT_EQ(log.count("cuMemcpyDtoDAsync("), 1) << log.text();
  EXPECT_EQ(log.count("cuLaunchKernel(realigned"), 1);
  EXPECT_EQ(log.count("cuMemFreeAsync("), 1);
  EXPECT_EQ(arguments.source[0], address);

  map.flags |= TC_TENSOR_MAP_WRITTEN;
  EXPECT_TRUE(cuda::launchKernel(0, nullptr, kernel, 1, &arguments).ok());
  EXPECT_EQ(log.count("cuMemcpyDtoDAsync("), 3) << log.text();

  arguments.source[0] += 14;
  EXPECT_TRUE(cuda::launchKernel(0, nullptr, kernel, 1, &arguments).ok());
  EXPECT_EQ(log.count("cuMemcpyDtoDAsync("), 3) << log.text();
}

/// Of a tensor whose rows are no multiples of 16 bytes apart the kernel is
/// given a copy with padded rows.
TEST(CUDALaunch, TensorMapsOfPaddedViews) {
  TiledKernel kernel("padded");
  tc_tensor_map &map = kernel.map;
  map.rank = 5;
  map.box[0] = 64;
  map.box[1] = 4;
  map.box[2] = map.box[3] = map.box[4] = 1;
  map.flags = TC_TENSOR_MAP_REALIGNS;
  auto storage = cuda::allocate(4096, 0);
  ASSERT_TRUE(storage.ok());
  std::vector<char> bytes(4096);
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = char(i % 251);
  auto *memory = static_cast<char *>((*storage)->data);
  std::copy(bytes.begin(), bytes.end(), memory);
  struct alignas(64) Arguments {
    char map[128];
    int64_t y;
    int64_t source[10];
  } arguments = {};
  auto launch = [&](std::initializer_list<int64_t> sizesAndStrides) {
    arguments.source[0] = int64_t(memory);
    std::copy(sizesAndStrides.begin(), sizesAndStrides.end(),
              arguments.source + 1);
    const Arguments before = arguments;
    const standin::Log log;
    Status status = cuda::launchKernel(0, nullptr, kernel, 1, &arguments);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(std::equal(before.source, before.source + 10,
                           std::begin(arguments.source)));
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.end(), memory));
    return log.text();
  };
  auto has = [](const std::string &text, const std::string &part) {
    return text.find(part) != text.npos;
  };
  auto countCopies = [](const std::string &text) {
    size_t found = 0;
    for (size_t at = 0; (at = text.find("cuMemcpy3D", at)) != text.npos; ++at)
      ++found;
    return found;
  };
  // Three rows of 20 bytes, 22 apart, in 2 x 4 slices of four such rows; a
  // dimension of one point has any stride.
  std::string log = launch({10, 3, 2, 4, 1, 22, 88, 176, 6});
  EXPECT_TRUE(has(log, "cuMemAllocAsync(768")) << log;
  EXPECT_TRUE(has(log, "20 x 3 x 8")) << log;
  EXPECT_EQ(countCopies(log), 1U) << log;
  EXPECT_TRUE(has(log, "64 of 10, 4 of 3, 1 of 2, 1 of 4, 1 of 1")) << log;
  // The same with the slices between the rows: rows of all are one dimension.
  log = launch({10, 4, 2, 3, 1, 44, 22, 176, 6});
  EXPECT_TRUE(has(log, "20 x 24 x 1")) << log;
  EXPECT_EQ(countCopies(log), 1U) << log;
  // Slices that are no multiple of rows apart, and rows that are the same.
  log = launch({10, 3, 2, 4, 1, 22, 90, 0, 6});
  EXPECT_EQ(countCopies(log), 8U) << log;
  // Rows that overlap.
  log = launch({10, 5, 1, 1, 1, 2, 6, 6, 6});
  EXPECT_EQ(countCopies(log), 5U) << log;
  // Written ones are copied back.
  map.flags |= TC_TENSOR_MAP_WRITTEN;
  log = launch({10, 3, 2, 4, 1, 22, 88, 176, 6});
  EXPECT_EQ(countCopies(log), 2U) << log;
  // A dimension of one point needs no copy.
  log = launch({10, 1, 1, 1, 1, 22, 88, 176, 6});
  EXPECT_FALSE(has(log, "cuMemAllocAsync")) << log;
}

/// The kernels of a module are loaded together at the first launch of one.
TEST(CUDALaunch, LoadsTheModule) {
  std::vector<std::unique_ptr<standin::Kernel>> kernels;
  std::vector<const tc_kernel *> pointers;
  tc_kernel_list list{};
  for (int i = 0; i < 20; ++i) {
    kernels.push_back(
        std::make_unique<standin::Kernel>("part" + std::to_string(i), 1));
    kernels.back()->list = &list;
    pointers.push_back(kernels.back().get());
  }
  // One that cannot be loaded says so at its own launch.
  kernels[3]->ptx = ".visible .entry other() {}";
  kernels[3]->image = kernels[3]->ptx.c_str();
  kernels[3]->image_bytes = kernels[3]->ptx.size();
  list = {pointers.size(), pointers.data()};
  const standin::Log log;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      int64_t argument = 0;
      EXPECT_TRUE(
          cuda::launchKernel(2, nullptr, *kernels[size_t(10 + i)], 1, &argument)
              .ok());
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < 20; ++i)
    EXPECT_EQ(kernels[size_t(i)]->handles[2] != nullptr, i != 3) << i;
  EXPECT_EQ(log.count("cuModuleGetFunction(part10)"), 1);
  int64_t argument = 0;
  EXPECT_EQ(
      cuda::launchKernel(2, nullptr, *kernels[3], 1, &argument).message(),
      "there is no kernel 'part3' in its image: unknown error (error 500)");
}

} // namespace
