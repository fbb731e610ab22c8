//===- CuBLASLt.h - The functions of cuBLASLt -------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_CUBLASLT_H
#define TC_LIB_RUNTIME_CUBLASLT_H

#include "CUDADriver.h"
#include "TC/Runtime/Status.h"

namespace tc::runtime {

// The library's types, without its header.
using CublasStatus = int;
using CublasLtHandle = void *;
using CublasLtMatmulDesc = void *;
using CublasLtMatrixLayout = void *;
using CublasLtMatmulPreference = void *;

/// cublasLtMatmulAlgo_t: which of its kernels the library runs, and how.
struct CublasLtMatmulAlgo {
  uint64_t words[8];
};

/// cublasLtMatmulHeuristicResult_t.
struct CublasLtMatmulHeuristic {
  CublasLtMatmulAlgo algorithm;
  size_t workspaceBytes;
  CublasStatus state;
  float waves;
  int reserved[4];
};

/// The functions used of libcublasLt.so, by their names there.
struct CuBLASLt {
  CublasStatus (*cublasLtCreate)(CublasLtHandle *handle);
  const char *(*cublasLtGetStatusName)(CublasStatus status);
  size_t (*cublasLtGetVersion)();
  CublasStatus (*cublasLtMatmulDescCreate)(CublasLtMatmulDesc *desc,
                                           int computeType, int scaleType);
  CublasStatus (*cublasLtMatmulDescDestroy)(CublasLtMatmulDesc desc);
  CublasStatus (*cublasLtMatmulDescSetAttribute)(CublasLtMatmulDesc desc,
                                                 int attribute,
                                                 const void *value,
                                                 size_t bytes);
  CublasStatus (*cublasLtMatrixLayoutCreate)(CublasLtMatrixLayout *layout,
                                             int type, uint64_t rows,
                                             uint64_t columns, int64_t pitch);
  CublasStatus (*cublasLtMatrixLayoutDestroy)(CublasLtMatrixLayout layout);
  CublasStatus (*cublasLtMatrixLayoutSetAttribute)(CublasLtMatrixLayout layout,
                                                   int attribute,
                                                   const void *value,
                                                   size_t bytes);
  CublasStatus (*cublasLtMatmulPreferenceCreate)(
      CublasLtMatmulPreference *preference);
  CublasStatus (*cublasLtMatmulPreferenceDestroy)(
      CublasLtMatmulPreference preference);
  CublasStatus (*cublasLtMatmulPreferenceSetAttribute)(
      CublasLtMatmulPreference preference, int attribute, const void *value,
      size_t bytes);
  CublasStatus (*cublasLtMatmulAlgoGetHeuristic)(
      CublasLtHandle handle, CublasLtMatmulDesc desc, CublasLtMatrixLayout a,
      CublasLtMatrixLayout b, CublasLtMatrixLayout c, CublasLtMatrixLayout d,
      CublasLtMatmulPreference preference, int wanted,
      CublasLtMatmulHeuristic *results, int *found);
  CublasStatus (*cublasLtMatmul)(CublasLtHandle handle, CublasLtMatmulDesc desc,
                                 const void *alpha, const void *a,
                                 CublasLtMatrixLayout aLayout, const void *b,
                                 CublasLtMatrixLayout bLayout, const void *beta,
                                 const void *c, CublasLtMatrixLayout cLayout,
                                 void *d, CublasLtMatrixLayout dLayout,
                                 const CublasLtMatmulAlgo *algorithm,
                                 void *workspace, size_t workspaceBytes,
                                 CUstream stream);

  /// Opens the library, once: the one that the process has already, else the
  /// newest that the CUDA driver can be used with. Null when that fails, and
  /// then `reason`, if it is given, says why.
  static const CuBLASLt *get(std::string *reason = nullptr);

  /// "CUBLAS_STATUS_NOT_SUPPORTED (status 15)"
  std::string describe(CublasStatus status) const;
};

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_CUBLASLT_H
