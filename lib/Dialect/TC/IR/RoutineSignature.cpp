//===- RoutineSignature.cpp - Operands and results of routines ------------===//

#include "TC/Dialect/TC/IR/RoutineSignature.h"
#include "TypeInference.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;

RoutineSignature tc::getRoutineSignature(RoutineKind kind) {
  static constexpr StringLiteral square[] = {"nn"}, matrix[] = {"mn"},
                                 system[] = {"nn", "nk"}, pair[] = {"n", "n"},
                                 squareAndInfo[] = {"nn", ""},
                                 solution[] = {"nk"},
                                 solutionAndInfo[] = {"nk", ""},
                                 three[] = {"", "", ""}, qr[] = {"mp", "pn"},
                                 svd[] = {"mp", "p", "pn"},
                                 eigh[] = {"n", "nn"}, selected[] = {"n", "k"},
                                 positions[] = {"k"};
  switch (kind) {
  case RoutineKind::Cholesky:
  case RoutineKind::Inverse:
    return {square, squareAndInfo};
  case RoutineKind::Solve:
    return {system, solutionAndInfo};
  case RoutineKind::SolveLower:
  case RoutineKind::SolveUpper:
    return {system, solution};
  case RoutineKind::Determinant:
    return {square, three};
  case RoutineKind::QR:
    return {matrix, qr};
  case RoutineKind::SVD:
    return {matrix, svd};
  case RoutineKind::Eigh:
    return {square, eigh};
  case RoutineKind::FFT:
  case RoutineKind::InverseFFT:
    return {pair, pair};
  case RoutineKind::Largest:
  case RoutineKind::Smallest:
  case RoutineKind::LargestUnsorted:
  case RoutineKind::SmallestUnsorted:
    return {selected, positions};
  }
  llvm_unreachable("all routines are above");
}

SizeExpr RoutineSizes::count(StringRef letters) const {
  SizeExpr product = SizeExpr::constant(m.getContext(), 1);
  for (char letter : letters)
    product = product.mul(of(letter));
  return product;
}

std::optional<RoutineSizes>
tc::getRoutineSizes(MLIRContext *context, RoutineKind kind,
                    ArrayRef<Sizes> operands,
                    llvm::function_ref<void(const Twine &)> error) {
  RoutineSizes sizes;
  auto named = [&](char letter) -> SizeExpr & {
    return letter == 'm' ? sizes.m : letter == 'n' ? sizes.n : sizes.k;
  };
  for (auto [index, letters] :
       llvm::enumerate(getRoutineSignature(kind).operands)) {
    bool fits = operands[index].size() == letters.size();
    for (size_t dim = 0; fits && dim < letters.size(); ++dim) {
      SizeExpr &known = named(letters[dim]);
      if (!known)
        known = operands[index][dim];
      fits = known == operands[index][dim];
    }
    if (!fits) {
      error("expects operand " + Twine(index) + " to have sizes [" +
            llvm::join(llvm::map_range(
                           letters, [](char c) { return std::string(1, c); }),
                       ", ") +
            "] in its last dimensions, but they are " +
            formatSizes(operands[index]));
      return std::nullopt;
    }
  }
  for (SizeExpr *size : {&sizes.m, &sizes.n, &sizes.k})
    if (!*size)
      *size = SizeExpr::constant(context, 1);
  return sizes;
}

SizeExpr tc::getRoutineWorkspace(RoutineKind kind, const RoutineSizes &sizes) {
  SizeExpr one = SizeExpr::constant(sizes.n.getContext(), 1);
  SizeExpr wide = sizes.m.max(sizes.n);
  switch (kind) {
  case RoutineKind::Inverse:
  case RoutineKind::Solve:
  case RoutineKind::Determinant:
    return sizes.n.mul(sizes.n).add(1); // the factors
  case RoutineKind::QR:
    return sizes.m.mul(sizes.n).add(wide).add(1); // R below Q, a reflector
  case RoutineKind::SVD:
    return wide.mul(wide).mul(2).add(wide); // both sides, the norms
  case RoutineKind::Eigh:
    return sizes.n.mul(sizes.n).add(1); // the matrix becoming diagonal
  case RoutineKind::FFT:
  case RoutineKind::InverseFFT:
    // Bluestein's convolution: three complex rows of a power of two below 4 n,
    // the chirp and the row.
    return sizes.n.mul(28).add(8);
  case RoutineKind::Largest:
  case RoutineKind::Smallest:
  case RoutineKind::LargestUnsorted:
  case RoutineKind::SmallestUnsorted:
    return sizes.n; // the positions being ordered
  case RoutineKind::Cholesky:
  case RoutineKind::SolveLower:
  case RoutineKind::SolveUpper:
    return one;
  }
  llvm_unreachable("all routines are above");
}
