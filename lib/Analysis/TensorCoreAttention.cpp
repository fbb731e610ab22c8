//===- TensorCoreAttention.cpp - Attention for tensor cores ---------------===//

#include "TC/Analysis/TensorCoreAttention.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

static llvm::Error noAttention(const Twine &reason) {
  return llvm::createStringError(reason);
}

/// Most elements of a row of queries or values.
static constexpr int64_t kMostColumns = 256;

bool tc::mayUseTensorCores(AttentionOp op) {
  Type element = op.getQ().getType().getElementType();
  Sizes q = getSizes(op.getQ().getType()), k = getSizes(op.getK().getType()),
        v = getSizes(op.getV().getType());
  const size_t batches = q.size() - 2;
  SizeRanges ranges(op->getParentOfType<func::FuncOp>());
  auto fits = [](std::optional<int64_t> size) {
    return size && *size >= 1 && *size <= kMostColumns;
  };
  return MachineModel::get(op).hasWarpProducts &&
         (element.isBF16() || element.isF16()) &&
         fits(q.back().getConstant()) && fits(v.back().getConstant()) &&
         ranges.of(k[batches]).min >= 1 &&
         (batches == 0 || q[batches - 1] == k[batches - 1] ||
          q[batches - 1].floorDiv(k[batches - 1]).getConstant());
}

constexpr double kLowest = -std::numeric_limits<double>::infinity();

/// Whether `value` is `whole`, or that with `other` in place of `special`.
static bool isWholeOr(Value value, Value whole, double special, double other) {
  if (value == whole)
    return true;
  auto select = value.getDefiningOp<SelectOp>();
  auto isSpecial =
      select ? select.getCondition().getDefiningOp<EqOp>() : nullptr;
  return isSpecial && isSpecial.getX() == whole &&
         isScalar(isSpecial.getY(), special) &&
         isScalar(select.getX(), other) && select.getY() == whole;
}

/// Whether the weights are the exponentials of what the softmax is of, less the
/// largest of the row.
static bool areExponentials(TiledAttention parts) {
  auto exp = Value(parts.sum.getValue()).getDefiningOp<ExpOp>();
  auto difference = exp ? exp.getX().getDefiningOp<SubOp>() : nullptr;
  return difference && difference.getX() == parts.largest.getValue() &&
         isWholeOr(difference.getY(), parts.largest->getResult(0), kLowest, 0);
}

/// Sets what the scores are before and after what is done with them.
static void findScores(TensorCoreAttention &found) {
  BoundedScores bounded =
      BoundedScores::find(found.parts.largest.getValue(), found.parts.key);
  found.unmasked = bounded.unmasked;
  found.bounds = bounded.bounds;
  Value scores = found.parts.scores.getResult();
  found.scaled = scores;
  Value value = found.parts.largest.getValue();
  bool isOnlySelected = true;
  auto descend = [&](Value next) {
    value = next;
    isOnlySelected &= next.hasOneUse();
  };
  while (auto select = value.getDefiningOp<SelectOp>()) {
    if (!isScalar(select.getY(), kLowest))
      break;
    descend(select.getX());
  }
  auto product = value.getDefiningOp<MulOp>();
  auto scale = product ? product.getY().getDefiningOp<ScalarOp>() : nullptr;
  auto number = scale ? dyn_cast<FloatAttr>(scale.getValue()) : FloatAttr();
  // Nothing else is computed of the scores before that.
  if (number && product.getX() == scores && isOnlySelected &&
      scores.hasOneUse() && number.getValueAsDouble() > 0) {
    found.scaled = product.getResult();
    found.factor = number.getValueAsDouble();
  }
}

namespace {
class AttentionFinder {
public:
  AttentionFinder(KernelOp kernel, TensorCoreAttention &found)
      : kernel(kernel), found(found), finder(kernel, found.parts.batches) {}
  llvm::Error find(bool hasCopyEngine);

private:
  llvm::Error findMatrix(StringRef name, Value value, unsigned inner,
                         ArrayRef<unsigned> outer, CopiedMatrix &matrix);
  void findNormalized();
  std::optional<int64_t> countSharers(unsigned dim);
  void findSharedHeads();

  KernelOp kernel;
  TensorCoreAttention &found;
  MatrixFinder finder;
};
} // namespace

llvm::Error AttentionFinder::findMatrix(StringRef name, Value value,
                                        unsigned inner,
                                        ArrayRef<unsigned> outer,
                                        CopiedMatrix &matrix) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty())
    return noAttention("it computes its " + name);
  Type type = read.getType(), other = found.parts.keys.getType();
  if (!(type.isBF16() || type.isF16()) || type != other)
    return noAttention("its " + name +
                       " are of another type than bf16 or f16, or than its "
                       "keys");
  auto copied =
      finder.findPadded({read.getSource(), read.getMap()}, inner, outer);
  if (!copied)
    return noAttention("its " + name +
                       " are not contiguous rows, multiples of 16 bytes apart "
                       "or from the first element of their buffer on");
  matrix = *copied;
  return llvm::Error::success();
}

void AttentionFinder::findNormalized() {
  Value output = found.parts.output.getResult();
  if (!output.hasOneUse())
    return;
  auto quotient = dyn_cast<DivOp>(*output.user_begin());
  if (quotient && quotient.getX() == output &&
      isWholeOr(quotient.getY(), found.parts.sum->getResult(0), 0, 1))
    found.normalized = quotient;
}

/// Points of batch dimension `dim` that have the same keys and values; nothing
/// where it is one, or their number is not known.
std::optional<int64_t> AttentionFinder::countSharers(unsigned dim) {
  auto sharersOf = [&](const CopiedMatrix &matrix) -> std::optional<int64_t> {
    auto place = llvm::find(matrix.batches, dim);
    return place == matrix.batches.end()
               ? kernel.getDimSize(dim).getConstant()
               : matrix.sharers[place - matrix.batches.begin()];
  };
  auto ofKeys = sharersOf(found.keys), ofValues = sharersOf(found.values);
  return ofKeys && ofKeys == ofValues && *ofKeys > 1 ? ofKeys : std::nullopt;
}

/// Where the queries have few rows, tiles of one head would be of few rows and
/// have the keys read again by each of those that share them.
void AttentionFinder::findSharedHeads() {
  constexpr int64_t kTileRows = 64, kMostQueries = kTileRows / 2;
  auto queries = found.queryCount.getConstant();
  if (!queries || *queries > kMostQueries || found.kept)
    return;
  const auto rows = int64_t(llvm::PowerOf2Ceil(*queries));
  for (auto [dim, ofQueries] :
       llvm::zip_equal(found.queries.batches, found.queries.sharers)) {
    auto count = countSharers(dim);
    // The keys that count are the same for all heads of a tile.
    bool isInBounds =
        llvm::any_of(found.bounds, [dim = dim](const KeyBound &bound) {
          return bound.limit.isFunctionOfDim(dim);
        });
    if (!count || ofQueries != 1 || isInBounds ||
        llvm::divideCeil(*count * rows, kTileRows) >= uint64_t(*count))
      continue;
    found.shared = {dim, *count, rows};
    found.rowCount = SizeExpr::constant(kernel.getContext(), *count * rows);
    found.results.reset(); // not where a row's neighbours are
    return;
  }
}

llvm::Error AttentionFinder::find(bool hasCopyEngine) {
  TiledAttention &parts = found.parts;
  auto columns = kernel.getDimSize(parts.column).getConstant();
  auto depth = parts.depth.size() == 1
                   ? kernel.getDimSize(parts.depth.front()).getConstant()
                   : std::nullopt;
  if (!columns || !depth || *columns > kMostColumns || *depth > kMostColumns ||
      *columns < 1 || *depth < 1)
    return noAttention("its depth or its columns are not known, or more than " +
                       Twine(kMostColumns));
  found.columns = *columns;
  found.depth = *depth;
  if (parts.output.getLhs().getType() != parts.values.getType())
    return noAttention("its weights are of another type than its values");
  if (!parts.scores.getResult().getType().isF32() ||
      !parts.output.getResult().getType().isF32())
    return noAttention("its sums are of another type than f32");
  if (!areExponentials(parts))
    return noAttention("its weights are not exponentials of scores less the "
                       "largest of the row");
  findScores(found);
  if (parts.kept) {
    found.kept = KeptWeights::find(parts.kept, parts.row, parts.key);
    if (!found.kept)
      return noAttention("what says which weights are kept is no comparison of "
                         "tc.dropout_bits of its row and key");
  }
  ArrayRef<unsigned> rows =
      found.hasRow(kernel) ? ArrayRef(parts.row) : ArrayRef<unsigned>();
  if (llvm::Error error = findMatrix("queries", parts.queries,
                                     parts.depth.front(), rows, found.queries))
    return error;
  if (llvm::Error error = findMatrix("keys", parts.keys, parts.depth.front(),
                                     parts.key, found.keys))
    return error;
  if (llvm::Error error = findMatrix("values", parts.values, parts.column,
                                     parts.key, found.values))
    return error;
  findNormalized();
  if (parts.columnWrites.size() == 1)
    found.results =
        finder.findResults(parts.columnWrites.front(), parts.column, rows);
  found.rowCount = found.queryCount = finder.countPoints(rows);
  found.keyCount = kernel.getDimSize(parts.key);
  if (finder.rangeOf(found.keyCount).min < 1)
    return noAttention("it may have no keys");
  if (hasCopyEngine)
    findSharedHeads();
  return llvm::Error::success();
}

SmallVector<ReadOp> TensorCoreAttention::getScoreReads(KernelOp kernel) const {
  KernelDims dims(kernel);
  SmallVector<ReadOp> reads;
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    const DimSet &own = dims.of(read.getResult());
    if (own.test(parts.key) && !own.test(parts.column) &&
        !own.test(parts.depth.front()) && !read.getWithin() &&
        read.getIndices().empty())
      reads.push_back(read);
  }
  return reads;
}

SizeExpr TensorCoreAttention::countBatchPoints(KernelOp kernel,
                                               unsigned dim) const {
  SizeExpr size = kernel.getDimSize(dim);
  return isShared(dim) ? size.ceilDiv(SizeExpr::constant(kernel.getContext(),
                                                         shared->count))
                       : size;
}

int64_t TensorCoreAttention::countMultipliedColumns() const {
  constexpr int64_t kUnit = 8;
  return llvm::alignTo(columns, kUnit);
}

int64_t TensorCoreAttention::getWaitingBytes() const {
  // One box of a row or, of at most 128 columns, all of them.
  constexpr int64_t kBoxBytes = 128, kColumns = 128, kElementBytes = 2;
  return columns <= kColumns && columns * kElementBytes > kBoxBytes
             ? int64_t(llvm::alignTo(columns * kElementBytes, kBoxBytes))
             : kBoxBytes;
}

TensorCoreAttention::Memory
TensorCoreAttention::getMemory(GPUAttentionScheduleAttr schedule) const {
  // Boxes have 64 elements of a row; a stage has two barriers.
  constexpr int64_t kBoxElements = 64, kBoxRowBytes = 128, kBarriersBytes = 16,
                    kAlignment = 1024, kSumBytes = 4, kStateBytes = 16,
                    kGroupRows = 64, kGroupThreads = 128;
  const int64_t rows = schedule.getRows();
  Memory memory = {};
  auto take = [&](int64_t count, int64_t bytes) {
    int64_t place = memory.end;
    memory.end = llvm::alignTo(place + count * bytes, kAlignment);
    return place;
  };
  auto getStageBytes = [&](int64_t points, int64_t elements) {
    int64_t boxes = llvm::divideCeil(elements, kBoxElements);
    return boxes * points * kBoxRowBytes + kBarriersBytes;
  };
  auto takeRing = [&](int64_t stages, int64_t points, int64_t elements) {
    return take(stages, getStageBytes(points, elements));
  };
  takeRing(schedule.getQueryStages(), rows, depth);
  // What is behind the barriers of the queries, up to the next multiple of the
  // alignment, has room for words and their barriers.
  memory.number = schedule.getQueryStages() * getStageBytes(rows, depth);
  memory.keys = takeRing(schedule.getStages(), schedule.getKeys(), depth);
  memory.values = takeRing(schedule.getStages(), schedule.getKeys(), columns);
  if (schedule.getAsyncStore())
    memory.results = take(rows, getWaitingBytes());
  if (schedule.getSplits() > 1) {
    memory.states = take(rows / kGroupRows * kGroupThreads, kStateBytes);
    // All blocks have met behind their last products before sums are there.
    memory.sums = memory.keys;
    memory.end = std::max(
        memory.end, memory.sums + rows * countMultipliedColumns() * kSumBytes);
  }
  return memory;
}

llvm::Expected<TensorCoreAttention>
TensorCoreAttention::find(KernelOp kernel, int64_t vectorDim,
                          bool hasCopyEngine) {
  auto parts = TiledAttention::findRoles(kernel, KernelDims(kernel));
  if (!parts || int64_t(parts->column) != vectorDim)
    return noAttention("it is no softmax of scores that weights values");
  for (WriteOp write : kernel.getBodyBlock().getOps<WriteOp>())
    if (write.isScatter())
      return noAttention("its results are not written to every point");
  TensorCoreAttention found;
  found.parts = *parts;
  if (llvm::Error error = AttentionFinder(kernel, found).find(hasCopyEngine))
    return std::move(error);
  return found;
}
