//===- CUDAMemoryTest.cpp - Tests of device memory in stream order --------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "gtest/gtest.h"

#include <thread>

using namespace tc::runtime;

namespace {

void *allocateAndFree(size_t bytes, int device, void *stream) {
  auto storage = cuda::allocate(bytes, device, stream);
  EXPECT_TRUE(storage.ok()) << storage.error().message();
  return storage.ok() ? (*storage)->data : nullptr;
}

TEST(CUDAMemory, ReusesBlocksOfAStream) {
  void *stream = standin::makeStream(0);
  void *first = allocateAndFree(1000000, 0, stream);
  const standin::Log log;
  EXPECT_EQ(allocateAndFree(1000000, 0, stream), first);
  EXPECT_EQ(log.text(), "");
  // What another stream or device needs is other memory.
  EXPECT_NE(allocateAndFree(1000000, 0, standin::makeStream(0)), first);
  EXPECT_NE(allocateAndFree(1000000, 1, standin::makeStream(1)), first);
}

TEST(CUDAMemory, OutlivesItsStream) {
  void *stream = standin::makeStream(0);
  auto storage = cuda::allocate(5000, 0, stream);
  ASSERT_TRUE(storage.ok());
  cuStreamDestroy_v2(stream);
  const standin::Log log;
  *storage = StorageRef();
  EXPECT_EQ(log.text(), "");
  auto freed = cuda::releaseCachedMemory(0);
  ASSERT_TRUE(freed.ok());
  EXPECT_GE(*freed, 5000u);
  EXPECT_GE(log.count("cuMemFreeAsync"), 1);
}

TEST(CUDAMemory, WaitsForWorkOfOtherStreams) {
  void *own = standin::makeStream(0), *other = standin::makeStream(0);
  auto storage = cuda::allocate(70000, 0, own);
  ASSERT_TRUE(storage.ok());
  void *data = (*storage)->data;
  const standin::Log log;
  cuda::recordUse(*(*storage).get(), own);
  EXPECT_EQ(log.text(), "");
  cuda::recordUse(*(*storage).get(), other);
  EXPECT_EQ(log.count("cuEventRecord"), 1);
  *storage = StorageRef();
  {
    // While the event has not been passed it is not given away.
    const standin::Setting notReady("STAND_IN_NOT_READY", "1");
    EXPECT_NE(allocateAndFree(70000, 0, own), data);
  }
  auto first = cuda::allocate(70000, 0, own);
  EXPECT_EQ(log.count("cuCtxSynchronize"), 0);
}

TEST(CUDAMemory, WaitsForTheDeviceWhereStreamsAreUnknown) {
  auto storage = cuda::allocate(70000, 0);
  ASSERT_TRUE(storage.ok());
  cuda::shareWithOtherStreams(*(*storage).get());
  const standin::Log log;
  *storage = StorageRef();
  EXPECT_EQ(log.text(), "cuCtxSynchronize()\n");
}

TEST(CUDAMemory, OrdersStreams) {
  void *first = standin::makeStream(1), *second = standin::makeStream(1);
  const standin::Log log;
  EXPECT_TRUE(cuda::orderAfter(1, second, first).ok());
  EXPECT_EQ(log.text(),
            "cuEventRecord() on device 1\ncuStreamWaitEvent() on device 1\n");
  EXPECT_TRUE(cuda::orderAfter(1, second, second).ok());
  EXPECT_EQ(log.count("cuEventRecord"), 1);
}

TEST(CUDAMemory, GivesCachedMemoryBackBeforeItFails) {
  const standin::Setting little("STAND_IN_MEMORY", "100000000");
  constexpr int device = 3;
  allocateAndFree(80000000, device, nullptr);
  auto other = cuda::allocate(60000000, device);
  ASSERT_TRUE(other.ok()) << other.error().message();
  auto tooMuch = cuda::allocate(60000000, device);
  ASSERT_FALSE(tooMuch.ok());
  EXPECT_EQ(tooMuch.error().code(), ErrorCode::OutOfMemory);
  EXPECT_EQ(tooMuch.error().message(),
            "no memory for 60000000 bytes on CUDA device 3: out of memory "
            "(error 2)");
  *other = StorageRef();
  EXPECT_TRUE(cuda::allocate(60000000, device).ok());
}

// A weight of a model is as large as a multiple of a sixteenth of a power of
// two.
TEST(CUDAMemory, BlocksOfWeightsAreNoLarger) {
  const standin::Log log;
  allocateAndFree(size_t(768) * 3072 * 2, 0, standin::makeStream(0));
  EXPECT_EQ(log.count("cuMemAllocAsync(4718592)"), 1) << log.text();
  allocateAndFree((size_t(1) << 20) + 1, 0, standin::makeStream(0));
  EXPECT_EQ(log.count("cuMemAllocAsync(1114112)"), 1) << log.text();
}

TEST(CUDAMemory, ManyThreadsAndStreams) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([i] {
      const int device = i % 2;
      for (int round = 0; round < 20; ++round) {
        void *stream = standin::makeStream(device);
        for (size_t bytes : {100, 5000, 100})
          EXPECT_NE(allocateAndFree(bytes, device, stream), nullptr);
        cuStreamDestroy_v2(stream);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
}

} // namespace
