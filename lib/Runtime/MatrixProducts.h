//===- MatrixProducts.h - Products that a library computes ------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_MATRIXPRODUCTS_H
#define TC_LIB_RUNTIME_MATRIXPRODUCTS_H

#include "CUDADevice.h"

namespace tc::runtime {

/// See tc_runtime_api::multiply_matrices. The first call with new sizes asks
/// the library for an algorithm; later ones, of any program, find it without a
/// lock and allocate nothing. The device's context must be the thread's.
Status multiplyMatrices(CUDADevice &device, CUstream stream,
                        const tc_matrix_product &product,
                        const tc_matrices &matrices);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_MATRIXPRODUCTS_H
