//===- CUDAAssemblerTest.cpp - Tests of ptxas as a program ----------------===//

#include "StandIn.h"
#include "TC/Runtime/CUDA.h"
#include "TC/Runtime/KernelAssembly.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <filesystem>
#include <thread>

using namespace tc::runtime;

namespace {

/// A program in the place of ptxas, for as long as it lives: it notes its
/// arguments and does `body`, a script whose third argument is the output and
/// whose fourth the input.
class Assembler {
public:
  explicit Assembler(const std::string &body) {
    std::string program =
        folder.write("ptxas", "#!/bin/sh\necho \"$1 $2\" >> " +
                                  folder.path("log") + "\n" + body + "\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    setting.emplace("TC_PTXAS", program);
  }
  std::string log() const { return folder.read("log"); }

private:
  TemporaryFolder folder;
  std::optional<standin::Setting> setting;
};

/// What the driver of the tests takes for a cubin.
constexpr const char *makesCubin =
    "{ echo 'stand-in cubin'; cat \"$4\"; } > \"$3\"";

/// The driver's calls when two kernels of one program are loaded, without files
/// kept from before.
std::string loadTwo(const std::string &name) {
  std::filesystem::remove_all(std::getenv("TC_CACHE_DIR"));
  standin::Kernel one(name + "_one", 1), other(name + "_other", 1);
  const tc_kernel *kernels[] = {&one, &other};
  const tc_kernel_list list{2, kernels};
  for (standin::Kernel *kernel : {&one, &other}) {
    kernel->ptx = ".target sm_90a, debug\n" + kernel->ptx;
    kernel->image = kernel->ptx.c_str();
    kernel->image_bytes = kernel->ptx.size();
    kernel->list = &list;
  }
  int64_t argument = 0;
  const standin::Log log;
  Status status = cuda::launchKernel(0, nullptr, one, 1, &argument);
  EXPECT_TRUE(status.ok()) << status.message();
  return log.text();
}

int count(const std::string &text, const std::string &part) {
  int found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != text.npos; ++at)
    ++found;
  return found;
}

TEST(CUDAAssembler, MakesCubinsOfSeveralKernels) {
  const Assembler assembler(makesCubin);
  const std::string calls = loadTwo("assembled");
  EXPECT_EQ(count(calls, "cuModuleLoadDataEx(cubin)"), 2) << calls;
  EXPECT_EQ(count(calls, "cuLink"), 0) << calls;
  EXPECT_EQ(assembler.log(), "-arch=sm_90a -o\n-arch=sm_90a -o\n");
}

TEST(CUDAAssembler, TheDriverAssemblesWhatItRefuses) {
  const Assembler assembler("exit 1");
  const std::string calls = loadTwo("refused");
  EXPECT_EQ(count(calls, "cuLinkAddData"), 2) << calls;
  EXPECT_NE(assembler.log(), "");
}

TEST(CUDAAssembler, TheDriverAssemblesWhereItsOutputIsEmpty) {
  const Assembler assembler("exit 0");
  EXPECT_EQ(count(loadTwo("empty"), "cuLinkAddData"), 2);
}

TEST(CUDAAssembler, NoneIsAskedForWithoutOne) {
  const standin::Setting none("TC_PTXAS", "none");
  EXPECT_EQ(count(loadTwo("none"), "cuLinkAddData"), 2);
}

//===----------------------------------------------------------------------===//
// Ahead of launches
//===----------------------------------------------------------------------===//

/// Without files kept from before.
class KernelAssemblyTest : public testing::Test {
protected:
  void SetUp() override {
    std::filesystem::remove_all(std::getenv("TC_CACHE_DIR"));
  }
};

/// Waits until threads have begun two processes.
void awaitTwo(const Assembler &assembler) {
  for (int i = 0; i < 1000 && count(assembler.log(), "-arch") < 2; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

/// PTX of a kernel, with a zero behind it as images have one.
std::string image(const std::string &name) {
  return ".target sm_90a\n// " + name + std::string(1, '\0');
}

TEST_F(KernelAssemblyTest, GivesWhatItHasBegunOnce) {
  const Assembler assembler(makesCubin);
  KernelAssembly assembly(0);
  assembly.begin(image("first"));
  assembly.begin(image("second"));
  assembly.begin(image("second"));
  awaitTwo(assembler);
  for (const char *name : {"first", "second"}) {
    std::optional<std::string> cubin = KernelAssembly::take(image(name));
    ASSERT_TRUE(cubin) << name;
    EXPECT_EQ(*cubin,
              "stand-in cubin\n.target sm_90a\n// " + std::string(name));
    EXPECT_FALSE(KernelAssembly::take(image(name))) << name;
  }
  EXPECT_EQ(assembler.log(), "-arch=sm_90a -o\n-arch=sm_90a -o\n");
}

TEST_F(KernelAssemblyTest, LeavesAKernelThatIsAloneToTheDriver) {
  const Assembler assembler(makesCubin);
  KernelAssembly assembly(0);
  assembly.begin(image("alone"));
  EXPECT_FALSE(KernelAssembly::take(image("alone")));
  EXPECT_EQ(assembler.log(), "");
}

TEST_F(KernelAssemblyTest, WaitsForAProcessThatRuns) {
  const Assembler assembler(std::string("sleep 0.3; ") + makesCubin);
  KernelAssembly assembly(0);
  assembly.begin(image("slow"));
  assembly.begin(image("slower"));
  awaitTwo(assembler);
  EXPECT_TRUE(KernelAssembly::take(image("slow")));
  EXPECT_TRUE(KernelAssembly::take(image("slower")));
}

TEST_F(KernelAssemblyTest, GivesNothingOfAProgramThatIsGone) {
  const Assembler assembler(makesCubin);
  {
    KernelAssembly assembly(0);
    assembly.begin(image("gone"));
    assembly.begin(image("gone as well"));
  }
  EXPECT_FALSE(KernelAssembly::take(image("gone")));
  EXPECT_FALSE(KernelAssembly::take(image("gone as well")));
}

TEST_F(KernelAssemblyTest, GivesAnEmptyCubinOfWhatTheAssemblerRefuses) {
  const Assembler assembler("exit 1");
  KernelAssembly assembly(0);
  assembly.begin(image("refused"));
  assembly.begin(image("refused as well"));
  awaitTwo(assembler);
  EXPECT_EQ(KernelAssembly::take(image("refused")), "");
}

} // namespace
