//===- CubinCacheTest.cpp - Tests of cubins on disk -----------------------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "gtest/gtest.h"

#include <filesystem>

using namespace tc::runtime;

namespace {

/// Loads a kernel in a device that has not got it; what the driver is given.
std::string load(const char *name, int device) {
  const standin::Kernel kernel(name, 1);
  int64_t argument = 0;
  const standin::Log log;
  Status status = cuda::launchKernel(device, nullptr, kernel, 1, &argument);
  EXPECT_TRUE(status.ok()) << status.message();
  const std::string text = log.text();
  return std::string(text.find("cuLinkAddData") != text.npos ? "assembled "
                                                             : "") +
         (text.find("cuModuleLoadDataEx(cubin)") != text.npos ? "cubin"
                                                              : "PTX");
}

std::vector<std::filesystem::path> files() {
  std::vector<std::filesystem::path> result;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::getenv("TC_CACHE_DIR")))
    result.push_back(entry.path());
  return result;
}

TEST(CubinCache, AssemblesOnce) {
  EXPECT_EQ(load("once", 0), "assembled cubin");
  EXPECT_EQ(load("once", 0), "cubin");
  EXPECT_EQ(load("once", 1), "cubin"); // the same chip
  EXPECT_EQ(load("another", 0), "assembled cubin");
}

TEST(CubinCache, DamagedFilesAreWrittenAgain) {
  std::filesystem::remove_all(std::getenv("TC_CACHE_DIR"));
  EXPECT_EQ(load("damaged", 0), "assembled cubin");
  ASSERT_EQ(files().size(), 1u);
  const std::filesystem::path file = files().front();
  const auto size = std::filesystem::file_size(file);
  // One byte of the header, of the key, of the cubin; too short, empty.
  for (uintmax_t at : {uintmax_t(0), uintmax_t(40), size - 1}) {
    {
      std::fstream stream(file,
                          std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(std::streamoff(at));
      stream.put('~');
    }
    EXPECT_EQ(load("damaged", 0), "assembled cubin") << at;
    EXPECT_EQ(load("damaged", 0), "cubin") << at;
  }
  for (uintmax_t left : {size / 2, uintmax_t(0)}) {
    std::filesystem::resize_file(file, left);
    EXPECT_EQ(load("damaged", 0), "assembled cubin") << left;
    EXPECT_EQ(load("damaged", 0), "cubin") << left;
  }
}

TEST(CubinCache, LoadsPTXWhereTheAssemblerFails) {
  const standin::Setting fail("STAND_IN_FAIL", "cuLinkComplete=218");
  EXPECT_EQ(load("unassembled", 0), "assembled PTX");
}

TEST(CubinCache, KernelsThatMustNotBeLinked) {
  standin::Kernel kernel("budgeted", 1);
  kernel.ptx += "setmaxnreg.inc.sync.aligned.u32 240;\n";
  kernel.image = kernel.ptx.c_str();
  kernel.image_bytes = kernel.ptx.size();
  int64_t argument = 0;
  const standin::Log log;
  ASSERT_TRUE(cuda::launchKernel(0, nullptr, kernel, 1, &argument).ok());
  EXPECT_EQ(log.count("cuLink"), 0);
  EXPECT_EQ(log.count("cuModuleLoadDataEx(PTX)"), 1);
}

TEST(CubinCache, AFolderThatCannotBeWritten) {
  const std::filesystem::path folder = std::getenv("TC_CACHE_DIR");
  std::filesystem::remove_all(folder);
  std::ofstream(folder) << "a file";
  EXPECT_EQ(load("unwritten", 0), "assembled cubin");
  EXPECT_EQ(load("unwritten", 0), "assembled cubin");
  std::filesystem::remove(folder);
}

} // namespace
