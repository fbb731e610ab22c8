//===- Shape.h - Constants and shapes ---------------------------*- C++ -*-===//

#ifndef TC_LIB_REFERENCE_SHAPE_H
#define TC_LIB_REFERENCE_SHAPE_H

#include "Evaluation.h"
#include "TC/Dialect/TC/IR/InputOps.h"

namespace tc::reference {

/// A float or integer attribute as a word of `elementType`.
Word getWord(mlir::Attribute value, mlir::Type elementType);

/// The elements of a constant's attribute; emits an error at the op when they
/// are not in the module.
mlir::FailureOr<Tensor> readElements(mlir::Operation *, mlir::ElementsAttr);

// The results of the ops, in order.
mlir::FailureOr<Tensors> evaluate(Evaluation &, ConstantOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, FullOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SizeValueOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, IotaOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, EmptyOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, BroadcastOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, TransposeOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ReshapeOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, SliceOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, PadOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, ConcatOp);
mlir::FailureOr<Tensors> evaluate(Evaluation &, InputStorageOp);

/// The memory of the op's input, whose elements are those of `input`; NaN, or
/// all ones, between them.
mlir::FailureOr<Tensor> layOutInput(Evaluation &, InputStorageOp,
                                    const Tensor &input);

} // namespace tc::reference

#endif // TC_LIB_REFERENCE_SHAPE_H
