//===- CuDNNOperands.h - What the stand-in's cuDNN computes ------*- C++
//-*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_CUDNNOPERANDS_H
#define TC_TEST_TARGET_CUDA_STANDIN_CUDNNOPERANDS_H

#include "LibraryElements.h"

#include <cstddef>
#include <string>

namespace standin {

constexpr int mostRank = 5;
// CUDNN_DATA_*
constexpr int dataFloat = 0, dataHalf = 2, dataBFloat16 = 9;

/// Sizes in the order N, C, spatial, and how far apart elements are.
struct Tensor {
  int type = 0, rank = 0;
  int64_t sizes[mostRank] = {}, strides[mostRank] = {};

  size_t elementBytes() const { return type == dataFloat ? 4 : 2; }
  Element element() const {
    return type == dataHalf       ? Element::F16
           : type == dataBFloat16 ? Element::BF16
                                  : Element::F32;
  }
  size_t bytes() const {
    int64_t last = 0;
    for (int dim = 0; dim < rank; ++dim)
      last += (sizes[dim] - 1) * strides[dim];
    return size_t(last + 1) * elementBytes();
  }
  size_t offset(const int64_t *at) const {
    int64_t element = 0;
    for (int dim = 0; dim < rank; ++dim)
      element += at[dim] * strides[dim];
    return size_t(element) * elementBytes();
  }
  std::string text() const {
    std::string result;
    for (int dim = 0; dim < rank; ++dim)
      result += (dim ? "x" : "") + std::to_string(sizes[dim]);
    return result + (strides[1] == 1 && sizes[1] > 1 ? " last" : "");
  }
};

struct Convolution {
  int rank = 0;
  int64_t padding[mostRank] = {}, stride[mostRank] = {},
          dilation[mostRank] = {};
  int64_t groups = 1;
  int math = 0;

  std::string text() const {
    std::string result = "padding";
    auto add = [&](const int64_t *numbers) {
      for (int dim = 0; dim < rank; ++dim)
        result += " " + std::to_string(numbers[dim]);
    };
    add(padding);
    result += ", stride";
    add(stride);
    result += ", dilation";
    add(dilation);
    return result + ", groups " + std::to_string(groups) + ", math " +
           std::to_string(math);
  }
};

/// What one call computes from.
struct Operands {
  const Tensor *images, *filters, *result, *bias;
  const char *imageData, *filterData, *biasData, *addendData;
  char *resultData;
  double scale, addendFactor;
  bool hasRelu;
};

/// Goes to the next place of `sizes`; false behind the last one.
inline bool advance(int64_t *at, const int64_t *sizes, int rank) {
  for (int dim = rank - 1; dim >= 0; --dim) {
    if (++at[dim] < sizes[dim])
      return true;
    at[dim] = 0;
  }
  return false;
}

inline double sumAt(const Convolution &convolution, const Operands &of,
                    const int64_t *place) {
  const int rank = of.images->rank;
  const int64_t perGroup = of.filters->sizes[1],
                group = place[1] / (of.filters->sizes[0] / convolution.groups);
  int64_t window[mostRank] = {};
  const int64_t *windowSizes = of.filters->sizes + 1; // behind the filters
  double sum = 0;
  do {
    int64_t image[mostRank] = {place[0], group * perGroup + window[0]},
            filter[mostRank] = {place[1], window[0]};
    bool isInside = true;
    for (int dim = 2; dim < rank; ++dim) {
      const int spatial = dim - 2;
      filter[dim] = window[dim - 1];
      image[dim] = place[dim] * convolution.stride[spatial] +
                   filter[dim] * convolution.dilation[spatial] -
                   convolution.padding[spatial];
      isInside &= image[dim] >= 0 && image[dim] < of.images->sizes[dim];
    }
    if (isInside)
      sum +=
          load(of.imageData + of.images->offset(image), of.images->element()) *
          load(of.filterData + of.filters->offset(filter),
               of.filters->element());
  } while (advance(window, windowSizes, rank - 1));
  return sum;
}

inline void convolve(const Convolution &convolution, const Operands &of) {
  int64_t place[mostRank] = {};
  do {
    double value = of.scale * sumAt(convolution, of, place);
    const size_t offset = of.result->offset(place);
    if (of.addendFactor != 0)
      value +=
          of.addendFactor * load(of.addendData + offset, of.result->element());
    if (of.biasData)
      value += load(of.biasData + size_t(place[1]) * of.bias->elementBytes(),
                    of.bias->element());
    if (of.hasRelu && value < 0)
      value = 0;
    store(of.resultData + offset, of.result->element(), float(value));
  } while (advance(place, of.result->sizes, of.result->rank));
}

} // namespace standin

#endif // TC_TEST_TARGET_CUDA_STANDIN_CUDNNOPERANDS_H
