//===- SafeTensorsTest.cpp - Tests of safetensors files -------------------===//

#include "TC/Runtime/SafeTensors.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <cstring>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// A file with the given header and elements.
std::string file(const std::string &header, std::string_view elements = "") {
  const uint64_t length = header.size();
  std::string result(reinterpret_cast<const char *>(&length), 8);
  return result + header + std::string(elements);
}

std::string errorOf(const std::string &content) {
  TemporaryFolder folder;
  auto read = readSafeTensors(folder.write("x", content));
  if (read.ok())
    return "no error";
  // Without the path, which is another one each time.
  const std::string message = read.error().message();
  return message.substr(
      message.find("': ") == std::string::npos
          ? message.find("' is")
          : std::min(message.find("': "), message.find("' is")));
}

TEST(SafeTensors, RoundTrip) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.safetensors");
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  SafeTensors content;
  content.metadata = {{"format", "pt"}, {"quo\"te", "line\nbreak"}};
  content.tensors = {
      {"a.weight", *Tensor::copyOf<float>(DType::F32, Sizes{2, 3}, values)},
      {"b", *Tensor::zeros(DType::Bool, Sizes{})},
      {"c", *Tensor::zeros(DType::F8E5M2, Sizes{3, 0})}};
  ASSERT_TRUE(writeSafeTensors(path, content).ok());
  auto read = readSafeTensors(path);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->metadata, content.metadata);
  ASSERT_EQ(read->tensors.size(), 3u);
  const Tensor *weight = read->find("a.weight");
  ASSERT_NE(weight, nullptr);
  EXPECT_EQ(weight->typeString(), "2x3xf32");
  EXPECT_EQ(weight->dataAs<float>()[5], 6);
  EXPECT_EQ(uintptr_t(weight->data()) % 64, 0u);
  EXPECT_TRUE(weight->storage()->readOnly);
  EXPECT_EQ(read->find("b")->typeString(), "i1");
  EXPECT_EQ(read->find("c")->typeString(), "3x0xf8E5M2");
  EXPECT_EQ(read->find("d"), nullptr);
}

TEST(SafeTensors, TensorsKeepTheFileMapped) {
  TemporaryFolder folder;
  const std::string path = folder.write(
      "x", file(R"({"t":{"dtype":"I8","shape":[3],"data_offsets":[0,3]}})",
                "\1\2\3"));
  Tensor tensor = readSafeTensors(path)->tensors[0].second;
  EXPECT_EQ(tensor.dataAs<int8_t>()[2], 3);
}

TEST(SafeTensors, EveryDTypeThatTheFormatHas) {
  TemporaryFolder folder;
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DType dtype = DType(i);
    SafeTensors content;
    content.tensors = {{"t", *Tensor::zeros(dtype, Sizes{2})}};
    Status status = writeSafeTensors(folder.path("x"), content);
    if (dtype == DType::C128) {
      EXPECT_FALSE(status.ok());
      continue;
    }
    ASSERT_TRUE(status.ok());
    EXPECT_EQ(readSafeTensors(folder.path("x"))->tensors[0].second.dtype(),
              dtype);
  }
}

TEST(SafeTensors, ReportsWhatIsWrong) {
  auto tensor = [](const std::string &fields) {
    return file("{\"t\":{" + fields + "}}", "12345678");
  };
  EXPECT_EQ(
      errorOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,8])")),
      "no error");
  EXPECT_EQ(errorOf("1234"),
            "' is no safetensors file: it is shorter than 8 bytes");
  EXPECT_EQ(errorOf(std::string(8, '\xff')),
            "' is no safetensors file: a header of 18446744073709551615 bytes "
            "reaches beyond its end");
  EXPECT_EQ(errorOf(file("[]")),
            "' is no safetensors file: the header is no JSON object");
  EXPECT_EQ(errorOf(file("{\"t\" 1}")),
            "' is no safetensors file: a colon was expected at byte 5 of the "
            "JSON text");
  EXPECT_EQ(errorOf(tensor(R"("dtype":"X9","shape":[2],"data_offsets":[0,8])")),
            "': tensor 't' has dtype 'X9', which TC has no type for");
  EXPECT_EQ(
      errorOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,9])")),
      "' is no safetensors file: tensor 't' ends at byte 9 of 8");
  EXPECT_EQ(
      errorOf(tensor(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])")),
      "' is no safetensors file: tensor 't' has 4 bytes, expected 8 for "
      "2xf32");
  for (const char *fields :
       {R"("dtype":"F32","shape":[-2],"data_offsets":[0,8])",
        R"("dtype":"F32","shape":[2.5],"data_offsets":[0,8])",
        R"("dtype":"F32","shape":[2],"data_offsets":[0])",
        R"("dtype":"F32","shape":[2],"data_offsets":[-8,0])",
        R"("dtype":"F32","shape":[2])", R"("shape":[2],"data_offsets":[0,8])",
        R"("dtype":7,"shape":2,"data_offsets":"x")"})
    EXPECT_NE(errorOf(tensor(fields)), "no error") << fields;
  EXPECT_EQ(errorOf(tensor(R"("dtype":"F32","shape":[9223372036854775807,4],)"
                           R"("data_offsets":[0,8])")),
            "' is no safetensors file: tensor 't' of type "
            "9223372036854775807x4xf32 is too large");
}

TEST(SafeTensors, RefusesBadJson) {
  for (const std::string &header :
       {std::string("{"), std::string("{\"a"), std::string("{\"a\":}"),
        std::string("{\"a\":{}"), std::string("{\"a\":[1,]}"),
        std::string("{\"a\":tru}"), std::string("{\"a\":1-2}"),
        std::string("{\"\\u12\":1}"), std::string("{\"\\ud800\":1}"),
        std::string("{\"\\x\":1}"), std::string("{} x"),
        std::string(100000, '['), std::string("{\"a\":\"\n\"}"),
        std::string("")})
    EXPECT_NE(errorOf(file(header)), "no error") << header.substr(0, 20);
}

TEST(SafeTensors, AnyDamageIsReadOrRefused) {
  TemporaryFolder folder;
  const std::string good = file(
      R"({"t":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", "12345678");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(
        readSafeTensors(folder.write("x", good.substr(0, length))).ok());
  for (size_t position = 0; position < good.size(); ++position)
    for (char value : {'\0', '9', '"', '}', '\xff'}) {
      std::string changed = good;
      changed[position] = value;
      (void)readSafeTensors(folder.write("x", changed));
    }
}

TEST(SafeTensors, EscapesInNames) {
  TemporaryFolder folder;
  const std::string path = folder.write(
      "x", file(R"({"\u00e9\ud83d\ude00\n":)"
                R"({"dtype":"I8","shape":[],"data_offsets":[0,1]}})",
                "1"));
  auto read = readSafeTensors(path);
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(read->tensors[0].first, "\xc3\xa9\xf0\x9f\x98\x80\n");
}

} // namespace
