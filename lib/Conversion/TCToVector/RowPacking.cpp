//===- RowPacking.cpp - Rows copied for register tiles --------------------===//

#include "RowPacking.h"
#include "../KernelEmission/Loops.h"
#include "Packing.h"
#include "SquareTranspose.h"
#include "TC/Analysis/ElementStrides.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

namespace {
class RowPacking : Packing {
public:
  using Packing::Packing;

  void packAlong(Scope &scope, Value low, Value high, int64_t tileRows,
                 Value scratch);
  void packAcross(Scope &scope, Value low, Value high, int64_t tileRows,
                  Value scratch);
  /// Whether rows are packed in runs: the points of all reduced dimensions but
  /// the first, such as the window of a convolution, which are few or
  /// contiguous. Runs of single points are where rows are closer together.
  bool hasRuns();
  void packRuns(Scope &scope, Value low, Value high, int64_t tileRows,
                Value scratch);

private:
  /// Points of dimensions of constant sizes.
  int64_t countPoints(ArrayRef<unsigned> dims) {
    int64_t count = 1;
    for (unsigned dim : dims)
      count *= *frame.kernel.getDimSize(dim).getConstant();
    return count;
  }
  bool areRowsCloserThanRuns();
  void copyRun(Scope &scope, Value scratch, Value row);
  Vectors loadRows(PointEmitter &reader, Scope &scope, Value position);
  Vectors pairUp(ArrayRef<Value> vectors);
};
} // namespace

/// The end of the tiles of `tileRows` rows that have the rows [low, high).
static Value getTilesEnd(KernelFrame &frame, Value low, Value high,
                         int64_t tileRows) {
  Value tile = frame.constant(tileRows);
  Value tiles = arith::CeilDivSIOp::create(frame.builder, frame.loc,
                                           frame.sub(high, low), tile);
  return frame.add(low, frame.mul(tiles, tile));
}

/// Vectors along the points, row after row. The rest of the last tile repeats
/// the last row.
void RowPacking::packAlong(Scope &scope, Value low, Value high,
                           int64_t tileRows, Value scratch) {
  auto &builder = frame.builder;
  Value last = frame.sub(high, frame.constant(1));
  emitSteps(
      frame, scope, low, getTilesEnd(frame, low, high, tileRows), 1,
      [&](Scope &row, Value number) {
        Value valid = arith::MinSIOp::create(builder, frame.loc, number, last);
        Value start =
            frame.mul(frame.sub(number, low), frame.constant(packed.stride));
        alongReduced(row, valid,
                     [&](Scope &, Value position, const Vectors &vectors) {
                       store(vectors[0], scratch, frame.add(start, position));
                     });
      });
}

bool RowPacking::hasRuns() {
  constexpr int64_t kMostSinglePoints = 16;
  auto read = operand.getDefiningOp<ReadOp>();
  if (!read || read.getWithin() || !read.getIndices().empty() ||
      packed.reduced.empty() || packed.pair != 1 ||
      getLinearRead(frame.kernel, operand, packed.reduced))
    return false;
  ArrayRef<unsigned> inner = ArrayRef(packed.reduced).drop_front();
  if (inner.empty())
    return areRowsCloserThanRuns();
  bool areConstant = llvm::all_of(inner, [&](unsigned dim) {
    return frame.kernel.getDimSize(dim).isConstant();
  });
  return areConstant && (getLinearRead(frame.kernel, operand, inner) ||
                         countPoints(inner) <= kMostSinglePoints);
}

/// Whether the last row dimension has a smaller stride than the first reduced
/// one, so that memory is read in order where rows are the inner loop.
bool RowPacking::areRowsCloserThanRuns() {
  auto read = operand.getDefiningOp<ReadOp>();
  auto getStride = [&](unsigned dim) {
    auto stride = getElementStride(cast<ShapedType>(read.getSource().getType()),
                                   read.getMap(), dim);
    return stride ? stride->getConstant() : std::nullopt;
  };
  auto row = getStride(packed.dims.back()), run = getStride(packed.reduced[0]);
  return row && run && std::abs(*row) < std::abs(*run);
}

/// Copies the run of the row and the first reduced point that `scope` binds;
/// the row begins at element `row` of the scratch. Whole vectors may write what
/// follows the run, which the next run, or the gap between rows, takes.
void RowPacking::copyRun(Scope &scope, Value scratch, Value row) {
  auto &builder = frame.builder;
  ArrayRef<unsigned> inner = ArrayRef(packed.reduced).drop_front();
  const int64_t points = countPoints(inner);
  PointEmitter reader(frame, std::nullopt, 1);
  ReadOp read = getLinearRead(frame.kernel, operand, inner);
  if (!read) {
    reader.emitLoops(scope, inner, {}, [&](Scope &point, ValueRange) {
      store(convert(reader.emit(operand, point)), scratch,
            frame.add(row,
                      getBlockPosition(frame, packed.reduced, point, block)));
      return SmallVector<Value>();
    });
    return;
  }
  for (unsigned dim : inner)
    scope.bind(dim, frame.constant(0));
  Value pointer = reader.access.pointerTo(read, scope),
        start = frame.add(
            row, getBlockPosition(frame, packed.reduced, scope, block));
  auto copy = [&](Value position, Value mask) {
    store(loadLinear(read, pointer, position, mask), scratch,
          frame.add(start, position));
  };
  emitSteps(frame, scope, frame.constant(0),
            frame.constant(points - points % step), step,
            [&](Scope &, Value position) { copy(position, nullptr); });
  if (points % step == 0)
    return;
  // The last vector begins early where a whole one fits.
  if (points > step)
    return copy(frame.constant(points - step), nullptr);
  SmallVector<bool> isThere(step, false);
  std::fill_n(isThere.begin(), points, true);
  copy(frame.constant(0),
       arith::ConstantOp::create(
           builder, frame.loc,
           DenseElementsAttr::get(VectorType::get({step}, builder.getI1Type()),
                                  isThere)));
}

/// Run after run and row after row. The rest of the last tile repeats the last
/// row.
void RowPacking::packRuns(Scope &scope, Value low, Value high, int64_t tileRows,
                          Value scratch) {
  auto &builder = frame.builder;
  Value last = frame.sub(high, frame.constant(1)),
        end = getTilesEnd(frame, low, high, tileRows);
  auto overRows = [&](Scope &outer,
                      llvm::function_ref<void(Scope &, Value start)> body) {
    emitSteps(frame, outer, low, end, 1, [&](Scope &row, Value number) {
      bindDigits(frame, row, packed.dims,
                 arith::MinSIOp::create(builder, frame.loc, number, last));
      body(row,
           frame.mul(frame.sub(number, low), frame.constant(packed.stride)));
    });
  };
  auto overRuns = [&](Scope &outer, llvm::function_ref<void(Scope &)> body) {
    emitSteps(frame, outer, block.low, block.high, 1,
              [&](Scope &run, Value point) {
                run.bind(packed.reduced.front(), point);
                body(run);
              });
  };
  if (areRowsCloserThanRuns())
    return overRuns(scope, [&](Scope &run) {
      overRows(run,
               [&](Scope &row, Value start) { copyRun(row, scratch, start); });
    });
  overRows(scope, [&](Scope &row, Value start) {
    overRuns(row, [&](Scope &run) { copyRun(run, scratch, start); });
  });
}

/// `step` vectors along the rows, of the points from `position` of the block
/// on, with 0 beyond its points.
Packing::Vectors RowPacking::loadRows(PointEmitter &reader, Scope &scope,
                                      Value position) {
  auto &builder = frame.builder;
  Value last = frame.sub(block.points, frame.constant(1));
  Vectors vectors;
  for (int64_t i = 0; i < step; ++i) {
    Value point = frame.add(position, frame.constant(i)), isThere;
    if (!packed.isWholeVectors) {
      isThere = arith::CmpIOp::create(builder, frame.loc,
                                      arith::CmpIPredicate::sle, point, last);
      point = arith::MinSIOp::create(builder, frame.loc, point, last);
    }
    Scope inner(scope);
    inner.bind(packed.reduced.front(), frame.add(block.low, point));
    Value vector = convert(reader.emitVector(operand, inner));
    if (isThere)
      vector = arith::SelectOp::create(
          builder, frame.loc, isThere, vector,
          arith::ConstantOp::create(builder, frame.loc,
                                    builder.getZeroAttr(vector.getType())));
    vectors.push_back(vector);
  }
  return vectors;
}

/// Vectors of pairs of points, as i32, of vectors of points.
Packing::Vectors RowPacking::pairUp(ArrayRef<Value> vectors) {
  auto pairs = VectorType::get({packed.width}, frame.builder.getI32Type());
  Vectors paired;
  for (size_t i = 0; i < vectors.size(); i += 2)
    paired.push_back(
        vector::BitCastOp::create(frame.builder, frame.loc, pairs,
                                  interleave(vectors[i], vectors[i + 1])));
  return paired;
}

/// Vectors along the rows, transposed in registers. The rest of the last tile
/// is 0.
void RowPacking::packAcross(Scope &scope, Value low, Value high,
                            int64_t tileRows, Value scratch) {
  auto &builder = frame.builder;
  unsigned rowDim = packed.dims.back();
  PointEmitter reader(frame, rowDim, packed.width);
  auto rowAt = [&](Value number) {
    return frame.mul(frame.sub(number, low), frame.constant(packed.stride));
  };
  emitRuns(frame, scope, packed.dims, low, high,
           [&](Scope &run, Value from, Value to, Value origin) {
             reader.emitLoop(
                 run, rowDim, from, to, {}, [&](Scope &rows, ValueRange) {
                   Value first = rowAt(frame.add(origin, rows.indices[rowDim]));
                   emitSteps(
                       frame, rows, frame.constant(0), block.points, step,
                       [&](Scope &group, Value position) {
                         Vectors vectors = loadRows(reader, group, position);
                         if (packed.pair == 2)
                           vectors = pairUp(vectors);
                         Value start = frame.add(first, position);
                         vectors = transposeSquare(frame, vectors);
                         for (auto [i, vector] : llvm::enumerate(vectors))
                           store(vector, scratch,
                                 frame.add(start,
                                           frame.constant(i * packed.stride)));
                       });
                   return SmallVector<Value>();
                 });
           });
  Type type = VectorType::get({step}, element);
  Value zero =
      arith::ConstantOp::create(builder, frame.loc, builder.getZeroAttr(type));
  emitSteps(frame, scope, high, getTilesEnd(frame, low, high, tileRows), 1,
            [&](Scope &row, Value number) {
              emitSteps(frame, row, frame.constant(0), block.points, step,
                        [&](Scope &, Value position) {
                          store(zero, scratch,
                                frame.add(rowAt(number), position));
                        });
            });
}

void tc::packRows(KernelFrame &frame, const PackedOperand &rows, Scope &scope,
                  Value low, Value high, int64_t tileRows, ReducedBlock block,
                  Value scratch) {
  RowPacking packing(frame, rows, block);
  if (rows.packsAcross)
    packing.packAcross(scope, low, high, tileRows, scratch);
  else if (packing.hasRuns())
    packing.packRuns(scope, low, high, tileRows, scratch);
  else
    packing.packAlong(scope, low, high, tileRows, scratch);
}
