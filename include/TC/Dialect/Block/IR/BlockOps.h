//===- BlockOps.h - The block dialect ---------------------------*- C++ -*-===//

#ifndef TC_DIALECT_BLOCK_IR_BLOCKOPS_H
#define TC_DIALECT_BLOCK_IR_BLOCKOPS_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tc::block {
/// Of which the places of boxes in shared memory are multiples: the rows that a
/// swizzle of 128 bytes permutes.
inline constexpr int64_t kBoxAlignment = 1024;
/// Bytes of a stage that has words (`block.put_words`), and of what it begins
/// at a multiple of.
inline constexpr int64_t kWordStageBytes = 16;
/// Bytes of a row of a box, and elements of 16 bits in it.
inline constexpr int64_t kBoxRowBytes = 128, kBoxElements = 64;
/// Most shared memory of a block.
inline constexpr int64_t kMostSharedBytes = 227 * 1024;
/// Rows of an accumulator, those of a warp group, and threads of one.
inline constexpr int64_t kAccumulatorRows = 64, kGroupThreads = 128;
/// Bytes along what is summed over of one instruction; for elements of 16 bits,
/// their number and bytes of one.
inline constexpr int64_t kInstructionBytes = 32, kInstructionDepth = 16,
                         kElementBytes = 2;
/// Elements of `type` in a row of a box, and along what one instruction sums
/// over.
inline int64_t getBoxElements(mlir::Type type) {
  return kBoxRowBytes * 8 / type.getIntOrFloatBitWidth();
}
inline int64_t getInstructionDepth(mlir::Type type) {
  return kInstructionBytes * 8 / type.getIntOrFloatBitWidth();
}
/// Rows of results that a warp copies at once, and the words that each thread
/// has of a box that is as wide as boxes are.
inline constexpr int64_t kCopyOutRows = 16, kCopyOutWords = 16;
/// Sums that blocks share are stored and loaded by vectors of so many, and
/// bytes.
inline constexpr int64_t kSumVector = 4, kSumVectorBytes = 16;
} // namespace tc::block

#include "TC/Dialect/Block/IR/BlockDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "TC/Dialect/Block/IR/BlockTypes.h.inc"

#define GET_OP_CLASSES
#include "TC/Dialect/Block/IR/BlockOps.h.inc"

#endif // TC_DIALECT_BLOCK_IR_BLOCKOPS_H
