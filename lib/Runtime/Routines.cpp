//===- Routines.cpp - Factorisations of matrices --------------------------===//

#include "TC/Runtime/Routines.h"
#include "TC/Runtime/Fourier.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tc::runtime {

int64_t cholesky(const double *a, double *l, int64_t n) {
  std::fill(l, l + n * n, 0.0);
  for (int64_t j = 0; j < n; ++j) {
    double pivot = a[j * n + j];
    for (int64_t p = 0; p < j; ++p)
      pivot -= l[j * n + p] * l[j * n + p];
    if (!(pivot > 0))
      return j + 1;
    const double root = l[j * n + j] = std::sqrt(pivot);
    for (int64_t i = j + 1; i < n; ++i) {
      double sum = a[i * n + j];
      for (int64_t p = 0; p < j; ++p)
        sum -= l[i * n + p] * l[j * n + p];
      l[i * n + j] = sum / root;
    }
  }
  return 0;
}

/// Eliminates below the diagonal of `lu`, with the rows of `right` (n x k)
/// alike; `sign` changes with every exchange of rows.
static int64_t eliminate(double *lu, int64_t n, double *right, int64_t k,
                         double &sign) {
  int64_t failed = 0;
  for (int64_t j = 0; j < n; ++j) {
    int64_t pivot = j;
    for (int64_t i = j + 1; i < n; ++i)
      if (std::fabs(lu[i * n + j]) > std::fabs(lu[pivot * n + j]))
        pivot = i;
    if (pivot != j) {
      std::swap_ranges(lu + j * n, lu + (j + 1) * n, lu + pivot * n);
      std::swap_ranges(right + j * k, right + (j + 1) * k, right + pivot * k);
      sign = -sign;
    }
    const double diagonal = lu[j * n + j];
    if (diagonal == 0) {
      if (failed == 0)
        failed = j + 1;
      continue;
    }
    for (int64_t i = j + 1; i < n; ++i) {
      const double factor = lu[i * n + j] / diagonal;
      lu[i * n + j] = 0;
      for (int64_t c = j + 1; c < n; ++c)
        lu[i * n + c] -= factor * lu[j * n + c];
      for (int64_t c = 0; c < k; ++c)
        right[i * k + c] -= factor * right[j * k + c];
    }
  }
  return failed;
}

void solveTriangle(const double *a, const double *b, double *x, int64_t n,
                   int64_t k, bool upper) {
  if (x != b)
    std::copy(b, b + n * k, x);
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    const int64_t begin = upper ? i + 1 : 0, end = upper ? n : i;
    for (int64_t p = begin; p < end; ++p)
      for (int64_t c = 0; c < k; ++c)
        x[i * k + c] -= a[i * n + p] * x[p * k + c];
    for (int64_t c = 0; c < k; ++c)
      x[i * k + c] /= a[i * n + i];
  }
}

int64_t solve(const double *a, const double *b, double *x, double *factors,
              int64_t n, int64_t k) {
  std::copy(a, a + n * n, factors);
  if (x != b)
    std::copy(b, b + n * k, x);
  double sign = 1;
  const int64_t failed = eliminate(factors, n, x, k, sign);
  solveTriangle(factors, x, x, n, k, /*upper=*/true);
  return failed;
}

int64_t invert(const double *a, double *inverse, double *factors, int64_t n) {
  std::fill(inverse, inverse + n * n, 0.0);
  for (int64_t i = 0; i < n; ++i)
    inverse[i * n + i] = 1;
  return solve(a, inverse, inverse, factors, n, n);
}

void determinant(const double *a, double *result, double *sign,
                 double *logarithm, double *factors, int64_t n) {
  std::copy(a, a + n * n, factors);
  double parity = 1, sum = 0;
  double nothing = 0;
  eliminate(factors, n, &nothing, 0, parity);
  double product = parity;
  for (int64_t i = 0; i < n; ++i) {
    const double diagonal = factors[i * n + i];
    product *= diagonal;
    sum += std::log(std::fabs(diagonal));
    if (diagonal == 0 || std::isnan(diagonal))
      parity = diagonal; // no sign
    else if (diagonal < 0)
      parity = -parity;
  }
  *result = product;
  *sign = parity;
  *logarithm = sum;
}

/// Applies the reflector that column j of `reflectors` (m x n) holds below the
/// diagonal, after a first element of 1, to the columns from `first` of
/// `matrix` (m x columns).
static void reflect(const double *reflectors, int64_t n, int64_t j,
                    double scale, double *matrix, int64_t columns,
                    int64_t first, int64_t m) {
  for (int64_t c = first; c < columns; ++c) {
    double sum = matrix[j * columns + c];
    for (int64_t i = j + 1; i < m; ++i)
      sum += reflectors[i * n + j] * matrix[i * columns + c];
    sum *= scale;
    matrix[j * columns + c] -= sum;
    for (int64_t i = j + 1; i < m; ++i)
      matrix[i * columns + c] -= sum * reflectors[i * n + j];
  }
}

void factorQR(const double *a, double *q, double *r, double *work, int64_t m,
              int64_t n) {
  const int64_t p = std::min(m, n);
  double *reduced = work, *scale = work + m * n;
  std::copy(a, a + m * n, reduced);
  // Column j below the diagonal becomes its reflector, whose first element is
  // 1 and not stored.
  for (int64_t j = 0; j < p; ++j) {
    double tail = 0;
    for (int64_t i = j + 1; i < m; ++i)
      tail = std::hypot(tail, reduced[i * n + j]);
    scale[j] = 0;
    if (tail == 0)
      continue;
    const double alpha = reduced[j * n + j];
    const double beta = -std::copysign(std::hypot(alpha, tail), alpha);
    scale[j] = (beta - alpha) / beta;
    for (int64_t i = j + 1; i < m; ++i)
      reduced[i * n + j] /= alpha - beta;
    reduced[j * n + j] = beta;
    reflect(reduced, n, j, scale[j], reduced, n, j + 1, m);
  }
  for (int64_t i = 0; i < p; ++i)
    for (int64_t c = 0; c < n; ++c)
      r[i * n + c] = c < i ? 0 : reduced[i * n + c];
  // Q is the product of the reflectors, applied to the identity from the last.
  for (int64_t i = 0; i < m; ++i)
    for (int64_t c = 0; c < p; ++c)
      q[i * p + c] = i == c;
  for (int64_t j = p - 1; j >= 0; --j)
    reflect(reduced, n, j, scale[j], q, p, j, m);
}

/// Cosine and sine of the rotation that makes an off-diagonal element `off`
/// between `first` and `second` zero.
static void findRotation(double first, double second, double off, double &c,
                         double &s) {
  const double zeta = (second - first) / (2 * off);
  const double t =
      std::copysign(1.0, zeta) / (std::fabs(zeta) + std::hypot(1.0, zeta));
  c = 1 / std::hypot(1.0, t);
  s = c * t;
}

/// Sweeps stop when nothing is left to rotate, as a rule after fewer than 10.
constexpr int kMaxSweeps = 60;

/// Rotates the rows of `g` (count x length), and those of `v` (count x count)
/// alike, until they are orthogonal.
static void makeOrthogonal(double *g, double *v, int64_t count,
                           int64_t length) {
  constexpr double kTolerance = 1e-16;
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMaxSweeps; ++sweep) {
    rotated = false;
    for (int64_t i = 0; i + 1 < count; ++i)
      for (int64_t j = i + 1; j < count; ++j) {
        double *x = g + i * length, *y = g + j * length;
        const double xx = std::inner_product(x, x + length, x, 0.0);
        const double yy = std::inner_product(y, y + length, y, 0.0);
        const double xy = std::inner_product(x, x + length, y, 0.0);
        // A NaN ends it.
        if (!(std::fabs(xy) > kTolerance * std::sqrt(xx * yy)) || xy == 0)
          continue;
        rotated = true;
        double c, s;
        findRotation(xx, yy, xy, c, s);
        auto rotate = [c, s](double *first, double *second, int64_t size) {
          for (int64_t e = 0; e < size; ++e) {
            const double before = first[e];
            first[e] = c * before - s * second[e];
            second[e] = s * before + c * second[e];
          }
        };
        rotate(x, y, length);
        rotate(v + i * count, v + j * count, count);
      }
  }
}

/// Makes the rows after the first `known` ones of `rows` (count x length,
/// count at most length) unit vectors orthogonal to all others.
static void completeBasis(double *rows, int64_t known, int64_t count,
                          int64_t length) {
  for (int64_t row = known; row < count; ++row) {
    double *x = rows + row * length;
    double square = 0;
    // What the axes have outside of the rows so far adds up to length - row in
    // squares, so one has at least its share; half of it is enough.
    for (int64_t axis = 0; axis < length && !(2 * square * double(length) >=
                                              double(length - row));
         ++axis) {
      std::fill(x, x + length, 0.0);
      x[axis] = 1;
      // Once more makes up for rounding (Parlett, The Symmetric Eigenvalue
      // Problem, 6.9: twice is enough).
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t other = 0; other < row; ++other) {
          const double *y = rows + other * length;
          const double along = std::inner_product(x, x + length, y, 0.0);
          for (int64_t e = 0; e < length; ++e)
            x[e] -= along * y[e];
        }
      square = std::inner_product(x, x + length, x, 0.0);
    }
    for (int64_t e = 0; e < length; ++e)
      x[e] /= std::sqrt(square);
  }
}

void factorSVD(const double *a, double *u, double *s, double *vt, double *work,
               int64_t m, int64_t n) {
  const bool wide = m < n;
  const int64_t p = std::min(m, n), length = std::max(m, n);
  // The rows of g are the columns of A, or its rows where it has fewer.
  double *g = work, *v = work + length * length, *norms = v + length * length;
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < length; ++j)
      g[i * length + j] = wide ? a[i * n + j] : a[j * n + i];
  for (int64_t i = 0; i < p; ++i)
    for (int64_t j = 0; j < p; ++j)
      v[i * p + j] = i == j;
  makeOrthogonal(g, v, p, length);
  for (int64_t i = 0; i < p; ++i) {
    const double *x = g + i * length;
    norms[i] = std::sqrt(std::inner_product(x, x + length, x, 0.0));
  }
  // Selection sort: its p^2 steps are few compared with the work above.
  for (int64_t i = 0; i < p; ++i) {
    const int64_t largest = std::max_element(norms + i, norms + p) - norms;
    std::swap(norms[i], norms[largest]);
    if (largest != i) {
      std::swap_ranges(g + i * length, g + (i + 1) * length,
                       g + largest * length);
      std::swap_ranges(v + i * p, v + (i + 1) * p, v + largest * p);
    }
    s[i] = norms[i];
  }
  const double least =
      p > 0 ? norms[0] * double(length) * std::numeric_limits<double>::epsilon()
            : 0;
  int64_t known = 0;
  while (known < p && !(norms[known] <= least)) {
    for (int64_t j = 0; j < length; ++j)
      g[known * length + j] /= norms[known];
    ++known;
  }
  completeBasis(g, known, p, length);
  for (int64_t i = 0; i < p; ++i) {
    for (int64_t j = 0; j < m; ++j)
      u[j * p + i] = wide ? v[i * p + j] : g[i * length + j];
    for (int64_t j = 0; j < n; ++j)
      vt[i * n + j] = wide ? g[i * length + j] : v[i * p + j];
  }
}

void factorEigh(const double *a, double *values, double *vectors, double *work,
                int64_t n) {
  auto at = [=](int64_t i, int64_t j) -> double & {
    return work[std::max(i, j) * n + std::min(i, j)];
  };
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      if (j <= i)
        at(i, j) = a[i * n + j];
      vectors[i * n + j] = i == j;
    }
  bool rotated = true;
  for (int sweep = 0; rotated && sweep < kMaxSweeps; ++sweep) {
    rotated = false;
    for (int64_t i = 0; i + 1 < n; ++i)
      for (int64_t j = i + 1; j < n; ++j) {
        const double off = at(i, j);
        const double size = std::fabs(at(i, i)) + std::fabs(at(j, j));
        if (!(size + std::fabs(off) != size)) {
          if (!std::isnan(off))
            at(i, j) = 0;
          continue;
        }
        rotated = true;
        double c, s;
        findRotation(at(i, i), at(j, j), off, c, s);
        const double first = at(i, i), second = at(j, j);
        at(i, i) = c * c * first - 2 * c * s * off + s * s * second;
        at(j, j) = s * s * first + 2 * c * s * off + c * c * second;
        at(i, j) = 0;
        for (int64_t e = 0; e < n; ++e) {
          if (e != i && e != j) {
            const double x = at(e, i), y = at(e, j);
            at(e, i) = c * x - s * y;
            at(e, j) = s * x + c * y;
          }
          const double x = vectors[e * n + i], y = vectors[e * n + j];
          vectors[e * n + i] = c * x - s * y;
          vectors[e * n + j] = s * x + c * y;
        }
      }
  }
  for (int64_t i = 0; i < n; ++i)
    values[i] = at(i, i);
  for (int64_t i = 0; i < n; ++i) {
    const int64_t least = std::min_element(values + i, values + n) - values;
    std::swap(values[i], values[least]);
    for (int64_t e = 0; least != i && e < n; ++e)
      std::swap(vectors[e * n + i], vectors[e * n + least]);
  }
}

void selectPositions(const double *values, double *positions, double *order,
                     int64_t n, int64_t k, bool largest, bool sorted) {
  if (k == 0)
    return;
  std::iota(order, order + n, 0.0);
  auto isFirst = [values, largest](double a, double b) {
    const double x = values[int64_t(a)], y = values[int64_t(b)];
    if (largest)
      return (std::isnan(x) && !std::isnan(y)) || x > y;
    return (!std::isnan(x) && std::isnan(y)) || x < y;
  };
  double *last = order + k - 1, *end = order + n;
  if (k * 64 <= n) {
    std::partial_sort(order, order + k, end, isFirst);
  } else {
    std::nth_element(order, last, end, isFirst);
    if (sorted)
      std::sort(order, last, isFirst);
  }
  std::copy(order, order + k, positions);
}

int64_t runRoutine(int32_t routine, int64_t m, int64_t n, int64_t k,
                   double *data) {
  if (m < 0 || n < 0 || k < 0)
    return -1;
  const int64_t p = std::min(m, n), square = n * n;
  switch (Routine(routine)) {
  case Routine::Cholesky: {
    const int64_t info = cholesky(data, data + square, n);
    data[2 * square] = double(info);
    return info;
  }
  case Routine::Inverse: {
    const int64_t info = invert(data, data + square, data + 2 * square + 1, n);
    data[2 * square] = double(info);
    return info;
  }
  case Routine::Solve: {
    double *x = data + square + n * k;
    const int64_t info = solve(data, data + square, x, x + n * k + 1, n, k);
    x[n * k] = double(info);
    return info;
  }
  case Routine::SolveLower:
  case Routine::SolveUpper:
    solveTriangle(data, data + square, data + square + n * k, n, k,
                  Routine(routine) == Routine::SolveUpper);
    return 0;
  case Routine::Determinant: {
    double *results = data + square;
    determinant(data, results, results + 1, results + 2, results + 3, n);
    return 0;
  }
  case Routine::QR: {
    double *q = data + m * n, *r = q + m * p;
    factorQR(data, q, r, r + p * n, m, n);
    return 0;
  }
  case Routine::SVD: {
    double *u = data + m * n, *s = u + m * p, *vt = s + p;
    factorSVD(data, u, s, vt, vt + p * n, m, n);
    return 0;
  }
  case Routine::Eigh: {
    double *values = data + square, *vectors = values + n;
    factorEigh(data, values, vectors, vectors + square, n);
    return 0;
  }
  case Routine::Largest:
  case Routine::Smallest:
  case Routine::LargestUnsorted:
  case Routine::SmallestUnsorted:
    // Between the values and the positions are k numbers that are not read.
    if (k > n)
      return -1;
    selectPositions(data, data + n + k, data + n + 2 * k, n, k,
                    Routine(routine) == Routine::Largest ||
                        Routine(routine) == Routine::LargestUnsorted,
                    Routine(routine) == Routine::Largest ||
                        Routine(routine) == Routine::Smallest);
    return 0;
  case Routine::FFT:
  case Routine::InverseFFT:
    fourier(data, data + n, data + 2 * n, data + 3 * n, data + 4 * n, n,
            Routine(routine) == Routine::InverseFFT);
    return 0;
  }
  return -1;
}

} // namespace tc::runtime
