//===- PlacedView.h - When parts of memory are in use -----------*- C++ -*-===//

#ifndef TC_LIB_TRANSFORMS_BUFFERIZE_PLACEDVIEW_H
#define TC_LIB_TRANSFORMS_BUFFERIZE_PLACEDVIEW_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"

namespace tc {

/// A part of the arena or of a result, from its first use to its last, at one
/// sample of the symbols; or a whole result, from its first use on. Worked out
/// from the IR, not from the plan.
struct PlacedView {
  mlir::Operation *op;
  mlir::Value memory;  ///< the arena, or the result
  int64_t first, last; ///< positions in the order of walkBufferUsers
  int64_t begin, end;  ///< bytes
};

/// The order in which ops run, and where a loop goes back.
class UseOrder {
public:
  explicit UseOrder(mlir::Block &block);
  int64_t size() const { return positions.size(); }
  /// Extends a place by every op that uses `buffer`, through reshapes; what
  /// uses a view of it is that view's.
  void extendByUsers(mlir::Value buffer, PlacedView &place) const;
  /// Extends a place that is used inside and outside of a loop by the loop.
  void extendThroughLoops(PlacedView &place) const;

private:
  llvm::DenseMap<mlir::Operation *, int64_t> positions;
  /// First and last position of each loop.
  llvm::SmallVector<std::pair<int64_t, int64_t>> loops;
};

} // namespace tc

#endif // TC_LIB_TRANSFORMS_BUFFERIZE_PLACEDVIEW_H
