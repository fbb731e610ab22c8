//===- AttentionBackwardProgress.h - Steps and tiles so far -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDPROGRESS_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDPROGRESS_H

#include "mlir/IR/ValueRange.h"
#include "llvm/ADT/STLExtras.h"

namespace tc {

/// What a block has added up so far, and where it is in its rings.
struct BackwardProgress {
  mlir::Value keys, values; ///< accumulators of their gradients
  /// Where the next step is in the rings of queries and of their gradients, and
  /// the last one in that of sums and of scores.
  mlir::Value slot, before, sumSlot, scoreSlot;
  mlir::Value steps; ///< 0 ahead of the first step, 1 after it (i32)
  llvm::SmallVector<mlir::Value>
      packed; ///< gradients of the last step's scores

  llvm::SmallVector<mlir::Value> getValues() const {
    llvm::SmallVector<mlir::Value> all = {keys,    values,    slot, before,
                                          sumSlot, scoreSlot, steps};
    llvm::append_range(all, packed);
    return all;
  }
  static BackwardProgress get(mlir::ValueRange all) {
    constexpr size_t kOthers = 7;
    return {all[0], all[1], all[2], all[3],
            all[4], all[5], all[6], llvm::to_vector(all.drop_front(kOthers))};
  }
};

/// Where a block is in its rings between two tiles: in those of queries and of
/// their gradients, of sums, of scores, and of keys and values.
struct RingSlots {
  mlir::Value slot, sumSlot, scoreSlot, rowSlot;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDPROGRESS_H
