//===- PositionStages.h - Conditions on positions as sets -------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_POSITIONSTAGES_H
#define TC_TRANSFORMS_FUSE_POSITIONSTAGES_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// A new stage before `op` of a kernel's body that is the same in a simpler
/// form, or null: sums, differences and multiples of `tc.index` of 64 bits are
/// one `tc.index`, and comparisons of these, their conjunctions and complements
/// are `tc.within` a set. What is -inf where a set and another condition do not
/// hold are two selects, that by the set behind the other.
mlir::Value foldPositionStage(mlir::Operation *op);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_POSITIONSTAGES_H
