//===- DLPackTest.cpp - Tests of exchanging tensors -----------------------===//

#include "TC/Runtime/DLPack.h"
#include "TC/Runtime/TensorPrint.h"
#include "TC/Runtime/TensorSpec.h"
#include "gtest/gtest.h"

#include <cstddef>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

// The ABI, on machines with 64-bit pointers.
static_assert(sizeof(DLTensor) == 48 && offsetof(DLTensor, dtype) == 20 &&
              offsetof(DLTensor, shape) == 24);
static_assert(sizeof(DLManagedTensor) == 64 &&
              offsetof(DLManagedTensor, deleter) == 56);
static_assert(sizeof(DLManagedTensorVersioned) == 80 &&
              offsetof(DLManagedTensorVersioned, tensor) == 32);

TEST(DLPack, RoundTripSharesTheMemory) {
  Tensor tensor = (*parseInputSpec("2x3xf32=1 2 3 4 5 6"))[0];
  Tensor back = *importDLPack(exportDLPack(tensor));
  EXPECT_EQ(back.data(), tensor.data());
  EXPECT_EQ(printTensor(back), printTensor(tensor));
  EXPECT_EQ(tensor.storage()->holders.load(), 2);
  back = Tensor();
  EXPECT_EQ(tensor.storage()->holders.load(), 1);

  Tensor old = *importDLPackUnversioned(exportDLPackUnversioned(tensor));
  EXPECT_EQ(old.data(), tensor.data());
  tensor = Tensor();
  EXPECT_EQ(printTensor(old), "2x3xf32=[1 2 3][4 5 6]");
}

TEST(DLPack, EveryDTypeHasACode) {
  for (int32_t i = 0; i < dtypeCount; ++i) {
    Tensor tensor = *Tensor::zeros(DType(i), Sizes{2});
    auto back = importDLPack(exportDLPack(tensor));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(back->dtype(), DType(i));
  }
}

/// A DLPack tensor of the test's own memory that counts calls of its deleter.
struct Foreign {
  std::vector<float> data = {0, 1, 2, 3, 4, 5};
  std::vector<int64_t> shape = {2, 3}, strides = {3, 1};
  int deleted = 0;
  DLManagedTensorVersioned managed{};
  Foreign() {
    managed.version = {1, 1};
    managed.managerContext = this;
    managed.deleter = [](DLManagedTensorVersioned *self) {
      ++static_cast<Foreign *>(self->managerContext)->deleted;
    };
    managed.tensor = {data.data(),  {DLDeviceCPU, 0}, 2, {DLTypeFloat, 32, 1},
                      shape.data(), strides.data(),   0};
  }
};

TEST(DLPack, ImportTakesOver) {
  Foreign foreign;
  {
    Tensor tensor = *importDLPack(&foreign.managed);
    Tensor copy = tensor;
    EXPECT_EQ(printTensor(copy), "2x3xf32=[0 1 2][3 4 5]");
    EXPECT_EQ(foreign.deleted, 0);
  }
  EXPECT_EQ(foreign.deleted, 1);
}

TEST(DLPack, StridesAndOffsets) {
  Foreign foreign;
  foreign.managed.tensor.strides = nullptr;
  EXPECT_EQ(printTensor(*importDLPack(&foreign.managed)),
            "2x3xf32=[0 1 2][3 4 5]");
  foreign.strides = {-3, -1};
  foreign.managed.tensor.strides = foreign.strides.data();
  foreign.managed.tensor.byteOffset = 20;
  EXPECT_EQ(printTensor(*importDLPack(&foreign.managed)),
            "2x3xf32=[5 4 3][2 1 0]");
}

TEST(DLPack, ReadOnlyIsKept) {
  Foreign foreign;
  foreign.managed.flags = DLFlagReadOnly;
  Tensor tensor = *importDLPack(&foreign.managed);
  EXPECT_TRUE(tensor.storage()->readOnly);
  DLManagedTensorVersioned *managed = exportDLPack(tensor);
  EXPECT_EQ(managed->flags, DLFlagReadOnly);
  EXPECT_EQ(managed->version.major, 1u);
  managed->deleter(managed);
}

TEST(DLPack, DevicesAreKept) {
  Foreign foreign;
  foreign.managed.tensor.device = {DLDeviceCUDA, 3};
  Tensor tensor = *importDLPack(&foreign.managed);
  EXPECT_EQ(tensor.deviceKind(), TC_DEVICE_CUDA);
  EXPECT_EQ(tensor.deviceIndex(), 3);
  DLManagedTensor *managed = exportDLPackUnversioned(tensor);
  EXPECT_EQ(managed->tensor.device.type, DLDeviceCUDA);
  EXPECT_EQ(managed->tensor.device.index, 3);
  managed->deleter(managed);
  EXPECT_FALSE(tensor.clone().ok());
}

TEST(DLPack, RefusesWhatItCannotHold) {
  auto refused = [](auto change) {
    Foreign foreign;
    change(foreign, foreign.managed.tensor);
    auto result = importDLPack(&foreign.managed);
    EXPECT_EQ(foreign.deleted, 0);
    return result.ok() ? "" : result.error().message();
  };
  EXPECT_EQ(
      refused([](Foreign &f, DLTensor &) { f.managed.version.major = 2; }),
      "cannot take a DLPack tensor of DLPack version 2, expected 1");
  EXPECT_EQ(refused([](Foreign &, DLTensor &t) { t.device.type = 10; }),
            "cannot take a DLPack tensor on a device of type 10, expected CPU "
            "(1) or CUDA (2)");
  EXPECT_EQ(refused([](Foreign &, DLTensor &t) { t.dtype.lanes = 4; }),
            "cannot take a DLPack tensor of type code 2, 32 bits, 4 lanes");
  EXPECT_EQ(refused([](Foreign &, DLTensor &t) { t.ndim = 17; }),
            "cannot take a DLPack tensor of rank 17, expected 0 to 16");
  EXPECT_NE(refused([](Foreign &f, DLTensor &) { f.shape[0] = -1; }), "");
  EXPECT_NE(refused([](Foreign &f, DLTensor &) { f.shape[0] = INT64_MAX; }),
            "");
  EXPECT_NE(refused([](Foreign &f, DLTensor &) { f.strides[0] = INT64_MAX; }),
            "");
  EXPECT_NE(refused([](Foreign &, DLTensor &t) { t.data = nullptr; }), "");
}

} // namespace
