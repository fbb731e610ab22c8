//===- RoutineBounds.cpp - Bounds of transforms and factorisations --------===//

#include "RoutineBounds.h"
#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::fuzz;

/// Every element of a transformed row is off by no more than a few roundings of
/// the sum of the row's magnitudes, and the sum of its operands' bounds.
static ErrorVectors boundTransform(const AnalysedOp &op) {
  ErrorVectors errors = makeZeros(op);
  ArrayRef<int64_t> sizes = op.results[0].getSizes();
  int64_t length = sizes.back();
  double unit = 64 * 0x1p-53;
  for (int64_t start = 0; start < op.results[0].getElementCount();
       start += length) {
    double magnitude = 0, passed = 0;
    for (const Bounded &operand : op.operands)
      for (int64_t i = start; i < start + length; ++i) {
        magnitude += std::fabs(operand.value.floats()[i]);
        passed += operand.error[i];
      }
    for (auto [error, result] : llvm::zip_equal(errors, op.results))
      for (int64_t i = start; i < start + length; ++i)
        error[i] = unit * magnitude + passed +
                   getRounding(result.floats()[i], op.elementType());
  }
  // Between infinities and NaN the order of the sums decides.
  for (auto [error, result] : llvm::zip_equal(errors, op.results))
    for (size_t i = 0; i < error.size(); ++i)
      if (!std::isfinite(result.floats()[i]) || std::isnan(error[i]))
        error[i] = HUGE_VAL;
  return errors;
}

ErrorVectors tc::fuzz::boundRoutine(const AnalysedOp &op) {
  RoutineKind kind = cast<RoutineOp>(op.op).getKind();
  if (kind == RoutineKind::FFT || kind == RoutineKind::InverseFFT)
    return boundTransform(op);
  bool isSelection = cast<RoutineOp>(op.op).isSelection();
  // How a factorisation passes errors on depends on the matrix; of an exact one
  // only the result is rounded.
  bool isExact = llvm::all_of(
      op.operands, [](const Bounded &operand) { return operand.isExact(); });
  ErrorVectors errors = makeZeros(op);
  for (auto [error, result] : llvm::zip_equal(errors, op.results))
    for (size_t i = 0; i < error.size(); ++i)
      error[i] = !isExact ? HUGE_VAL
                 : isSelection
                     ? 0
                     : getRounding(result.floats()[i], op.elementType());
  return errors;
}
