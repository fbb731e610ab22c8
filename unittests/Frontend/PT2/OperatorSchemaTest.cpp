//===- OperatorSchemaTest.cpp ---------------------------------------------===//

#include "TC/Frontend/PT2/OperatorSchema.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tc::pt2;

TEST(OperatorSchema, WholeTableParses) {
  std::vector<StringRef> overloads = listOperatorOverloads();
  EXPECT_GT(overloads.size(), 1000u);
  EXPECT_TRUE(is_sorted(overloads));
  for (StringRef overload : overloads) {
    const OperatorSchema *schema = findOperatorSchema(overload);
    ASSERT_NE(schema, nullptr) << overload.str();
    EXPECT_EQ(schema->name, overload);
    for (const SchemaValue &argument : schema->arguments)
      EXPECT_FALSE(argument.name.empty()) << overload.str();
  }
}

TEST(OperatorSchema, KnowsDefaults) {
  const OperatorSchema *schema = findOperatorSchema("layer_norm.default");
  ASSERT_NE(schema, nullptr);
  ASSERT_EQ(schema->arguments.size(), 6u);
  EXPECT_EQ(schema->arguments[1].type, "SymInt");
  EXPECT_TRUE(schema->arguments[1].isList);
  EXPECT_TRUE(schema->arguments[2].isOptional);
  EXPECT_EQ(schema->arguments[4].name, "eps");
  ASSERT_TRUE(schema->arguments[4].defaultValue.has_value());
  EXPECT_EQ(schema->arguments[4].defaultValue->real, 1e-5);
  EXPECT_EQ(schema->arguments[5].defaultValue->kind, ArgumentKind::Bool);
}

TEST(OperatorSchema, KnowsListDefaultsAndElementTypes) {
  const OperatorSchema *schema = findOperatorSchema("conv2d.default");
  ASSERT_NE(schema, nullptr);
  const Argument &stride = *schema->arguments[3].defaultValue;
  ASSERT_EQ(stride.elements.size(), 2u);
  EXPECT_EQ(stride.elements[0].integer, 1);
  schema = findOperatorSchema("randperm.default");
  ASSERT_NE(schema, nullptr);
  EXPECT_EQ(schema->arguments[1].defaultValue->integer,
            static_cast<int64_t>(ScalarType::Long));
}

TEST(OperatorSchema, KnowsMutationsAndViews) {
  EXPECT_TRUE(findOperatorSchema("add_.Tensor")->mutates());
  EXPECT_FALSE(findOperatorSchema("add_.Tensor")->returnsView());
  EXPECT_TRUE(findOperatorSchema("view.default")->returnsView());
  EXPECT_TRUE(findOperatorSchema("split.Tensor")->returnsView());
  EXPECT_FALSE(findOperatorSchema("add.Tensor")->returnsView());
  EXPECT_TRUE(
      findOperatorSchema("index.Tensor")->arguments[1].isElementOptional);
}

static std::string getTwin(StringRef overload) {
  const OperatorSchema *schema = findOperatorSchema(overload);
  const OperatorSchema *twin = schema ? findFunctionalTwin(*schema) : nullptr;
  return twin ? twin->name : "";
}

TEST(OperatorSchema, FindsFunctionalTwins) {
  EXPECT_EQ(getTwin("add_.Tensor"), "add.Tensor");
  EXPECT_EQ(getTwin("add_.Scalar"), "add.Scalar");
  EXPECT_EQ(getTwin("floor_divide_.Tensor"), "floor_divide.default");
  EXPECT_EQ(getTwin("dropout_.default"), "dropout.default");
  EXPECT_EQ(getTwin("normal_.default"), "normal_functional.default");
  EXPECT_EQ(getTwin("atan2.out"), "atan2.default");
  EXPECT_EQ(getTwin("add.out"), "add.Tensor");
  EXPECT_EQ(getTwin("max.dim_max"), "max.dim");
  EXPECT_EQ(getTwin("_native_batch_norm_legit.default"),
            "_native_batch_norm_legit_functional.default");
}

TEST(OperatorSchema, FindsNoTwinOfViewsAndOfWhatWritesNothing) {
  EXPECT_EQ(getTwin("add.Tensor"), "");
  EXPECT_EQ(getTwin("t_.default"), "");
  EXPECT_EQ(getTwin("squeeze_.dim"), "");
}

TEST(OperatorSchema, KnowsOperatorsOfLibraries) {
  StringRef overload = "transformers.grouped_mm_fallback.default";
  ASSERT_NE(findOperatorSchema(overload), nullptr);
  EXPECT_EQ(getCallTarget(overload), overload);
  EXPECT_EQ(getCallTarget("add.Tensor"), "aten.add.Tensor");
}

TEST(OperatorSchema, KnowsNothingElse) {
  EXPECT_EQ(findOperatorSchema("no_such_call.default"), nullptr);
  EXPECT_EQ(findOperatorSchema(""), nullptr);
}

TEST(OperatorSchema, RefusesMalformedText) {
  Expected<OperatorSchema> schema = parseOperatorSchema("add.Tensor(Tensor");
  ASSERT_FALSE(bool(schema));
  EXPECT_EQ(toString(schema.takeError()),
            "schema 'add.Tensor(Tensor': expected ',' or ')' before ''");
}
