//===- StaticIndices.h - Integers known when compiling ----------*- C++ -*-===//

#ifndef TC_TRANSFORMS_DECOMPOSE_STATICINDICES_H
#define TC_TRANSFORMS_DECOMPOSE_STATICINDICES_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace tc {

/// The elements, in row-major order, of an integer tensor that is computed from
/// positions and constants alone, as what a resized image reads is: up to 65536
/// elements by up to 64 ops. Floats on the way are rounded by each op as in
/// compiled code. Nothing for any other tensor.
std::optional<llvm::SmallVector<int64_t>> evaluateIndices(mlir::Value value);

} // namespace tc

#endif // TC_TRANSFORMS_DECOMPOSE_STATICINDICES_H
