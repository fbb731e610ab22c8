//===- Convolutions.cpp - Convolutions that a library computes ------------===//

#include "Convolutions.h"
#include "CuDNN.h"
#include "LibraryCalls.h"
#include "TC/Runtime/DType.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

using namespace tc::runtime;

namespace {
// CUDNN_DATA_*, CUDNN_TENSOR_*, CUDNN_*_MATH
constexpr int dataFloat = 0, dataHalf = 2, dataBFloat16 = 9;
constexpr int formatNCHW = 0, formatNHWC = 1;
constexpr int mathDefault = 0, mathTensorOp = 1, mathFMA = 3;
constexpr int crossCorrelation = 1;
// CUDNN_ACTIVATION_*, CUDNN_PROPAGATE_NAN
constexpr int activationRelu = 1, activationIdentity = 5, propagateNaN = 1;
// CUDNN_CONVOLUTION_FWD_ALGO_*: those that add up products. FFT and Winograd's
// transforms lose bits.
constexpr int algorithmGemm = 0, algorithmPrecomputedGemm = 1,
              lastProductAlgorithm = 2;

/// Two spatial dimensions at least, as the library has them, behind the batch
/// and the channels.
constexpr int leastSpatial = 2, mostRank = TC_MAX_SPATIAL + 2;

int typeOf(int32_t dtype) {
  return dtype == TC_DTYPE_BF16  ? dataBFloat16
         : dtype == TC_DTYPE_F16 ? dataHalf
                                 : dataFloat;
}

using ConvolutionKey = LibraryKey<26>;

ConvolutionKey keyOf(const tc_convolution &convolution,
                     const tc_convolution_operands &operands) {
  ConvolutionKey key{};
  size_t next = 0;
  auto add = [&](int64_t word) { key.words[next++] = word; };
  for (const int64_t word :
       {operands.batches, operands.channels, operands.filter_count,
        int64_t(convolution.workspace_bytes), convolution.groups,
        int64_t(convolution.flags) << 32 | int64_t(convolution.dtype) << 16 |
            int64_t(convolution.rank),
        int64_t(operands.bias != nullptr) << 1 |
            int64_t(operands.addend != nullptr)})
    add(word);
  for (int32_t dim = 0; dim < convolution.rank; ++dim)
    for (const int64_t word :
         {operands.image_sizes[dim], operands.window[dim],
          operands.result_sizes[dim], convolution.stride[dim],
          convolution.padding[dim], convolution.dilation[dim]})
      add(word);
  return key;
}

/// Sizes of the library's tensors and filters, in the order N, C, spatial, with
/// a spatial size of 1 ahead of a single one.
struct Sizes {
  int rank = 0;
  int values[mostRank] = {};
  bool fit = true; ///< in an int

  void add(int64_t value) {
    fit &= value <= std::numeric_limits<int>::max();
    values[rank++] = int(value);
  }
  static Sizes of(int64_t first, int64_t second, const int64_t *spatial,
                  int32_t count) {
    Sizes sizes;
    sizes.add(first);
    sizes.add(second);
    sizes.addSpatial(spatial, count, 1);
    return sizes;
  }
  void addSpatial(const int64_t *spatial, int32_t count, int64_t missing) {
    for (int32_t dim = count; dim < leastSpatial; ++dim)
      add(missing);
    for (int32_t dim = 0; dim < count; ++dim)
      add(spatial[dim]);
  }
  /// Elements from one index to the next in memory.
  Sizes strides(bool areChannelsLast) const {
    Sizes result;
    result.rank = rank;
    int64_t stride = 1;
    auto walk = [&](int dim) {
      result.values[dim] = int(stride);
      result.fit &= stride <= std::numeric_limits<int>::max();
      stride *= values[dim];
    };
    if (areChannelsLast)
      walk(1);
    for (int dim = rank - 1; dim >= 0; --dim)
      if (dim != 1 || !areChannelsLast)
        walk(dim);
    return result;
  }
};

/// One way of the library to compute a convolution. What it does not fuse, it
/// does to the result afterwards.
struct Candidate {
  int algorithm, mathType;
  bool isFused;
};

/// The library's descriptors of convolutions with one key, and the way that it
/// computes them.
class ConvolutionPlan {
public:
  explicit ConvolutionPlan(const CuDNN &library) : library(library) {}
  ~ConvolutionPlan();
  ConvolutionPlan(const ConvolutionPlan &) = delete;
  ConvolutionPlan &operator=(const ConvolutionPlan &) = delete;

  /// Fails with the name of the function that failed.
  CudnnStatus make(CudnnHandle handle, const tc_convolution &convolution,
                   const tc_convolution_operands &operands,
                   const char *&function);
  /// In the first call, drops the candidates that the library refuses.
  CudnnStatus run(CudnnHandle handle, const tc_convolution &convolution,
                  const tc_convolution_operands &operands,
                  const char *&function);

private:
  CudnnStatus makeTensors(const tc_convolution &convolution,
                          const tc_convolution_operands &operands);
  CudnnStatus makeConvolution(const tc_convolution &convolution);
  CudnnStatus choose(CudnnHandle handle, const tc_convolution &convolution,
                     const tc_convolution_operands &operands);
  CudnnStatus runCandidate(CudnnHandle handle,
                           const tc_convolution &convolution,
                           const tc_convolution_operands &operands,
                           const char *&function);
  CudnnStatus finish(CudnnHandle handle, const tc_convolution &convolution,
                     const tc_convolution_operands &operands,
                     const char *&function);

  const CuDNN &library;
  CudnnTensor images = nullptr, result = nullptr, bias = nullptr;
  CudnnFilter filters = nullptr;
  CudnnConvolution desc = nullptr;
  CudnnActivation activation = nullptr;
  std::vector<Candidate> candidates; ///< the best one first
  int mathType = -1;                 ///< that `desc` has
};

ConvolutionPlan::~ConvolutionPlan() {
  for (CudnnTensor tensor : {images, result, bias})
    if (tensor)
      library.cudnnDestroyTensorDescriptor(tensor);
  if (filters)
    library.cudnnDestroyFilterDescriptor(filters);
  if (desc)
    library.cudnnDestroyConvolutionDescriptor(desc);
  if (activation)
    library.cudnnDestroyActivationDescriptor(activation);
}

constexpr CudnnStatus badParameter = 2000, notSupported = 3000,
                      internalError = 4000;

/// Whether the library has no such kernel, and may have another one.
bool isRefusal(CudnnStatus status) {
  return status >= badParameter && status < internalError;
}

CudnnStatus
ConvolutionPlan::makeTensors(const tc_convolution &convolution,
                             const tc_convolution_operands &operands) {
  const bool last = convolution.flags & TC_CONVOLUTION_CHANNELS_LAST;
  const int type = typeOf(convolution.dtype);
  auto makeTensor = [&](CudnnTensor &tensor, const Sizes &sizes,
                        bool isLast) -> CudnnStatus {
    const Sizes strides = sizes.strides(isLast);
    if (!sizes.fit || !strides.fit)
      return notSupported;
    if (CudnnStatus status = library.cudnnCreateTensorDescriptor(&tensor))
      return status;
    return library.cudnnSetTensorNdDescriptor(tensor, type, sizes.rank,
                                              sizes.values, strides.values);
  };
  const int32_t rank = convolution.rank;
  const Sizes ofImages = Sizes::of(operands.batches, operands.channels,
                                   operands.image_sizes, rank),
              ofResult = Sizes::of(operands.batches, operands.filter_count,
                                   operands.result_sizes, rank),
              ofFilters = Sizes::of(operands.filter_count,
                                    operands.channels / convolution.groups,
                                    operands.window, rank);
  CudnnStatus status = makeTensor(images, ofImages, last);
  if (status == 0)
    status = makeTensor(result, ofResult, last);
  if (status == 0 && operands.bias) {
    const int64_t ones[TC_MAX_SPATIAL] = {1, 1, 1};
    status = makeTensor(bias, Sizes::of(1, operands.filter_count, ones, rank),
                        /*isLast=*/false);
  }
  if (status == 0)
    status = library.cudnnCreateFilterDescriptor(&filters);
  if (status == 0)
    status = library.cudnnSetFilterNdDescriptor(
        filters, type, last ? formatNHWC : formatNCHW, ofFilters.rank,
        ofFilters.values);
  return status;
}

CudnnStatus
ConvolutionPlan::makeConvolution(const tc_convolution &convolution) {
  Sizes padding, stride, dilation;
  padding.addSpatial(convolution.padding, convolution.rank, 0);
  stride.addSpatial(convolution.stride, convolution.rank, 1);
  dilation.addSpatial(convolution.dilation, convolution.rank, 1);
  CudnnStatus status = library.cudnnCreateConvolutionDescriptor(&desc);
  if (status == 0)
    status = library.cudnnSetConvolutionNdDescriptor(
        desc, padding.rank, padding.values, stride.values, dilation.values,
        crossCorrelation, dataFloat);
  if (status == 0)
    status =
        library.cudnnSetConvolutionGroupCount(desc, int(convolution.groups));
  // Before the library is asked: by default it rounds f32 to tf32.
  mathType = convolution.dtype == TC_DTYPE_F32 ? mathFMA : mathTensorOp;
  if (status == 0)
    status = library.cudnnSetConvolutionMathType(desc, mathType);
  if (status == 0)
    status = library.cudnnCreateActivationDescriptor(&activation);
  if (status == 0)
    status = library.cudnnSetActivationDescriptor(
        activation,
        convolution.flags & TC_CONVOLUTION_RELU ? activationRelu
                                                : activationIdentity,
        propagateNaN, /*coefficient=*/0);
  return status;
}

/// The library's algorithms that the workspace is enough for, from the one that
/// it takes to be the fastest. With a bias, first those fused with it: without
/// relu the library has one.
CudnnStatus ConvolutionPlan::choose(CudnnHandle handle,
                                    const tc_convolution &convolution,
                                    const tc_convolution_operands &operands) {
  constexpr int wanted = 8;
  CudnnAlgorithm found[wanted] = {};
  int count = 0;
  if (CudnnStatus status = library.cudnnGetConvolutionForwardAlgorithm_v7(
          handle, images, filters, desc, result, wanted, &count, found))
    return status;
  const bool hasRelu = convolution.flags & TC_CONVOLUTION_RELU;
  for (const bool isFused : {true, false})
    for (const CudnnAlgorithm &algorithm :
         std::span(found).first(size_t(std::clamp(count, 0, wanted)))) {
      const bool isUsable = algorithm.status == 0 &&
                            algorithm.algorithm >= algorithmGemm &&
                            algorithm.algorithm <= lastProductAlgorithm &&
                            algorithm.workspaceBytes <=
                                usableWorkspace(convolution.workspace_bytes);
      const bool mayFuse =
          operands.bias &&
          (hasRelu || algorithm.algorithm == algorithmPrecomputedGemm);
      if (!isUsable || (isFused && !mayFuse))
        continue;
      const bool isOfThreads = convolution.dtype == TC_DTYPE_F32;
      const int math = isOfThreads                         ? mathFMA
                       : algorithm.mathType == mathDefault ? mathDefault
                                                           : mathTensorOp;
      candidates.push_back({algorithm.algorithm, math, isFused});
    }
  return candidates.empty() ? notSupported : 0;
}

CudnnStatus ConvolutionPlan::make(CudnnHandle handle,
                                  const tc_convolution &convolution,
                                  const tc_convolution_operands &operands,
                                  const char *&function) {
  function = "cudnnSetTensorNdDescriptor";
  if (CudnnStatus status = makeTensors(convolution, operands))
    return status;
  function = "cudnnSetConvolutionNdDescriptor";
  if (CudnnStatus status = makeConvolution(convolution))
    return status;
  function = "cudnnGetConvolutionForwardAlgorithm_v7";
  return choose(handle, convolution, operands);
}

/// What the library has not fused.
CudnnStatus ConvolutionPlan::finish(CudnnHandle handle,
                                    const tc_convolution &convolution,
                                    const tc_convolution_operands &operands,
                                    const char *&function) {
  const float one = 1, zero = 0;
  function = "cudnnAddTensor";
  if (operands.addend)
    if (CudnnStatus status =
            library.cudnnAddTensor(handle, &one, result, operands.addend, &one,
                                   result, operands.result))
      return status;
  if (operands.bias)
    if (CudnnStatus status = library.cudnnAddTensor(
            handle, &one, bias, operands.bias, &one, result, operands.result))
      return status;
  if (!(convolution.flags & TC_CONVOLUTION_RELU))
    return 0;
  function = "cudnnActivationForward";
  return library.cudnnActivationForward(handle, activation, &one, result,
                                        operands.result, &zero, result,
                                        operands.result);
}

CudnnStatus ConvolutionPlan::runCandidate(
    CudnnHandle handle, const tc_convolution &convolution,
    const tc_convolution_operands &operands, const char *&function) {
  const Candidate &candidate = candidates.front();
  if (candidate.mathType != mathType) {
    function = "cudnnSetConvolutionMathType";
    if (CudnnStatus status =
            library.cudnnSetConvolutionMathType(desc, candidate.mathType))
      return status;
    mathType = candidate.mathType;
  }
  void *workspace = alignWorkspace(operands.workspace);
  const size_t workspaceBytes = usableWorkspace(convolution.workspace_bytes);
  const float zero = 0, addendFactor = operands.addend ? 1 : 0;
  if (candidate.isFused) {
    function = "cudnnConvolutionBiasActivationForward";
    return library.cudnnConvolutionBiasActivationForward(
        handle, &convolution.scale, images, operands.images, filters,
        operands.filters, desc, candidate.algorithm, workspace, workspaceBytes,
        &addendFactor, result,
        operands.addend ? operands.addend : operands.result, bias,
        operands.bias, activation, result, operands.result);
  }
  function = "cudnnConvolutionForward";
  if (CudnnStatus status = library.cudnnConvolutionForward(
          handle, &convolution.scale, images, operands.images, filters,
          operands.filters, desc, candidate.algorithm, workspace,
          workspaceBytes, &zero, result, operands.result))
    return status;
  return finish(handle, convolution, operands, function);
}

CudnnStatus ConvolutionPlan::run(CudnnHandle handle,
                                 const tc_convolution &convolution,
                                 const tc_convolution_operands &operands,
                                 const char *&function) {
  for (;;) {
    const CudnnStatus status =
        runCandidate(handle, convolution, operands, function);
    if (!isRefusal(status) || candidates.size() == 1)
      return status;
    candidates.erase(candidates.begin());
  }
}

struct KeyHash {
  size_t operator()(const ConvolutionKey &key) const { return key.hash(); }
};

/// The library's handle of a device, made at its first use, and the plans of
/// the calls on it. Never destroyed: a call may use them.
struct DeviceConvolutions {
  std::mutex mutex; ///< of everything
  CudnnHandle handle = nullptr;
  CudnnStatus status = 0;
  std::unordered_map<ConvolutionKey, std::unique_ptr<ConvolutionPlan>, KeyHash>
      plans;
};

DeviceConvolutions &convolutionsOf(const CUDADevice &device) {
  static auto &all = *new std::array<DeviceConvolutions, maxCUDADevices>();
  return all[size_t(device.index)];
}

/// "2x8x9x9 by 16x8x3x3 of bf16": channels as programs without channels_last
/// have them.
std::string describe(const tc_convolution &convolution,
                     const tc_convolution_operands &operands) {
  auto by = [&](int64_t first, int64_t second, const int64_t *spatial) {
    std::string text = std::to_string(first) + "x" + std::to_string(second);
    for (int32_t dim = 0; dim < convolution.rank; ++dim)
      text += "x" + std::to_string(spatial[dim]);
    return text;
  };
  std::string text =
      by(operands.batches, operands.channels, operands.image_sizes) + " by " +
      by(operands.filter_count, operands.channels / convolution.groups,
         operands.window);
  if (const auto dtype = dtypeFromABI(convolution.dtype))
    text += " of " + std::string(dtypeName(*dtype));
  return text;
}

bool isEmpty(const tc_convolution &convolution,
             const tc_convolution_operands &operands) {
  const auto results =
      std::span(operands.result_sizes).first(size_t(convolution.rank));
  return operands.batches <= 0 || operands.filter_count <= 0 ||
         std::ranges::any_of(results, [](int64_t size) { return size <= 0; });
}

Status failure(CUDADevice &device, const CuDNN &library,
               const tc_convolution &convolution,
               const tc_convolution_operands &operands, const char *function,
               CudnnStatus status) {
  if (!device.isUsable())
    return device.status();
  return Status(ErrorCode::Internal,
                std::string("cuDNN cannot compute '") + convolution.name +
                    "', " + describe(convolution, operands) + ": " + function +
                    " gives " + library.describe(status) +
                    "; compiled with libraries=none the program does not "
                    "need it");
}

/// The plan of the key of these operands, made where there is none.
Expected<ConvolutionPlan *> planOf(CUDADevice &device, const CuDNN &library,
                                   DeviceConvolutions &of,
                                   const tc_convolution &convolution,
                                   const tc_convolution_operands &operands) {
  const ConvolutionKey key = keyOf(convolution, operands);
  if (auto known = of.plans.find(key); known != of.plans.end())
    return known->second.get();
  auto plan = std::make_unique<ConvolutionPlan>(library);
  const char *function = nullptr;
  if (CudnnStatus status =
          plan->make(of.handle, convolution, operands, function))
    return failure(device, library, convolution, operands, function, status);
  // Of programs with ever new sizes, as many as fill a few MiB.
  constexpr size_t mostPlans = 16384;
  if (of.plans.size() == mostPlans)
    of.plans.clear();
  device.nameKernel(plan.get(), convolution.name);
  return (of.plans[key] = std::move(plan)).get();
}
} // namespace

Status tc::runtime::convolve(CUDADevice &device, CUstream stream,
                             const tc_convolution &convolution,
                             const tc_convolution_operands &operands) {
  if (isEmpty(convolution, operands))
    return Status::success();
  std::string reason;
  const CuDNN *library = CuDNN::get();
  if (!library) [[unlikely]] {
    CuDNN::get(&reason);
    return Status(ErrorCode::Unsupported,
                  std::string("the program has '") + convolution.name +
                      "' computed by cuDNN: " + reason +
                      "; put the library's folder into LD_LIBRARY_PATH, or "
                      "compile with libraries=none");
  }
  if (!device.isUsable()) [[unlikely]]
    return device.status();
  auto fail = [&](const char *function, CudnnStatus status) {
    return failure(device, *library, convolution, operands, function, status);
  };
  DeviceConvolutions &of = convolutionsOf(device);
  const std::lock_guard lock(of.mutex);
  if (!of.handle && of.status == 0) [[unlikely]]
    of.status = library->cudnnCreate(&of.handle);
  if (of.status != 0) [[unlikely]]
    return fail("cudnnCreate", of.status);
  if (CudnnStatus status = library->cudnnSetStream(of.handle, stream))
    return fail("cudnnSetStream", status);
  Expected<ConvolutionPlan *> plan =
      planOf(device, *library, of, convolution, operands);
  if (!plan.ok()) [[unlikely]]
    return plan.takeStatus();
  const LibraryLaunch launch(device, stream, convolution.name, *plan);
  const char *function = nullptr;
  const CudnnStatus status =
      (*plan)->run(of.handle, convolution, operands, function);
  return status == 0 ? Status::success() : fail(function, status);
}
