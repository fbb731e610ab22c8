//===- AccessEmitter.h - Reads and writes through index maps ----*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_ACCESSEMITTER_H
#define TC_CONVERSION_KERNELEMISSION_ACCESSEMITTER_H

#include "IndexMaps.h"
#include "LaneAccess.h"

namespace tc {

class PointEmitter;

/// `mask`, if there is one, and `other`.
mlir::Value restrictMask(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value mask, mlir::Value other);

/// Loads and stores elements of a kernel's buffers at a scope's point, or at
/// the points of its lanes.
class AccessEmitter {
public:
  explicit AccessEmitter(PointEmitter &points);

  /// What `read` loads in `scope`, in the compute type, a vector where it
  /// varies over the lanes.
  mlir::Value emitRead(ReadOp read, Scope &scope);
  /// What `read` loads in `scope`, as it is stored.
  mlir::Value emitStored(ReadOp read, Scope &scope);
  /// Computes what `write` stores and stores it; of a team, one worker.
  void emitWrite(WriteOp write, Scope &scope);

  /// Where `write` stores at the scope's point, which no lanes have.
  Address addressOf(WriteOp write, Scope &scope);
  /// The address of the scope's point of `read`, a read without conditions or
  /// dynamic indices.
  mlir::Value pointerTo(ReadOp read, Scope &scope);
  /// The same of a write.
  mlir::Value pointerTo(WriteOp write, Scope &scope);
  /// The index (i64) of `read` that is a value, of which it has one, at the
  /// scope's point; 0 where it is out of range, which is reported.
  mlir::Value emitCheckedIndex(ReadOp read, Scope &scope);
  /// Whether the target's unaligned access loads the lanes of `scope` of
  /// `read`, a read without dynamic indices.
  bool loadsUnaligned(ReadOp read, const Scope &scope);
  /// The address behind the last element of `buffer`.
  mlir::Value endOf(mlir::Value buffer);

  /// Whether `read` is of another element at each point of the kernel.
  bool variesEverywhere(ReadOp read) const;

private:
  /// What `read` loads in the scope of a held row, as it is stored: loaded at
  /// its first use.
  mlir::Value emitHeld(ReadOp read, Scope &scope);
  Address emitAddress(mlir::Operation *op, mlir::Value buffer,
                      mlir::AffineMap map, mlir::ValueRange dynamicIndices,
                      std::optional<mlir::IntegerSet> within, Scope &scope);
  /// Sets how the contiguous lanes of `address`, an access of `op` to `buffer`,
  /// are accessed where an instruction does not.
  void placeContiguous(Address &address, mlir::Operation *op,
                       mlir::Value buffer, bool isAligned, const Scope &scope);
  llvm::SmallVector<mlir::Value> emitDynamicIndices(mlir::ValueRange indices,
                                                    Scope &scope);

  PointEmitter &points;
  KernelFrame &frame;
};

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_ACCESSEMITTER_H
