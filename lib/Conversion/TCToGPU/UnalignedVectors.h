//===- UnalignedVectors.h - Vectors that begin anywhere ---------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_UNALIGNEDVECTORS_H
#define TC_LIB_CONVERSION_TCTOGPU_UNALIGNEDVECTORS_H

#include "GPUFrame.h"

namespace tc {

/// Accesses of contiguous lanes one by one: of few registers and instructions,
/// for the few vectors whose masks are seldom whole. Masks are those of
/// `masks`.
class SingleLanes : public UnalignedAccess {
public:
  SingleLanes(GPUFrame &frame, const UnalignedAccess &masks)
      : frame(frame), masks(masks) {}

  mlir::Value load(const Address &address, mlir::Type elementType,
                   int64_t lanes) const override;
  void store(const Address &address, mlir::Value value,
             mlir::Type elementType) const override;
  mlir::Value lanesBefore(mlir::Value lane, int64_t lanes) const override {
    return masks.lanesBefore(lane, lanes);
  }
  mlir::Value lanesFrom(mlir::Value lane, int64_t lanes) const override {
    return masks.lanesFrom(lane, lanes);
  }

private:
  GPUFrame &frame;
  const UnalignedAccess &masks;
};

/// Accesses of contiguous lanes whose first address is a multiple of an
/// element's bytes and of no more. A load takes the aligned granules of 16
/// bytes (or of the vector, where it is shorter) that contain a lane of the
/// mask, and none that contains no such lane; what the buffer has of a granule
/// that passes its end is loaded element by element. A store is one access
/// where the lanes are all there and happen to be aligned, else one for each
/// lane.
class UnalignedVectors : public UnalignedAccess {
public:
  /// Bytes of an aligned granule, unless the vector is shorter.
  static constexpr int64_t kGranuleBytes = 16;

  explicit UnalignedVectors(GPUFrame &frame) : frame(frame) {}

  mlir::Value load(const Address &address, mlir::Type elementType,
                   int64_t lanes) const override;
  void store(const Address &address, mlir::Value value,
             mlir::Type elementType) const override;

  /// Elements (i64) from the last multiple of a vector's bytes to `pointer`:
  /// so many lanes earlier than an element there, a vector is aligned.
  mlir::Value emitElementsBefore(mlir::Value pointer, mlir::Type elementType,
                                 int64_t lanes) const;
  /// The same from `pointer` to the next such address, 1 to `lanes`.
  mlir::Value emitElementsAfter(mlir::Value pointer, mlir::Type elementType,
                                int64_t lanes) const;
  /// How many points (i64, not above 0) after the one where `dims` are 0 the
  /// first vector begins that is aligned for `access`, a read or write.
  mlir::Value emitOffset(PointEmitter &emitter, mlir::Operation *access,
                         llvm::ArrayRef<unsigned> dims, Scope &scope,
                         int64_t lanes) const;
  /// The mask of the lanes from number `low` on, where it is given, and before
  /// number `high` (i32 or i64; any number).
  mlir::Value emitMask(mlir::Value low, mlir::Value high, int64_t lanes) const;
  mlir::Value lanesBefore(mlir::Value lane, int64_t lanes) const override;
  mlir::Value lanesFrom(mlir::Value lane, int64_t lanes) const override;
  /// Accesses lane by lane with the same masks.
  const UnalignedAccess &getSingleLanes() const { return singleLanes; }

  /// The elements of the vector at `pointer`, which is aligned, from their
  /// number `first` on (i32), as they are stored; granules without any of the
  /// elements [0, count) are 0. `end` is the end of the buffer.
  mlir::Value loadAligned(mlir::Value pointer, mlir::Value end,
                          mlir::Value first, mlir::Value count,
                          mlir::Type elementType, int64_t lanes) const;
  /// The vector at `pointer`, in shared memory, as it is stored: by words, so
  /// that it may begin at any of its elements. A word behind it is loaded, too.
  mlir::Value loadWords(mlir::Value pointer, mlir::Type elementType,
                        int64_t lanes) const;

private:
  mlir::Value emitBits(mlir::Value mask, int64_t lanes) const;
  mlir::Value bitsFrom(mlir::Value lane, int64_t lanes) const;
  mlir::Value makeMask(mlir::Value bits, int64_t lanes) const;
  mlir::Value compareLanes(mlir::arith::CmpIPredicate predicate,
                           mlir::Value lane, int64_t lanes) const;
  void shift(llvm::SmallVectorImpl<mlir::Value> &words, mlir::Value offset,
             mlir::Type elementType) const;
  mlir::Value loadRest(mlir::Value low, mlir::Value end, int64_t bytes,
                       mlir::Type elementType) const;
  llvm::SmallVector<mlir::Value>
  loadGranules(mlir::Value low, mlir::Value end, mlir::Type elementType,
               int64_t lanes, int64_t count,
               llvm::function_ref<mlir::Value(int64_t granule)> isNeeded) const;
  llvm::SmallVector<mlir::Value> loadWhole(mlir::Value low, int64_t count,
                                           int64_t bytes) const;
  mlir::Value select(llvm::SmallVector<mlir::Value> words, mlir::Value offset,
                     mlir::Type elementType, int64_t lanes) const;
  mlir::Value number(int64_t value) const;
  mlir::Value isNotZero(mlir::Value number) const;

  GPUFrame &frame;
  SingleLanes singleLanes{frame, *this};
  /// The bits that masks were made of.
  mutable llvm::DenseMap<mlir::Value, mlir::Value> knownBits;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_UNALIGNEDVECTORS_H
