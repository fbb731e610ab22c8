//===- Routines.h - Factorisations, transforms, selections ------*- C++ -*-===//
//
// What `tc.routine` computes, on one matrix or row, in f64. Matrices are
// row-major. Sizes may be 0. Nothing here allocates, except that each thread
// keeps the roots of unity of its last Fourier transform.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ROUTINES_H
#define TC_RUNTIME_ROUTINES_H

#include <cstdint>

namespace tc::runtime {

/// Numbered as tc::RoutineKind.
enum class Routine : int32_t {
  Cholesky,
  Inverse,
  Solve,
  SolveLower,
  SolveUpper,
  Determinant,
  QR,
  SVD,
  Eigh,
  FFT,
  InverseFFT,
  Largest,
  Smallest,
  LargestUnsorted,
  SmallestUnsorted
};

/// tc_runtime_api::run_routine. A routine of an unknown number, with a
/// negative size, or that selects more elements than there are, does nothing
/// and returns -1.
int64_t runRoutine(int32_t routine, int64_t m, int64_t n, int64_t k,
                   double *data);

//===----------------------------------------------------------------------===//
// Matrices: A is n x n unless it is said otherwise. Those that return a number
// return 0, or the pivot, from 1, that is zero or, for cholesky, not positive.
//===----------------------------------------------------------------------===//

/// L with L L^T = A, of which the lower triangle is read.
int64_t cholesky(const double *a, double *l, int64_t n);
/// A^-1, by Gaussian elimination with partial pivoting. `factors` has n^2
/// numbers.
int64_t invert(const double *a, double *inverse, double *factors, int64_t n);
/// X (n x k) with A X = B.
int64_t solve(const double *a, const double *b, double *x, double *factors,
              int64_t n, int64_t k);
/// X (n x k) with A X = B, A a lower or an upper triangle.
void solveTriangle(const double *a, const double *b, double *x, int64_t n,
                   int64_t k, bool upper);
/// det A, its sign and ln |det A|.
void determinant(const double *a, double *result, double *sign,
                 double *logarithm, double *factors, int64_t n);
/// Q (m x p) and R (p x n) of A (m x n), p = min(m, n), by Householder's
/// reflections with the signs of LAPACK's dgeqrf. `work` has m n + max(m, n).
void factorQR(const double *a, double *q, double *r, double *work, int64_t m,
              int64_t n);
/// U (m x p), S (p, descending) and V^T (p x n) of A (m x n), p = min(m, n), by
/// one-sided Jacobi rotations (Hestenes 1958; Golub and Van Loan, Matrix
/// Computations, 8.6). `work` has 2 max(m, n)^2 + max(m, n).
void factorSVD(const double *a, double *u, double *s, double *vt, double *work,
               int64_t m, int64_t n);
/// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric A, of
/// which the lower triangle is read, by cyclic Jacobi rotations (Golub and Van
/// Loan, 8.5). `work` has n^2.
void factorEigh(const double *a, double *values, double *vectors, double *work,
                int64_t n);

/// The positions of the `k` largest or smallest of `n` values, k <= n, NaN as
/// largest, by the calls that PyTorch's CPU kernel of topk makes of the C++
/// library (aten/src/ATen/native/TopKImpl.h): which of equal values are
/// selected, and in which order, follows from those. `order` has n numbers.
void selectPositions(const double *values, double *positions, double *order,
                     int64_t n, int64_t k, bool largest, bool sorted);

} // namespace tc::runtime

#endif // TC_RUNTIME_ROUTINES_H
