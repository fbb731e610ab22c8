//===- InputStridesTest.cpp - Strides of a call's inputs ------------------===//

#include "TC/Compiler/InputStrides.h"
#include "gtest/gtest.h"

using namespace tc;
using runtime::DType;
using runtime::Extents;
using runtime::Tensor;
using Values = std::vector<int64_t>;

namespace {

ManifestStride constant(int64_t value) {
  ManifestStride stride;
  stride.text = std::to_string(value);
  stride.constant = value;
  return stride;
}

ManifestStride expression(std::vector<ManifestStep> steps) {
  ManifestStride stride;
  stride.steps = std::move(steps);
  return stride;
}

/// A function of one matrix of sizes s0 x s1.
ManifestFunction matrixFunction(std::vector<ManifestStride> strides) {
  ManifestFunction function;
  function.symbols = {{"s0"}, {"s1"}, {"p"}};
  function.inputs.resize(1);
  function.inputs[0].sizes.resize(2);
  function.inputs[0].strides = std::move(strides);
  function.bindings = {{0, 0, 0, false, 1, 0}, {1, 0, 1, false, 1, 0}};
  return function;
}

/// The function of a matrix whose rows are p elements after each other.
ManifestFunction pitchedFunction() {
  ManifestFunction function =
      matrixFunction({expression({{ManifestStep::Symbol, 2}}), constant(1)});
  function.bindings.push_back({2, 0, 0, true, 1, 0});
  return function;
}

Tensor numbered(Values sizes, Values strides) {
  int64_t extent = 1;
  for (size_t i = 0; i < sizes.size(); ++i)
    extent += std::max<int64_t>(sizes[i] - 1, 0) * strides[i];
  Tensor memory = *Tensor::empty(DType::I64, Values{extent});
  for (int64_t i = 0; i < extent; ++i)
    memory.dataAs<int64_t>()[i] = i;
  return Tensor::viewUnchecked(memory.storage(), memory.data(), DType::I64,
                               sizes, strides);
}

/// What a call is given for `tensor`.
Tensor makeExpected(const ManifestFunction &function, const Tensor &tensor) {
  std::vector<Tensor> inputs{tensor};
  EXPECT_TRUE(InputStrides(function).makeExpected(inputs).ok());
  EXPECT_TRUE(InputStrides(function).areExpected(inputs[0].descriptor()));
  return inputs[0];
}

Values stridesOf(const Tensor &tensor) {
  return Values(tensor.strides().begin(), tensor.strides().end());
}

void expectCopy(const Tensor &copy, const Tensor &of, const Values &strides) {
  EXPECT_NE(copy.data(), of.data());
  EXPECT_EQ(stridesOf(copy), strides);
  for (int64_t i = 0; i < of.elementCount(); ++i)
    EXPECT_EQ(*static_cast<int64_t *>(copy.elementAddress(i)),
              *static_cast<int64_t *>(of.elementAddress(i)));
}

TEST(InputStrides, ThoseThatAreExpectedAreNotCopied) {
  ManifestFunction function = matrixFunction({constant(96), constant(1)});
  Tensor matrix = numbered({8, 72}, {96, 1});
  EXPECT_EQ(makeExpected(function, matrix).data(), matrix.data());
  // Strides of size 1, and of no elements.
  Tensor row = numbered({1, 72}, {500, 1}), empty = numbered({0, 72}, {1, 8});
  EXPECT_EQ(makeExpected(function, row).data(), row.data());
  EXPECT_EQ(makeExpected(function, empty).data(), empty.data());
}

TEST(InputStrides, OthersAreCopied) {
  ManifestFunction function = matrixFunction({constant(96), constant(1)});
  for (const Values &strides : {Values{72, 1}, Values{1, 8}, Values{200, 2}}) {
    Tensor matrix = numbered({8, 72}, strides);
    expectCopy(makeExpected(function, matrix), matrix, {96, 1});
  }
  ManifestFunction rowMajor = matrixFunction({});
  Tensor matrix = numbered({8, 72}, {1, 8});
  expectCopy(makeExpected(rowMajor, matrix), matrix, {72, 1});
}

TEST(InputStrides, ExpressionsOfSizes) {
  // s1 * 2 + 24 and 1
  ManifestFunction function =
      matrixFunction({expression({{ManifestStep::Symbol, 1},
                                  {ManifestStep::Constant, 2},
                                  {ManifestStep::Multiply},
                                  {ManifestStep::Constant, 24},
                                  {ManifestStep::Add}}),
                      constant(1)});
  Tensor matrix = numbered({3, 5}, {34, 1});
  EXPECT_EQ(makeExpected(function, matrix).data(), matrix.data());
  Tensor other = numbered({3, 5}, {5, 1});
  expectCopy(makeExpected(function, other), other, {34, 1});
}

TEST(InputStrides, OneThatTheCallChooses) {
  ManifestFunction function = pitchedFunction();
  for (int64_t pitch : {5, 6, 100}) {
    Tensor matrix = numbered({3, 5}, {pitch, 1});
    EXPECT_EQ(makeExpected(function, matrix).data(), matrix.data());
  }
  Tensor transposed = numbered({3, 5}, {1, 3});
  expectCopy(makeExpected(function, transposed), transposed, {5, 1});
  // Windows that overlap, and the last row first.
  Tensor windows = numbered({3, 5}, {2, 1});
  expectCopy(makeExpected(function, windows), windows, {5, 1});
  Tensor memory = numbered({3, 5}, {7, 1});
  Tensor reversed =
      Tensor::viewUnchecked(memory.storage(), memory.dataAs<int64_t>() + 14,
                            DType::I64, Values{3, 5}, Values{-7, 1});
  expectCopy(makeExpected(function, reversed), reversed, {5, 1});
  // Of one row, the stride is the least that a matrix may have.
  Tensor row = numbered({1, 5}, {2, 1});
  EXPECT_EQ(makeExpected(function, row).data(), row.data());
  EXPECT_EQ(stridesOf(makeExpected(function, row)), (Values{5, 1}));
}

TEST(InputStrides, StridesBelowTheLeastOneOfASymbolAreCopied) {
  ManifestFunction function = pitchedFunction();
  function.symbols[2].minimum = 3;
  function.inputs[0].strides[1] = constant(3);
  Tensor matrix = numbered({4, 5}, {13, 3});
  EXPECT_EQ(makeExpected(function, matrix).data(), matrix.data());
  // The elements are apart, but the rows are not the outer dimension.
  Tensor turned = numbered({3, 5}, {1, 3});
  expectCopy(makeExpected(function, turned), turned, {15, 3});
  // Nothing asks for more of one row without elements.
  Tensor empty = numbered({1, 0}, {1, 3});
  EXPECT_EQ(stridesOf(makeExpected(function, empty)), (Values{3, 3}));
}

TEST(InputStrides, WrongRanksAreTheFunctionsToReport) {
  ManifestFunction function = pitchedFunction();
  std::vector<Tensor> inputs{numbered({3, 5, 2}, {1, 3, 15})};
  void *data = inputs[0].data();
  EXPECT_TRUE(InputStrides(function).makeExpected(inputs).ok());
  EXPECT_EQ(inputs[0].data(), data);
  EXPECT_FALSE(InputStrides(function)
                   .getExpected(inputs[0].descriptor(), 0)
                   .has_value());
}

} // namespace
