//===- LinearAlgebra.cpp - inverses, determinants, linear systems ---------===//

#include "AtenTable.h"
#include "Matrices.h"
#include <cmath>

using namespace mlir;
using namespace tc;

namespace tc::aten {

/// `info` of a routine as PyTorch has it, in i32.
static Value castInfo(AtenCall &call, Value info) {
  return call.cast(info, call.builder.getI32Type());
}

/// Where the row is the column; i1 of the sizes of `x`.
static Value getDiagonal(AtenCall &call, Value x) {
  Sizes sizes = sizesOf(x);
  int64_t rank = sizes.size();
  return call.binary<EqOp>(call.iota(sizes, rank - 2),
                           call.iota(sizes, rank - 1));
}

//===----------------------------------------------------------------------===//
// Inverses and determinants
//===----------------------------------------------------------------------===//

// Pattern: aten.linalg_inv(a) -> tc.routine inverse a
template <bool isEx> LogicalResult convertInverse(AtenCall &call) {
  Value a = getMatrices(
      call,
      isEx || call.getTarget().ends_with("linalg_inv.default") ? "A" : "self",
      /*isSquare=*/true);
  if (!a)
    return failure();
  bool isChecked = !isEx || call.getBool("check_errors");
  RoutineOp inverse = runRoutine(call, RoutineKind::Inverse, a, isChecked);
  if (!isEx)
    return call.replace(inverse.getResult(0));
  return call.replace(
      {inverse.getResult(0), castInfo(call, inverse.getResult(1))});
}

enum class DeterminantForm { Value, Logarithm, SignAndLogarithm };

// Pattern: aten.linalg_det(a) -> tc.routine determinant a
template <DeterminantForm form>
LogicalResult convertDeterminant(AtenCall &call) {
  bool isLinalg = call.getTarget().contains("linalg");
  Value a = getMatrices(call, isLinalg ? "A" : "self", /*isSquare=*/true);
  if (!a)
    return failure();
  RoutineOp result = runRoutine(call, RoutineKind::Determinant, a);
  Value sign = result.getResult(1), logarithm = result.getResult(2);
  SmallVector<Value> values;
  switch (form) {
  case DeterminantForm::Value:
    values = {result.getResult(0)};
    break;
  case DeterminantForm::Logarithm: {
    Value isNegative = call.binary<LtOp>(sign, call.fill(0.0, sign));
    values = {
        call.select(isNegative, call.fill(std::nan(""), sign), logarithm)};
    break;
  }
  case DeterminantForm::SignAndLogarithm:
    values = {sign, logarithm};
  }
  // The factors, of the overloads that give them.
  for (unsigned index = values.size(); index < call.getResultCount(); ++index) {
    if (call.isResultUsed(index))
      return call.refuse("its factors used");
    values.push_back({});
  }
  return call.replace(values);
}

// Pattern: aten.matrix_power(a, n) -> products of the powers of two in n
static LogicalResult convertMatrixPower(AtenCall &call) {
  Value a = getMatrices(call, "self", /*isSquare=*/true);
  int64_t n = call.getInteger("n");
  if (!a || call.hasFailed())
    return failure();
  if (n < 0)
    a = runRoutine(call, RoutineKind::Inverse, a, /*isChecked=*/true)
            .getResult(0);
  if (n == 0)
    return call.replace(call.select(getDiagonal(call, a), call.fill(1.0, a),
                                    call.fill(0.0, a)));
  Value result;
  for (uint64_t rest = n < 0 ? -uint64_t(n) : uint64_t(n);;) {
    if (rest & 1)
      result = result ? multiplyMatrices(call, result, a) : a;
    if ((rest >>= 1) == 0)
      return call.replace(result);
    a = multiplyMatrices(call, a, a);
  }
}

//===----------------------------------------------------------------------===//
// Linear systems
//===----------------------------------------------------------------------===//

/// Gives both the same leading sizes.
static void broadcastBatches(AtenCall &call, Value &a, Value &b) {
  Sizes aSizes = sizesOf(a), bSizes = sizesOf(b);
  auto batchOf = [](const Sizes &sizes) {
    return ArrayRef<SizeExpr>(sizes).drop_back(2);
  };
  Sizes batch = broadcastSizes(batchOf(aSizes), batchOf(bSizes));
  auto spread = [&](Value x, const Sizes &sizes) {
    Sizes wanted = batch;
    wanted.append(sizes.end() - 2, sizes.end());
    return call.broadcast(x, wanted);
  };
  a = spread(a, aSizes);
  b = spread(b, bSizes);
}

/// Whether the right side of linalg.solve is a batch of vectors.
static bool isVectors(ArrayRef<SizeExpr> a, ArrayRef<SizeExpr> b) {
  return b.size() == 1 || (b.size() + 1 == a.size() && b == a.drop_back());
}

// Pattern: aten.linalg_solve(a, b) -> tc.routine solve a, b
template <bool isEx> LogicalResult convertSolve(AtenCall &call) {
  Value a = getMatrices(call, "A", /*isSquare=*/true), b = call.getTensor("B");
  if (!a || call.hasFailed())
    return failure();
  bool isLeft = call.getBool("left");
  bool isChecked = !isEx || call.getBool("check_errors");
  bool isVector = isVectors(sizesOf(a), sizesOf(b));
  if (isVector) {
    if (!isLeft)
      return call.refuse("left=False and vectors");
    Sizes sizes = sizesOf(b);
    sizes.push_back(call.constant(1));
    b = call.reshape(b, sizes);
  }
  if (!isLeft) {
    a = transposeMatrices(call, a);
    b = transposeMatrices(call, b);
  }
  broadcastBatches(call, a, b);
  RoutineOp solved = runRoutine(call, RoutineKind::Solve, {a, b}, isChecked);
  Value x = solved.getResult(0);
  if (!isLeft)
    x = transposeMatrices(call, x);
  if (isVector)
    x = call.reshape(x, ArrayRef<SizeExpr>(sizesOf(x)).drop_back());
  SmallVector<Value> values{x};
  // _linalg_solve_ex has the factors between the solution and info.
  for (unsigned index = 1; index + 1 < call.getResultCount(); ++index) {
    if (call.isResultUsed(index))
      return call.refuse("its factors used");
    values.push_back({});
  }
  if (isEx)
    values.push_back(castInfo(call, solved.getResult(1)));
  return call.replace(values);
}

/// X with A X = B, or X A = B without `isLeft`.
static Value solveTriangle(AtenCall &call, Value a, Value b, bool isUpper,
                           bool isLeft, bool hasUnits) {
  if (hasUnits)
    a = call.select(getDiagonal(call, a), call.fill(1.0, a), a);
  if (!isLeft) {
    a = transposeMatrices(call, a);
    b = transposeMatrices(call, b);
    isUpper = !isUpper;
  }
  broadcastBatches(call, a, b);
  Value x =
      runRoutine(call,
                 isUpper ? RoutineKind::SolveUpper : RoutineKind::SolveLower,
                 {a, b})
          .getResult(0);
  return isLeft ? x : transposeMatrices(call, x);
}

// Pattern: aten.linalg_solve_triangular(a, b) -> tc.routine solve_upper a, b
static LogicalResult convertSolveTriangular(AtenCall &call) {
  Value a = getMatrices(call, "self", /*isSquare=*/true);
  Value b = getMatrices(call, "B", /*isSquare=*/false);
  if (!a || !b)
    return failure();
  return call.replace(solveTriangle(call, a, b, call.getBool("upper"),
                                    call.getBool("left"),
                                    call.getBool("unitriangular")));
}

// Pattern: aten.triangular_solve(b, a) -> tc.routine solve_upper a, b
static LogicalResult convertOldTriangularSolve(AtenCall &call) {
  Value a = getMatrices(call, "A", /*isSquare=*/true);
  Value b = getMatrices(call, "self", /*isSquare=*/false);
  if (!a || !b)
    return failure();
  bool isTransposed = call.getBool("transpose");
  Value matrix = isTransposed ? transposeMatrices(call, a) : a;
  return call.replace(
      {solveTriangle(call, matrix, b, call.getBool("upper") != isTransposed,
                     /*isLeft=*/true, call.getBool("unitriangular")),
       a});
}

// Pattern: aten.linalg_cholesky(a) -> tc.routine cholesky a
template <bool isEx> LogicalResult convertCholesky(AtenCall &call) {
  Value a = getMatrices(call, "self", /*isSquare=*/true);
  if (!a)
    return failure();
  bool isUpper = call.getBool("upper");
  bool isChecked = !isEx || call.getBool("check_errors");
  RoutineOp factors =
      runRoutine(call, RoutineKind::Cholesky,
                 isUpper ? transposeMatrices(call, a) : a, isChecked);
  Value l = factors.getResult(0);
  if (isUpper)
    l = transposeMatrices(call, l);
  if (!isEx)
    return call.replace(l);
  return call.replace({l, castInfo(call, factors.getResult(1))});
}

/// X with L L^T X = B, or U^T U X = B.
static Value solveFactored(AtenCall &call, Value factor, Value b,
                           bool isUpper) {
  Value lower = isUpper ? transposeMatrices(call, factor) : factor;
  Value y = solveTriangle(call, lower, b, /*isUpper=*/false, /*isLeft=*/true,
                          /*hasUnits=*/false);
  return solveTriangle(call, transposeMatrices(call, lower), y,
                       /*isUpper=*/true,
                       /*isLeft=*/true, /*hasUnits=*/false);
}

// Pattern: aten.cholesky_solve(b, l) -> two tc.routine solve_lower, solve_upper
static LogicalResult convertCholeskySolve(AtenCall &call) {
  Value b = getMatrices(call, "self", /*isSquare=*/false);
  Value factor = getMatrices(call, "input2", /*isSquare=*/true);
  if (!b || !factor)
    return failure();
  return call.replace(solveFactored(call, factor, b, call.getBool("upper")));
}

// Pattern: aten.cholesky_inverse(l) -> cholesky_solve(identity, l)
static LogicalResult convertCholeskyInverse(AtenCall &call) {
  Value factor = getMatrices(call, "self", /*isSquare=*/true);
  if (!factor)
    return failure();
  Value identity = call.select(getDiagonal(call, factor),
                               call.fill(1.0, factor), call.fill(0.0, factor));
  return call.replace(
      solveFactored(call, factor, identity, call.getBool("upper")));
}

// Pattern: aten.linalg_multi_dot(xs) -> tc.contract of one after the other
static LogicalResult convertMultiDot(AtenCall &call) {
  SmallVector<Value> factors = call.getTensors("tensors");
  if (call.hasFailed() || factors.empty())
    return call.hasFailed() ? failure() : call.refuse("no tensors");
  Value product = factors.front();
  for (Value factor : ArrayRef(factors).drop_front()) {
    if (rankOf(product) > 2 || rankOf(factor) > 2 || rankOf(product) == 0 ||
        rankOf(factor) == 0)
      return call.refuse("tensors of these ranks");
    std::string rows = rankOf(product) == 2 ? "m" : "";
    std::string columns = rankOf(factor) == 2 ? "n" : "";
    product = call.contract(rows + "k,k" + columns + "->" + rows + columns,
                            product, factor);
  }
  return call.replace(product);
}

void addLinearAlgebra(AtenTable &table) {
  table.add({"linalg_inv.default", "inverse.default"}, convertInverse<false>);
  table.add({"linalg_inv_ex.default"}, convertInverse<true>);
  table.add({"linalg_det.default", "det.default", "_linalg_det.default"},
            convertDeterminant<DeterminantForm::Value>);
  table.add({"logdet.default"}, convertDeterminant<DeterminantForm::Logarithm>);
  table.add(
      {"linalg_slogdet.default", "slogdet.default", "_linalg_slogdet.default"},
      convertDeterminant<DeterminantForm::SignAndLogarithm>);
  table.add({"linalg_matrix_power.default", "matrix_power.default"},
            convertMatrixPower);
  table.add({"linalg_solve.default"}, convertSolve<false>);
  table.add({"linalg_solve_ex.default", "_linalg_solve_ex.default"},
            convertSolve<true>);
  table.add({"linalg_solve_triangular.default"}, convertSolveTriangular);
  table.add({"triangular_solve.default"}, convertOldTriangularSolve);
  table.add({"linalg_cholesky.default", "cholesky.default"},
            convertCholesky<false>);
  table.add({"linalg_cholesky_ex.default"}, convertCholesky<true>);
  table.add({"cholesky_solve.default"}, convertCholeskySolve);
  table.add({"cholesky_inverse.default"}, convertCholeskyInverse);
  table.add({"linalg_multi_dot.default"}, convertMultiDot);
}

} // namespace tc::aten
