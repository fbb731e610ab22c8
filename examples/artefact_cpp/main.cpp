// Loads an artefact and calls its function with inputs of several sizes.

#include "TC/Runtime/Artefact.h"

#include <array>
#include <cstdio>
#include <vector>

using namespace tc::runtime;

static int fail(const Status &status) {
  std::fprintf(stderr, "%s\n", status.toString().c_str());
  return 1;
}

/// Calls the function with rows of 0, 1, 2, 3 and prints each row of the
/// result.
static Status callWithRows(const Artefact &artefact, int64_t rows) {
  const std::array<int64_t, 2> sizes{rows, 4};
  std::vector<float> values;
  for (int64_t i = 0; i < rows * 4; ++i)
    values.push_back(float(i % 4));
  Expected<Tensor> input = Tensor::copyOf<float>(DType::F32, sizes, values);
  if (!input.ok())
    return input.takeStatus();
  Expected<std::vector<Tensor>> outputs = artefact.call(0, {&*input, 1});
  if (!outputs.ok())
    return outputs.takeStatus();
  const Tensor &result = outputs->front();
  std::printf("%s\n", result.typeString().c_str());
  const float *elements = result.dataAs<float>();
  for (int64_t i = 0; i < result.elementCount(); ++i)
    std::printf("%.4f%s", elements[i], i % 4 < 3 ? " " : "\n");
  return Status::success();
}

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: softmax FILE.tca\n");
    return 1;
  }
  Expected<std::unique_ptr<Artefact>> artefact = Artefact::load(argv[1], {});
  if (!artefact.ok())
    return fail(artefact.error());
  const ManifestFunction &function = (*artefact)->manifest().functions.front();
  std::printf("%s\n", function.signature().c_str());
  for (int64_t rows : {1, 2})
    if (Status status = callWithRows(**artefact, rows); !status.ok())
      return fail(status);
  return 0;
}
