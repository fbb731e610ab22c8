//===- LibraryProduct.h - Kernels that a library computes -------*- C++ -*-===//

#ifndef TC_ANALYSIS_LIBRARYPRODUCT_H
#define TC_ANALYSIS_LIBRARYPRODUCT_H

#include "TC/Analysis/MachineModel.h"
#include "llvm/Support/Error.h"

namespace tc {

/// Most rows of one operand of a product for which reading the other one is
/// what takes the time: TC's own rows multiply these, no library does.
inline constexpr double kFewProductRows = 16;

/// A kernel that is one product of matrices as libraries have it: D =
/// activation(scale * A * B + bias) for each point of its batch dimensions.
/// Matrices are column-major, and D is contiguous along its rows.
struct LibraryProduct {
  /// The call without workspace.
  LibraryScheduleAttr schedule;
  SizeExpr batches, rows, columns, reduced;
  MatrixAttr a, b, d;

  /// The product that the kernel is; the error says what it has that libraries
  /// have not.
  static llvm::Expected<LibraryProduct> find(KernelOp kernel);

  /// Estimated number of multiplications.
  double countMultiplications(KernelOp kernel) const;
  /// Whether one operand has so few rows, of which each is contiguous along
  /// the dimension that is folded, that reading the other one is what takes
  /// the time.
  bool hasFewRows(KernelOp kernel) const;
};

/// Whether the kernel is a product that a library of the target computes in
/// less time than TC's own code.
bool isProductForLibrary(KernelOp kernel, const MachineModel &machine);

/// Whether it is such a product, or such a convolution (LibraryConvolution.h).
bool isForLibrary(KernelOp kernel, const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_LIBRARYPRODUCT_H
