//===- Factorizations.cpp - QR, singular values, eigenvalues --------------===//

#include "AtenTable.h"
#include "Matrices.h"
#include <algorithm>

using namespace mlir;
using namespace tc;

namespace tc::aten {

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

// Pattern: aten.linalg_qr(a) -> tc.routine qr a
static LogicalResult convertQR(AtenCall &call) {
  Value a = getMatrices(call, "A", /*isSquare=*/false);
  if (!a)
    return failure();
  StringRef mode = call.getString("mode");
  Sizes sizes = sizesOf(a);
  SizeExpr rows = sizes[sizes.size() - 2], columns = sizes.back();
  bool isWide = rows.min(columns) == rows;
  if (mode == "complete" && !isWide)
    return call.refuse("mode 'complete' of tall matrices");
  RoutineOp factors = runRoutine(call, RoutineKind::QR, a);
  if (mode == "r") {
    auto empty =
        EmptyOp::create(call.builder, call.location,
                        getTensorType({call.constant(0)}, elementOf(a)));
    return call.replace({empty, factors.getResult(1)});
  }
  return call.replace({factors.getResult(0), factors.getResult(1)});
}

/// U, S and V^T, of which a full U or V^T is refused where it is used.
static FailureOr<RoutineOp> factorSVD(AtenCall &call, Value a, bool isFull) {
  Sizes sizes = sizesOf(a);
  SizeExpr rows = sizes[sizes.size() - 2], columns = sizes.back();
  SizeExpr least = rows.min(columns);
  if (isFull && ((call.isResultUsed(0) && least != rows) ||
                 (call.isResultUsed(2) && least != columns)))
    return call.refuse("all singular vectors of matrices that are not square");
  return runRoutine(call, RoutineKind::SVD, a);
}

// Pattern: aten.linalg_svd(a) -> tc.routine svd a
static LogicalResult convertSVD(AtenCall &call) {
  Value a = getMatrices(call, "A", /*isSquare=*/false);
  if (!a)
    return failure();
  auto factors = factorSVD(call, a, call.getBool("full_matrices"));
  if (failed(factors))
    return failure();
  auto used = [&](unsigned index) {
    return call.isResultUsed(index) ? factors->getResult(index) : Value();
  };
  return call.replace({used(0), factors->getResult(1), used(2)});
}

// Pattern: aten.svd(a) -> tc.routine svd a, V the other way around
static LogicalResult convertOldSVD(AtenCall &call) {
  Value a = getMatrices(call, "self", /*isSquare=*/false);
  if (!a)
    return failure();
  if (!call.getBool("compute_uv") &&
      (call.isResultUsed(0) || call.isResultUsed(2)))
    return call.refuse("compute_uv=False and the vectors used");
  auto factors = factorSVD(call, a, !call.getBool("some"));
  if (failed(factors))
    return failure();
  Value u = call.isResultUsed(0) ? factors->getResult(0) : Value();
  Value v = call.isResultUsed(2)
                ? transposeMatrices(call, factors->getResult(2))
                : Value();
  return call.replace({u, factors->getResult(1), v});
}

// Pattern: aten.linalg_svdvals(a) -> tc.routine svd a
static LogicalResult convertSingularValues(AtenCall &call) {
  Value a = getMatrices(call, "A", /*isSquare=*/false);
  if (!a)
    return failure();
  return call.replace(runRoutine(call, RoutineKind::SVD, a).getResult(1));
}

// Pattern: aten.linalg_eigh(a) -> tc.routine eigh a
template <bool hasVectors> LogicalResult convertEigh(AtenCall &call) {
  bool isInternal = call.getTarget().contains("_linalg_eigh");
  Value a = getMatrices(call, isInternal ? "A" : "self", /*isSquare=*/true);
  if (!a)
    return failure();
  if (call.getString("UPLO").upper() == "U")
    a = transposeMatrices(call, a);
  RoutineOp factors = runRoutine(call, RoutineKind::Eigh, a);
  if (!hasVectors)
    return call.replace(factors.getResult(0));
  return call.replace({factors.getResult(0), factors.getResult(1)});
}

//===----------------------------------------------------------------------===//
// Pseudo-inverses and ranks
//===----------------------------------------------------------------------===//

/// The tensor `name` as a batch of matrices; null, with the call refused, where
/// PyTorch reads one triangle of them.
static Value getWholeMatrices(AtenCall &call, StringRef name) {
  if (call.hasArgument("hermitian") && call.getBool("hermitian")) {
    (void)call.refuse("hermitian=True, which reads one triangle");
    return {};
  }
  return getMatrices(call, name, /*isSquare=*/false);
}

/// The singular values below which those of `values` count as zero, as PyTorch
/// takes it from `atol` and `rtol`, or `rcond`.
static Value getCutoff(AtenCall &call, Value a, Value values,
                       std::optional<double> relative) {
  Sizes sizes = sizesOf(a);
  auto rows = sizes[sizes.size() - 2].getConstant(),
       columns = sizes.back().getConstant();
  double epsilon = elementOf(a).isF64() ? 0x1p-52 : 0x1p-23;
  if (!relative) {
    if (!rows || !columns) {
      (void)call.refuse("a default tolerance for matrices of symbolic sizes");
      return {};
    }
    relative = epsilon * double(std::max(*rows, *columns));
  }
  // Values descend along the last dimension.
  int64_t last = rankOf(values) - 1;
  Value largest = call.slice(values, last, call.constant(0), call.constant(1));
  return call.broadcast(call.binary<MulOp>(largest, *relative),
                        sizesOf(values));
}

/// `rcond`, or `rtol` without `atol`; nothing for the default.
static FailureOr<std::optional<double>> getRelative(AtenCall &call) {
  StringRef target = call.getTarget();
  if (target == "aten.linalg_pinv.default" || target == "aten.pinverse.default")
    return std::optional<double>(call.getReal("rcond"));
  if (!call.isNone("atol"))
    return call.refuse("an absolute tolerance");
  if (call.isNone("rtol"))
    return std::optional<double>();
  if (target.ends_with("tensor"))
    return call.refuse("a tolerance that is a tensor");
  return std::optional<double>(call.getReal("rtol"));
}

// Pattern: aten.linalg_pinv(a) -> V (1 / S) U^T of tc.routine svd a, without
// the smallest of S
static LogicalResult convertPseudoInverse(AtenCall &call) {
  Value a = getWholeMatrices(call, "self");
  if (!a)
    return failure();
  auto relative = getRelative(call);
  if (failed(relative))
    return failure();
  RoutineOp factors = runRoutine(call, RoutineKind::SVD, a);
  Value values = factors.getResult(1);
  Value cutoff = getCutoff(call, a, values, *relative);
  if (!cutoff)
    return failure();
  Value inverse =
      call.select(call.binary<GtOp>(values, cutoff),
                  call.unary<ReciprocalOp>(values), call.fill(0.0, values));
  Value v = transposeMatrices(call, factors.getResult(2));
  Value scaled = call.binary<MulOp>(
      v, call.spreadBack(inverse, rankOf(v) - 2, sizesOf(v)));
  return call.replace(multiplyMatrices(
      call, scaled, transposeMatrices(call, factors.getResult(0))));
}

// Pattern: aten.linalg_matrix_rank(a) -> the number of S of tc.routine svd a
// above the tolerance
static LogicalResult convertMatrixRank(AtenCall &call) {
  bool isSelf = call.getTarget().ends_with("float");
  Value a = getWholeMatrices(call, isSelf ? "self" : "input");
  if (!a)
    return failure();
  auto relative = getRelative(call);
  if (failed(relative))
    return failure();
  Value values = runRoutine(call, RoutineKind::SVD, a).getResult(1);
  Value cutoff = getCutoff(call, a, values, *relative);
  if (!cutoff)
    return failure();
  Value counted =
      call.cast(call.binary<GtOp>(values, cutoff), call.builder.getI64Type());
  return call.replace(
      call.reduce(ReductionKind::Sum, counted, rankOf(values) - 1));
}

void addFactorizations(AtenTable &table) {
  table.add({"linalg_qr.default"}, convertQR);
  table.add({"linalg_svd.default", "_linalg_svd.default"}, convertSVD);
  table.add({"svd.default"}, convertOldSVD);
  table.add({"linalg_svdvals.default"}, convertSingularValues);
  table.add({"linalg_eigh.default", "_linalg_eigh.default"}, convertEigh<true>);
  table.add({"linalg_eigvalsh.default"}, convertEigh<false>);
  table.add({"linalg_pinv.default", "linalg_pinv.atol_rtol_float",
             "linalg_pinv.atol_rtol_tensor", "pinverse.default"},
            convertPseudoInverse);
  table.add({"linalg_matrix_rank.atol_rtol_float",
             "linalg_matrix_rank.atol_rtol_tensor"},
            convertMatrixRank);
}

} // namespace tc::aten
