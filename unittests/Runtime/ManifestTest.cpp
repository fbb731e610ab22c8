//===- ManifestTest.cpp - Tests of manifests as text ----------------------===//

#include "TC/Runtime/ManifestText.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

Manifest makeManifest() {
  Manifest manifest;
  ManifestFunction &function = manifest.functions.emplace_back();
  function.name = "main";
  function.symbols.push_back({"s0", 2, INT64_MAX, 4});
  ManifestInput &input = function.inputs.emplace_back();
  input.name = "x \"quoted\"";
  input.dtype = DType::BF16;
  input.sizes = {{"s0", std::nullopt}, {"8", 8}};
  ManifestStride outer, inner;
  outer.text = "s0 * 8";
  outer.steps = {{ManifestStep::Symbol, 0},
                 {ManifestStep::Constant, 8},
                 {ManifestStep::Multiply}};
  inner.text = "1";
  inner.constant = 1;
  input.strides = {outer, inner};
  ManifestOutput &output = function.outputs.emplace_back();
  output.mutates = "@mean";
  function.bindings.push_back({0, 0, 1, true, 2, -1});
  function.parameters = {0, 1};
  function.launches = 3;
  function.arenaBytes = "s0 * 64";
  manifest.prepare = ManifestFunction();
  manifest.prepare->name = "tc.prepare";
  manifest.prepare->arenaBytes = "0";
  manifest.prepare->outputs.emplace_back();
  ManifestParameter &parameter = manifest.parameters.emplace_back();
  parameter.name = "mean";
  parameter.file = "weights.bin";
  parameter.offset = 128;
  parameter.strides = {1, 8};
  parameter.role = "buffer";
  ManifestPrepared &prepared = manifest.prepared.emplace_back();
  prepared.name = "packed";
  manifest.kernels = {{"main", "k0", "pointwise", "#tc.loops<1>"}};
  return manifest;
}

TEST(Manifest, TextHasAllOfIt) {
  const std::string text = toJson(makeManifest());
  auto read = parseManifest(text);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(toJson(*read), text);
  const ManifestFunction &function = read->functions.at(0);
  EXPECT_EQ(function.signature(), makeManifest().functions[0].signature());
  EXPECT_EQ(function.symbols[0].maximum, INT64_MAX);
  EXPECT_EQ(function.inputs[0].sizes[1].constant, 8);
  EXPECT_EQ(function.inputs[0].strides[0].steps.size(), 3u);
  EXPECT_EQ(function.bindings[0].offset, -1);
  ASSERT_TRUE(read->prepare);
  EXPECT_EQ(read->parameters[0].strides, (std::vector<int64_t>{1, 8}));
}

TEST(Manifest, WhatIsWrongIsNamed) {
  std::string text = toJson(makeManifest());
  const std::string number = "\"launches\":3";
  text.replace(text.find(number), number.size(), "\"launches\":-3");
  auto read = parseManifest(text);
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("member 'launches'"), std::string::npos)
      << read.error().message();
}

TEST(Manifest, ANumberOfAParameterThatIsNotThereIsRefused) {
  Manifest manifest = makeManifest();
  manifest.functions[0].parameters = {2};
  auto read = parseManifest(toJson(manifest));
  ASSERT_FALSE(read.ok());
  EXPECT_NE(read.error().message().find("member 'parameters'"),
            std::string::npos);
}

} // namespace
