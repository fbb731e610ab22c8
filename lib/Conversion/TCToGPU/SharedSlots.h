//===- SharedSlots.h - Memory of a block in slots of 8 bytes ----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SHAREDSLOTS_H
#define TC_LIB_CONVERSION_TCTOGPU_SHAREDSLOTS_H

#include "GPUFrame.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

namespace tc {

/// `value`, a scalar or a vector, with elements that memory has: bytes for i1.
mlir::Value toMemory(mlir::OpBuilder &b, mlir::Location loc, mlir::Value value);
/// A value that `toMemory` gave, as one of `type`.
mlir::Value fromMemory(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value value, mlir::Type type);

/// Memory of numbered slots, each of which has a value of at most 8 bytes: of a
/// block, or of the workspace.
class Slots {
public:
  /// `count` slots of shared memory.
  static Slots share(GPUFrame &frame, int64_t count) {
    return Slots(frame, frame.allocateShared(count * kBytes));
  }
  /// The slots from `base`, an address.
  Slots(GPUFrame &frame, mlir::Value base) : frame(&frame), base(base) {}

  mlir::Value load(mlir::Type type, mlir::Value number) const {
    return mlir::LLVM::LoadOp::create(frame->builder, frame->loc, type,
                                      addressOf(number), kBytes);
  }
  void store(mlir::Value value, mlir::Value number) const {
    mlir::LLVM::StoreOp::create(frame->builder, frame->loc, value,
                                addressOf(number), kBytes);
  }
  /// The number of the slot of a state.
  using At = llvm::function_ref<mlir::Value(size_t state)>;
  /// Stores `states` where `condition` (i1) holds.
  void storeWhere(mlir::Value condition, mlir::ValueRange states, At at) const;
  /// States of the types of `like`.
  llvm::SmallVector<mlir::Value> load(mlir::ValueRange like, At at) const;
  mlir::Value addressOf(mlir::Value number) const {
    return mlir::LLVM::GEPOp::create(frame->builder, frame->loc, base.getType(),
                                     frame->builder.getI64Type(), base,
                                     mlir::ValueRange{number});
  }
  /// The slots from number `first` on.
  Slots from(mlir::Value first) const { return {*frame, addressOf(first)}; }

private:
  static constexpr int64_t kBytes = 8;

  GPUFrame *frame;
  mlir::Value base;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SHAREDSLOTS_H
