//===- DimensionPairs.h - Neighbours among a buffer's indices ---*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_DIMENSIONPAIRS_H
#define TC_TRANSFORMS_FUSE_DIMENSIONPAIRS_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// Positions that are no index of a buffer.
inline constexpr int64_t kUnused = -1, kAlreadyOne = -2;

/// Where dimensions `outer` and `inner` of the domain are next to each other
/// among the indices of `map`, of a buffer of `type`: their position, `kUnused`
/// if neither is used, `kAlreadyOne` if one index combines them, nothing if
/// they cannot be one. The outer one may begin further on where `allowsParts`
/// says so: by a distance, or by one that other dimensions say, which a kernel
/// that folds has to fold as well.
std::optional<int64_t> findPair(mlir::AffineMap map, unsigned outer,
                                unsigned inner, mlir::ShapedType type,
                                KernelOp kernel, bool allowsParts);

/// Whether rows of `inner` may be parts of longer ones: on a GPU whole vectors
/// of 16 bytes are not whole rows, but few vectors are not in one part. Of
/// kernels that fold, those are that fold once, as products with weights of 4
/// bits that have scales of groups.
bool mayCombineParts(KernelOp kernel, unsigned inner);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_DIMENSIONPAIRS_H
