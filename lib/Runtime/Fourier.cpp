//===- Fourier.cpp - Discrete Fourier transforms --------------------------===//

#include "TC/Runtime/Fourier.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

namespace tc::runtime {
namespace {

using Complex = std::complex<double>;

/// Larger prime factors are left to Bluestein's method.
constexpr int64_t kLargestFactor = 13;

/// exp(-2 pi sqrt(-1) j / n) for j from 0 to n - 1, kept until a thread needs
/// those of another n.
const Complex *getRoots(int64_t n) {
  thread_local std::vector<Complex> roots;
  if (int64_t(roots.size()) == n)
    return roots.data();
  roots.resize(size_t(n));
  for (int64_t j = 0; j < n; ++j) {
    // The angle from the nearest quarter turn, which is exact.
    const int64_t quarter = (4 * j + n / 2) / n;
    const double angle =
        -2 * M_PI * double(4 * j - quarter * n) / (4 * double(n));
    const double c = std::cos(angle), s = std::sin(angle);
    switch (quarter % 4) {
    case 0:
      roots[size_t(j)] = {c, s};
      break;
    case 1:
      roots[size_t(j)] = {s, -c};
      break;
    case 2:
      roots[size_t(j)] = {-c, -s};
      break;
    default:
      roots[size_t(j)] = {-s, c};
    }
  }
  return roots.data();
}

/// The smallest factor to divide `n` by next; 4 before 2.
int64_t findFactor(int64_t n) {
  if (n % 4 == 0)
    return 4;
  for (int64_t factor = 2; factor <= kLargestFactor; ++factor)
    if (n % factor == 0)
      return factor;
  return 0;
}

bool hasSmallFactors(int64_t n) {
  while (n > 1) {
    const int64_t factor = findFactor(n);
    if (factor == 0)
      return false;
    n /= factor;
  }
  return true;
}

/// One pass of Stockham's method: `length` = radix * count is what is still to
/// be transformed, in `stride` interleaved rows.
void pass(const Complex *in, Complex *out, int64_t radix, int64_t count,
          int64_t stride, const Complex *roots, int64_t n) {
  // The butterfly's roots have stride n / radix in `roots`, the twiddles' have
  // stride n / length.
  const int64_t between = n / radix, twiddle = n / (radix * count);
  for (int64_t k = 0; k < count; ++k)
    for (int64_t s = 0; s < radix; ++s) {
      const Complex rotation = roots[k * s * twiddle % n];
      Complex factors[kLargestFactor];
      for (int64_t q = 0; q < radix; ++q)
        factors[q] = roots[q * s % radix * between] * rotation;
      Complex *target = out + (k * radix + s) * stride;
      for (int64_t j = 0; j < stride; ++j) {
        double real = 0, imaginary = 0;
        for (int64_t q = 0; q < radix; ++q) {
          const Complex x = in[(q * count + k) * stride + j];
          real += x.real() * factors[q].real() - x.imag() * factors[q].imag();
          imaginary +=
              x.real() * factors[q].imag() + x.imag() * factors[q].real();
        }
        target[j] = {real, imaginary};
      }
    }
}

/// Transforms `x`, with `other` as room; returns which of them has the result.
Complex *stockham(Complex *x, Complex *other, int64_t n) {
  const Complex *roots = getRoots(n);
  for (int64_t stride = 1, rest = n; rest > 1;) {
    const int64_t radix = findFactor(rest);
    rest /= radix;
    pass(x, other, radix, rest, stride, roots, n);
    stride *= radix;
    std::swap(x, other);
  }
  return x;
}

/// A transform as a convolution with a chirp, of a power of two.
void bluestein(const Complex *x, Complex *out, Complex *work, int64_t n) {
  int64_t padded = 1;
  while (padded < 2 * n - 1)
    padded *= 2;
  Complex *a = work, *b = a + padded, *room = b + padded,
          *chirp = room + padded;
  const Complex *roots = getRoots(2 * n);
  for (int64_t i = 0; i < n; ++i)
    chirp[i] = roots[size_t(__int128(i) * i % (2 * n))];
  std::fill(a, a + 2 * padded, Complex());
  for (int64_t i = 0; i < n; ++i) {
    a[i] = x[i] * chirp[i];
    b[i] = b[i == 0 ? 0 : padded - i] = std::conj(chirp[i]);
  }
  Complex *spectrum = stockham(b, room, padded);
  Complex *free = spectrum == b ? room : b;
  Complex *first = stockham(a, free, padded);
  Complex *second = first == a ? free : a;
  // The inverse by conjugates.
  for (int64_t i = 0; i < padded; ++i)
    first[i] = std::conj(first[i] * spectrum[i]);
  Complex *result = stockham(first, second, padded);
  for (int64_t i = 0; i < n; ++i)
    out[i] = std::conj(result[i]) / double(padded) * chirp[i];
}

} // namespace

void fourier(const double *real, const double *imaginary, double *outReal,
             double *outImaginary, double *work, int64_t n, bool inverse) {
  if (n == 0)
    return;
  // Exchanging the parts before and after turns a transform into its inverse.
  if (inverse) {
    std::swap(real, imaginary);
    std::swap(outReal, outImaginary);
  }
  auto *x = reinterpret_cast<Complex *>(work);
  Complex *result = x;
  for (int64_t i = 0; i < n; ++i)
    x[i] = {real[i], imaginary[i]};
  if (hasSmallFactors(n))
    result = stockham(x, x + n, n);
  else
    bluestein(x, x, x + n, n);
  for (int64_t i = 0; i < n; ++i) {
    outReal[i] = result[i].real();
    outImaginary[i] = result[i].imag();
  }
}

} // namespace tc::runtime
