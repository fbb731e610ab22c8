//===- ExportedProgramTest.cpp --------------------------------------------===//

#include "TC/Frontend/PT2/ExportedProgram.h"

#include "TestInputs.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tc::pt2;

static std::unique_ptr<ExportedProgram> load(const std::string &name) {
  auto program = ExportedProgram::load(getInputPath(name));
  if (program)
    return std::move(*program);
  ADD_FAILURE() << toString(program.takeError());
  return nullptr;
}

/// Loads an archive in which `from` was replaced by `to`, of equal length, and
/// returns the message of the refusal.
static std::string loadAndFail(const std::string &name, StringRef from,
                               StringRef to) {
  std::string bytes = readInput(name);
  EXPECT_EQ(from.size(), to.size());
  size_t at = bytes.find(from.str());
  if (at == std::string::npos)
    return "the text to replace is not in the archive";
  bytes.replace(at, from.size(), to.str());
  auto archive =
      ZipArchive::fromBuffer(MemoryBuffer::getMemBufferCopy(bytes, "a.pt2"));
  if (!archive)
    return toString(archive.takeError());
  auto program = ExportedProgram::load(std::move(*archive));
  return program ? "loaded" : toString(program.takeError());
}

TEST(ExportedProgram, ReadsASmallModel) {
  auto program = load("mlp.pt2");
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(program->graph.nodes.size(), 4u);
  const Node &linear = program->graph.nodes[0];
  EXPECT_EQ(linear.target, "torch.ops.aten.linear.default");
  ASSERT_EQ(linear.inputs.size(), 3u);
  EXPECT_EQ(linear.inputs[1].name, "weight");
  EXPECT_EQ(linear.inputs[1].value.kind, ArgumentKind::Tensor);
  EXPECT_NE(linear.stackTrace.find("make_inputs.py"), std::string::npos);
  const TensorMeta &meta = program->graph.tensorValues["linear"];
  EXPECT_EQ(meta.dtype, ScalarType::Float);
  ASSERT_EQ(meta.sizes.size(), 2u);
  EXPECT_EQ(meta.sizes[1].integer, 16);
  EXPECT_EQ(program->weights.size(), 4u);
  EXPECT_EQ(program->weights["layers.0.weight"].storage->bytes.size(),
            16u * 8 * 4);
  EXPECT_TRUE(program->weights["layers.0.weight"].isParameter);
}

TEST(ExportedProgram, ReadsSymbolicSizesAndSubgraphs) {
  auto program = load("tied.pt2");
  ASSERT_NE(program, nullptr);
  EXPECT_EQ(program->graph.tensorValues["x"].sizes[0].str(), "s77");
  EXPECT_EQ(program->graph.symbolicValues["mul_1"].str(), "2*s77");
  ASSERT_EQ(program->ranges.count("s77"), 1u);
  EXPECT_EQ(program->ranges["s77"].minimum, 2);
  EXPECT_EQ(program->ranges["s77"].maximum, 64);
  // Tied parameters share one entry.
  EXPECT_EQ(program->weights["first.weight"].storage,
            program->weights["second.weight"].storage);
  EXPECT_FALSE(program->weights["calls"].isParameter);
  bool found = false;
  for (const Node &node : program->graph.nodes)
    for (const NamedArgument &input : node.inputs)
      if (input.value.kind == ArgumentKind::Graph) {
        found = true;
        EXPECT_EQ(input.value.graph->nodes.size(), 2u);
      }
  EXPECT_TRUE(found);
}

TEST(ExportedProgram, ReadsTheSignature) {
  auto program = load("tied-core.pt2");
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(program->outputSpecs.size(), 7u);
  EXPECT_EQ(program->outputSpecs[0].kind, OutputSpec::BufferMutation);
  EXPECT_EQ(program->outputSpecs[0].target, "calls");
  EXPECT_EQ(program->outputSpecs[1].kind, OutputSpec::UserInputMutation);
  EXPECT_EQ(program->outputSpecs[2].kind, OutputSpec::UserOutput);
  EXPECT_EQ(program->inputSpecs[0].kind, InputSpec::Parameter);
  EXPECT_EQ(program->inputSpecs[5].kind, InputSpec::Buffer);
  EXPECT_FALSE(program->inputSpecs[5].persistent);
  EXPECT_EQ(program->inputSpecs.back().path, "L['y']");
}

TEST(ExportedProgram, ReadsGuardsOfNestedInputs) {
  auto program = load("guarded.pt2");
  ASSERT_NE(program, nullptr);
  ASSERT_EQ(program->guards.size(), 3u);
  EXPECT_EQ(program->guards[1].text, "(L['pair']['x'].size()[0] % 4) == 0");
  const InputSpec *input = program->findInput("L['pair']['x']");
  ASSERT_NE(input, nullptr);
  EXPECT_EQ(input->argument.text, "pair_x");
  EXPECT_EQ(program->findInput("L['pair']['z']"), nullptr);
}

TEST(ExportedProgram, RefusesAnotherSchemaVersion) {
  EXPECT_EQ(loadAndFail("mlp.pt2", "\"major\": 8", "\"major\": 9"),
            "a.pt2: 'models/model.json': schema_version.major: schema version "
            "9 is not supported, expected 8; export the model again with a "
            "version of PyTorch that writes it (2.6 to 2.13 do)");
}

TEST(ExportedProgram, RefusesBigEndian) {
  EXPECT_EQ(loadAndFail("mlp.pt2", "little", "bigbig"),
            "a.pt2: 'byteorder' says 'bigbig', expected 'little'; export the "
            "model again on a little-endian machine");
}

TEST(ExportedProgram, RefusesPickledWeights) {
  std::string message =
      loadAndFail("mlp.pt2", "\"use_pickle\": false", "\"use_pickle\": true ");
  EXPECT_NE(message.find("is stored as a Python pickle, which is not read"),
            std::string::npos)
      << message;
}

TEST(ExportedProgram, RefusesWeightsOutsideTheirEntry) {
  std::string message = loadAndFail("mlp.pt2", "\"strides\": [{\"as_int\": 8}",
                                    "\"strides\": [{\"as_int\": 9}");
  EXPECT_NE(message.find("the tensor reaches outside entry"), std::string::npos)
      << message;
}

TEST(ExportedProgram, NamesTheFieldOfAWrongType) {
  EXPECT_EQ(loadAndFail("mlp.pt2", "\"inputs\": [{\"as_tensor\"",
                        "\"inputs\": [{\"as_tonsor\""),
            "a.pt2: 'models/model.json': graph_module.graph.inputs[0]: the "
            "kind of argument 'as_tonsor' is not known");
  EXPECT_EQ(
      loadAndFail("mlp.pt2", "\"guards_code\": []", "\"guards_code\": {}"),
      "a.pt2: 'models/model.json': guards_code: expected a list, found "
      "an object");
}

TEST(ExportedProgram, RefusesAnUnknownModelName) {
  auto program = ExportedProgram::load(getInputPath("mlp.pt2"), "decoder");
  ASSERT_FALSE(bool(program));
  std::string message = toString(program.takeError());
  EXPECT_NE(message.find("holds no program 'decoder'; choose one of: model"),
            std::string::npos)
      << message;
}

/// Whatever byte of the JSON is damaged, loading ends in a result or a message.
TEST(ExportedProgram, SurvivesDamage) {
  std::string bytes = readInput("tied.pt2");
  size_t begin = bytes.find("{\"graph_module\"");
  ASSERT_NE(begin, std::string::npos);
  for (size_t at = begin; at + 64 < bytes.size(); at += 7) {
    std::string damaged = bytes;
    damaged[at] = damaged[at] == '[' ? '{' : damaged[at] == '"' ? ' ' : '[';
    auto archive = ZipArchive::fromBuffer(
        MemoryBuffer::getMemBufferCopy(damaged, "a.pt2"));
    if (!archive) {
      consumeError(archive.takeError());
      continue;
    }
    auto program = ExportedProgram::load(std::move(*archive));
    if (!program)
      consumeError(program.takeError());
  }
}
