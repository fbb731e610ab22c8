//===- RoutinesTest.cpp - Factorisations multiplied together again --------===//

#include "TC/Runtime/Routines.h"
#include "TC/Runtime/Fourier.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <vector>

using namespace tc::runtime;

namespace {

using Numbers = std::vector<double>;

struct Matrix {
  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), numbers(size_t(rows * columns)) {}
  double &at(int64_t i, int64_t j) { return numbers[size_t(i * columns + j)]; }
  double at(int64_t i, int64_t j) const {
    return numbers[size_t(i * columns + j)];
  }
  double *data() { return numbers.data(); }
  Matrix transposed() const {
    Matrix result(columns, rows);
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < columns; ++j)
        result.at(j, i) = at(i, j);
    return result;
  }

  int64_t rows, columns;
  Numbers numbers;
};

Matrix operator*(const Matrix &a, const Matrix &b) {
  Matrix result(a.rows, b.columns);
  for (int64_t i = 0; i < a.rows; ++i)
    for (int64_t p = 0; p < a.columns; ++p)
      for (int64_t j = 0; j < b.columns; ++j)
        result.at(i, j) += a.at(i, p) * b.at(p, j);
  return result;
}

Matrix identity(int64_t n) {
  Matrix result(n, n);
  for (int64_t i = 0; i < n; ++i)
    result.at(i, i) = 1;
  return result;
}

Matrix random(int64_t rows, int64_t columns) {
  static std::mt19937 engine(0);
  std::uniform_real_distribution<double> distribution(-1, 1);
  Matrix result(rows, columns);
  for (double &number : result.numbers)
    number = distribution(engine);
  return result;
}

void expectClose(const Matrix &a, const Matrix &b, const char *what) {
  double worst = 0;
  for (size_t i = 0; i < a.numbers.size(); ++i)
    worst = std::max(worst, std::fabs(a.numbers[i] - b.numbers[i]));
  EXPECT_LT(worst, 1e-11) << what << " of " << a.rows << "x" << a.columns;
}

constexpr int64_t kSizes[] = {0, 1, 2, 3, 5, 8, 20};

// Every factorisation of a tall, wide or square matrix, of any rank, gives the
// matrix again, with orthogonal factors.
TEST(RoutinesTest, OrthogonalFactors) {
  for (int64_t m : kSizes)
    for (int64_t n : kSizes) {
      int64_t p = std::min(m, n), most = std::max(m, n);
      for (int64_t rank : {p, std::min<int64_t>(p, 1), int64_t(0)}) {
        Matrix a = random(m, rank) * random(rank, n);
        Matrix q(m, p), r(p, n), u(m, p), vt(p, n);
        Numbers s(p), work(size_t(2 * most * most + m * n + most));
        factorQR(a.data(), q.data(), r.data(), work.data(), m, n);
        expectClose(q * r, a, "Q R");
        expectClose(q.transposed() * q, identity(p), "Q");
        factorSVD(a.data(), u.data(), s.data(), vt.data(), work.data(), m, n);
        Matrix scaled = u;
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < p; ++j)
            scaled.at(i, j) *= s[size_t(j)];
        expectClose(scaled * vt, a, "U S V");
        expectClose(u.transposed() * u, identity(p), "U");
        expectClose(vt * vt.transposed(), identity(p), "V");
        EXPECT_TRUE(std::is_sorted(s.rbegin(), s.rend()));
      }
    }
}

// R has the signs that LAPACK gives it, so that it can be compared.
TEST(RoutinesTest, SignsOfQR) {
  Matrix a(2, 2), q(2, 2), r(2, 2);
  a.numbers = {3, 1, 4, 2};
  Numbers work(6);
  factorQR(a.data(), q.data(), r.data(), work.data(), 2, 2);
  EXPECT_NEAR(r.at(0, 0), -5, 1e-15);
  EXPECT_NEAR(r.at(0, 1), -2.2, 1e-15);
  EXPECT_NEAR(r.at(1, 1), 0.4, 1e-15);
}

// Systems, inverses and determinants of one matrix belong together.
TEST(RoutinesTest, SquareMatrices) {
  for (int64_t n : kSizes) {
    Matrix a = random(n, n), b = random(n, 3), x(n, 3), inverse(n, n);
    Numbers factors(size_t(n * n));
    EXPECT_EQ(invert(a.data(), inverse.data(), factors.data(), n), 0);
    expectClose(a * inverse, identity(n), "A times its inverse");
    EXPECT_EQ(solve(a.data(), b.data(), x.data(), factors.data(), n, 3), 0);
    expectClose(a * x, b, "A X");
    double det, sign, logarithm, other, unused;
    determinant(a.data(), &det, &sign, &logarithm, factors.data(), n);
    EXPECT_NEAR(sign * std::exp(logarithm), det,
                1e-12 * std::fabs(det) + 1e-300);
    determinant(inverse.data(), &other, &unused, &unused, factors.data(), n);
    EXPECT_NEAR(det * other, 1, 1e-9);
  }
}

// Symmetric matrices, of which one triangle is read.
TEST(RoutinesTest, SymmetricMatrices) {
  for (int64_t n : kSizes) {
    Matrix half = random(n, n), a = half * half.transposed();
    for (int64_t i = 0; i < n; ++i)
      a.at(i, i) += 1;
    Matrix lower = a;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = i + 1; j < n; ++j)
        lower.at(i, j) = NAN;
    Matrix l(n, n), vectors(n, n), x(n, 2), b = random(n, 2);
    Numbers values(size_t(n), 0), work(size_t(n * n));
    EXPECT_EQ(cholesky(lower.data(), l.data(), n), 0);
    expectClose(l * l.transposed(), a, "L times its transpose");
    solveTriangle(l.data(), b.data(), x.data(), n, 2, /*upper=*/false);
    expectClose(l * x, b, "L X");
    Matrix upper = l.transposed();
    solveTriangle(upper.data(), b.data(), x.data(), n, 2, /*upper=*/true);
    expectClose(upper * x, b, "U X");
    factorEigh(lower.data(), values.data(), vectors.data(), work.data(), n);
    Matrix scaled = vectors;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j)
        scaled.at(i, j) *= values[size_t(j)];
    expectClose(scaled * vectors.transposed(), a, "V W V^T");
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  }
}

// A routine without a result gives the pivot that failed; none loops on a NaN.
TEST(RoutinesTest, Failures) {
  Numbers data(400, 1);
  EXPECT_EQ(runRoutine(int32_t(Routine::Inverse), 1, 3, 1, data.data()), 2);
  EXPECT_EQ(data[18], 2);
  std::fill(data.begin(), data.end(), 1);
  EXPECT_EQ(runRoutine(int32_t(Routine::Cholesky), 1, 3, 1, data.data()), 2);
  EXPECT_EQ(data[18], 2);
  for (int32_t routine = 0; routine <= int32_t(Routine::SmallestUnsorted);
       ++routine) {
    std::fill(data.begin(), data.end(), NAN);
    runRoutine(routine, 4, 4, 2, data.data());
  }
  EXPECT_EQ(runRoutine(99, 1, 1, 1, data.data()), -1);
  EXPECT_EQ(runRoutine(0, 1, -1, 1, data.data()), -1);
  EXPECT_EQ(runRoutine(int32_t(Routine::Largest), 1, 2, 3, data.data()), -1);
}

// The k first of all elements in order, each once, NaN as largest, of rows with
// few distinct values and of any number of elements.
TEST(RoutinesTest, Selections) {
  std::mt19937 engine(5);
  for (int64_t n : {0, 1, 2, 5, 63, 64, 65, 200, 1000})
    for (int64_t k : {int64_t(0), std::min<int64_t>(n, 1), n / 64, n / 2, n})
      for (int32_t routine = int32_t(Routine::Largest);
           routine <= int32_t(Routine::SmallestUnsorted); ++routine) {
        const bool isLargest = Routine(routine) == Routine::Largest ||
                               Routine(routine) == Routine::LargestUnsorted;
        const bool isSorted = Routine(routine) == Routine::Largest ||
                              Routine(routine) == Routine::Smallest;
        Numbers data(size_t(2 * n + 2 * k));
        // NaN stands in the order where 9 does.
        Numbers order;
        for (int64_t i = 0; i < n; ++i) {
          order.push_back(double(engine() % 10));
          data[size_t(i)] = order.back() == 9 ? NAN : order.back();
        }
        ASSERT_EQ(runRoutine(routine, 1, n, k, data.data()), 0);
        Numbers selected;
        std::set<double> positions;
        for (int64_t i = 0; i < k; ++i) {
          double position = data[size_t(n + k + i)];
          positions.insert(position);
          selected.push_back(order.at(size_t(position)));
        }
        EXPECT_EQ(positions.size(), size_t(k));
        std::sort(order.begin(), order.end());
        if (isLargest)
          std::reverse(order.begin(), order.end());
        order.resize(size_t(k));
        if (!isSorted) {
          std::sort(order.begin(), order.end());
          std::sort(selected.begin(), selected.end());
        }
        EXPECT_EQ(selected, order) << n << " " << k << " " << routine;
      }
}

// Of equal elements those come first that PyTorch's kernel puts first.
TEST(RoutinesTest, SelectionsOfEqualElements) {
  Numbers data(2 * 8 + 2 * 3);
  ASSERT_EQ(runRoutine(int32_t(Routine::Largest), 1, 8, 3, data.data()), 0);
  EXPECT_EQ(Numbers(data.begin() + 11, data.begin() + 14), Numbers({6, 5, 4}));
}

// A transform of every length from 1 to 40, of powers, of primes and of large
// factors, against the definition; its inverse gives n times the row.
TEST(RoutinesTest, FourierTransforms) {
  std::vector<int64_t> lengths = {64, 97, 100, 169, 210, 400, 480, 512, 1009};
  for (int64_t n = 0; n <= 40; ++n)
    lengths.push_back(n);
  for (int64_t n : lengths) {
    Matrix x = random(2, n), y(2, n), back(2, n);
    Numbers work(size_t(28 * n + 8));
    double *real = x.data(), *imaginary = real + n, *out = y.data();
    fourier(real, imaginary, out, out + n, work.data(), n, false);
    Matrix expected(2, n);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t i = 0; i < n; ++i) {
        double angle = -2 * M_PI * double(i * j % n) / double(n);
        double c = std::cos(angle), s = std::sin(angle);
        expected.at(0, j) += x.at(0, i) * c - x.at(1, i) * s;
        expected.at(1, j) += x.at(0, i) * s + x.at(1, i) * c;
      }
    expectClose(y, expected, "the transform");
    fourier(out, out + n, back.data(), back.data() + n, work.data(), n, true);
    for (double &number : back.numbers)
      number /= double(n);
    expectClose(back, x, "the inverse");
  }
}

} // namespace
