//===- InPlaceWrites.cpp - Outputs written over inputs --------------------===//

#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/ContractionRoles.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/KernelIterations.h"
#include "TC/Analysis/TiledAttention.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;
using namespace tc;

Value tc::getShownBuffer(Value buffer) {
  while (auto reshape = buffer.getDefiningOp<BufferReshapeOp>())
    buffer = reshape.getX();
  return buffer;
}

Value tc::getBufferRoot(Value buffer) {
  Value shown = getShownBuffer(buffer);
  auto output = shown.getDefiningOp<OutputBufferOp>();
  return output && output.getOver() ? output.getOver() : shown;
}

/// Whether every point of `dims` goes to an element of its own: the map's
/// results are these dimensions, each once, and constants.
static bool isOneElementAPoint(AffineMap map, const DimSet &dims) {
  if (map.getNumDims() != dims.size())
    return false; // dynamic indices
  DimSet seen(dims.size());
  for (AffineExpr result : map.getResults()) {
    if (isa<AffineConstantExpr>(result))
      continue;
    auto dim = dyn_cast<AffineDimExpr>(result);
    if (!dim || seen.test(dim.getPosition()))
      return false;
    seen.set(dim.getPosition());
  }
  return seen == dims;
}

WriteOp tc::getPlainWrite(BlockArgument out) {
  if (!out.hasOneUse())
    return nullptr;
  auto write = dyn_cast<WriteOp>(*out.user_begin());
  return write && !write.getWithin() && !write.isScatter() ? write : nullptr;
}

/// Whether the kernel's code is a CPU's, on which one thread runs an iteration.
static bool isForCPU(KernelOp kernel) { return getTargetKind(kernel) == "cpu"; }

//===----------------------------------------------------------------------===//
// Kernels that are computed point by point
//===----------------------------------------------------------------------===//

/// Whether `op` needs something that is read from `source`.
static bool readsFrom(Operation *op, BlockArgument source) {
  return anyProducer(op, [source](Operation *producer) {
    auto read = dyn_cast<ReadOp>(producer);
    return read && read.getSource() == source;
  });
}

/// Whether `read` takes the element that `write` puts its result at.
static bool isWhereWritten(ReadOp read, WriteOp write) {
  return read.getMap() == write.getMap() && !read.getWithin();
}

/// Whether what `read` takes, if it is written at all, is written by the same
/// point of `outer`: the index that follows such a dimension is the same.
static bool isOfOneIteration(ReadOp read, WriteOp write, const DimSet &outer) {
  return llvm::all_of(
      llvm::zip_equal(read.getMap().getResults(), write.getMap().getResults()),
      [&](auto indices) {
        auto [taken, put] = indices;
        auto dim = dyn_cast<AffineDimExpr>(put);
        return !dim || !outer.test(dim.getPosition()) || taken == put;
      });
}

/// Whether every loop of an iteration reads `source` before `write` stores to
/// the same buffer: loops after that of `write` do not read it, and the loop of
/// `write` itself reads only the element of its own point, before the store.
static bool readsBefore(KernelOp kernel, const KernelDims &dims,
                        const DimSet &outer, BlockArgument source,
                        WriteOp write) {
  bool isStored = false; // by a loop before
  for (ArrayRef<WriteOp> group : getWriteGroups(kernel, dims, outer)) {
    bool storesHere = llvm::is_contained(group, write), isAfter = false;
    llvm::SmallPtrSet<Operation *, 16> loaded;
    for (WriteOp other : group) {
      if (!isStored && !storesHere)
        continue;
      for (Operation *op : getLoopValues(other, dims, outer)) {
        // A fold inside of the loop reads other points.
        if (isa<ReduceStageOp>(op) && readsFrom(op, source))
          return false;
        auto read = dyn_cast<ReadOp>(op);
        if (!read || read.getSource() != source)
          continue;
        if (isStored || !isWhereWritten(read, write) ||
            (isAfter && !loaded.contains(op)))
          return false;
        loaded.insert(op);
      }
      isAfter |= other == write;
    }
    isStored |= storesHere;
  }
  return true;
}

/// One thread computes an iteration's folds and sorts before it writes.
static bool isOverPoints(KernelOp kernel, unsigned inIndex, unsigned outIndex) {
  if (hasContraction(kernel) || kernel.getIns()[inIndex].getType() !=
                                    kernel.getOuts()[outIndex].getType())
    return false;
  BlockArgument source = kernel.getInArgument(inIndex);
  WriteOp write = getPlainWrite(kernel.getOutArgument(outIndex));
  KernelDims dims(kernel);
  if (!write || !isOneElementAPoint(write.getMap(), dims.ofWrite(write)))
    return false;
  // Threads of a GPU share an iteration, and each takes points of its own.
  bool takesPoints = !isForCPU(kernel);
  if (takesPoints && (hasStages(kernel) || !dims.ofWrite(write).all()))
    return false;
  DimSet outer = getOuterDims(kernel, dims);
  for (Operation *user : source.getUsers()) {
    auto read = dyn_cast<ReadOp>(user);
    if (!read || !isOfOneIteration(read, write, outer) ||
        (takesPoints && !isWhereWritten(read, write)))
      return false;
  }
  for (Operation &op : kernel.getBodyBlock())
    if (llvm::any_of(getFoldedDims(&op),
                     [&](int64_t dim) { return outer.test(dim); }) &&
        readsFrom(&op, source))
      return false; // what other iterations write
  // With one dimension that is scanned, its loop is the innermost.
  return getScannedDims(kernel).count() <= 1 &&
         readsBefore(kernel, dims, outer, source, write);
}

//===----------------------------------------------------------------------===//
// Rows of contractions, read before they are written
//===----------------------------------------------------------------------===//

/// The row-major position of the element at `map`; null where a stride that
/// counts is no constant.
static AffineExpr getPosition(ShapedType type, AffineMap map) {
  AffineExpr position = getAffineConstantExpr(0, type.getContext());
  std::optional<int64_t> stride = 1;
  Sizes sizes = getSizes(type);
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    AffineExpr index = map.getResult(dim);
    if (index != getAffineConstantExpr(0, type.getContext())) {
      if (!stride)
        return nullptr;
      position = position + index * *stride;
    }
    auto size = sizes[dim].getConstant();
    stride =
        stride && size ? std::optional<int64_t>(*stride * *size) : std::nullopt;
  }
  return position;
}

/// Whether `read` is used for nothing but `operand` of `stage`.
static bool feedsOnly(ReadOp read, ContractStageOp stage, Value operand) {
  SmallVector<Value> pending{read.getResult()};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      Operation *user = use.getOwner();
      if (user == stage) {
        if (value != operand || stage.getLhs() == stage.getRhs())
          return false;
        continue;
      }
      if (isa<ReadOp, WriteOp, ReduceStageOp, ContractStageOp>(user))
        return false;
      if (seen.insert(user).second)
        llvm::append_range(pending, user->getResults());
    }
  }
  return true;
}

/// Whether `write` writes the elements that `read` reads, when the dimension
/// `written` of the one runs through the points of the reduced dimension
/// `folded` of the other.
static bool writesReadElements(ReadOp read, unsigned folded, WriteOp write,
                               unsigned written) {
  MLIRContext *context = read.getContext();
  AffineMap along = read.getMap();
  AffineExpr from = getAffineDimExpr(folded, context),
             to = getAffineDimExpr(written, context);
  along = AffineMap::get(along.getNumDims(), along.getNumSymbols(),
                         llvm::map_to_vector(along.getResults(),
                                             [&](AffineExpr result) {
                                               return result.replace(from, to);
                                             }),
                         context);
  auto in = cast<ShapedType>(read.getSource().getType()),
       out = cast<ShapedType>(write.getDestination().getType());
  if (in == out && along == write.getMap())
    return true;
  AffineExpr source = getPosition(in, along),
             target = getPosition(out, write.getMap());
  return source && target &&
         simplifyAffineExpr(source - target, along.getNumDims(),
                            along.getNumSymbols()) ==
             getAffineConstantExpr(0, context);
}

/// Tiled attention reads a tile's queries before it writes the tile's rows.
static bool isOverQueries(KernelOp kernel, const KernelDims &dims, ReadOp read,
                          WriteOp write) {
  if (!isa_and_nonnull<AttentionScheduleAttr>(kernel.getScheduleAttr()))
    return false;
  auto attention = TiledAttention::find(kernel, dims);
  return attention && attention->depth.size() == 1 &&
         attention->column != attention->depth[0] &&
         attention->depthCount == attention->columnCount &&
         feedsOnly(read, attention->scores, attention->queries) &&
         writesReadElements(read, attention->depth[0], write,
                            attention->column);
}

/// A contraction whose lanes are one block, and whose reduced points are one
/// block, reads a tile's rows before it writes them. Where the lanes are
/// several panels, the block's rows are packed before the first panel.
static bool isOverRows(KernelOp kernel, const KernelDims &dims, ReadOp read,
                       WriteOp write) {
  auto schedule =
      dyn_cast_or_null<ContractionScheduleAttr>(kernel.getScheduleAttr());
  if (!schedule)
    return false;
  auto roles = ContractionRoles::find(kernel, dims, schedule.getVectorDim());
  if (!roles || roles->rows.empty() || roles->lanes.size() != 1 ||
      roles->reduced.size() != 1)
    return false;
  auto tile = ContractionTile::get(schedule.getTile());
  auto lanes = kernel.getDimSize(roles->lanes[0]).getConstant(),
       reduced = kernel.getDimSize(roles->reduced[0]).getConstant();
  // Small enough for code of registers, whatever the target has of them.
  constexpr int64_t kMostPacked = 1 << 17;
  return lanes && *lanes > 0 && lanes == reduced &&
         *lanes <= kMostLanesInPlace && *lanes <= tile.blockLanes &&
         *reduced <= tile.reduced &&
         tile.rows * tile.lanes <=
             kMostAccumulators * schedule.getVectorWidth() &&
         tile.blockRows * (tile.reduced + kMostLanesInPlace) <= kMostPacked &&
         feedsOnly(read, roles->stage, roles->rowOperand) &&
         writesReadElements(read, roles->reduced[0], write, roles->lanes[0]);
}

static bool isOverRowsOfItsOwn(KernelOp kernel, unsigned inIndex,
                               unsigned outIndex) {
  if (!hasContraction(kernel) || !isForCPU(kernel))
    return false;
  auto in = cast<ShapedType>(kernel.getIns()[inIndex].getType()),
       out = cast<ShapedType>(kernel.getOuts()[outIndex].getType());
  BlockArgument source = kernel.getInArgument(inIndex);
  WriteOp write = getPlainWrite(kernel.getOutArgument(outIndex));
  auto read =
      source.hasOneUse() ? dyn_cast<ReadOp>(*source.user_begin()) : ReadOp();
  if (!write || !read || read.getWithin() || !read.getIndices().empty() ||
      in.getElementType() != out.getElementType() ||
      getElementCount(getSizes(in), kernel.getContext()) !=
          getElementCount(getSizes(out), kernel.getContext()))
    return false;
  KernelDims dims(kernel);
  return isOneElementAPoint(write.getMap(), dims.ofWrite(write)) &&
         (isOverQueries(kernel, dims, read, write) ||
          isOverRows(kernel, dims, read, write));
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

bool tc::mayWriteOver(KernelOp kernel, unsigned inIndex, unsigned outIndex) {
  return isOverPoints(kernel, inIndex, outIndex) ||
         isOverRowsOfItsOwn(kernel, inIndex, outIndex);
}

SmallVector<int64_t> tc::getInputsWrittenOver(KernelOp kernel) {
  SmallVector<int64_t> inputs;
  for (auto [index, in] : llvm::enumerate(kernel.getIns()))
    if (llvm::any_of(kernel.getOuts(), [&, in = in](Value out) {
          return getBufferRoot(in) == getBufferRoot(out);
        }))
      inputs.push_back(index);
  return inputs;
}

LogicalResult tc::verifyInPlaceWrites(KernelOp kernel) {
  for (auto [outIndex, out] : llvm::enumerate(kernel.getOuts()))
    for (auto [inIndex, in] : llvm::enumerate(kernel.getIns()))
      if (getBufferRoot(in) == getBufferRoot(out) &&
          !mayWriteOver(kernel, inIndex, outIndex))
        return kernel.emitOpError("'")
               << kernel.getName() << "' has input " << inIndex
               << " and output " << outIndex
               << " in one buffer; expected two, as elements are read again "
                  "after others are written";
  return success();
}
