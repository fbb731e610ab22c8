//===- CuDNN.cpp - libcudnn of the stand-in -------------------------------===//
//
// The functions of cuDNN that libTCRuntime looks up, on the memory of the
// stand-in driver, which logs the calls and injects errors (STAND_IN_FAIL).
// Convolutions are computed in f64, one element after the other, where kernels
// run.
//
//===----------------------------------------------------------------------===//

#include "CuDNNOperands.h"
#include "State.h"

#include <cstddef>
#include <span>

using namespace standin;

namespace {
constexpr int invalid = 2000, notSupported = 3000;

struct Handle {
  Context *context = nullptr;
  Stream *stream = nullptr;
};

struct Activation {
  int mode = 0;
};

/// cudnnConvolutionFwdAlgoPerf_t.
struct Algorithm {
  int algorithm, status;
  float time;
  size_t workspaceBytes;
  int determinism, math, reserved[3];
};

bool isInMemory(const void *address, const Tensor &tensor) {
  return name(reinterpret_cast<uint64_t>(address), tensor.bytes()) != "nothing";
}

/// Whether the result is as large as the images and the window make it.
bool fits(const Convolution &convolution, const Operands &of) {
  const int rank = of.images->rank;
  bool result =
      convolution.rank == rank - 2 && of.filters->rank == rank &&
      of.result->rank == rank &&
      of.images->sizes[1] == of.filters->sizes[1] * convolution.groups &&
      of.images->sizes[0] == of.result->sizes[0] &&
      of.filters->sizes[0] == of.result->sizes[1];
  for (int dim = 2; result && dim < rank; ++dim) {
    const int at = dim - 2;
    const int64_t window =
        (of.filters->sizes[dim] - 1) * convolution.dilation[at] + 1;
    result = of.result->sizes[dim] ==
             (of.images->sizes[dim] + 2 * convolution.padding[at] - window) /
                     convolution.stride[at] +
                 1;
  }
  return result;
}

std::string describe(const char *data, const Tensor &tensor) {
  return name(reinterpret_cast<uint64_t>(data)) + " " + tensor.text();
}

/// A forward convolution: logged, checked, and computed where kernels run.
int run(const char *function, const Handle &handle,
        const Convolution &convolution, const Operands &of, int algorithm,
        const void *workspace, size_t workspaceBytes) {
  if (handle.context != current() || checkStream(handle.stream))
    return invalid;
  const auto workspaceAddress = reinterpret_cast<uint64_t>(workspace);
  std::string text = describe(of.imageData, *of.images) + ", " +
                     describe(of.filterData, *of.filters) + ", " +
                     describe(of.resultData, *of.result) + ", " +
                     convolution.text() + ", algorithm " +
                     std::to_string(algorithm);
  if (of.biasData)
    text += ", bias " + name(reinterpret_cast<uint64_t>(of.biasData));
  if (of.addendFactor != 0)
    text += ", addend " + name(reinterpret_cast<uint64_t>(of.addendData));
  if (of.hasRelu)
    text += ", relu";
  if (workspaceBytes)
    text += ", workspace " + std::to_string(workspaceBytes);
  if (int error = record(function, text))
    return error;
  const bool isValid =
      fits(convolution, of) && isInMemory(of.imageData, *of.images) &&
      isInMemory(of.filterData, *of.filters) &&
      isInMemory(of.resultData, *of.result) &&
      (!of.biasData || isInMemory(of.biasData, *of.bias)) &&
      (of.addendFactor == 0 || isInMemory(of.addendData, *of.result)) &&
      (!workspaceBytes ||
       (workspaceAddress % 256 == 0 &&
        name(workspaceAddress, workspaceBytes) != "nothing"));
  if (!isValid)
    return invalid;
  ++current()->launches;
  if (kernelsRun())
    convolve(convolution, of);
  return success;
}

float factorAt(const void *factor) {
  float value;
  std::memcpy(&value, factor, sizeof(value));
  return value;
}

template <typename T> const T &as(void *desc) {
  return *static_cast<T *>(desc);
}
template <typename T> int make(void **desc) {
  *desc = new T();
  return success;
}
template <typename T> int destroy(void *desc) {
  delete static_cast<T *>(desc);
  return success;
}
} // namespace

extern "C" {

int cudnnCreate(void **handle) {
  *handle = new Handle{current()};
  return record("cudnnCreate");
}

int cudnnSetStream(void *handle, void *stream) {
  static_cast<Handle *>(handle)->stream = static_cast<Stream *>(stream);
  return success;
}

const char *cudnnGetErrorString(int status) {
  return status == invalid        ? "CUDNN_STATUS_BAD_PARAM"
         : status == notSupported ? "CUDNN_STATUS_NOT_SUPPORTED"
                                  : "CUDNN_STATUS_INTERNAL_ERROR";
}

int cudnnCreateTensorDescriptor(void **desc) { return make<Tensor>(desc); }
int cudnnDestroyTensorDescriptor(void *desc) { return destroy<Tensor>(desc); }
int cudnnCreateFilterDescriptor(void **desc) { return make<Tensor>(desc); }
int cudnnDestroyFilterDescriptor(void *desc) { return destroy<Tensor>(desc); }
int cudnnCreateConvolutionDescriptor(void **desc) {
  return make<Convolution>(desc);
}
int cudnnDestroyConvolutionDescriptor(void *desc) {
  return destroy<Convolution>(desc);
}
int cudnnCreateActivationDescriptor(void **desc) {
  return make<Activation>(desc);
}
int cudnnDestroyActivationDescriptor(void *desc) {
  return destroy<Activation>(desc);
}

int cudnnSetTensorNdDescriptor(void *desc, int type, int rank, const int *sizes,
                               const int *strides) {
  if (rank < 4 || rank > mostRank)
    return invalid;
  auto &of = *static_cast<Tensor *>(desc);
  of.type = type;
  of.rank = rank;
  for (int dim = 0; dim < rank; ++dim) {
    of.sizes[dim] = sizes[dim];
    of.strides[dim] = strides[dim];
  }
  return success;
}

int cudnnSetFilterNdDescriptor(void *desc, int type, int format, int rank,
                               const int *sizes) {
  if (rank < 4 || rank > mostRank || format < 0 || format > 1)
    return invalid;
  auto &of = *static_cast<Tensor *>(desc);
  of.type = type;
  of.rank = rank;
  int64_t stride = 1;
  auto walk = [&](int dim) {
    of.sizes[dim] = sizes[dim];
    of.strides[dim] = stride;
    stride *= sizes[dim];
  };
  if (format == 1)
    walk(1);
  for (int dim = rank - 1; dim >= 0; --dim)
    if (format == 0 || dim != 1)
      walk(dim);
  return success;
}

int cudnnSetConvolutionNdDescriptor(void *desc, int rank, const int *padding,
                                    const int *stride, const int *dilation,
                                    int mode, int computeType) {
  auto &of = *static_cast<Convolution *>(desc);
  of.rank = rank;
  for (int dim = 0; dim < rank; ++dim) {
    of.padding[dim] = padding[dim];
    of.stride[dim] = stride[dim];
    of.dilation[dim] = dilation[dim];
  }
  return rank >= 2 && rank <= 3 && mode == 1 && computeType == dataFloat
             ? success
             : invalid;
}

int cudnnSetConvolutionGroupCount(void *desc, int groups) {
  static_cast<Convolution *>(desc)->groups = groups;
  return success;
}

int cudnnSetConvolutionMathType(void *desc, int math) {
  static_cast<Convolution *>(desc)->math = math;
  return success;
}

int cudnnSetActivationDescriptor(void *desc, int mode, int, double) {
  static_cast<Activation *>(desc)->mode = mode;
  return success;
}

int cudnnGetConvolutionForwardAlgorithm_v7(void *, void *, void *,
                                           void *convolution, void *,
                                           int wanted, int *found,
                                           void *results) {
  // Winograd's first, which is not to be taken.
  const int math = as<Convolution>(convolution).math;
  const Algorithm all[] = {{6, success, 1, 0, 1, math, {}},
                           {1, success, 2, 4096, 1, math, {}},
                           {0, success, 3, 0, 1, math, {}}};
  *found = std::min<int>(wanted, std::size(all));
  std::memcpy(results, all, size_t(*found) * sizeof(Algorithm));
  return record("cudnnGetConvolutionForwardAlgorithm_v7");
}

int cudnnConvolutionForward(void *handle, const void *alpha, void *images,
                            const void *imageData, void *filters,
                            const void *filterData, void *convolution,
                            int algorithm, void *workspace,
                            size_t workspaceBytes, const void *, void *result,
                            void *resultData) {
  const Operands of{&as<Tensor>(images),
                    &as<Tensor>(filters),
                    &as<Tensor>(result),
                    nullptr,
                    static_cast<const char *>(imageData),
                    static_cast<const char *>(filterData),
                    nullptr,
                    nullptr,
                    static_cast<char *>(resultData),
                    factorAt(alpha),
                    0,
                    false};
  return run("cudnnConvolutionForward", as<Handle>(handle),
             as<Convolution>(convolution), of, algorithm, workspace,
             workspaceBytes);
}

int cudnnConvolutionBiasActivationForward(
    void *handle, const void *alpha, void *images, const void *imageData,
    void *filters, const void *filterData, void *convolution, int algorithm,
    void *workspace, size_t workspaceBytes, const void *addendFactor, void *,
    const void *addendData, void *bias, const void *biasData, void *activation,
    void *result, void *resultData) {
  const bool hasRelu = as<Activation>(activation).mode == 1;
  if (!biasData || (!hasRelu && algorithm != 1))
    return invalid;
  const Operands of{&as<Tensor>(images),
                    &as<Tensor>(filters),
                    &as<Tensor>(result),
                    &as<Tensor>(bias),
                    static_cast<const char *>(imageData),
                    static_cast<const char *>(filterData),
                    static_cast<const char *>(biasData),
                    static_cast<const char *>(addendData),
                    static_cast<char *>(resultData),
                    factorAt(alpha),
                    factorAt(addendFactor),
                    hasRelu};
  return run("cudnnConvolutionBiasActivationForward", as<Handle>(handle),
             as<Convolution>(convolution), of, algorithm, workspace,
             workspaceBytes);
}

int cudnnAddTensor(void *, const void *alpha, void *addend,
                   const void *addendData, const void *beta, void *result,
                   void *resultData) {
  const Tensor &of = as<Tensor>(addend), &to = as<Tensor>(result);
  if (int error = record("cudnnAddTensor", of.text()))
    return error;
  if (!kernelsRun())
    return success;
  int64_t place[mostRank] = {};
  do {
    int64_t from[mostRank] = {};
    for (int dim = 0; dim < to.rank; ++dim)
      from[dim] = of.sizes[dim] == 1 ? 0 : place[dim];
    char *at = static_cast<char *>(resultData) + to.offset(place);
    store(at, to.element(),
          float(factorAt(alpha) * load(static_cast<const char *>(addendData) +
                                           of.offset(from),
                                       of.element()) +
                factorAt(beta) * load(at, to.element())));
  } while (advance(place, to.sizes, to.rank));
  return success;
}

int cudnnActivationForward(void *, void *, const void *, void *, const void *,
                           const void *, void *result, void *resultData) {
  const Tensor &of = as<Tensor>(result);
  if (int error = record("cudnnActivationForward", of.text()))
    return error;
  if (!kernelsRun())
    return success;
  int64_t place[mostRank] = {};
  do {
    char *at = static_cast<char *>(resultData) + of.offset(place);
    const double value = load(at, of.element());
    store(at, of.element(), value < 0 ? 0.0f : float(value));
  } while (advance(place, of.sizes, of.rank));
  return success;
}

} // extern "C"
