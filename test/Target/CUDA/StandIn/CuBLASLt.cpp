//===- CuBLASLt.cpp - libcublasLt of the stand-in -------------------------===//
//
// The functions of cuBLASLt that libTCRuntime looks up, on the memory of the
// stand-in driver, which logs the calls and injects errors (STAND_IN_FAIL).
// Products are computed in f64, one element after the other, where kernels run.
//
//===----------------------------------------------------------------------===//

#include "LibraryElements.h"
#include "State.h"

#include <cmath>

using namespace standin;

namespace {
constexpr int invalid = 7, notSupported = 15;
// CUDA_R_*
constexpr int realF32 = 0, realF16 = 2, realBF16 = 14;
// CUBLASLT_EPILOGUE_*
constexpr uint32_t relu = 2, bias = 4, gelu = 32;

Element elementOf(int type) {
  return type == realF16    ? Element::F16
         : type == realBF16 ? Element::BF16
                            : Element::F32;
}

struct Desc {
  int32_t transposeA = 0, transposeB = 0;
  uint32_t epilogue = 1;
  const char *bias = nullptr;
};

struct Layout {
  int type = 0;
  uint64_t rows = 0, columns = 0;
  int64_t pitch = 0, stride = 0;
  int32_t batches = 1;

  size_t elementBytes() const { return type == realF32 ? 4 : 2; }
  size_t bytes() const {
    const uint64_t matrix = (columns - 1) * uint64_t(pitch) + rows;
    return (uint64_t(batches - 1) * uint64_t(stride) + matrix) * elementBytes();
  }
  size_t offset(int64_t batch, uint64_t row, uint64_t column) const {
    return (uint64_t(batch * stride) + column * uint64_t(pitch) + row) *
           elementBytes();
  }
};

struct Preference {
  uint64_t workspaceBytes = 0;
  uint32_t schemes = 7;
  uint32_t alignments[4] = {256, 256, 256, 256};
};

double finish(double value, uint32_t epilogue) {
  if (epilogue & relu)
    return value < 0 ? 0 : value;
  if (epilogue & gelu)
    return 0.5 * value *
           (1 + std::tanh(0.7978845608028654 *
                          (value + 0.044715 * value * value * value)));
  return value;
}

void multiply(const Desc &desc, double alpha, const char *a,
              const Layout &aLayout, const char *b, const Layout &bLayout,
              char *d, const Layout &dLayout) {
  const uint64_t reduced = desc.transposeA ? aLayout.rows : aLayout.columns;
  for (int64_t batch = 0; batch < dLayout.batches; ++batch)
    for (uint64_t column = 0; column < dLayout.columns; ++column)
      for (uint64_t row = 0; row < dLayout.rows; ++row) {
        double sum = 0;
        for (uint64_t k = 0; k < reduced; ++k)
          sum += load(a + (desc.transposeA ? aLayout.offset(batch, k, row)
                                           : aLayout.offset(batch, row, k)),
                      elementOf(aLayout.type)) *
                 load(b + (desc.transposeB ? bLayout.offset(batch, column, k)
                                           : bLayout.offset(batch, k, column)),
                      elementOf(bLayout.type));
        sum *= alpha;
        if (desc.epilogue & bias)
          sum += load(desc.bias + row * dLayout.elementBytes(),
                      elementOf(dLayout.type));
        store(d + dLayout.offset(batch, row, column), elementOf(dLayout.type),
              float(finish(sum, desc.epilogue)));
      }
}

std::string describe(const void *address, const Layout &layout) {
  std::string text = name(reinterpret_cast<uint64_t>(address)) + " " +
                     std::to_string(layout.rows) + "x" +
                     std::to_string(layout.columns) + " pitch " +
                     std::to_string(layout.pitch);
  return layout.batches == 1
             ? text
             : text + " batch " + std::to_string(layout.batches) + " stride " +
                   std::to_string(layout.stride);
}

bool isInMemory(const void *address, const Layout &layout) {
  return layout.rows && layout.columns &&
         layout.pitch >= int64_t(layout.rows) &&
         name(reinterpret_cast<uint64_t>(address), layout.bytes()) != "nothing";
}

/// Sets a field of as many bytes.
template <typename T> int set(T &field, const void *value, size_t bytes) {
  if (bytes != sizeof(T))
    return invalid;
  std::memcpy(&field, value, bytes);
  return success;
}
} // namespace

extern "C" {

int cublasLtCreate(void **handle) {
  *handle = current();
  return record("cublasLtCreate");
}

const char *cublasLtGetStatusName(int status) {
  return status == 13             ? "CUBLAS_STATUS_EXECUTION_FAILED"
         : status == invalid      ? "CUBLAS_STATUS_INVALID_VALUE"
         : status == notSupported ? "CUBLAS_STATUS_NOT_SUPPORTED"
                                  : "CUBLAS_STATUS_INTERNAL_ERROR";
}

size_t cublasLtGetVersion() { return 120800; }

int cublasLtMatmulDescCreate(void **desc, int computeType, int scaleType) {
  *desc = new Desc();
  return computeType == 68 && scaleType == realF32 ? success : invalid;
}

int cublasLtMatmulDescDestroy(void *desc) {
  delete static_cast<Desc *>(desc);
  return success;
}

int cublasLtMatmulDescSetAttribute(void *desc, int attribute, const void *value,
                                   size_t bytes) {
  auto &of = *static_cast<Desc *>(desc);
  switch (attribute) {
  case 3:
    return set(of.transposeA, value, bytes);
  case 4:
    return set(of.transposeB, value, bytes);
  case 7:
    return set(of.epilogue, value, bytes);
  case 8:
    return set(of.bias, value, bytes);
  default:
    return invalid;
  }
}

int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows,
                               uint64_t columns, int64_t pitch) {
  *layout = new Layout{type, rows, columns, pitch};
  return type == realF32 || type == realF16 || type == realBF16 ? success
                                                                : notSupported;
}

int cublasLtMatrixLayoutDestroy(void *layout) {
  delete static_cast<Layout *>(layout);
  return success;
}

int cublasLtMatrixLayoutSetAttribute(void *layout, int attribute,
                                     const void *value, size_t bytes) {
  auto &of = *static_cast<Layout *>(layout);
  return attribute == 5   ? set(of.batches, value, bytes)
         : attribute == 6 ? set(of.stride, value, bytes)
                          : invalid;
}

int cublasLtMatmulPreferenceCreate(void **preference) {
  *preference = new Preference();
  return success;
}

int cublasLtMatmulPreferenceDestroy(void *preference) {
  delete static_cast<Preference *>(preference);
  return success;
}

int cublasLtMatmulPreferenceSetAttribute(void *preference, int attribute,
                                         const void *value, size_t bytes) {
  auto &of = *static_cast<Preference *>(preference);
  return attribute == 1   ? set(of.workspaceBytes, value, bytes)
         : attribute == 3 ? set(of.schemes, value, bytes)
         : attribute >= 5 && attribute <= 8
             ? set(of.alignments[attribute - 5], value, bytes)
             : invalid;
}

int cublasLtMatmulAlgoGetHeuristic(void *, void *, void *, void *, void *,
                                   void *, void *preference, int, void *result,
                                   int *found) {
  const auto &of = *static_cast<Preference *>(preference);
  std::memset(result, 0, 96);
  *found = 1;
  std::string text = "workspace " + std::to_string(of.workspaceBytes) +
                     ", schemes " + std::to_string(of.schemes) + ", alignments";
  for (const uint32_t alignment : of.alignments)
    text += " " + std::to_string(alignment);
  return record("cublasLtMatmulAlgoGetHeuristic", text);
}

int cublasLtMatmul(void *handle, void *desc, const void *alpha, const void *a,
                   void *aLayout, const void *b, void *bLayout, const void *,
                   const void *c, void *, void *d, void *dLayout, const void *,
                   void *workspace, size_t workspaceBytes, void *stream) {
  const auto &of = *static_cast<Desc *>(desc);
  const auto &layoutA = *static_cast<Layout *>(aLayout),
             &layoutB = *static_cast<Layout *>(bLayout),
             &layoutD = *static_cast<Layout *>(dLayout);
  if (handle != current() || checkStream(static_cast<Stream *>(stream)))
    return invalid;
  float factor;
  std::memcpy(&factor, alpha, sizeof(factor));
  const auto workspaceAddress = reinterpret_cast<uint64_t>(workspace);
  std::string text = describe(a, layoutA) + (of.transposeA ? " T" : "") + ", " +
                     describe(b, layoutB) + (of.transposeB ? " T" : "") + ", " +
                     describe(d, layoutD) + ", epilogue " +
                     std::to_string(of.epilogue);
  if (of.epilogue & bias)
    text += ", bias " + name(reinterpret_cast<uint64_t>(of.bias));
  if (workspaceBytes)
    text += ", workspace " + std::to_string(workspaceBytes);
  if (int error = record("cublasLtMatmul", text))
    return error;
  const bool isValid =
      c == d && isInMemory(a, layoutA) && isInMemory(b, layoutB) &&
      isInMemory(d, layoutD) &&
      (!(of.epilogue & bias) ||
       name(reinterpret_cast<uint64_t>(of.bias),
            layoutD.rows * layoutD.elementBytes()) != "nothing") &&
      (!workspaceBytes ||
       (workspaceAddress % 256 == 0 &&
        name(workspaceAddress, workspaceBytes) != "nothing"));
  if (!isValid)
    return invalid;
  ++current()->launches;
  if (kernelsRun())
    multiply(of, factor, static_cast<const char *>(a), layoutA,
             static_cast<const char *>(b), layoutB, static_cast<char *>(d),
             layoutD);
  return success;
}

} // extern "C"
