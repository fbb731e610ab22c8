//===- BlockOps.cpp - Verifiers of the block dialect ----------------------===//

#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tc::block;

#define GET_OP_CLASSES
#include "TC/Dialect/Block/IR/BlockOps.cpp.inc"

/// Fails after an error where something is not at a place for boxes in [0,
/// `end`), with all of its `bytes` bytes.
static LogicalResult verifyPlace(Operation *op, StringRef what, int64_t offset,
                                 int64_t bytes, int64_t end) {
  if (offset < 0 || offset % kBoxAlignment != 0)
    return op->emitOpError("has ")
           << what << " at " << offset << "; expected a multiple of "
           << kBoxAlignment;
  if (bytes > end - offset)
    return op->emitOpError("has ")
           << what << " of " << bytes << " bytes at " << offset
           << "; expected it to end at " << end << " at most";
  return success();
}

LogicalResult RoleOp::verify() {
  constexpr int64_t kUnit = 8, kLeast = 24, kMost = 256;
  int64_t registers = getRegisters();
  if (registers >= kLeast && registers <= kMost && registers % kUnit == 0)
    return success();
  return emitOpError("has ")
         << registers << " registers; expected a multiple of " << kUnit
         << " from " << kLeast << " to " << kMost;
}

LogicalResult PipelineOp::verify() {
  constexpr int64_t kMostConsumers = 32; // warps of a block
  if (getConsumers() < 1 || getConsumers() > kMostConsumers)
    return emitOpError("has ")
           << getConsumers() << " consumers; expected 1 to " << kMostConsumers;
  return verifyPlace(*this, "a pipeline", getOffset(),
                     getType().getSharedBytes(), kMostSharedBytes);
}

/// Fails after an error where no tensor has so many coordinates.
static LogicalResult verifyCoordinates(Operation *op, OperandRange all) {
  constexpr size_t kMostRank = 5;
  if (!all.empty() && all.size() <= kMostRank)
    return success();
  return op->emitOpError("has ")
         << all.size() << " coordinates; expected 1 to " << kMostRank;
}

LogicalResult CopyInOp::verify() {
  if (failed(verifyCoordinates(*this, getCoordinates())))
    return failure();
  if (getBytes() < 1)
    return emitOpError("has a box of ")
           << getBytes() << " bytes; expected at least 1";
  PipelineType type = getPipeline().getType();
  const int64_t blocks = getShared() ? type.getCluster() : 1;
  if (blocks > 1 && getBytes() % kBoxAlignment != 0)
    return emitOpError("has a shared box of ")
           << getBytes() << " bytes; expected a multiple of " << kBoxAlignment;
  return verifyPlace(*this, "a box", getOffset(), int64_t(getBytes()) * blocks,
                     type.getBytes());
}

LogicalResult MmaOp::verify() {
  AccumulatorType type = getType();
  int64_t depth = getDepth(), columns = type.getColumns();
  if (depth < kInstructionDepth || depth > kBoxElements ||
      depth % kInstructionDepth != 0)
    return emitOpError("has a depth of ")
           << depth << "; expected a multiple of " << kInstructionDepth
           << " up to " << kBoxElements;
  if (depth < kBoxElements && !(getAAcross() && getBAcross()))
    return emitOpError("has a depth of ")
           << depth << " along which rows are contiguous; expected "
           << kBoxElements;
  if (getBAcross() && columns % kBoxElements != 0)
    return emitOpError("has ") << columns
                               << " columns along which rows are contiguous; "
                                  "expected a multiple of "
                               << kBoxElements;
  if (getAccumulator() && getAccumulator().getType() != type)
    return emitOpError("adds to ")
           << getAccumulator().getType() << " and gives " << type
           << "; expected the same";
  return verifyPlace(*this, "a matrix", getB(), columns * depth * kElementBytes,
                     getPipeline().getType().getBytes());
}

LogicalResult MmaWaitOp::verify() {
  int64_t values = getAccumulator().getType().getThreadValues();
  if (getValues().getType().getNumElements() == values)
    return success();
  return emitOpError("gives ")
         << getValues().getType() << "; expected " << values << " values";
}

static LogicalResult verifySums(Operation *op, VectorType sums, int64_t at,
                                int64_t threads) {
  constexpr int64_t kMostThreads = 1024;
  if (sums.getNumElements() % kSumVector != 0)
    return op->emitOpError("has ")
           << sums.getNumElements() << " sums; expected a multiple of "
           << kSumVector;
  if (at < 0 || at % kSumVectorBytes != 0)
    return op->emitOpError("is at ")
           << at << "; expected a multiple of " << kSumVectorBytes << " bytes";
  if (threads < 1 || threads > kMostThreads)
    return op->emitOpError("is of ")
           << threads << " threads; expected 1 to " << kMostThreads;
  return success();
}

LogicalResult PutSumsOp::verify() {
  return verifySums(*this, getSums().getType(), int64_t(getAt()),
                    int64_t(getThreads()));
}

LogicalResult TakeSumsOp::verify() {
  constexpr int64_t kMostBlocks = 8;
  auto blocks = int64_t(getBlocks());
  if (blocks < 1 || blocks > kMostBlocks)
    return emitOpError("is of ")
           << blocks << " blocks; expected 1 to " << kMostBlocks;
  return verifySums(*this, getSums().getType(), int64_t(getAt()),
                    int64_t(getThreads()));
}

LogicalResult CopyOutOp::verify() {
  if (failed(verifyCoordinates(*this, getCoordinates())))
    return failure();
  size_t words = getWords().size();
  if (words != kCopyOutWords && words != kCopyOutWords / 2)
    return emitOpError("has ") << words << " words; expected "
                               << kCopyOutWords / 2 << " or " << kCopyOutWords;
  int64_t behind = getBehind();
  if (behind >= 0)
    return success();
  return emitOpError("is behind ") << behind << " copies; expected 0 or more";
}
