//===- IndexMaps.h - Index arithmetic, scalar or on lanes -------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_INDEXMAPS_H
#define TC_CONVERSION_KERNELEMISSION_INDEXMAPS_H

#include "Scope.h"

namespace tc {

class UnalignedAccess;

/// `value` in each of `lanes` lanes; a vector, or what one lane has, as it is.
mlir::Value broadcast(KernelFrame &frame, mlir::Value value, int64_t lanes);

/// The vector 0, 1, ... of `count` i64.
mlir::Value laneNumbers(KernelFrame &frame, int64_t count);

/// Of i64, scalars or vectors; a scalar is broadcast where the other is none.
mlir::Value addIndices(KernelFrame &frame, mlir::Value a, mlir::Value b);
mlir::Value mulIndices(KernelFrame &frame, mlir::Value a, mlir::Value b);

/// Indices of the domain in `scope`, the lanes' one as a vector if asked.
llvm::SmallVector<mlir::Value>
indexInputs(KernelFrame &frame, const Scope &scope, bool lanesAsVector);

/// `expr` of `inputs`: the domain's dimensions, then the dynamic indices.
mlir::Value emitAffine(KernelFrame &frame, mlir::AffineExpr expr,
                       llvm::ArrayRef<mlir::Value> inputs);

/// Whether the scope's point is in `set`: i1, or a vector of i1 where that
/// depends on the lanes; made by `masks`, if there are any. `isAligned`: the
/// first lane is at a multiple of their number, so that at such multiples a set
/// begins and ends between vectors.
mlir::Value emitInside(KernelFrame &frame, mlir::IntegerSet set,
                       const Scope &scope, const UnalignedAccess *masks,
                       bool isAligned);

/// Whether (i1) all lanes of `scope`, which are in their dimension, agree on
/// each constraint of `set`; null where they always do, failure where it cannot
/// be told from the first and the last one.
mlir::FailureOr<mlir::Value> emitDoLanesAgree(KernelFrame &frame,
                                              mlir::IntegerSet set,
                                              const Scope &scope,
                                              bool isAligned);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_INDEXMAPS_H
