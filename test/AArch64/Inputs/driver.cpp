//===- driver.cpp - Calls a function of a shared library ------------------===//
//
// driver LIBRARY FUNCTION OUTPUTS THREADS INPUT.npy... calls a compiled
// function, and writes its outputs to output-0.npy and so on.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/Call.h"
#include "TC/Runtime/Npy.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

using namespace tc::runtime;

static int fail(const std::string &message) {
  std::fprintf(stderr, "driver: %s\n", message.c_str());
  return 1;
}

int main(int argc, char **argv) {
  if (argc < 5)
    return fail("expected LIBRARY FUNCTION OUTPUTS THREADS INPUT.npy...");
  void *library = dlopen(argv[1], RTLD_NOW);
  if (!library)
    return fail(dlerror());
  auto function = reinterpret_cast<tc_function>(dlsym(library, argv[2]));
  if (!function)
    return fail(dlerror());
  ThreadPool::global().setThreadCount(unsigned(std::atoi(argv[4])));
  std::vector<Tensor> inputs;
  for (int i = 5; i < argc; ++i) {
    Expected<Tensor> input = readNpy(argv[i]);
    if (!input.ok())
      return fail(input.error().toString());
    inputs.push_back(std::move(*input));
  }
  auto outputs =
      Call(function).inputs(inputs).outputs(std::atoi(argv[3])).run();
  if (!outputs.ok())
    return fail(outputs.error().toString());
  for (size_t i = 0; i < outputs->size(); ++i) {
    Expected<Tensor> rowMajor = (*outputs)[i].contiguous();
    if (!rowMajor.ok())
      return fail(rowMajor.error().toString());
    std::string path = "output-" + std::to_string(i) + ".npy";
    if (Status status = writeNpy(path, *rowMajor); !status.ok())
      return fail(status.toString());
  }
  return 0;
}
