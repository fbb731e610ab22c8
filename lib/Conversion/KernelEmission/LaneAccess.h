//===- LaneAccess.h - Loads and stores of vectors ---------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_LANEACCESS_H
#define TC_CONVERSION_KERNELEMISSION_LANEACCESS_H

#include "KernelFrame.h"

namespace tc {

/// Bytes of a cache line.
inline constexpr int64_t kLineBytes = 64;

/// Bytes of which an element's address is a multiple: those of a part of a
/// complex number.
unsigned getAlignment(mlir::Type elementType);

/// A mask of all lanes or of none.
mlir::Value makeConstantMask(mlir::OpBuilder &builder, mlir::Location loc,
                             int64_t lanes, bool value);

struct Address;

/// How a target accesses contiguous lanes whose first address is a multiple of
/// an element's bytes and of no more.
class UnalignedAccess {
public:
  /// Fewest bytes of the lanes; those of fewer are accessed one by one.
  static constexpr int64_t kLeastBytes = 4;

  virtual ~UnalignedAccess() = default;
  /// As emitLoad, of the stored form.
  virtual mlir::Value load(const Address &address, mlir::Type elementType,
                           int64_t lanes) const = 0;
  /// Stores `value`, in the stored form of `elementType`.
  virtual void store(const Address &address, mlir::Value value,
                     mlir::Type elementType) const = 0;
  /// The mask of the lanes before, or from, number `lane` on (i32 or i64; any
  /// number).
  virtual mlir::Value lanesBefore(mlir::Value lane, int64_t lanes) const = 0;
  virtual mlir::Value lanesFrom(mlir::Value lane, int64_t lanes) const = 0;
};

/// One access: the address of the first lane and the stride of the lanes.
struct Address {
  mlir::Value pointer; ///< of the first lane, or per lane (a vector)
  enum { Uniform, Contiguous, Strided, PerLane } kind;
  int64_t stride = 1; ///< of the lanes, in elements, if Strided
  mlir::Value mask;   ///< i1 or vector of i1; null when always on
  /// i1: whether there is anything to access; null when always.
  mlir::Value exists;
  /// Bytes of which the address of the first lane is known to be a multiple; 0
  /// for no more than those of an element.
  unsigned alignment = 0;
  /// What accesses the lanes, which are contiguous; null where the target has
  /// instructions for them.
  const UnalignedAccess *unaligned = nullptr;
  mlir::Value end; ///< of the buffer (a pointer), where `unaligned` loads
  /// Elements that the first lane is after a multiple of the vector's bytes,
  /// where that is known.
  std::optional<int64_t> shift;
  /// Whether what `unaligned` loads around the lanes is in the buffer.
  bool isInner = false;
  /// Whether something is computed from the lanes that the mask leaves out.
  bool isZeroElsewhere = true;
  /// Whether the last-level cache keeps what is loaded longer than other lines.
  bool evictsLast = false;
};

/// Loads `lanes` elements as they are stored; 0 where the mask says no. A
/// uniform address is loaded from once, at most: one element is given, or as
/// many as the mask has lanes.
mlir::Value emitLoad(KernelFrame &frame, const Address &address,
                     mlir::Type elementType, int64_t lanes);

/// Stores `value`, of the compute type of `elementType`, combined with what is
/// there. Whole vectors of kLineBytes are non-temporal if asked: then their
/// addresses must be multiples of that.
void emitStore(KernelFrame &frame, const Address &address, mlir::Value value,
               mlir::Type elementType, CombineKind combine, int64_t lanes,
               bool nontemporal);

/// From the stored form of `elementType` to the type it is computed in, scalar
/// or vector.
mlir::Value widen(KernelFrame &frame, mlir::Value stored,
                  mlir::Type elementType);
/// From the type that `elementType` is computed in to its stored form.
mlir::Value narrow(KernelFrame &frame, mlir::Value computed,
                   mlir::Type elementType);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_LANEACCESS_H
