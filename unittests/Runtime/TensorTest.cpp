//===- TensorTest.cpp - Tests of tensors ----------------------------------===//

#include "TC/Runtime/Tensor.h"
#include "gtest/gtest.h"

#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

TEST(Tensor, EmptyIsRowMajor) {
  auto tensor = Tensor::empty(DType::F32, Sizes{2, 3, 4});
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(tensor->rank(), 3);
  EXPECT_EQ(tensor->elementCount(), 24);
  EXPECT_EQ(tensor->byteCount(), 96u);
  EXPECT_EQ(Sizes(tensor->strides().begin(), tensor->strides().end()),
            (Sizes{12, 4, 1}));
  EXPECT_TRUE(tensor->isContiguous());
  EXPECT_EQ(tensor->typeString(), "2x3x4xf32");
  EXPECT_EQ(Tensor::empty(DType::Bool, Sizes{})->typeString(), "i1");
}

TEST(Tensor, RefusesBadSizes) {
  for (const Sizes &sizes :
       {Sizes{-1}, Sizes{2, -3}, Sizes{INT64_MAX, 2},
        Sizes{int64_t(1) << 40, int64_t(1) << 40}, Sizes{INT64_MAX},
        Sizes{0, INT64_MAX, INT64_MAX}, Sizes(17, 1)}) {
    auto tensor = Tensor::empty(DType::F32, sizes);
    ASSERT_FALSE(tensor.ok());
    EXPECT_EQ(tensor.error().code(), ErrorCode::InvalidArgument);
  }
  auto tensor = Tensor::empty(DType::I8, Sizes{int64_t(1) << 60});
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().code(), ErrorCode::OutOfMemory);
  EXPECT_EQ(tensor.error().message(), "no memory for 1152921504606846976xi8, "
                                      "1152921504606846976 bytes");
}

TEST(Tensor, KnowsContiguity) {
  EXPECT_TRUE(isContiguous(Sizes{}, Sizes{}));
  EXPECT_TRUE(isContiguous(Sizes{2, 3}, Sizes{3, 1}));
  EXPECT_FALSE(isContiguous(Sizes{2, 3}, Sizes{1, 2}));
  EXPECT_FALSE(isContiguous(Sizes{2, 3}, Sizes{4, 1}));
  EXPECT_TRUE(isContiguous(Sizes{1, 3}, Sizes{77, 1}));
  EXPECT_TRUE(isContiguous(Sizes{2, 1, 3}, Sizes{3, -5, 1}));
  EXPECT_TRUE(isContiguous(Sizes{0, 3}, Sizes{9, 9}));
  EXPECT_TRUE(isContiguous(Sizes{3, 0}, Sizes{9, 9}));
  EXPECT_FALSE(isContiguous(Sizes{2}, Sizes{0}));
}

TEST(Tensor, ViewsStayInsideTheirStorage) {
  auto base = Tensor::zeros(DType::F32, Sizes{64});
  const StorageRef &storage = base->storage();
  ASSERT_EQ(storage->bytes, 256u);
  auto make = [&](Sizes sizes, Sizes strides, uint64_t offset) {
    return Tensor::view(storage, DType::F32, sizes, strides, offset).ok();
  };
  EXPECT_TRUE(make({8, 8}, {1, 8}, 0));
  EXPECT_TRUE(make({8, 8}, {0, 0}, 252));
  EXPECT_TRUE(make({64}, {-1}, 252));
  EXPECT_TRUE(make({0}, {1}, 256));
  EXPECT_FALSE(make({65}, {1}, 0));
  EXPECT_FALSE(make({64}, {1}, 4));
  EXPECT_FALSE(make({64}, {-1}, 248));
  EXPECT_FALSE(make({2}, {INT64_MAX}, 0));
  EXPECT_FALSE(make({INT64_MAX}, {INT64_MAX}, 0));
  EXPECT_FALSE(make({2}, {INT64_MIN}, 0));
  EXPECT_FALSE(make({-1}, {1}, 0));
  EXPECT_FALSE(make({1}, {1}, 257));
  EXPECT_FALSE(make({1, 1}, {1}, 0));
}

TEST(Tensor, StridedTensorsCopyToRowMajor) {
  const std::vector<int32_t> values = {0, 1, 2, 3, 4, 5};
  auto base = Tensor::copyOf<int32_t>(DType::I32, Sizes{2, 3}, values);
  auto transposed =
      Tensor::view(base->storage(), DType::I32, Sizes{3, 2}, Sizes{1, 3});
  auto copy = transposed->contiguous();
  ASSERT_TRUE(copy.ok());
  EXPECT_TRUE(copy->isContiguous());
  const int32_t *data = copy->dataAs<int32_t>();
  EXPECT_EQ(std::vector<int32_t>(data, data + 6),
            (std::vector<int32_t>{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(*static_cast<int32_t *>(transposed->elementAddress(3)), 4);
  EXPECT_EQ(base->contiguous()->data(), base->data());
  EXPECT_NE(base->clone()->data(), base->data());

  auto reversed =
      Tensor::view(base->storage(), DType::I32, Sizes{6}, Sizes{-1}, 20);
  EXPECT_EQ(*reversed->contiguous()->dataAs<int32_t>(), 5);
  auto broadcast =
      Tensor::view(base->storage(), DType::I32, Sizes{2, 2}, Sizes{0, 0}, 8);
  EXPECT_EQ(broadcast->contiguous()->dataAs<int32_t>()[3], 2);
}

TEST(Tensor, CopiesShareTheMemory) {
  auto tensor = Tensor::zeros(DType::I64, Sizes{4});
  Tensor copy = *tensor;
  copy.dataAs<int64_t>()[2] = 7;
  EXPECT_EQ(tensor->dataAs<int64_t>()[2], 7);
  Tensor moved = std::move(copy);
  EXPECT_FALSE(copy.defined());
  EXPECT_EQ(moved.data(), tensor->data());
  EXPECT_EQ(moved.storage()->holders.load(), 2);
}

TEST(Tensor, ValuesMustFitTheSizes) {
  const std::vector<float> values = {1, 2, 3};
  auto tensor = Tensor::copyOf<float>(DType::F32, Sizes{2, 2}, values);
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().message(),
            "3 values of 4 bytes cannot fill 2x2xf32");
  EXPECT_FALSE(Tensor::copyOf<float>(DType::F64, Sizes{3}, values).ok());
}

} // namespace
