//===- GPUSchedule.cpp - The machine model's schedules for a GPU ----------===//

#include "GPUSchedule.h"
#include "ClusterRowSchedule.h"
#include "GPUAttentionBackwardSchedule.h"
#include "GPUAttentionSchedule.h"
#include "GPUContractionSchedule.h"
#include "LibrarySchedule.h"
#include "OrderedGPUSchedule.h"
#include "SharedMemoryRowSchedule.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/ElementStrides.h"
#include "TC/Analysis/FoldParts.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/LibraryProduct.h"
#include "TC/Analysis/ProductTiles.h"
#include "TC/Analysis/VectorAlignment.h"
#include "TC/Dialect/TC/IR/Warp.h"
#include "TransposeSchedule.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;

static constexpr int64_t kMostThreads = 1024, kUsualThreads = 256;
/// Bytes that one instruction of a thread accesses, and most points of them.
static constexpr int64_t kAccessBytes = 16, kMostLanes = 8;

namespace {
class GPUScheduleChoice {
public:
  GPUScheduleChoice(KernelOp kernel, const MachineModel &machine)
      : kernel(kernel), context(kernel.getContext()), machine(machine),
        dims(kernel), outer(getOuterDims(kernel, dims)) {}
  ScheduleAttrInterface get();

private:
  ScheduleAttrInterface getPoints(int64_t dim);
  /// The most units of a thread, for vectors of `lanes` points.
  int64_t countPointUnits(int64_t dim, int64_t lanes);
  ScheduleAttrInterface getRows(unsigned dim);
  /// The same with `evict_last` where that is faster.
  ScheduleAttrInterface keepInputs(ScheduleAttrInterface schedule);
  bool loadsHalves(unsigned dim);
  ScheduleAttrInterface getUnknownRows(unsigned dim, int64_t lanes);
  ScheduleAttrInterface getSharedRows(unsigned dim);
  ScheduleAttrInterface getColumns(unsigned dim);
  bool foldsFewPoints();
  std::optional<unsigned> getDimOfFewRows(int64_t mostRows);
  int64_t countLanes();
  int64_t countSpanned(unsigned dim);
  int64_t chooseLanes(unsigned dim, bool allowsRest = false);
  int64_t chooseFoldedLanes(unsigned dim);
  bool isContiguous(unsigned dim);
  int64_t choosePointLanes(unsigned dim);
  double countOuter();
  bool areConstant(const DimSet &dims);
  int64_t countFoldBlocks() const;
  bool isWorthSharing(double groups);

  KernelOp kernel;
  MLIRContext *context;
  const MachineModel &machine;
  KernelDims dims;
  DimSet outer;
};
} // namespace

/// Points of a vector of 16 bytes of the smallest elements.
int64_t GPUScheduleChoice::countLanes() {
  int64_t bytes = kAccessBytes;
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto read = dyn_cast<ReadOp>(op))
      bytes =
          std::min<int64_t>(bytes, getElementBytes(read.getResult().getType()));
    if (auto write = dyn_cast<WriteOp>(op))
      bytes =
          std::min<int64_t>(bytes, getElementBytes(write.getValue().getType()));
  }
  return std::min(kAccessBytes / bytes, kMostLanes);
}

/// Points along `dim` that one access of 16 bytes spans, with what is between
/// them: threads next to each other then load all of what is in memory at once.
int64_t GPUScheduleChoice::countSpanned(unsigned dim) {
  int64_t most = kMostLanes;
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    auto type = cast<ShapedType>(read.getSource().getType());
    auto stride = getElementStride(type, read.getMap(), dim);
    int64_t step = stride ? stride->getConstant().value_or(0) : 0;
    if (step > 1)
      most = std::min(
          most, kAccessBytes / (step * getElementBytes(type.getElementType())));
  }
  return std::max<int64_t>(1, most);
}

/// Points of a vector of elements that are contiguous along `dim` and aligned;
/// 1 where no vectors are. What is folded is stored nowhere, and has shorter
/// vectors of elements at a stride.
int64_t GPUScheduleChoice::chooseLanes(unsigned dim, bool allowsRest) {
  int64_t most = countLanes();
  if (!outer.all())
    most =
        std::min(most, int64_t(llvm::bit_floor(uint64_t(countSpanned(dim)))));
  for (int64_t lanes = most; lanes > 1; lanes /= 2)
    if (VectorAlignment(kernel, dim, lanes, allowsRest).isUseful())
      return lanes;
  return 1;
}

/// The same of a fold of all points, one row of `dim` after the other. Where
/// these are no whole vectors, vectors begin anywhere in rows of two or more.
int64_t GPUScheduleChoice::chooseFoldedLanes(unsigned dim) {
  SmallVector<unsigned> folded = getFirstFoldedDims(kernel);
  int64_t lanes = chooseLanes(dim, /*allowsRest=*/folded.size() == 1);
  if (lanes > 1 || !mayFoldInParts(kernel))
    return lanes;
  int64_t size = kernel.getDimSize(dim).getConstant().value_or(kMostLanes * 2);
  for (lanes = countLanes(); lanes > 1; lanes /= 2)
    if (size >= 2 * lanes &&
        VectorAlignment(kernel, dim, lanes, folded).isUseful())
      return lanes;
  return 1;
}

/// Whether everything that varies along `dim` is contiguous along it.
bool GPUScheduleChoice::isContiguous(unsigned dim) {
  auto isNext = [&](Value buffer, AffineMap map, ValueRange indices) {
    auto stride =
        getElementStride(cast<ShapedType>(buffer.getType()), map, dim);
    return stride && (stride->isConstant(0) || stride->isConstant(1)) &&
           llvm::none_of(indices,
                         [&](Value index) { return dims.of(index).test(dim); });
  };
  return llvm::all_of(kernel.getBodyBlock(), [&](Operation &op) {
    if (auto read = dyn_cast<ReadOp>(op))
      return isNext(read.getSource(), read.getMap(), read.getIndices());
    if (auto write = dyn_cast<WriteOp>(op))
      return write.getIndices().empty() &&
             isNext(write.getDestination(), write.getMap(), {});
    return true;
  });
}

/// Vectors of a row of which few, the first and the last one and those at the
/// ends of parts, need masks.
static constexpr double kManyVectors = 64;
/// Bytes of a register.
static constexpr int64_t kWordBytes = 4;

/// Aligned vectors, but where they are short ones, or none, vectors that begin
/// anywhere in rows that fill some. Of short rows whose elements are words,
/// these would be masks for the most part: a thread takes an element.
int64_t GPUScheduleChoice::choosePointLanes(unsigned dim) {
  constexpr int64_t kLeastVectors = 2;
  int64_t lanes = countLanes(), aligned = chooseLanes(dim);
  double vectors = estimateSize(kernel, kernel.getDimSize(dim)) / double(lanes);
  bool fillsVectors = vectors >= double(kLeastVectors);
  bool areWords = lanes * kWordBytes <= kAccessBytes;
  if (aligned < lanes && vectors < kManyVectors && areWords)
    return 1;
  return 2 * aligned < lanes && fillsVectors && isContiguous(dim) ? lanes
                                                                  : aligned;
}

/// Whether each fold is of few points for certain, as those of a window: one
/// thread folds them sooner than several share what they have folded.
bool GPUScheduleChoice::foldsFewPoints() {
  constexpr double kFewPoints = 64;
  DimSet folded(outer);
  folded.flip();
  return areConstant(folded) && estimatePoints(kernel, folded) <= kFewPoints;
}

/// Estimated points of the outer dimensions.
double GPUScheduleChoice::countOuter() {
  double points = 1;
  for (unsigned dim : outer.set_bits())
    points *= estimateSize(kernel, kernel.getDimSize(dim));
  return points;
}

bool GPUScheduleChoice::areConstant(const DimSet &dims) {
  return llvm::all_of(dims.set_bits(), [this](unsigned dim) {
    return kernel.getDimSize(dim).isConstant();
  });
}

/// Blocks that fold parts: those that run at the same time.
int64_t GPUScheduleChoice::countFoldBlocks() const {
  constexpr int64_t kBlocksOfUnit = 2;
  return kBlocksOfUnit * machine.units;
}

/// Whether blocks should share each of `groups` rows or strips: these are
/// fewer than half of the blocks that run at the same time, and long, as far as
/// is known.
bool GPUScheduleChoice::isWorthSharing(double groups) {
  constexpr double kFewestPoints = 1 << 17; // that another fold is worth
  constexpr double kFewBlocks = 0.75;
  if (groups > kFewBlocks * double(countFoldBlocks()) ||
      !mayFoldInParts(kernel))
    return false;
  DimSet folded(outer);
  folded.flip();
  return !areConstant(folded) ||
         estimatePoints(kernel, folded) * countOuter() >= kFewestPoints;
}

//===----------------------------------------------------------------------===//
// Points
//===----------------------------------------------------------------------===//

/// The vectors of a thread whose loads are 16 bytes, or 8 loads of elements.
/// Vectors that begin anywhere, or are of one of the parts of a concatenation,
/// need more instructions between the loads, and those of a gather wait for an
/// index: they are two.
int64_t GPUScheduleChoice::countPointUnits(int64_t dim, int64_t lanes) {
  constexpr int64_t kBytes = 16, kElements = 8, kPair = 2;
  int64_t loads = 0, bytes = 0;
  bool hasParts = false, gathers = false;
  for (ReadOp read : kernel.getBodyBlock().getOps<ReadOp>()) {
    if (!dims.of(read.getResult()).test(dim))
      continue;
    loads += !read.getWithin() || !hasParts;
    hasParts |= read.getWithin().has_value();
    gathers |= !read.getIndices().empty();
    bytes += lanes * getElementBytes(read.getResult().getType());
  }
  loads = std::max<int64_t>(loads, 1);
  if (lanes == 1)
    return kElements / std::min(loads, kElements);
  if (!VectorAlignment(kernel, dim, lanes).isUseful())
    return kPair;
  return hasParts || gathers ? kPair / std::min(loads, kPair)
                             : kBytes / std::clamp<int64_t>(bytes, 1, kBytes);
}

/// As many vectors a thread as keep 16 bytes of loads under way: more of them
/// read and write memory in larger turns, which is slower. No more than leave
/// every multiprocessor several blocks.
ScheduleAttrInterface GPUScheduleChoice::getPoints(int64_t dim) {
  constexpr int64_t kBlocksOfUnit = 4;
  int64_t lanes = 1, units = 1;
  bool isInner = outer.all() && dim >= 0;
  // Windows of vectors, as long as every multiprocessor has several blocks.
  if (!isInner && dim >= 0 && outer.test(dim) && foldsFewPoints()) {
    lanes = chooseLanes(dim);
    while (lanes > 1 && countOuter() / double(lanes * kUsualThreads) <
                            double(machine.units * kBlocksOfUnit))
      lanes /= 2;
  }
  if (isInner) {
    lanes = choosePointLanes(dim);
    double vectors = countOuter() / double(lanes * kUsualThreads);
    const int64_t most = countPointUnits(dim, lanes);
    while (2 * units <= most &&
           vectors / double(2 * units) >= double(machine.units * kBlocksOfUnit))
      units *= 2;
  }
  bool peels =
      !isInner || lanes == 1 ||
      estimateSize(kernel, kernel.getDimSize(dim)) >= kManyVectors * lanes;
  return GPULoopScheduleAttr::get(context, dim, lanes, units, peels,
                                  kUsualThreads);
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether everything that varies along `dim` is loaded as 16 bits or fewer.
bool GPUScheduleChoice::loadsHalves(unsigned dim) {
  return llvm::all_of(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
    return !dims.of(read.getResult()).test(dim) ||
           getElementBytes(read.getResult().getType()) <= 2;
  });
}

/// A row is held in registers: 32 of its points, 16 of a product's, by each
/// thread where the threads of a block suffice, 64 where not. A block has at
/// least 128 threads. Of 64 points of 16 bits only what was loaded is held, in
/// 32 registers: so 1024 threads of a multiprocessor have their loads under
/// way.
ScheduleAttrInterface GPUScheduleChoice::getRows(unsigned dim) {
  constexpr int64_t kHoldingThreads = 512, kLeastThreads = 128,
                    kStreamedVectors = 4, kStreamed = 2;
  const int64_t heldPoints =
      foldsWithCommonRow(kernel, dim) ? kUnpackedPoints / 2 : kUnpackedPoints;
  if (auto shared = getSharedRows(dim))
    return shared;
  if (auto inSharedMemory =
          getSharedMemoryRowSchedule(kernel, machine, dim, countLanes()))
    return inSharedMemory;
  int64_t lanes = choosePointLanes(dim);
  auto size = kernel.getDimSize(dim).getConstant();
  // Vectors that begin anywhere may begin before the row.
  if (size && lanes > chooseLanes(dim))
    size = *size + lanes - 1;
  double length =
      size ? double(std::max<int64_t>(*size, 1))
           : std::max(1.0, estimateSize(kernel, kernel.getDimSize(dim)));
  auto getThreads = [&](int64_t points, int64_t most) {
    auto wanted = static_cast<uint64_t>(std::ceil(length / double(points)));
    return std::clamp<int64_t>(
        llvm::PowerOf2Ceil(std::max<uint64_t>(wanted, 1)), 1, most);
  };
  for (int64_t points = heldPoints; size && points <= kMostHeldPoints;
       points *= 2) {
    // Neighbouring threads access neighbouring vectors: a short row has as many
    // threads as vectors, up to a warp.
    int64_t vectors = llvm::divideCeil(*size, lanes);
    int64_t threads = std::max<int64_t>(
        getThreads(points, kHoldingThreads),
        std::min<int64_t>(kWarpThreads, llvm::PowerOf2Ceil(uint64_t(vectors))));
    int64_t units = llvm::divideCeil(vectors, threads);
    bool isPacked = units * lanes > kUnpackedPoints && loadsHalves(dim);
    if (units * lanes <= points)
      return GPURowScheduleAttr::get(
          context, dim, lanes, units, /*held=*/true, isPacked, threads,
          /*rows=*/std::max<int64_t>(1, kLeastThreads / threads), /*cluster=*/1,
          /*fitsThreads=*/false, /*blocks=*/0, /*shared=*/false,
          /*evictLast=*/false);
  }
  if (!size)
    return getUnknownRows(dim, lanes);
  if (auto rows =
          getClusterRows(kernel, machine, dim, lanes, *size, loadsHalves(dim)))
    return rows;
  return GPURowScheduleAttr::get(
      context, dim, lanes, kStreamed, /*held=*/false, /*packed=*/false,
      std::max(kWarpThreads,
               getThreads(kStreamedVectors * lanes, kMostThreads)),
      /*rows=*/1, /*cluster=*/1, /*fitsThreads=*/false, /*blocks=*/0,
      /*shared=*/false,
      /*evictLast=*/false);
}

/// A row of unknown length: 32 of its points by each thread of as many warps as
/// it takes, up to a block's.
ScheduleAttrInterface GPUScheduleChoice::getUnknownRows(unsigned dim,
                                                        int64_t lanes) {
  constexpr int64_t kLeastThreads = 128, kThreads = 512;
  IndexRange range = getSizeRange(kernel, kernel.getDimSize(dim));
  auto most = static_cast<uint64_t>(
      range.high.value_or(kUnpackedPoints * kThreads) / kUnpackedPoints);
  int64_t threads = std::clamp<int64_t>(
      llvm::PowerOf2Ceil(std::max<uint64_t>(most, 1)), kLeastThreads, kThreads);
  return GPURowScheduleAttr::get(context, dim, lanes, kUnpackedPoints / lanes,
                                 /*held=*/true, /*packed=*/false, threads,
                                 /*rows=*/1,
                                 /*cluster=*/1, /*fitsThreads=*/true,
                                 /*blocks=*/0, /*shared=*/false,
                                 /*evictLast=*/false);
}

/// Few long rows that nothing but their folds is needed of are cut, so that
/// every multiprocessor has blocks. How many rows there are has to be known:
/// going through the workspace is for nothing where they are many.
ScheduleAttrInterface GPUScheduleChoice::getSharedRows(unsigned dim) {
  // Of 16 bits, more loads of a thread are 1 to 5% slower on an H200.
  constexpr int64_t kLoads = 8, kFewLanes = 4, kLoadsOfManyLanes = 4,
                    kThreads = 512;
  if (!areConstant(outer) || !isWorthSharing(countOuter()))
    return {};
  int64_t lanes = chooseFoldedLanes(dim);
  auto reads =
      llvm::count_if(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
        return dims.of(read.getResult()).test(dim);
      });
  int64_t loads = lanes > kFewLanes ? kLoadsOfManyLanes : kLoads,
          units = loads / std::clamp<int64_t>(reads, 1, loads);
  return GPURowScheduleAttr::get(context, dim, lanes, units,
                                 /*held=*/false, /*packed=*/false, kThreads,
                                 /*rows=*/1, /*cluster=*/1,
                                 /*fitsThreads=*/false, countFoldBlocks(),
                                 /*shared=*/false,
                                 /*evictLast=*/false);
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

/// A warp along the columns, or less where these are fewer, or where so many
/// blocks would leave multiprocessors without one. Blocks share columns that
/// are too few for that.
ScheduleAttrInterface GPUScheduleChoice::getColumns(unsigned dim) {
  constexpr int64_t kLoadedPoints = 32, kFewLanes = 4, kLeastColumnThreads = 8,
                    kBlocksOfUnit = 3, kColumnThreads = 512;
  // Blocks that share columns fill the multiprocessors, and each of them adds
  // up what its threads and then what the others have: longer vectors took more
  // registers for that than a thread has, and up to 2.4 times as long on an
  // H200.
  constexpr int64_t kSharedLanes = 4, kSharedUnits = 4,
                    kSharedColumnThreads = 16;
  int64_t lanes = chooseLanes(dim);
  if (isWorthSharing(countOuter() / double(lanes * kLeastColumnThreads))) {
    lanes = std::min(lanes, kSharedLanes);
    auto vectors = static_cast<uint64_t>(std::ceil(
        estimateSize(kernel, kernel.getDimSize(dim)) / double(lanes)));
    int64_t columnThreads = std::clamp<int64_t>(llvm::PowerOf2Ceil(vectors), 1,
                                                kSharedColumnThreads);
    return GPUColumnScheduleAttr::get(
        context, dim, lanes, kSharedUnits, columnThreads,
        kColumnThreads / columnThreads, countFoldBlocks());
  }
  int64_t columnThreads = kWarpThreads;
  while (columnThreads > kLeastColumnThreads &&
         countOuter() / double(lanes * columnThreads) <
             double(machine.units * kBlocksOfUnit))
    columnThreads /= 2;
  return GPUColumnScheduleAttr::get(
      context, dim, lanes, kLoadedPoints / std::max(lanes, kFewLanes),
      columnThreads, kColumnThreads / columnThreads, /*blocks=*/0);
}

/// The dimension that a product of a matrix and at most `mostRows` rows folds,
/// where both are contiguous along it: the product is bound by the reads of the
/// matrix, as the threads that share a dot product of it make them.
std::optional<unsigned> GPUScheduleChoice::getDimOfFewRows(int64_t mostRows) {
  auto stages = kernel.getBodyBlock().getOps<ContractStageOp>();
  ContractStageOp stage = *stages.begin();
  ArrayRef<int64_t> folded = getFoldedDims(stage);
  if (!llvm::hasSingleElement(stages) || folded.size() != 1)
    return std::nullopt;
  unsigned dim = folded.front();
  DimSet left = dims.of(stage.getLhs()), right = dims.of(stage.getRhs());
  DimSet rows(left), columns(right);
  rows.reset(right);
  columns.reset(left);
  double few =
      std::min(estimatePoints(kernel, rows), estimatePoints(kernel, columns));
  if (few > double(mostRows) || !isContiguous(dim))
    return std::nullopt;
  return dim;
}

/// Rows of which so much is written that the second-level cache keeps no large
/// part of it: what is read there would push results out in any order. Of two
/// inputs, the loads of one would wait for arithmetic on the other.
ScheduleAttrInterface
GPUScheduleChoice::keepInputs(ScheduleAttrInterface schedule) {
  constexpr double kCachesOfResults = 4;
  auto rows = dyn_cast<GPURowScheduleAttr>(schedule);
  if (!rows || !rows.getHeld() ||
      estimateCost(kernel).bytesWritten <
          kCachesOfResults * double(machine.sharedCacheBytes))
    return schedule;
  auto own =
      llvm::count_if(kernel.getBodyBlock().getOps<ReadOp>(), [&](ReadOp read) {
        return dims.of(read.getResult()).all();
      });
  return own == 1 ? rows.withEvictLast() : schedule;
}

ScheduleAttrInterface GPUScheduleChoice::get() {
  // Consecutive threads of a contraction write consecutive results; each row
  // that they multiply is the same for all.
  if (auto library = getLibrarySchedule(kernel, machine))
    return library;
  if (auto attention = getGPUAttentionSchedule(kernel, machine))
    return attention;
  bool contracts = hasContraction(kernel);
  int64_t dim = contracts ? getWrittenDim(kernel) : getContiguousDim(kernel);
  std::optional<unsigned> folded;
  if (contracts)
    folded = getDimOfFewRows(kFewProductRows);
  // Tensor cores multiply a few rows in the time of one.
  const bool mayUseThreads = folded && (isMultipliedByThreads(kernel) ||
                                        getDimOfFewRows(kRowsOfThreads));
  if (auto tiles = getGPUContractionSchedule(kernel, machine, mayUseThreads))
    return tiles;
  if (folded)
    return getRows(*folded);
  if (dim < 0 || contracts)
    return getPoints(dim);
  if (auto transpose = getTransposeTiles(kernel, machine, dims, countLanes()))
    return transpose;
  if (!getParallelDims(kernel, dims).test(dim))
    return keepInputs(getRows(dim));
  if (kernel.getKernelClass() == KernelClass::ColumnReduction &&
      outer.test(dim) && !foldsFewPoints())
    return getColumns(dim);
  return getPoints(dim);
}

ScheduleAttrInterface tc::getGPUSchedule(KernelOp kernel,
                                         const MachineModel &machine) {
  if (auto gradients = getGPUAttentionBackwardSchedule(kernel, machine))
    return gradients;
  if (auto ordered = getOrderedGPUSchedule(kernel, machine))
    return ordered;
  return GPUScheduleChoice(kernel, machine).get();
}
