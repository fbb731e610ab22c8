//===- TensorCoreProduct.h - Products for tensor cores ----------*- C++ -*-===//

#ifndef TC_ANALYSIS_TENSORCOREPRODUCT_H
#define TC_ANALYSIS_TENSORCOREPRODUCT_H

#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/CopiedMatrix.h"
#include "TC/Analysis/MachineModel.h"
#include "llvm/Support/Error.h"

namespace tc {

/// A kernel whose contraction is a product of matrices of bf16, f16, floats of
/// 8 bits, or i8 that are widened to i32, or whose two contractions are
/// products of the same rows. Products of f32 are computed in the same tiles,
/// by threads and not by tensor cores. What is multiplied may be computed from
/// what is read, and what is done with the sums may be anything that needs no
/// other point.
struct TensorCoreProduct {
  /// One of what is multiplied.
  struct Operand {
    mlir::Value value; ///< as it is multiplied: of i8 before it is widened
    /// Whether neighbours in memory are neighbours along its own dimensions.
    bool isAcross;
    /// What it is in memory, where the copy engine may copy it.
    std::optional<CopiedMatrix> matrix;
    /// Whether the copy engine copies it, wherever it is.
    bool isCopied() const { return matrix && matrix->conditions.empty(); }
    /// Whether its boxes have channels under one point of a window each.
    bool hasWindowBoxes() const {
      return isAcross && matrix && matrix->window.has_value();
    }
  };

  ContractionRoles roles;
  Operand rows, lanes;
  /// The lanes' operand of a second product.
  std::optional<Operand> secondLanes;
  int64_t countProducts() const { return secondLanes ? 2 : 1; }
  /// Bytes of an element of what is multiplied, and elements of a step along
  /// what is summed over: 128 bytes.
  int64_t getElementBytes() const;
  int64_t getStepElements() const;
  /// Whether the tensor cores add with fewer bits than the sums have, and the
  /// contraction may not do so alone.
  bool needsPromotion() const;
  /// All that is multiplied.
  llvm::SmallVector<const Operand *> getOperands() const {
    llvm::SmallVector<const Operand *> operands = {&rows, &lanes};
    if (secondLanes)
      operands.push_back(&*secondLanes);
    return operands;
  }
  /// Whether threads load one of the operands, or may have to.
  bool mayLoad() const {
    return !llvm::all_of(getOperands(), [](const Operand *operand) {
      return operand->isCopied();
    });
  }
  /// Lanes of a stage that has `lanes` of a product to multiply, with `sharers`
  /// blocks that each copy a part: boxes are whole where the operand is
  /// contiguous along its lanes.
  int64_t getStageLanes(int64_t lanes, int64_t sharers) const;
  /// Of `count` points of an operand that the copy engine copies in boxes next
  /// to each other, those of the last box where it is not whole; 0 otherwise.
  int64_t getPartOfBox(const Operand &operand, int64_t count) const;
  /// The results, where there is one for each point of rows and lanes, of 16
  /// bits, that the copy engine can store: contiguous along the lanes.
  std::optional<CopiedMatrix> results;
  SizeExpr rowCount, laneCount, reducedCount;
  /// Dimensions that are summed over before all others, point by point: those
  /// of the window of a convolution whose images the copy engine copies. No
  /// step has elements of two of their points.
  llvm::SmallVector<unsigned> windowDims;
  SizeExpr countSteps() const {
    auto unit =
        SizeExpr::constant(reducedCount.getContext(), getStepElements());
    return windowCount.mul(channelCount.ceilDiv(unit));
  }
  /// Points of the window, and what is summed over at each.
  SizeExpr windowCount, channelCount;
  /// Whether pairs of neighbours along the lanes are two points of the same
  /// row of the results wherever the first of them is an even one.
  bool hasPairs;

  /// The product with lanes along `vectorDim`; the error says what keeps the
  /// kernel from being one. Images are what threads load where there is no copy
  /// engine (`hasCopyEngine`), and f32 is multiplied there alone.
  static llvm::Expected<TensorCoreProduct>
  find(KernelOp kernel, int64_t vectorDim, bool hasCopyEngine = true);
};

/// Whether `kernel` only picks a matrix for each row of contractions for the
/// tensor cores of `machine`, which take it from where it is.
bool picksMatrices(KernelOp kernel, const MachineModel &machine);

/// Whether `read` of a contraction for the tensor cores of `machine` is of an
/// operand of which each element is needed for one tile alone, as the other one
/// has so few rows: what is read may as well be computed there.
bool isOperandOfOneTile(KernelOp kernel, ReadOp read,
                        const MachineModel &machine);

} // namespace tc

#endif // TC_ANALYSIS_TENSORCOREPRODUCT_H
