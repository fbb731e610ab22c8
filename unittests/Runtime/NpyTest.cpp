//===- NpyTest.cpp - Tests of numpy's array files -------------------------===//

#include "TC/Runtime/Npy.h"
#include "TC/Runtime/MappedFile.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// A file of version 1.0 with the given header and elements.
std::string npy(const std::string &header, std::string_view elements) {
  std::string result("\x93NUMPY\x01\x00", 8);
  result += char(header.size() & 0xff);
  result += char(header.size() >> 8);
  return result + header + std::string(elements);
}

Expected<Tensor> parse(const std::string &bytes,
                       std::optional<DType> expected = std::nullopt) {
  size_t offset = 0;
  return parseNpy({bytes.data(), bytes.size()}, offset, "x.npy", expected);
}

std::string errorOf(const std::string &bytes,
                    std::optional<DType> expected = std::nullopt) {
  auto result = parse(bytes, expected);
  return result.ok() ? "no error" : result.error().message();
}

template <typename T> std::vector<T> valuesOf(const Tensor &tensor) {
  return std::vector<T>(tensor.dataAs<T>(),
                        tensor.dataAs<T>() + tensor.elementCount());
}

TEST(Npy, WritesWhatNumpyWrites) {
  // numpy.save of numpy.arange(3, dtype="float32"), up to the elements.
  const std::string header = encodeNpyHeader(DType::F32, Sizes{3});
  EXPECT_EQ(header.size(), 128u);
  EXPECT_EQ(header, npy("{'descr': '<f4', 'fortran_order': False, "
                        "'shape': (3,), }" +
                            std::string(60, ' ') + "\n",
                        ""));
  EXPECT_NE(encodeNpyHeader(DType::F32, Sizes{}).find("'shape': ()"),
            std::string::npos);
  EXPECT_NE(encodeNpyHeader(DType::F32, Sizes{2, 3}).find("'shape': (2, 3)"),
            std::string::npos);
  EXPECT_EQ(encodeNpyHeader(DType::F32, Sizes(16, INT64_MAX)).size() % 64, 0u);
}

TEST(Npy, EveryDTypeSurvivesARoundTrip) {
  TemporaryFolder folder;
  for (int32_t i = 0; i < dtypeCount; ++i) {
    const DType dtype = DType(i);
    Tensor tensor = *Tensor::empty(dtype, Sizes{2, 3});
    for (int64_t j = 0; j < 6; ++j)
      storeFromDouble(dtype, tensor.elementAddress(j), double(j % 2));
    ASSERT_TRUE(writeNpy(folder.path("x.npy"), tensor).ok());
    auto read = readNpy(folder.path("x.npy"), dtype);
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(read->typeString(), tensor.typeString());
    EXPECT_EQ(std::memcmp(read->data(), tensor.data(), tensor.byteCount()), 0);
  }
}

TEST(Npy, ScalarsAndEmptyArrays) {
  TemporaryFolder folder;
  for (const Sizes &sizes : {Sizes{}, Sizes{0}, Sizes{3, 0, 2}}) {
    Tensor tensor = *Tensor::zeros(DType::I64, sizes);
    ASSERT_TRUE(writeNpy(folder.path("x.npy"), tensor).ok());
    EXPECT_EQ(readNpy(folder.path("x.npy"))->typeString(), tensor.typeString());
  }
}

TEST(Npy, FortranOrderBecomesRowMajor) {
  auto tensor =
      parse(npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }",
                std::string_view("\0\3\1\4\2\5", 6)));
  ASSERT_TRUE(tensor.ok());
  EXPECT_TRUE(tensor->isContiguous());
  EXPECT_EQ(tensor->typeString(), "2x3xi8");
  EXPECT_EQ(valuesOf<int8_t>(*tensor), (std::vector<int8_t>{0, 1, 2, 3, 4, 5}));
}

TEST(Npy, BigEndianIsSwapped) {
  auto tensor = parse(npy("{'descr': '>i4','fortran_order':False,'shape':(2,)}",
                          std::string_view("\0\0\0\1\0\0\1\0", 8)));
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(valuesOf<int32_t>(*tensor), (std::vector<int32_t>{1, 256}));
  auto complex = parse(npy("{'descr': '>c8','fortran_order':False,'shape':()}",
                           std::string_view("\x3f\x80\0\0\x40\0\0\0", 8)));
  ASSERT_TRUE(complex.ok());
  EXPECT_EQ(complex->dataAs<float>()[0], 1);
  EXPECT_EQ(complex->dataAs<float>()[1], 2);
}

TEST(Npy, OtherVersionsOfTheFormat) {
  const std::string header =
      "{\"shape\": (2L,), \"descr\": \"|u1\", \"fortran_order\": False}\n";
  for (char version : {2, 3}) {
    std::string bytes("\x93NUMPY", 6);
    bytes += {version, 0, char(header.size()), 0, 0, 0};
    auto tensor = parse(bytes + header + "ab");
    ASSERT_TRUE(tensor.ok()) << tensor.error().message();
    EXPECT_EQ(valuesOf<char>(*tensor), (std::vector<char>{'a', 'b'}));
  }
}

TEST(Npy, VoidTypesNeedAName) {
  auto header = [](const std::string &descr) {
    return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (1,)}";
  };
  for (const char *descr : {"<V2", "|V2"}) {
    EXPECT_EQ(parse(npy(header(descr), "ab"))->dtype(), DType::BF16);
    EXPECT_EQ(parse(npy(header(descr), "ab"), DType::BF16)->dtype(),
              DType::BF16);
    EXPECT_EQ(errorOf(npy(header(descr), "ab"), DType::F32),
              "'x.npy' holds dtype '" + std::string(descr) + "', expected f32");
  }
  EXPECT_EQ(parse(npy(header("<V1"), "a"), DType::F8E4M3FN)->dtype(),
            DType::F8E4M3FN);
  EXPECT_EQ(parse(npy(header("|V1"), "a"), DType::F8E5M2)->dtype(),
            DType::F8E5M2);
  EXPECT_EQ(parse(npy(header("<f1"), "a"))->dtype(), DType::F8E5M2);
  EXPECT_EQ(errorOf(npy(header("<V1"), "a")),
            "'x.npy' holds dtype '<V1', which may be any one-byte type: say "
            "which is expected");
}

TEST(Npy, ReportsWhatIsWrong) {
  const std::string good = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678");
  EXPECT_EQ(errorOf(good), "no error");
  EXPECT_EQ(errorOf(good, DType::F16),
            "'x.npy' holds dtype '<f4', expected f16");
  EXPECT_EQ(errorOf(good.substr(0, good.size() - 1)),
            "'x.npy' holds 7 bytes of elements, expected 8 for 2xf32");
  EXPECT_EQ(errorOf("hello"),
            "'x.npy' is no npy data: it does not begin with \\x93NUMPY");
  EXPECT_EQ(errorOf(std::string("\x93NUMPY\x04\x00\x01\x00", 10)),
            "'x.npy' has npy version 4, expected 1 to 3");
  EXPECT_EQ(errorOf(npy("{'descr': [('a', '<f4')], 'fortran_order': False, "
                        "'shape': (2,), }",
                        "")),
            "'x.npy' holds a structured dtype, which is no tensor");
  EXPECT_EQ(errorOf(npy("{'descr': '|O', 'fortran_order': False, "
                        "'shape': (2,), }",
                        "")),
            "'x.npy' holds dtype '|O', which TC has no type for");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4', 'fortran_order': False, "
                        "'shape': (4611686018427387904, 4), }",
                        "")),
            "'x.npy' has a shape that is too large, 4611686018427387904x4xf32");
  EXPECT_EQ(errorOf(npy("{'descr': '<f4', 'shape': (2,), }", "")),
            "'x.npy' has a bad npy header: 'descr', 'fortran_order' or 'shape' "
            "is missing at byte 33");
}

TEST(Npy, RefusesHostileHeaders) {
  for (const char *header :
       {"",
        "{",
        "}",
        "{}",
        "{'descr'",
        "{'descr':",
        "{'descr': '",
        "{'descr': '', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<', 'fortran_order': False, 'shape': ()}",
        "{'descr': 'V', 'fortran_order': False, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': ()}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1 2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (",
        "{'descr': '<f4', 'fortran_order': False, 'shape': 3}",
        "{'descr': '<f4', 'fortran_order': False, "
        "'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(0, 9223372036854775807, 9223372036854775807)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': "
        "(9223372036854775807,)}",
        "{'other': 1, 'descr': '<f4', 'fortran_order': False, 'shape': ()}"})
    EXPECT_FALSE(parse(npy(header, "")).ok()) << header;
}

TEST(Npy, AnyPrefixOfAFileIsRefused) {
  const std::string good = npy(
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "12345678");
  for (size_t length = 0; length < good.size(); ++length)
    EXPECT_FALSE(parse(good.substr(0, length)).ok()) << length;
  // And any one changed byte is either read or refused, never a crash.
  for (size_t position = 0; position < good.size(); ++position)
    for (int value = 0; value < 256; value += 5) {
      std::string changed = good;
      changed[position] = char(value);
      (void)parse(changed);
    }
}

TEST(Npy, StreamsHoldSeveralArrays) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.npy");
  Tensor first = *Tensor::zeros(DType::F32, Sizes{2});
  Tensor second = *Tensor::zeros(DType::I64, Sizes{3, 1});
  ASSERT_TRUE(writeNpy(path, first).ok());
  ASSERT_TRUE(appendNpy(path, second).ok());
  auto tensors = readNpyStream(path);
  ASSERT_TRUE(tensors.ok());
  ASSERT_EQ(tensors->size(), 2u);
  EXPECT_EQ((*tensors)[0].typeString(), "2xf32");
  EXPECT_EQ((*tensors)[1].typeString(), "3x1xi64");
  auto one = readNpy(path);
  ASSERT_FALSE(one.ok());
  EXPECT_EQ(one.error().message(),
            "'" + path + "' holds 152 bytes more than its one array");
}

TEST(Npy, NamesTheFileThatIsMissing) {
  auto tensor = readNpy("/no/such/file.npy");
  ASSERT_FALSE(tensor.ok());
  EXPECT_EQ(tensor.error().code(), ErrorCode::IOError);
  EXPECT_EQ(tensor.error().message(),
            "cannot open '/no/such/file.npy': No such file or directory");
  EXPECT_FALSE(readNpy("/").ok());
  TemporaryFolder folder;
  EXPECT_FALSE(readNpyStream(folder.write("empty.npy", "")).ok());
  EXPECT_FALSE(
      writeNpy("/no/such/file.npy", *Tensor::zeros(DType::F32, Sizes{})).ok());
}

TEST(Npy, StridedTensorsAreWrittenRowMajor) {
  TemporaryFolder folder;
  const std::vector<int16_t> values = {0, 1, 2, 3, 4, 5};
  Tensor base = *Tensor::copyOf<int16_t>(DType::I16, Sizes{2, 3}, values);
  Tensor transposed =
      *Tensor::view(base.storage(), DType::I16, Sizes{3, 2}, Sizes{1, 3});
  ASSERT_TRUE(writeNpy(folder.path("x.npy"), transposed).ok());
  EXPECT_EQ(valuesOf<int16_t>(*readNpy(folder.path("x.npy"))),
            (std::vector<int16_t>{0, 3, 1, 4, 2, 5}));
}

} // namespace
