//===- ContractionEpilogue.cpp - What is computed of the sums -------------===//
//
// A thread has two neighbours in every 8 lanes of a tile, in two rows. Each
// pair is a vector of two lanes, for which the kernel's values are emitted as
// for any points. Points out of the domain read what the last ones of it read,
// and are not written.
//
//===----------------------------------------------------------------------===//

#include "ContractionEpilogue.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/LaneAccess.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "TC/Analysis/VectorAlignment.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Results of a word.
static constexpr int64_t kWordValues = 2;

namespace {
class EpilogueEmitter {
public:
  /// `isAligned`: the vectors of pairs are.
  EpilogueEmitter(ContractionTiles &tiles, Value values, bool isAligned);
  void emit(const TileCorner &corner, Value group, Scope &scope);
  /// Words of two results each, in place of stores.
  SmallVector<Value> emitResults(const TileCorner &corner, Value group,
                                 Scope &scope);
  /// Whether (i1) all of the warp's rows have the tile's matrix.
  Value emitHasWholeRows(const TileCorner &corner, Value group, Scope &scope);

private:
  /// A point of dimensions walked as one, and whether it is in the domain; null
  /// where it is for certain.
  struct Point {
    Value index, isThere;
  };
  Point getPoint(Value first, int64_t offset, SizeExpr count, int64_t tile,
                 int64_t points);
  void bind(Scope &scope, ArrayRef<unsigned> dims, const Point &point);
  void collect(SmallVector<Value> &words);
  SmallVector<Value> emitPart(const TileCorner &corner, Value group,
                              int64_t units, ValueRange carried, Scope &scope);
  void emitUnits(const TileCorner &corner, Value group, int64_t units,
                 Scope &scope);
  void emitRows(Scope &scope, Value firstRow, int64_t number);
  static constexpr int64_t kQuad = 4; ///< threads of a row
  /// Lanes of a unit of the tile, and the thread's values of it.
  static constexpr int64_t kUnit = 8, kUnitValues = 4;
  /// The thread's rows: two of each tile of 16, so far apart.
  static constexpr int64_t kRows = 2, kRowStep = 8;
  int64_t countRows() const { return kRows * countRowTiles(); }
  Point getRow(Value first, int64_t number) {
    return getPoint(first, number * kRowStep, product.rowCount,
                    tiles.schedule.getRows() * tiles.schedule.getCluster(),
                    /*points=*/1);
  }
  Value getFirstRow(const TileCorner &corner, Value group);
  void findRowsOfGroup(Value first, Scope &tile);
  /// Tiles of 16 rows that a warp has below each other, and the thread's values
  /// of one of them of one product.
  int64_t countRowTiles() const {
    return tiles.schedule.getGroupRows() / block::kAccumulatorRows;
  }
  int64_t countValues() const {
    return cast<VectorType>(values.getType()).getNumElements() /
           (countRowTiles() * product.countProducts());
  }

  ContractionTiles &tiles;
  GPUFrame &frame;
  Words words;
  const TensorCoreProduct &product;
  Value values; ///< of the thread
  /// Lanes that are computed together.
  int64_t lanes;
  VectorAlignment alignment;
  UnalignedVectors unaligned;
  PointEmitter emitter;
  bool collects = false;
  /// For each product, the sums of the point, or of its lanes.
  SmallVector<Value, 2> current;
  /// Whether (i1) the thread's rows have the matrix that the tile is multiplied
  /// by; none where there is one for all.
  SmallVector<Value, 4> areOfGroup;
};
} // namespace

EpilogueEmitter::EpilogueEmitter(ContractionTiles &tiles, Value values,
                                 bool isAligned)
    : tiles(tiles), frame(tiles.frame), words(tiles.words),
      product(tiles.product), values(values), lanes(product.hasPairs ? 2 : 1),
      alignment(frame.kernel, product.roles.vectorDim, lanes), unaligned(frame),
      emitter(frame, product.roles.vectorDim, lanes) {
  if (lanes > 1 && isAligned)
    emitter.aligned = &alignment;
  else if (lanes > 1)
    emitter.unaligned = &unaligned.getSingleLanes();
  SmallVector<ContractStageOp> stages = {product.roles.stage};
  if (product.roles.secondStage)
    stages.push_back(product.roles.secondStage);
  current.resize(stages.size());
  for (auto [number, stage] : llvm::enumerate(stages))
    emitter.provide(stage.getResult(), [this, number = number](Scope &) {
      return current[number];
    });
}

/// The point `offset` after `first`, with `points` points of `count`, of which
/// the tiles of a cluster have `tile`.
EpilogueEmitter::Point EpilogueEmitter::getPoint(Value first, int64_t offset,
                                                 SizeExpr count, int64_t tile,
                                                 int64_t points) {
  Point point{words.add(first, offset), Value()};
  auto constant = count.getConstant();
  if (!constant || *constant % tile != 0) {
    Value end = words.narrow(frame.size(count));
    point.isThere = words.isLess(point.index, end);
    point.index =
        words.min(point.index, words.sub(end, words.constant(points)));
  }
  point.index = words.widen(point.index);
  return point;
}

void EpilogueEmitter::bind(Scope &scope, ArrayRef<unsigned> dims,
                           const Point &point) {
  bindDigits(frame, scope, dims, point.index);
  if (point.isThere)
    scope.present =
        restrictMask(frame.builder, frame.loc, scope.present, point.isThere);
}

/// Of each of the thread's rows from `first` on whether (i1) it has the matrix
/// that the tile is multiplied by.
void EpilogueEmitter::findRowsOfGroup(Value first, Scope &tile) {
  if (!product.roles.group)
    return;
  for (int64_t point = 0; point < countRows(); ++point) {
    Scope row(tile, Scope::Detached());
    bind(row, product.roles.rows, getRow(first, point));
    PointEmitter groups(frame, std::nullopt, 1);
    areOfGroup.push_back(words.compare(arith::CmpIPredicate::eq, tiles.group,
                                       tiles.emitGroupOfRow(groups, row)));
  }
}

/// The points of one column of the thread's pairs, or of one half of it.
void EpilogueEmitter::emitRows(Scope &scope, Value firstRow, int64_t number) {
  auto &b = frame.builder;
  for (int64_t point = 0; point < countRows(); ++point) {
    const int64_t rowTile = point / kRows, half = point % kRows;
    Scope row(scope);
    bind(row, product.roles.rows, getRow(firstRow, point));
    if (!areOfGroup.empty())
      row.present =
          restrictMask(b, frame.loc, row.present, areOfGroup[size_t(point)]);
    for (auto [which, sums] : llvm::enumerate(current)) {
      int64_t first =
          (rowTile * product.countProducts() + int64_t(which)) * countValues() +
          number + 2 * half;
      auto value = [&](int64_t lane) -> Value {
        return vector::ExtractOp::create(b, frame.loc, values, first + lane);
      };
      sums = value(0);
      if (lanes > 1)
        sums = vector::FromElementsOp::create(
            b, frame.loc, VectorType::get({lanes}, tiles.getSumType()),
            ValueRange{sums, value(1)});
    }
    emitWrites(emitter, row);
  }
}

/// The thread's first row.
Value EpilogueEmitter::getFirstRow(const TileCorner &corner, Value group) {
  const int64_t groupRows = tiles.schedule.getGroupRows(),
                warpRows = groupRows / kGroupWarps;
  Value thread = words.narrow(frame.threadNumber),
        lane = words.rem(thread, kWarpThreads),
        warp = words.rem(words.div(thread, kWarpThreads), kGroupWarps);
  return words.add(corner.row, words.add(words.mul(group, groupRows),
                                         words.add(words.mul(warp, warpRows),
                                                   words.div(lane, kQuad))));
}

Value EpilogueEmitter::emitHasWholeRows(const TileCorner &corner, Value group,
                                        Scope &scope) {
  auto &b = frame.builder;
  Scope tile(scope, Scope::Detached());
  tiles.bindBatches(tile, corner.batch);
  findRowsOfGroup(getFirstRow(corner, group), tile);
  Value all = areOfGroup.front();
  for (Value isOfGroup : ArrayRef(areOfGroup).drop_front())
    all = arith::AndIOp::create(b, frame.loc, all, isOfGroup);
  Value least = tiles.emitLeast(
      arith::ExtUIOp::create(b, frame.loc, b.getI32Type(), all));
  return words.compare(arith::CmpIPredicate::ne, least, words.constant(0));
}

void EpilogueEmitter::emit(const TileCorner &corner, Value group,
                           Scope &scope) {
  emitUnits(corner, group, countValues() / kUnitValues, scope);
}

/// From here on results are appended to `words` and not stored.
void EpilogueEmitter::collect(SmallVector<Value> &words) {
  collects = true;
  // It is the only one.
  collectWords(frame, emitter,
               *frame.kernel.getBodyBlock().getOps<WriteOp>().begin(), words);
}

/// The words of `units` units from `corner` on, behind those that `carried` has
/// behind the thread's values; before them the values, with those of the next
/// units in the place of these ones.
SmallVector<Value> EpilogueEmitter::emitPart(const TileCorner &corner,
                                             Value group, int64_t units,
                                             ValueRange carried, Scope &scope) {
  auto &b = frame.builder;
  auto type = cast<VectorType>(values.getType());
  const int64_t count = type.getNumElements(), done = units * kUnitValues;
  values = vector::FromElementsOp::create(b, frame.loc, type,
                                          carried.take_front(size_t(count)));
  SmallVector<Value> words, next;
  collect(words);
  emitUnits(corner, group, units, scope);
  Value none = LLVM::UndefOp::create(b, frame.loc, type.getElementType());
  for (int64_t index = 0; index < count; ++index)
    next.push_back(index % countValues() + done < countValues()
                       ? carried[size_t(index + done)]
                       : none);
  llvm::append_range(next, carried.drop_front(size_t(count) + words.size()));
  next.append(words);
  return next;
}

/// Code names registers, so that each part of the values is brought to those of
/// the first one.
SmallVector<Value> EpilogueEmitter::emitResults(const TileCorner &corner,
                                                Value group, Scope &scope) {
  const int64_t parts = tiles.schedule.getEpilogueParts(),
                units = countValues() / kUnitValues / parts;
  SmallVector<Value> results;
  if (parts == 1) {
    collect(results);
    emitUnits(corner, group, units, scope);
    return results;
  }
  auto &b = frame.builder;
  Location loc = frame.loc;
  const int64_t count = cast<VectorType>(values.getType()).getNumElements(),
                wordCount = count / (kWordValues * product.countProducts());
  for (int64_t index = 0; index < count; ++index)
    results.push_back(vector::ExtractOp::create(b, loc, values, index));
  Value none = LLVM::UndefOp::create(b, loc, b.getI32Type());
  results.append(size_t(wordCount), none);
  auto loop =
      scf::ForOp::create(b, loc, words.constant(0), words.constant(parts),
                         words.constant(1), results);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  TileCorner part = corner;
  part.lane =
      words.add(corner.lane, words.mul(loop.getInductionVar(), units * kUnit));
  scf::YieldOp::create(
      b, loc, emitPart(part, group, units, loop.getRegionIterArgs(), scope));
  return SmallVector<Value>(loop.getResults().drop_front(size_t(count)));
}

void EpilogueEmitter::emitUnits(const TileCorner &corner, Value group,
                                int64_t units, Scope &scope) {
  constexpr int64_t kPair = 2;
  Value row = getFirstRow(corner, group),
        lane = words.rem(words.narrow(frame.threadNumber), kWarpThreads),
        column =
            words.add(corner.lane, words.mul(words.rem(lane, kQuad), kPair));
  Scope tile(scope, Scope::Detached());
  tiles.bindBatches(tile, corner.batch);
  if (!collects)
    findRowsOfGroup(row, tile);
  for (int64_t unit = 0; unit < units; ++unit)
    for (int64_t part = 0; part < kPair; part += lanes) {
      Scope own(tile);
      bind(own, product.roles.lanes,
           getPoint(column, unit * kUnit + part, product.laneCount,
                    tiles.getResultLanes(), lanes));
      if (lanes > 1)
        own.lanes = Lanes{product.roles.vectorDim, lanes, /*mask=*/nullptr};
      emitRows(own, row, unit * kUnitValues + part);
    }
}

void tc::emitContractionEpilogue(ContractionTiles &tiles,
                                 const TileCorner &corner, Value group,
                                 Value values, Scope &scope) {
  emitVersions(
      tiles.frame, scope, tiles.emitHasAlignedPairs(), {},
      [&](bool isAligned, Scope &inner) {
        EpilogueEmitter(tiles, values, isAligned).emit(corner, group, inner);
        return SmallVector<Value>();
      });
}

Value tc::emitHasWholeRows(ContractionTiles &tiles, const TileCorner &corner,
                           Value group, Scope &scope) {
  return EpilogueEmitter(tiles, /*values=*/Value(), /*isAligned=*/false)
      .emitHasWholeRows(corner, group, scope);
}

SmallVector<Value> tc::emitContractionResults(ContractionTiles &tiles,
                                              const TileCorner &corner,
                                              Value group, Value values,
                                              Scope &scope) {
  const TensorCoreProduct &product = tiles.product;
  SmallVector<Type> types(cast<VectorType>(values.getType()).getNumElements() /
                              (kWordValues * product.countProducts()),
                          tiles.frame.builder.getI32Type());
  // Results are stored from pairs, so `product.hasPairs`.
  SmallVector<Value> operands;
  for (const TensorCoreProduct::Operand *operand : product.getOperands())
    operands.push_back(operand->value);
  Value isAligned =
      emitHasAlignedReads(tiles.frame, product.roles.vectorDim, operands);
  return emitVersions(tiles.frame, scope, isAligned, types,
                      [&](bool isAligned, Scope &inner) {
                        return EpilogueEmitter(tiles, values, isAligned)
                            .emitResults(corner, group, inner);
                      });
}
