//===- TensorSpecTest.cpp - Tests of tensors on a command line ------------===//

#include "TC/Runtime/TensorSpec.h"
#include "TC/Runtime/Npy.h"
#include "TC/Runtime/Npz.h"
#include "TC/Runtime/TensorPrint.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <cmath>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// The printed form of what a spec gives, or the error.
std::string read(std::string_view spec,
                 std::optional<DType> expected = std::nullopt) {
  auto tensors = parseInputSpec(spec, expected);
  if (!tensors.ok())
    return tensors.error().message();
  std::string text;
  for (const Tensor &tensor : *tensors)
    text += (text.empty() ? "" : "; ") + printTensor(tensor);
  return text;
}

TEST(TensorSpec, ReadsElements) {
  EXPECT_EQ(read("2x3xf32=1 2 3 4 5 6"), "2x3xf32=[1 2 3][4 5 6]");
  EXPECT_EQ(read("2x3xf32=[1 2 3][4 5 6]"), "2x3xf32=[1 2 3][4 5 6]");
  EXPECT_EQ(read("2x3xf32=[[1,2,3],[4,5,6]]"), "2x3xf32=[1 2 3][4 5 6]");
  EXPECT_EQ(read("4xi32=7"), "4xi32=7 7 7 7");
  EXPECT_EQ(read("2xi32"), "2xi32=0 0");
  EXPECT_EQ(read("f32=3.5"), "f32=3.5");
  EXPECT_EQ(read(" 2xi8 = -128 0x7f "), "2xi8=-128 127");
  EXPECT_EQ(read("2x2x2xi1=1 0 true false 1 1 0 0"),
            "2x2x2xi1=[[1 0][1 0]][[1 1][0 0]]");
  EXPECT_EQ(read("2xui64=18446744073709551615 0"),
            "2xui64=18446744073709551615 0");
  EXPECT_EQ(read("i64=-9223372036854775808"), "i64=-9223372036854775808");
  EXPECT_EQ(read("4xf64=inf -inf nan 1e-300"), "4xf64=inf -inf nan 1e-300");
  EXPECT_EQ(read("3xcomplex<f32>=1 2j 1.5-2j"),
            "3xcomplex<f32>=1+0j 0+2j 1.5-2j");
  EXPECT_EQ(read("0x3xf32="), "0x3xf32=");
  EXPECT_EQ(read("2x0xf32"), "2x0xf32=[][]");
}

TEST(TensorSpec, ReadsBareScalars) {
  EXPECT_EQ(read("3.5"), "f32=3.5");
  EXPECT_EQ(read("7"), "i64=7");
  EXPECT_EQ(read("-1e3"), "f32=-1000");
  EXPECT_EQ(read("inf"), "f32=inf");
  EXPECT_EQ(read("true"), "i1=1");
  EXPECT_EQ(read("2+3j"), "complex<f32>=2+3j");
  EXPECT_EQ(read("7", DType::F64), "f64=7");
  EXPECT_EQ(read("7", DType::I8), "i8=7");
}

TEST(TensorSpec, PrintsTheFewestDigits) {
  EXPECT_EQ(read("f32=0.1"), "f32=0.1");
  EXPECT_EQ(read("f64=0.1"), "f64=0.1");
  EXPECT_EQ(read("f16=0.1"), "f16=0.1");
  EXPECT_EQ(read("bf16=0.1"), "bf16=0.1");
  EXPECT_EQ(read("bf16=3.14159"), "bf16=3.14");
  EXPECT_EQ(read("f16=3.14159"), "f16=3.14");
  EXPECT_EQ(read("f8E4M3FN=0.3"), "f8E4M3FN=0.3");
  EXPECT_EQ(read("f8E4M3FN=1000"), "f8E4M3FN=448");
  EXPECT_EQ(read("f8E5M2=1e6"), "f8E5M2=inf");
  EXPECT_EQ(read("f32=16777217"), "f32=16777216");
  EXPECT_EQ(read("f16=65504"), "f16=65504");
}

// Every value of the small types reads back from its printed form.
TEST(TensorSpec, PrintedFormsReadBack) {
  for (DType dtype :
       {DType::F16, DType::BF16, DType::F8E4M3FN, DType::F8E5M2}) {
    const uint32_t count = dtypeSize(dtype) == 1 ? 256 : 65536;
    for (uint32_t bits = 0; bits < count; ++bits) {
      const std::string text = printElement(dtype, &bits);
      if (text == "nan")
        continue;
      auto tensors = parseInputSpec(std::string(dtypeName(dtype)) + "=" + text);
      ASSERT_TRUE(tensors.ok()) << text;
      ASSERT_EQ(std::memcmp((*tensors)[0].data(), &bits, dtypeSize(dtype)), 0)
          << text;
    }
  }
}

TEST(TensorSpec, LongTensorsAreCut) {
  Tensor tensor = *Tensor::zeros(DType::I32, Sizes{3, 4});
  EXPECT_EQ(printTensor(tensor, 6), "3x4xi32=[0 0 0 0][0 0 ...]...");
  EXPECT_EQ(printTensor(tensor, 4), "3x4xi32=[0 0 0 0]...");
  EXPECT_EQ(printTensor(tensor, 12), "3x4xi32=[0 0 0 0][0 0 0 0][0 0 0 0]");
  EXPECT_EQ(printTensor(*Tensor::zeros(DType::I32, Sizes{5}), 2),
            "5xi32=0 0 ...");
}

TEST(TensorSpec, StridedTensorsPrintInRowMajorOrder) {
  Tensor base = (*parseInputSpec("2x3xi32=1 2 3 4 5 6"))[0];
  Tensor transposed =
      *Tensor::view(base.storage(), DType::I32, Sizes{3, 2}, Sizes{1, 3});
  EXPECT_EQ(printTensor(transposed), "3x2xi32=[1 4][2 5][3 6]");
}

TEST(TensorSpec, ReportsWhatIsWrong) {
  EXPECT_EQ(read("2x3xf32=1 2 3"),
            "'2x3xf32' has 3 values, expected 6 or 1 for all");
  EXPECT_EQ(read("2xf32=1 2 3"),
            "'2xf32' has 3 values, expected 2 or 1 for all");
  EXPECT_EQ(read("2xf32=1 x"), "'x' is not a value of type f32, in '2xf32'");
  EXPECT_EQ(read("i8=300"), "'300' is not a value of type i8, in 'i8'");
  EXPECT_EQ(read("ui8=-1"), "'-1' is not a value of type ui8, in 'ui8'");
  EXPECT_EQ(read("i32=1.5"), "'1.5' is not a value of type i32, in 'i32'");
  EXPECT_EQ(read("i1=2"), "'2' is not a value of type i1, in 'i1'");
  EXPECT_EQ(read("2xf32=[1 2"), "the brackets in '[1 2' do not match");
  EXPECT_EQ(read("2xf32=]1 2["), "the brackets in ']1 2[' do not match");
  EXPECT_EQ(read("2xf31=1"), "the type '2xf31' has the unknown dtype 'f31'");
  EXPECT_EQ(read("?xf32=1"),
            "the size at '?xf32' in type '?xf32' is no number followed by 'x'");
  EXPECT_EQ(read("2x=1"), "the type '2x' has the unknown dtype ''");
  EXPECT_EQ(read("99999999999999999999xf32"),
            "the size at '99999999999999999999xf32' in type "
            "'99999999999999999999xf32' is no number followed by 'x'");
  EXPECT_EQ(read("4294967296x4294967296xf32"),
            "the sizes of 4294967296x4294967296xf32 are negative or too large");
  EXPECT_EQ(read(""), "an input is empty");
  EXPECT_EQ(read("hello"), "'hello' is neither a type nor a value of type f32");
  EXPECT_EQ(read("7.5", DType::I32),
            "'7.5' is neither a type nor a value of type i32");
  EXPECT_EQ(read("complex<f32>=1+2"),
            "'1+2' is not a value of type complex<f32>, in 'complex<f32>'");
  EXPECT_NE(read("1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32").find("rank 17"),
            std::string::npos);
}

TEST(TensorSpec, ReadsFiles) {
  TemporaryFolder folder;
  const std::string raw =
      folder.write("x.bin", std::string_view("\1\0\2\0", 4));
  EXPECT_EQ(read("2xi16=@" + raw), "2xi16=1 2");
  EXPECT_EQ(read("3xi16=@" + raw),
            "'" + raw + "' has 4 bytes, expected 6 for 3xi16");
  EXPECT_EQ(read("@" + raw), "'" + raw +
                                 "' is neither .npy nor .npz: give its type, "
                                 "as in 2x3xf32=@file.bin");
  const std::string npy = folder.path("x.npy");
  ASSERT_TRUE(writeNpy(npy, (*parseInputSpec("2xi32=1 2"))[0]).ok());
  EXPECT_EQ(read("@" + npy), "2xi32=1 2");
  EXPECT_EQ(read("2xi32=@" + npy), "2xi32=1 2");
  EXPECT_EQ(read("3xi32=@" + npy), "'" + npy + "' holds 2xi32, expected 3xi32");
  ASSERT_TRUE(appendNpy(npy, (*parseInputSpec("f8E4M3FN=2"))[0]).ok());
  EXPECT_NE(read("@" + npy).find("say which is expected"), std::string::npos);
  ASSERT_TRUE(writeNpy(npy, (*parseInputSpec("2xi32=1 2"))[0]).ok());
  ASSERT_TRUE(appendNpy(npy, (*parseInputSpec("bf16=2"))[0]).ok());
  EXPECT_EQ(read("*" + npy), "2xi32=1 2; bf16=2");
  const std::string npz = folder.path("x.npz");
  const std::vector<NamedTensor> named = {{"a", (*parseInputSpec("i8=3"))[0]}};
  ASSERT_TRUE(writeNpz(npz, named).ok());
  EXPECT_EQ(read("@" + npz), "i8=3");
  EXPECT_EQ(read("@/no/file.npy"),
            "cannot open '/no/file.npy': No such file or directory");
}

TEST(TensorSpec, WritesOutputs) {
  TemporaryFolder folder;
  Tensor tensor = (*parseInputSpec("2xi16=1 2"))[0];
  std::string text;
  auto write = [&](const std::string &spec) {
    auto parsed = parseOutputSpec(spec);
    return parsed.ok() && writeOutput(*parsed, tensor, text).ok();
  };
  EXPECT_TRUE(write(""));
  EXPECT_EQ(text, "");
  EXPECT_TRUE(write("-"));
  EXPECT_EQ(text, "2xi16=1 2\n");
  EXPECT_TRUE(write("@" + folder.path("x.npy")));
  EXPECT_TRUE(write("+" + folder.path("x.npy")));
  EXPECT_EQ(read("@" + folder.path("x.npy")), "2xi16=1 2; 2xi16=1 2");
  EXPECT_TRUE(write("@" + folder.path("x.bin")));
  EXPECT_TRUE(write("+" + folder.path("x.bin")));
  EXPECT_EQ(folder.read("x.bin"), std::string("\1\0\2\0\1\0\2\0", 8));
  EXPECT_FALSE(write("x.npy"));
  EXPECT_FALSE(write("@"));
  EXPECT_FALSE(write("@/no/such/folder/x.npy"));
}

} // namespace
