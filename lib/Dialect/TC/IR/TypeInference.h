//===- TypeInference.h - Shared checks of result type inference -*- C++ -*-===//
//
// Inference runs from builders, where a wrong operand must end in a failure
// rather than a crash, and from the verifier, where its errors are the ones a
// person reads. Both go through the functions here. MLIR's own check of
// inferred types comes after an op's verifier and does not say what is wrong,
// so verifiers start with verifyInference.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TC_IR_TYPEINFERENCE_H
#define TC_LIB_DIALECT_TC_IR_TYPEINFERENCE_H

#include "TC/Dialect/TC/IR/SizePreconditions.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace tc {

/// Emits "'tc.x' op ..." at `location` if there is one; always fails.
template <typename OpTy, typename... Args>
mlir::LogicalResult inferenceError(std::optional<mlir::Location> location,
                                   Args &&...args) {
  return mlir::emitOptionalError(location, "'", OpTy::getOperationName(),
                                 "' op ", std::forward<Args>(args)...);
}

/// Checks that the result types are the inferred ones. The first step of every
/// verifier of an op with inference: the rest may rely on what inference
/// checks.
template <typename OpTy> mlir::LogicalResult verifyInference(OpTy op) {
  llvm::SmallVector<mlir::Type, 2> inferred;
  if (failed(OpTy::inferReturnTypes(
          op.getContext(), op.getLoc(), op->getOperands(),
          op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
          op->getRegions(), inferred)))
    return mlir::failure();
  for (auto [index, expected] : llvm::enumerate(inferred)) {
    mlir::Type actual = op->getResult(index).getType();
    if (actual != expected)
      return op.emitOpError("expects result ")
             << index << " of type " << expected << ", but it is " << actual;
  }
  return mlir::success();
}

/// The ranked tensor type of operand `index`, or an error naming `name`.
template <typename OpTy>
mlir::FailureOr<mlir::RankedTensorType>
getTensorOperand(std::optional<mlir::Location> location,
                 mlir::ValueRange operands, unsigned index,
                 llvm::StringRef name) {
  if (index >= operands.size())
    return inferenceError<OpTy>(location, "expects operand '", name, "'");
  auto type = llvm::dyn_cast<mlir::RankedTensorType>(operands[index].getType());
  if (!type)
    return inferenceError<OpTy>(location, "expects operand '", name,
                                "' to be a ranked tensor, but it is ",
                                operands[index].getType());
  return type;
}

/// Checks that `dim` names a dimension of a tensor of `rank` dimensions.
template <typename OpTy>
mlir::LogicalResult checkDim(std::optional<mlir::Location> location,
                             int64_t dim, int64_t rank) {
  if (dim >= 0 && dim < rank)
    return mlir::success();
  return inferenceError<OpTy>(location, "expects 'dim' in [0, ", rank,
                              "), but it is ", dim);
}

/// Checks that `dims` are dimensions of a tensor of `rank` dimensions, in
/// increasing order.
template <typename OpTy>
mlir::LogicalResult checkIncreasingDims(std::optional<mlir::Location> location,
                                        llvm::ArrayRef<int64_t> dims,
                                        int64_t rank) {
  for (auto [position, dim] : llvm::enumerate(dims)) {
    if (dim < 0 || dim >= rank)
      return inferenceError<OpTy>(location, "expects entries of 'dims' in [0, ",
                                  rank, "), but entry ", position, " is ", dim);
    if (position > 0 && dim <= dims[position - 1])
      return inferenceError<OpTy>(location,
                                  "expects 'dims' in increasing order, but ",
                                  dim, " follows ", dims[position - 1]);
  }
  return mlir::success();
}

/// Checks that a list attribute has one entry a spatial dimension.
template <typename OpTy>
mlir::LogicalResult checkSpatialList(std::optional<mlir::Location> location,
                                     llvm::StringRef name,
                                     llvm::ArrayRef<int64_t> list,
                                     int64_t spatialRank, int64_t smallest) {
  if (static_cast<int64_t>(list.size()) != spatialRank)
    return inferenceError<OpTy>(location, "expects '", name, "' to have ",
                                spatialRank, " entries, but it has ",
                                list.size());
  for (int64_t entry : list)
    if (entry < smallest)
      return inferenceError<OpTy>(location, "expects entries of '", name,
                                  "' of at least ", smallest, ", but one is ",
                                  entry);
  return mlir::success();
}

/// Refuses sizes that inference cannot make a type of: a condition that the op
/// lists among its preconditions and that never holds.
template <typename OpTy>
mlir::LogicalResult
checkPreconditions(std::optional<mlir::Location> location,
                   llvm::ArrayRef<SizePrecondition> conditions) {
  for (const SizePrecondition &condition : conditions)
    if (condition.decide() == false)
      return inferenceError<OpTy>(location, condition.describe());
  return mlir::success();
}

/// "[s0, 8]", for messages.
inline std::string formatSizes(llvm::ArrayRef<SizeExprAttr> sizes) {
  std::string text = "[";
  for (auto [index, size] : llvm::enumerate(sizes))
    text += (index ? ", " : "") + size.str();
  return text + "]";
}

} // namespace tc

#endif // TC_LIB_DIALECT_TC_IR_TYPEINFERENCE_H
