//===- TensorCoreAttentionBackward.cpp - Its gradients --------------------===//

#include "TC/Analysis/TensorCoreAttentionBackward.h"
#include "TC/Analysis/MachineModel.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "TC/Runtime/ABI.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

/// Most elements of a row, and of those rows of a tile whose sums are in the
/// registers of a warp group.
static constexpr int64_t kMostColumns = 128, kUnitColumns = 8;
/// Elements of a row of a box of 16 bits and of 32, and its bytes.
static constexpr int64_t kBoxElements = 64, kWideBoxElements = 32,
                         kBoxRowBytes = 128;

static llvm::Error noGradients(const Twine &reason) {
  return llvm::createStringError(reason);
}

/// Why rows of so many elements are not for the kernels; empty where they are.
static StringRef refuseColumns(std::optional<int64_t> depth,
                               std::optional<int64_t> columns) {
  for (std::optional<int64_t> size : {depth, columns})
    if (!size || *size < 1 || *size > kMostColumns || *size % kUnitColumns != 0)
      return "its depth or its columns are not known, or no multiple of 8 up "
             "to 128";
  if ((*depth > kBoxElements) != (*columns > kBoxElements))
    return "one of its depth and its columns is at most 64, the other is not";
  return "";
}

/// Whether there is a counter for each tile of queries of each batch point.
static bool hasCounters(SizeRanges &ranges, ArrayRef<SizeExpr> batches,
                        SizeExpr queries) {
  constexpr int64_t kFewestQueries = 64;
  SizeExpr tiles =
      queries.ceilDiv(SizeExpr::constant(queries.getContext(), kFewestQueries));
  for (SizeExpr batch : batches)
    tiles = tiles.mul(batch);
  // One is for the numbers of tiles.
  return ranges.of(tiles).max < TC_COUNTERS;
}

bool tc::mayUseTensorCores(AttentionBackwardOp op) {
  Type element = op.getQ().getType().getElementType();
  Sizes q = getSizes(op.getQ().getType()), k = getSizes(op.getK().getType()),
        v = getSizes(op.getV().getType());
  const size_t batches = q.size() - 2;
  SizeRanges ranges(op->getParentOfType<func::FuncOp>());
  return MachineModel::get(op).hasWarpGroupProducts &&
         (element.isBF16() || element.isF16()) &&
         op.getScale().convertToDouble() > 0 &&
         refuseColumns(q.back().getConstant(), v.back().getConstant())
             .empty() &&
         (batches == 0 || q[batches - 1] == k[batches - 1] ||
          q[batches - 1].floorDiv(k[batches - 1]).getConstant()) &&
         ranges.of(k[batches]).min >= 1 && ranges.of(q[batches]).min >= 1 &&
         hasCounters(ranges, ArrayRef<SizeExpr>(q).take_front(batches),
                     q[batches]);
}

int64_t TensorCoreAttentionBackward::countDepthBoxes() const {
  return llvm::divideCeil(depth, kBoxElements);
}
int64_t TensorCoreAttentionBackward::countColumnBoxes() const {
  return llvm::divideCeil(columns, kBoxElements);
}

TensorCoreAttentionBackward::Memory
TensorCoreAttentionBackward::getMemory(int64_t stages) const {
  // A stage has two barriers.
  constexpr int64_t kBarriersBytes = 16, kAlignment = 1024, kFloatBytes = 4;
  const int64_t queryCount = getQueries();
  Memory memory = {};
  auto take = [&](int64_t count, int64_t bytes) {
    int64_t place = memory.end;
    memory.end += llvm::alignTo(count * (bytes + kBarriersBytes), kAlignment);
    return place;
  };
  memory.keyBytes = countDepthBoxes() * kKeys * kBoxRowBytes;
  memory.valueBytes = countColumnBoxes() * kKeys * kBoxRowBytes;
  memory.logsumexp = countDepthBoxes() * queryCount * kBoxRowBytes;
  memory.products = countColumnBoxes() * queryCount * kBoxRowBytes;
  const int64_t floats = kFloats * kFloatBytes;
  memory.queryBytes = memory.logsumexp + floats;
  memory.gradBytes = memory.products + floats;
  memory.scoreBytes = queryCount / kBoxElements * kKeys * kBoxRowBytes;
  memory.sumBytes = int64_t(llvm::divideCeil(depth, kWideBoxElements)) *
                    queryCount * kBoxRowBytes;
  // Warp groups store 64 of the depth, whether or not they are there.
  if (splitsDepth())
    memory.sumBytes = kConsumers * kBoxElements / kWideBoxElements *
                      queryCount * kBoxRowBytes;
  take(1, memory.keyBytes + memory.valueBytes);
  memory.queries = take(stages, memory.queryBytes);
  memory.grads = take(stages, memory.gradBytes);
  memory.scores = take(1, memory.scoreBytes);
  memory.sums = take(kSumStages, memory.sumBytes);
  memory.number = take(1, kAlignment); // of the next tile
  return memory;
}

namespace {
class GradientFinder {
public:
  GradientFinder(KernelOp kernel, TensorCoreAttentionBackward &found)
      : kernel(kernel), found(found), narrow(kernel, found.batches),
        wide(kernel, found.batches, /*elementBytes=*/4) {}
  llvm::Error find();

private:
  llvm::Error findAdded();
  llvm::Error findRead(StringRef name, Value value, unsigned inner,
                       ArrayRef<unsigned> outer, CopiedMatrix &matrix);
  WriteOp findWrite(Value value);

  KernelOp kernel;
  TensorCoreAttentionBackward &found;
  MatrixFinder narrow, wide; ///< of 16 and of 32 bits
};
} // namespace

llvm::Error GradientFinder::findRead(StringRef name, Value value,
                                     unsigned inner, ArrayRef<unsigned> outer,
                                     CopiedMatrix &matrix) {
  auto read = value.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty())
    return noGradients("it computes its " + name);
  MatrixFinder &finder = value.getType().isF32() ? wide : narrow;
  auto copied =
      finder.findPadded({read.getSource(), read.getMap()}, inner, outer);
  if (!copied)
    return noGradients("its " + name +
                       " are not contiguous rows, multiples of 16 bytes apart "
                       "or from the first element of their buffer on");
  matrix = *copied;
  return llvm::Error::success();
}

/// The only use of a result, where that is a plain write.
WriteOp GradientFinder::findWrite(Value value) {
  if (!value.hasOneUse())
    return {};
  auto write = dyn_cast<WriteOp>(*value.user_begin());
  return write && !write.isScatter() && !write.getWithin() ? write : WriteOp();
}

/// The bounds as distances of keys from the query; nothing where one of them is
/// none, or no key counts.
static std::optional<TensorCoreAttentionBackward::Bounds>
measureBounds(ArrayRef<KeyBound> bounds, unsigned queryDim, unsigned rank) {
  // Sums with numbers of keys are of 32 bits.
  constexpr int64_t kMost = 1 << 24;
  TensorCoreAttentionBackward::Bounds found;
  for (const KeyBound &bound : bounds) {
    AffineExpr query = getAffineDimExpr(queryDim, bound.limit.getContext());
    auto distance = dyn_cast<AffineConstantExpr>(
        simplifyAffineExpr(bound.limit - query, rank, /*numSymbols=*/0));
    if (!distance || std::abs(distance.getValue()) > kMost)
      return std::nullopt;
    int64_t value = distance.getValue();
    if (bound.isUpper)
      found.last = std::min(found.last.value_or(value), value);
    else
      found.first = std::max(found.first.value_or(value), value);
  }
  if (found.first && found.last && *found.first > *found.last)
    return std::nullopt;
  return found;
}

/// What is added to the scores, and which keys it leaves out.
llvm::Error GradientFinder::findAdded() {
  AttentionBackwardStageOp stage = found.stage;
  found.added = stage.getAdded();
  if (!found.added)
    return llvm::Error::success();
  const DimSet own = KernelDims(kernel).of(found.added);
  if (own.test(stage.getDepthDim()) || own.test(stage.getColumnDim()))
    return noGradients("what it adds to its scores is not the same for all of "
                       "its depth and columns");
  BoundedScores bounded =
      BoundedScores::find(found.added, unsigned(stage.getKeyDim()));
  auto bounds = measureBounds(bounded.bounds, unsigned(stage.getQueryDim()),
                              kernel.getNumDims());
  if (!bounds)
    return llvm::Error::success();
  found.bounds = *bounds;
  found.added = isScalar(bounded.unmasked, 0) ? Value() : bounded.unmasked;
  return llvm::Error::success();
}

llvm::Error GradientFinder::find() {
  AttentionBackwardStageOp stage = found.stage;
  const auto query = unsigned(stage.getQueryDim()),
             key = unsigned(stage.getKeyDim()),
             depth = unsigned(stage.getDepthDim()),
             column = unsigned(stage.getColumnDim());
  auto depthSize = kernel.getDimSize(depth).getConstant(),
       columnSize = kernel.getDimSize(column).getConstant();
  if (StringRef reason = refuseColumns(depthSize, columnSize); !reason.empty())
    return noGradients(reason);
  found.depth = *depthSize;
  found.columns = *columnSize;
  Type element = stage.getQ().getType();
  if (!element.isBF16() && !element.isF16())
    return noGradients("its queries are of another type than bf16 or f16");
  if (stage.getKept()) {
    found.kept = KeptWeights::find(stage.getKept(), query, key);
    if (!found.kept)
      return noGradients("what says which weights are kept is no comparison of "
                         "tc.dropout_bits of its query and key");
  }
  if (llvm::Error error = findAdded())
    return error;
  struct Read {
    StringRef name;
    Value value;
    unsigned inner;
    SmallVector<unsigned> outer;
    CopiedMatrix &matrix;
  };
  for (Read &read : SmallVector<Read>{
           {"gradients", stage.getGrad(), column, {query}, found.grad},
           {"queries", stage.getQ(), depth, {query}, found.q},
           {"keys", stage.getK(), depth, {key}, found.k},
           {"values", stage.getV(), column, {key}, found.v},
           {"logarithms", stage.getLogsumexp(), query, {}, found.logsumexp},
           {"products", stage.getProducts(), query, {}, found.products}})
    if (llvm::Error error = findRead(read.name, read.value, read.inner,
                                     read.outer, read.matrix))
      return error;
  WriteOp sums = findWrite(stage.getGradQ());
  found.gradKWrite = findWrite(stage.getGradK());
  found.gradVWrite = findWrite(stage.getGradV());
  if (!sums || !found.gradKWrite || !found.gradVWrite)
    return noGradients("it computes more of its results");
  auto gradQ = wide.find({sums.getDestination(), sums.getMap()}, depth, query);
  if (!gradQ || !gradQ->conditions.empty())
    return noGradients("the copy engine cannot add to its gradients of "
                       "queries: expected rows multiples of 16 bytes apart");
  found.gradQ = *gradQ;
  found.queryCount = kernel.getDimSize(query);
  found.keyCount = kernel.getDimSize(key);
  found.groupCount = kernel.getDimSize(stage.getGroupDim());
  SizeRanges ranges(kernel->getParentOfType<func::FuncOp>());
  if (ranges.of(found.keyCount).min < 1 || ranges.of(found.queryCount).min < 1)
    return noGradients("it may have no keys or no queries");
  auto counts =
      llvm::map_to_vector(found.batches, [&](unsigned dim) -> SizeExpr {
        return kernel.getDimSize(dim);
      });
  if (!hasCounters(ranges, counts, found.queryCount))
    return noGradients("it may have more tiles of queries than " +
                       Twine(TC_COUNTERS - 1));
  return llvm::Error::success();
}

llvm::Expected<TensorCoreAttentionBackward>
TensorCoreAttentionBackward::find(KernelOp kernel) {
  auto stages = kernel.getBodyBlock().getOps<AttentionBackwardStageOp>();
  if (!llvm::hasSingleElement(stages))
    return noGradients("it has no tc.attention_backward_stage, or several");
  TensorCoreAttentionBackward found;
  found.stage = *stages.begin();
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    if (!llvm::is_contained(found.stage.getDims(), int64_t(dim)))
      found.batches.push_back(dim);
  found.batches.push_back(unsigned(found.stage.getGroupDim()));
  if (llvm::Error error = GradientFinder(kernel, found).find())
    return std::move(error);
  return found;
}
