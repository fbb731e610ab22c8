//===- Fourier.h - Fourier transforms ---------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_FOURIER_H
#define TC_RUNTIME_FOURIER_H

#include <cstdint>

namespace tc::runtime {

/// out[j] = sum over i of in[i] exp(-2 pi i j sqrt(-1) / n), or with +2 pi for
/// the inverse, which is not scaled. Stockham's method for factors up to 13,
/// Bluestein's (1970) for others. `work` has 28 n + 8.
void fourier(const double *real, const double *imaginary, double *outReal,
             double *outImaginary, double *work, int64_t n, bool inverse);

} // namespace tc::runtime

#endif // TC_RUNTIME_FOURIER_H
