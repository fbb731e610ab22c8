//===- CuDNN.h - The functions of cuDNN -------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUDNN_H
#define TC_LIB_RUNTIME_CUDNN_H

#include "CUDADriver.h"
#include "TC/Runtime/Status.h"

namespace tc::runtime {

// The library's types, without its header.
using CudnnStatus = int;
using CudnnHandle = void *;
using CudnnTensor = void *;
using CudnnFilter = void *;
using CudnnConvolution = void *;
using CudnnActivation = void *;

/// cudnnConvolutionFwdAlgoPerf_t: one of its algorithms, as it estimates it.
struct CudnnAlgorithm {
  int algorithm;
  CudnnStatus status;
  float time;
  size_t workspaceBytes;
  int determinism;
  int mathType;
  int reserved[3];
};

/// The functions used of libcudnn.so, by their names there.
struct CuDNN {
  CudnnStatus (*cudnnCreate)(CudnnHandle *handle);
  CudnnStatus (*cudnnSetStream)(CudnnHandle handle, CUstream stream);
  const char *(*cudnnGetErrorString)(CudnnStatus status);
  CudnnStatus (*cudnnCreateTensorDescriptor)(CudnnTensor *tensor);
  CudnnStatus (*cudnnDestroyTensorDescriptor)(CudnnTensor tensor);
  CudnnStatus (*cudnnSetTensorNdDescriptor)(CudnnTensor tensor, int type,
                                            int rank, const int *sizes,
                                            const int *strides);
  CudnnStatus (*cudnnCreateFilterDescriptor)(CudnnFilter *filter);
  CudnnStatus (*cudnnDestroyFilterDescriptor)(CudnnFilter filter);
  CudnnStatus (*cudnnSetFilterNdDescriptor)(CudnnFilter filter, int type,
                                            int format, int rank,
                                            const int *sizes);
  CudnnStatus (*cudnnCreateConvolutionDescriptor)(
      CudnnConvolution *convolution);
  CudnnStatus (*cudnnDestroyConvolutionDescriptor)(
      CudnnConvolution convolution);
  CudnnStatus (*cudnnSetConvolutionNdDescriptor)(CudnnConvolution convolution,
                                                 int rank, const int *padding,
                                                 const int *stride,
                                                 const int *dilation, int mode,
                                                 int computeType);
  CudnnStatus (*cudnnSetConvolutionGroupCount)(CudnnConvolution convolution,
                                               int groups);
  CudnnStatus (*cudnnSetConvolutionMathType)(CudnnConvolution convolution,
                                             int mathType);
  CudnnStatus (*cudnnCreateActivationDescriptor)(CudnnActivation *activation);
  CudnnStatus (*cudnnDestroyActivationDescriptor)(CudnnActivation activation);
  CudnnStatus (*cudnnSetActivationDescriptor)(CudnnActivation activation,
                                              int mode, int nanPropagation,
                                              double coefficient);
  CudnnStatus (*cudnnGetConvolutionForwardAlgorithm_v7)(
      CudnnHandle handle, CudnnTensor images, CudnnFilter filters,
      CudnnConvolution convolution, CudnnTensor result, int wanted, int *found,
      CudnnAlgorithm *algorithms);
  CudnnStatus (*cudnnConvolutionForward)(
      CudnnHandle handle, const void *alpha, CudnnTensor imagesTensor,
      const void *images, CudnnFilter filtersFilter, const void *filters,
      CudnnConvolution convolution, int algorithm, void *workspace,
      size_t workspaceBytes, const void *beta, CudnnTensor resultTensor,
      void *result);
  CudnnStatus (*cudnnConvolutionBiasActivationForward)(
      CudnnHandle handle, const void *alpha, CudnnTensor imagesTensor,
      const void *images, CudnnFilter filtersFilter, const void *filters,
      CudnnConvolution convolution, int algorithm, void *workspace,
      size_t workspaceBytes, const void *addendFactor, CudnnTensor addendTensor,
      const void *addend, CudnnTensor biasTensor, const void *bias,
      CudnnActivation activation, CudnnTensor resultTensor, void *result);
  CudnnStatus (*cudnnAddTensor)(CudnnHandle handle, const void *alpha,
                                CudnnTensor addendTensor, const void *addend,
                                const void *beta, CudnnTensor resultTensor,
                                void *result);
  CudnnStatus (*cudnnActivationForward)(CudnnHandle handle,
                                        CudnnActivation activation,
                                        const void *alpha, CudnnTensor xTensor,
                                        const void *x, const void *beta,
                                        CudnnTensor yTensor, void *y);

  /// Opens the library, version 9, once: the one that the process has already,
  /// else the one that is found by its name. Null when that fails, and then
  /// `reason`, if it is given, says why.
  static const CuDNN *get(std::string *reason = nullptr);

  /// "CUDNN_STATUS_NOT_SUPPORTED (status 3000)"
  std::string describe(CudnnStatus status) const;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUDNN_H
