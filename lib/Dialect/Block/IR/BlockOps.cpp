//===- BlockOps.cpp - Verifiers of the block dialect ----------------------===//

#include "TC/Dialect/Block/IR/BlockOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc::block;

#define GET_OP_CLASSES
#include "TC/Dialect/Block/IR/BlockOps.cpp.inc"

/// Fails after an error where something is not at a place for boxes, or for
/// what has another `alignment`, in [0, `end`), with all of its `bytes` bytes.
static LogicalResult verifyPlace(Operation *op, StringRef what, int64_t offset,
                                 int64_t bytes, int64_t end,
                                 int64_t alignment = kBoxAlignment) {
  if (offset < 0 || offset % alignment != 0)
    return op->emitOpError("has ") << what << " at " << offset
                                   << "; expected a multiple of " << alignment;
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
  constexpr int64_t kMostConsumers = 32, // warps of a block
      kMostProducers = 1024;             // threads of one
  if (getConsumers() < 1 || getConsumers() > kMostConsumers)
    return emitOpError("has ")
           << getConsumers() << " consumers; expected 1 to " << kMostConsumers;
  if (getProducers() < 1 || getProducers() > kMostProducers)
    return emitOpError("has ")
           << getProducers() << " producers; expected 1 to " << kMostProducers;
  return verifyPlace(*this, "a pipeline", getOffset(),
                     getType().getSharedBytes(), kMostSharedBytes,
                     getType().getBytes() == kWordStageBytes ? kWordStageBytes
                                                             : kBoxAlignment);
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
  // Those of the window are neither of images nor of channels.
  if (!getUnder().empty() && getUnder().size() + 2 != getCoordinates().size())
    return emitOpError("has ")
           << getUnder().size() << " distances under a window and "
           << getCoordinates().size() << " coordinates; expected two less";
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

/// Fails after an error where a stage does not have so many bytes.
static LogicalResult verifyBytes(Operation *op, int64_t bytes,
                                 PipelineType type) {
  const int64_t most = type.getBytes();
  if (bytes >= 1 && bytes <= most)
    return success();
  return op->emitOpError("has ")
         << bytes << " bytes; expected 1 to " << most << ", those of a stage";
}

LogicalResult AcquireOp::verify() {
  PipelineType type = getPipeline().getType();
  return verifyBytes(*this, getBytes().value_or(type.getBytes()), type);
}

/// Fails after an error where a stage is not for so many words.
static LogicalResult verifyWordCount(Operation *op, size_t count) {
  constexpr size_t kMost = kWordStageBytes / sizeof(int32_t);
  if (count >= 1 && count <= kMost)
    return success();
  return op->emitOpError("has ") << count << " words; expected 1 to " << kMost;
}

LogicalResult PutWordsOp::verify() {
  return verifyWordCount(*this, getValues().size());
}

LogicalResult TakeWordsOp::verify() {
  return verifyWordCount(*this, getValues().size());
}

LogicalResult ExpectOp::verify() {
  return verifyBytes(*this, getBytes(), getPipeline().getType());
}

LogicalResult LoadInOp::verify() {
  constexpr int64_t kElementBytes = 4;
  const int64_t place = getOffset(),
                bytes = getValues().getType().getNumElements() * kElementBytes,
                most = getPipeline().getType().getBytes();
  if (place >= 0 && place % kBoxAlignment == 0 && place + bytes <= most)
    return success();
  return emitOpError("loads ")
         << bytes << " bytes at " << place << "; expected a multiple of "
         << kBoxAlignment << " in a stage of " << most << " bytes";
}

LogicalResult StoreInOp::verify() {
  return verifyPlace(*this, "a box", getOffset(), kBoxRowBytes,
                     getPipeline().getType().getBytes());
}

LogicalResult CopyPartOp::verify() {
  constexpr uint64_t kUnit = 16, kLeast = 4;
  const uint64_t size = getSize(), parts = size == 0 ? 0 : kUnit / size;
  if (size < kLeast || size > kUnit || !llvm::isPowerOf2_64(size))
    return emitOpError("copies ") << size << " bytes; expected 4, 8 or 16";
  if (getPart() >= parts)
    return emitOpError("copies part ")
           << getPart() << " of " << parts << "; expected 0 to " << parts - 1;
  return verifyPlace(*this, "a box", getOffset(), kBoxRowBytes,
                     getPipeline().getType().getBytes());
}

LogicalResult StoreWordsOp::verify() {
  const auto words = int64_t(getWords().size());
  if (words == kCopyOutWords || words == kCopyOutWords / 2)
    return success();
  return emitOpError("has ") << words << " words; expected "
                             << kCopyOutWords / 2 << " or " << kCopyOutWords;
}

LogicalResult StoreValuesOp::verify() {
  constexpr int64_t kBoxLanes = 32;
  const int64_t values = getValues().getType().getNumElements(),
                rows = getRows(), columns = 2 * values,
                most = getPipeline().getType().getBytes();
  if (rows < kAccumulatorRows || rows % kAccumulatorRows != 0)
    return emitOpError("has boxes of ")
           << rows << " rows; expected a multiple of " << kAccumulatorRows;
  if (getAcross() ? columns != rows : columns % kBoxLanes != 0)
    return emitOpError("stores ")
           << columns << " columns; expected "
           << (getAcross() ? "as many as a box has rows, "
                           : "a multiple of those of a box, ")
           << (getAcross() ? rows : kBoxLanes);
  const int64_t bytes = (getAcross() ? kAccumulatorRows : columns) / kBoxLanes *
                        rows * kBoxRowBytes;
  if (bytes > most)
    return emitOpError("stores boxes of ")
           << bytes << " bytes; expected at most " << most
           << ", those of a stage";
  return success();
}

LogicalResult MeetGroupsOp::verify() {
  constexpr int64_t kLeast = 1, kMost = 7; // besides one that copies
  const int64_t groups = getGroups();
  if (groups >= kLeast && groups <= kMost)
    return success();
  return emitOpError("is of ")
         << groups << " warp groups; expected " << kLeast << " to " << kMost;
}

LogicalResult BoxOutOp::verify() {
  if (failed(verifyCoordinates(*this, getCoordinates())))
    return failure();
  return verifyPlace(*this, "a box", getOffset(), kBoxRowBytes,
                     getPipeline().getType().getBytes());
}

/// Fails after an error where no instruction multiplies matrices of `element`,
/// with rows along the sum or `across` it, and adds to sums of `sums`.
static LogicalResult verifyMatrices(Operation *op, Type element, int64_t depth,
                                    bool across, Type sums) {
  const int64_t unit = getInstructionDepth(element),
                most = getBoxElements(element);
  if (depth < unit || depth > most || depth % unit != 0)
    return op->emitOpError("has a depth of ")
           << depth << "; expected a multiple of " << unit << " up to " << most;
  if (element.getIntOrFloatBitWidth() == 8 && across)
    return op->emitOpError("has a matrix of ")
           << element << " across; expected rows along the sum";
  if (sums.isF32() == element.isInteger(8))
    return op->emitOpError("multiplies ")
           << element << " to " << sums << "; expected sums of "
           << (element.isInteger(8) ? "i32" : "f32");
  return success();
}

/// The same where the second matrix, of `columns` columns at `place`, is not in
/// a stage of `pipeline` with all of its bytes.
static LogicalResult verifyColumns(Operation *op, int64_t place,
                                   int64_t columns, Type element, int64_t depth,
                                   bool across, PipelineType pipeline) {
  // The last of boxes next to each other is whole.
  if (across)
    columns = llvm::alignTo(columns, getBoxElements(element));
  return verifyPlace(op, "a matrix", place,
                     columns * depth * kInstructionBytes /
                         getInstructionDepth(element),
                     pipeline.getBytes());
}

/// Fails after an error where the first matrix has a pipeline without a slot,
/// or the other way round.
template <typename MmaOp> static LogicalResult verifyFirst(MmaOp op) {
  if (bool(op.getAPipeline()) == bool(op.getASlot()))
    return success();
  return op.emitOpError("has a pipeline or a slot of the first matrix; "
                        "expected both or neither");
}

LogicalResult MmaOp::verify() {
  AccumulatorType type = getType();
  if (failed(verifyFirst(*this)))
    return failure();
  Type element = getElement();
  if (getBElement() && !isa<Float8E4M3FNType, Float8E5M2Type>(element))
    return emitOpError("multiplies ")
           << element << " by " << *getBElement()
           << "; expected another type for floats of 8 bits alone";
  if (failed(verifyMatrices(*this, element, getDepth(),
                            getAAcross() || getBAcross(), type.getElement())))
    return failure();
  if (getAccumulator() && getAccumulator().getType() != type)
    return emitOpError("adds to ")
           << getAccumulator().getType() << " and gives " << type
           << "; expected the same";
  if (getAdds() && !getAccumulator())
    return emitOpError("has a condition of adding without an accumulator; "
                       "expected both or no condition");
  return verifyColumns(*this, getB(), type.getColumns(), element, getDepth(),
                       getBAcross(), getPipeline().getType());
}

LogicalResult MmaSyncOp::verify() {
  constexpr int64_t kMostRows = 128, kUnit = 8, kMostColumns = 256;
  const int64_t rows = getRows(), columns = getColumns();
  VectorType type = getType();
  if (failed(verifyFirst(*this)))
    return failure();
  if (rows != kAccumulatorRows && rows != kMostRows)
    return emitOpError("has ") << rows << " rows; expected " << kAccumulatorRows
                               << " or " << kMostRows;
  if (columns < kUnit || columns > kMostColumns || columns % kUnit != 0)
    return emitOpError("has ") << columns << " columns; expected a multiple of "
                               << kUnit << " up to " << kMostColumns;
  if (failed(verifyMatrices(*this, getElement(), getDepth(),
                            getAAcross() || getBAcross(),
                            type.getElementType())))
    return failure();
  if (type.getNumElements() != rows * columns / kGroupThreads)
    return emitOpError("gives ") << type << "; expected "
                                 << rows * columns / kGroupThreads << " values";
  if (getSums() && getSums().getType() != type)
    return emitOpError("adds to ") << getSums().getType() << " and gives "
                                   << type << "; expected the same";
  return verifyColumns(*this, getB(), columns, getElement(), getDepth(),
                       getBAcross(), getPipeline().getType());
}

/// Fails after an error where threads do not have a matrix in `words` words, or
/// that of its columns' rows, by `columns`, in boxes of `boxRows` rows or of as
/// many, is not in a stage of `pipeline`.
static LogicalResult
verifyWords(Operation *op, size_t words, int64_t place, int64_t columns,
            PipelineType pipeline,
            std::optional<int64_t> boxRows = std::nullopt) {
  constexpr int64_t kMostDepth = 256, kColumnsOfWord = 4;
  const int64_t depth = kColumnsOfWord * int64_t(words);
  if (depth < kInstructionDepth || depth > kMostDepth ||
      depth % kInstructionDepth != 0)
    return op->emitOpError("has ")
           << words << " words of each thread, " << depth
           << " columns; expected a multiple of " << kInstructionDepth
           << " up to " << kMostDepth;
  constexpr int64_t kSwizzledRows = kBoxAlignment / kBoxRowBytes;
  const int64_t rows = boxRows.value_or(depth);
  if (rows < depth || rows % kSwizzledRows != 0 || rows > kMostSharedBytes)
    return op->emitOpError("has boxes of ")
           << rows << " rows; expected a multiple of " << kSwizzledRows
           << " from the " << depth << " that are multiplied on";
  // What is behind the columns in the last box is not read.
  const int64_t boxes = llvm::divideCeil(columns, kBoxElements);
  return verifyPlace(op, "a matrix", place,
                     ((boxes - 1) * rows + depth) * kBoxRowBytes,
                     pipeline.getBytes());
}

LogicalResult MmaWordsOp::verify() {
  return verifyWords(*this, getWords().size(), getB(), getType().getColumns(),
                     getPipeline().getType(), getBoxRows());
}

LogicalResult MmaSyncWordsOp::verify() {
  constexpr int64_t kColumnValues = 4, kUnit = 8, kMost = 128;
  const int64_t values = getType().getNumElements();
  if (values % kColumnValues != 0 || values > kMost)
    return emitOpError("gives ")
           << getType() << "; expected " << kColumnValues
           << " values for every " << kUnit << " columns, at most " << kMost;
  return verifyWords(*this, getWords().size(), getB(),
                     values / kColumnValues * kUnit, getPipeline().getType());
}

/// Fails after an error where a thread does not have `values` as the values of
/// an accumulator of type `type`.
static LogicalResult verifyValues(Operation *op, StringRef has,
                                  AccumulatorType type, VectorType values) {
  if (values.getNumElements() == type.getThreadValues() &&
      values.getElementType() == type.getElement())
    return success();
  return op->emitOpError(has)
         << " " << values << "; expected " << type.getThreadValues()
         << " values of " << type.getElement();
}

LogicalResult AccumulatorOp::verify() {
  return verifyValues(*this, "takes", getType(), getValues().getType());
}

/// Groups of products that a warp group may have under way.
static constexpr int64_t kMostGroups = 7;

LogicalResult MmaWaitEarlierOp::verify() {
  const int64_t behind = getBehind();
  if (behind >= 0 && behind <= kMostGroups)
    return success();
  return emitOpError("waits for all but ")
         << behind << " products; expected 0 to " << kMostGroups;
}

LogicalResult MmaWaitOp::verify() {
  const int64_t earlier = getEarlier();
  if (earlier < 0 || earlier > kMostGroups)
    return emitOpError("waits for all but ")
           << earlier << " products; expected 0 to " << kMostGroups;
  if (earlier > 0 && getAccumulator().getDefiningOp<MmaWordsOp>())
    return emitOpError("reads sums that the last products are added to; "
                       "expected those of an earlier block.mma");
  return verifyValues(*this, "gives", getAccumulator().getType(),
                      getValues().getType());
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

/// Blocks of a cluster at most.
static constexpr int64_t kMostBlocks = 8;

LogicalResult TakeSumsOp::verify() {
  auto blocks = int64_t(getBlocks());
  if (blocks < 1 || blocks > kMostBlocks)
    return emitOpError("is of ")
           << blocks << " blocks; expected 1 to " << kMostBlocks;
  return verifySums(*this, getSums().getType(), int64_t(getAt()),
                    int64_t(getThreads()));
}

LogicalResult PeerSumsOp::verify() {
  auto block = int64_t(getBlock());
  if (block < 0 || block >= kMostBlocks)
    return emitOpError("is of block ")
           << block << "; expected 0 to " << kMostBlocks - 1;
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
