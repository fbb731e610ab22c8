//===- KeptValues.h - Values of a row that several loops need ---*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_KEPTVALUES_H
#define TC_CONVERSION_KERNELEMISSION_KEPTVALUES_H

#include "Scope.h"

namespace tc {

class PointEmitter;

/// The values of an iteration that are kept in buffers on the stack.
class KeptValues {
public:
  explicit KeptValues(PointEmitter &points);

  /// Keeps `value`, whose only dimension that is not bound outside is `dim`, in
  /// a buffer from which loops over `dim` take it. It is computed by a loop of
  /// its own `ahead` of them, or else by the first of them; then `dim` is the
  /// vector dimension.
  void keepInBuffer(mlir::Value value, unsigned dim, bool ahead) {
    buffered.try_emplace(value, Buffer{dim, ahead});
  }
  /// Whether any value is kept.
  bool keepsValues() const { return !buffered.empty(); }
  /// The iteration of the launch that is being emitted: buffers hold values of
  /// its points.
  const Scope *iteration = nullptr;
  /// `dim`, when a loop over it in `scope` that computes `roots` can run on
  /// lanes instead of the vector dimension: all it needs along `dim` is kept or
  /// contiguous. `filled` is what the loop itself fills the buffer of, if it
  /// does.
  std::optional<unsigned> lanesInstead(const Scope &scope, unsigned dim,
                                       mlir::ValueRange roots,
                                       mlir::Value filled = {});

  bool contains(mlir::Value value) const { return buffered.contains(value); }
  /// The kept `value` in `scope`: from its buffer where that holds it.
  mlir::Value emit(mlir::Value value, Scope &scope);
  /// Once a loop over `dim` in `scope` is complete, the buffers that it filled
  /// hold the whole row.
  void markFilled(Scope &scope, unsigned dim);

private:
  void fillAhead(mlir::Value value, Scope &scope);
  mlir::Value bufferAddress(mlir::Value value, Scope &scope);
  /// Keeps what `value` is in `scope`, a point or lanes.
  void store(mlir::Value value, mlir::Value computed, Scope &scope);
  mlir::Value load(mlir::Value value, int64_t lanes, Scope &scope);
  struct Buffer {
    unsigned dim = 0;
    bool ahead = false;
    mlir::Value pointer = {};
    bool filled = false;
    Scope *filling = nullptr; ///< where the loop goes that fills it now
  };
  /// Whether `scope` is at the points that the buffer of `value` holds: not
  /// inside of a fold over a dimension of the launch's iterations.
  bool isHeld(mlir::Value value, const Scope &scope) const;
  /// Whether `scope` is that of the launch's iteration, or inside of it.
  bool isInIteration(const Scope &scope) const;

  PointEmitter &points;
  KernelFrame &frame;
  llvm::MapVector<mlir::Value, Buffer> buffered;
};

/// Keeps the values that several loops inside of one iteration need, of rows of
/// at most `mostPoints` points; `open` are the dimensions of those loops. An op
/// of less than `leastWeight` (see `getOperationWeight`) is computed in each of
/// them.
void keepSharedValues(PointEmitter &emitter, const DimSet &open,
                      int64_t mostPoints, int64_t leastWeight);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_KEPTVALUES_H
