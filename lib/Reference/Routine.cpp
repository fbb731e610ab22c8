//===- Routine.cpp - Factorisations, transforms, selections ---------------===//
//
// Fourier transforms are summed by their definition. Factorisations are those
// of the runtime, which unit tests multiply together again; so are selections,
// as the C++ library defines what they make of equal elements.
//
//===----------------------------------------------------------------------===//

#include "Routine.h"
#include "TC/Dialect/TC/IR/RoutineSignature.h"
#include "TC/Runtime/Routines.h"
#include <cmath>

using namespace mlir;

namespace tc::reference {

/// out[j] = sum over i of in[i] exp(-+ 2 pi i j sqrt(-1) / n), of pairs of rows
/// of n numbers.
static void transformRow(const double *in, double *out, int64_t n,
                         bool inverse) {
  std::vector<double> cosines(n), sines(n);
  for (int64_t i = 0; i < n; ++i) {
    double angle = 2 * M_PI * double(i) / double(n);
    cosines[i] = std::cos(angle);
    sines[i] = inverse ? std::sin(angle) : -std::sin(angle);
  }
  for (int64_t j = 0; j < n; ++j) {
    double real = 0, imaginary = 0;
    for (int64_t i = 0; i < n; ++i) {
      int64_t angle = int64_t(__int128(i) * j % n);
      real += in[i] * cosines[angle] - in[n + i] * sines[angle];
      imaginary += in[i] * sines[angle] + in[n + i] * cosines[angle];
    }
    out[j] = real;
    out[n + j] = imaginary;
  }
}

FailureOr<Tensors> runRoutine(Operation *op, RoutineKind kind,
                              ArrayRef<Rows> operands, ArrayRef<Sizes64> sizes,
                              bool checked) {
  RoutineSignature signature = getRoutineSignature(kind);
  // m, n and k, as the signature names them.
  int64_t m = 1, n = 1, k = 1, inputs = 0, outputs = 0;
  for (auto [letters, matrix] : llvm::zip_equal(signature.operands, sizes))
    for (auto [letter, size] : llvm::zip_equal(letters, matrix))
      (letter == 'm' ? m : letter == 'n' ? n : k) = size;
  auto sizeOf = [&](char letter) {
    return letter == 'm'   ? m
           : letter == 'n' ? n
           : letter == 'k' ? k
                           : std::min(m, n);
  };
  Tensors results;
  SmallVector<int64_t> lengths;
  const Rows &first = operands.front();
  for (StringLiteral letters : signature.results) {
    Sizes64 shape = first.outerSizes;
    int64_t length = 1;
    for (char letter : letters) {
      shape.push_back(sizeOf(letter));
      length *= shape.back();
    }
    lengths.push_back(length);
    outputs += length;
    results.emplace_back(first.values.getElementType(), shape);
  }
  for (const Rows &operand : operands)
    inputs += operand.length;
  auto constant = [&](int64_t size) {
    return SizeExpr::constant(op->getContext(), size);
  };
  SizeExpr workspace =
      getRoutineWorkspace(kind, {constant(m), constant(n), constant(k)});
  std::vector<double> data(inputs + outputs + *workspace.getConstant());
  for (int64_t call = 0; call < first.count; ++call) {
    double *at = data.data();
    for (const Rows &operand : operands)
      at = std::copy_n(operand.values.data<double>() + call * operand.length,
                       operand.length, at);
    int64_t info = 0;
    if (kind == RoutineKind::FFT || kind == RoutineKind::InverseFFT)
      transformRow(data.data(), at, n, kind == RoutineKind::InverseFFT);
    else
      info = runtime::runRoutine(int32_t(kind), m, n, k, data.data());
    if (info != 0 && checked)
      return op->emitOpError()
             << "has a matrix that is singular, or not positive definite where "
                "that is asked for";
    for (auto [result, length] : llvm::zip_equal(results, lengths)) {
      std::copy_n(at, length, result.data<double>() + call * length);
      at += length;
    }
  }
  return results;
}

FailureOr<Tensors> evaluate(Evaluation &evaluation, RoutineOp op) {
  RoutineSignature signature = getRoutineSignature(op.getKind());
  SmallVector<Rows> operands;
  SmallVector<Sizes64> sizes;
  for (auto [operand, letters] :
       llvm::zip_equal(op.getOperands(), signature.operands)) {
    const Tensor &x = evaluation.get(operand);
    int64_t outer = x.getRank() - int64_t(letters.size());
    SmallVector<int64_t> inner;
    for (int64_t dim = outer; dim < x.getRank(); ++dim)
      inner.push_back(dim);
    operands.push_back(arrangeRows(x, inner));
    sizes.emplace_back(x.getSizes().drop_front(outer));
  }
  FailureOr<Tensors> results =
      runRoutine(op, op.getKind(), operands, sizes, op.getChecked());
  if (failed(results))
    return failure();
  for (Tensor &result : *results)
    result = evaluation.finish(result);
  return results;
}

} // namespace tc::reference
