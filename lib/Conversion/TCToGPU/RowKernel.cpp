//===- RowKernel.cpp - Rows that threads share ----------------------------===//
//
// The threads of a row take vectors of it in turns, fold what they have, and
// fold the results together. A row that they hold in registers is read once;
// of any other, each stage reads it again, from caches where it fits them.
//
//===----------------------------------------------------------------------===//

#include "RowKernel.h"
#include "../KernelEmission/KernelWrites.h"
#include "../KernelEmission/Loops.h"
#include "../KernelEmission/TeamLoop.h"
#include "AlignedVersion.h"
#include "CopiedRow.h"
#include "FittedRowTeam.h"
#include "PartFolds.h"
#include "PointKernel.h"
#include "RowTeam.h"
#include "TC/Analysis/CostModel.h"
#include "TC/Analysis/KernelClassification.h"
#include "TC/Analysis/MachineModel.h"
#include "UnalignedVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tc;

namespace {
/// How a thread goes through its part of a row: by vectors of `lanes` points,
/// aligned as `alignment` says, or anywhere where there is none, which it holds
/// or reads again in each stage.
struct Version {
  int64_t lanes;
  const VectorAlignment *alignment;
  bool holdsRow;
};

class RowsEmitter {
public:
  RowsEmitter(GPUFrame &frame, GPURowScheduleAttr schedule)
      : frame(frame), schedule(schedule), dim(schedule.getVectorDim()),
        count(countRows(frame.kernel)),
        warps(countWarps(frame.kernel, schedule)) {
    DimSet outer = getOuterDims(frame.kernel, frame.dims);
    dims.append(outer.set_bits_begin(), outer.set_bits_end());
    if (hasContraction(frame.kernel))
      orderBySize();
    if (auto folded = getFirstFoldedDims(frame.kernel);
        llvm::is_contained(folded, dim))
      teamDims = folded;
    if (auto plan = FoldParts::find(frame.kernel))
      folds.emplace(frame, *plan);
    if (schedule.getShared())
      copies.emplace(frame.kernel, schedule);
    if (frame.cluster > 1)
      exchange.emplace(frame);
  }
  LaunchShape emit();

private:
  /// Puts the few rows of a product last: those of a block read the same row of
  /// the matrix.
  void orderBySize() {
    llvm::sort(dims, [this](unsigned one, unsigned other) {
      auto size = [this](unsigned dim) {
        return estimateSize(frame.kernel, frame.kernel.getDimSize(dim));
      };
      return std::pair(-size(one), one) < std::pair(-size(other), other);
    });
  }
  LaunchShape getShape();
  std::unique_ptr<RowTeam> makeTeam();
  void bindRow(Scope &scope, RowTeam &team, Value block);
  void emitRow(Scope &scope, Value block, const Version &version);
  void emitParts(Scope &scope, const Version &version);
  void emitVersions(Scope &scope, const VectorAlignment *alignment);
  bool fitsAnywhere() const;
  int64_t countStreamedUnits() const;
  int64_t countResidentThreads() const;
  void emitStreamed(Scope &scope);
  Value emitOffset(PointEmitter &emitter, Scope &scope);

  GPUFrame &frame;
  GPURowScheduleAttr schedule;
  const unsigned dim;
  SmallVector<unsigned> dims; ///< of the rows
  SmallVector<unsigned> teamDims{dim};
  SizeExpr count;                  ///< of the rows
  SizeExpr warps;                  ///< of a row, where they are fitted to it
  std::optional<PartFolds> folds;  ///< of blocks that share rows
  std::optional<RowCopies> copies; ///< of rows held in shared memory
  std::optional<ClusterExchange> exchange;
  UnalignedVectors unaligned{frame};
};
} // namespace

LaunchShape RowsEmitter::getShape() {
  MLIRContext *context = frame.kernel.getContext();
  if (folds)
    return folds->getShape();
  LaunchShape shape;
  shape.threads = frame.threads;
  shape.cluster = frame.cluster;
  shape.sharedBytes = frame.dynamicSharedBytes;
  SizeExpr rows = SizeExpr::constant(context, schedule.getRows());
  if (schedule.getFitsThreads())
    rows = SizeExpr::constant(context, frame.threads / kWarpThreads)
               .floorDiv(warps);
  shape.count = count.ceilDiv(rows).mul(schedule.getCluster());
  shape.grain = SizeExpr::constant(context, 1);
  return shape;
}

std::unique_ptr<RowTeam> RowsEmitter::makeTeam() {
  if (schedule.getFitsThreads())
    return std::make_unique<FittedRowTeam>(frame, dim, frame.size(warps),
                                           schedule.getUnits());
  return std::make_unique<RowTeam>(frame, dim, schedule.getThreads(),
                                   exchange ? &*exchange : nullptr);
}

/// Binds the row of a team of `block`. The threads of rows that are not there
/// compute the last one along, and write nothing: all threads meet at barriers.
void RowsEmitter::bindRow(Scope &scope, RowTeam &team, Value block) {
  auto &builder = frame.builder;
  Value row = block;
  if (frame.cluster > 1)
    row = arith::DivUIOp::create(builder, frame.loc, row,
                                 frame.constant(frame.cluster));
  auto compare = [&](Value x, Value y) -> Value {
    return arith::CmpIOp::create(builder, frame.loc, arith::CmpIPredicate::slt,
                                 x, y);
  };
  if (Value rows = team.countRows()) {
    Value number = team.getRow();
    row = frame.add(frame.mul(row, rows), number);
    auto all = count.getConstant();
    bool isWhole =
        !schedule.getFitsThreads() && all && *all % schedule.getRows() == 0;
    if (!isWhole) {
      Value end = frame.size(count);
      scope.present = compare(row, end);
      if (schedule.getFitsThreads()) // warps that are no row's
        scope.present = arith::AndIOp::create(builder, frame.loc, scope.present,
                                              compare(number, rows));
      row = arith::MinSIOp::create(builder, frame.loc, row,
                                   frame.sub(end, frame.constant(1)));
    }
  }
  bindDigits(frame, scope, dims, row);
}

/// Units of a row that a schedule for held rows does not hold. What is loaded
/// of long rows of unknown length has to be under way together; no version
/// takes registers from that for held rows.
int64_t RowsEmitter::countStreamedUnits() const {
  return schedule.getFitsThreads()
             ? std::max<int64_t>(1, schedule.getUnits() / 2)
             : 1;
}

/// Loads what a row has one element of, such as a bias, which is under way
/// while the row is folded: else each block would wait for it after that.
static void emitRowReads(PointEmitter &emitter, Scope &scope) {
  KernelFrame &frame = emitter.frame;
  for (ReadOp read : frame.kernel.getBodyBlock().getOps<ReadOp>()) {
    Value value = read.getResult();
    if (frame.dims.of(value).test(scope.bound) || read.getWithin() ||
        !read.getIndices().empty())
      continue;
    Scope &home = getHome(frame, value, scope);
    OpBuilder::InsertionGuard guard(frame.builder);
    moveInto(frame, home);
    home.loaded[value] = emitter.access.emitStored(read, home);
  }
}

void RowsEmitter::emitRow(Scope &scope, Value block, const Version &version) {
  auto team = makeTeam();
  PointEmitter emitter(frame, dim, version.lanes);
  emitter.aligned = version.alignment;
  emitter.team = team.get();
  emitter.holdsRow = version.holdsRow;
  emitter.holdsPacked = version.holdsRow && schedule.getPacked();
  emitter.evictsInputsLast = version.holdsRow && schedule.getEvictLast();
  emitter.units = version.holdsRow || !schedule.getHeld()
                      ? schedule.getUnits()
                      : countStreamedUnits();
  team->dims = teamDims;
  bindRow(scope, *team, block);
  if (version.holdsRow && version.lanes > 1 && !version.alignment) {
    emitter.unaligned = &unaligned;
    emitter.heldOffset = emitOffset(emitter, scope);
  }
  if (emitter.beginsAnywhere()) {
    emitter.unaligned = &unaligned;
    emitter.rowOffset = [&](Scope &row) {
      return unaligned.emitOffset(emitter, version.alignment->getAnchor(), dim,
                                  row, schedule.getVectorWidth());
    };
  }
  std::optional<CopiedRow> copied;
  if (copies && version.holdsRow && version.alignment)
    copied.emplace(frame, *copies, schedule).emitCopies(emitter, scope);
  if (folds) {
    folds->emitColumn(emitter, scope, frame.constant(0));
  } else {
    emitRowReads(emitter, scope);
    if (copied)
      copied->emitWait();
    emitWrites(emitter, scope);
  }
  team->emitEnd();
}

void RowsEmitter::emitParts(Scope &scope, const Version &version) {
  if (!folds)
    return emitRow(scope, frame.blockNumber, version);
  folds->emitTwice(scope, frame.blockNumber, [&](Scope &inner, Value row) {
    emitRow(inner, row, version);
  });
}

/// Whether a row is held wherever its first vector begins.
bool RowsEmitter::fitsAnywhere() const {
  auto size = frame.kernel.getDimSize(dim).getConstant();
  return !size ||
         *size + schedule.getVectorWidth() - 1 <= countHeldPoints(schedule);
}

/// How many points after the first one of the row (i64, not above 0) the first
/// vector begins that is aligned for what is stored, if that is in vectors. A
/// row along several dimensions has pieces that begin at different offsets, and
/// so have the rows that the team goes through because a stage folds them.
Value RowsEmitter::emitOffset(PointEmitter &emitter, Scope &scope) {
  WriteOp write = findVectorWrite(frame.kernel, dim);
  auto isBound = [&](unsigned other) {
    return other == dim || scope.bound.test(other) ||
           !write.getMap().isFunctionOfDim(other);
  };
  if (!write || !fitsAnywhere() || teamDims.size() > 1 ||
      !llvm::all_of(llvm::seq(frame.kernel.getNumDims()), isBound))
    return frame.constant(0);
  int64_t lanes = schedule.getVectorWidth();
  Value zero = frame.constant(0);
  Value offset = unaligned.emitOffset(emitter, write, dim, scope, lanes);
  if (!schedule.getFitsThreads())
    return offset;
  // The warps of a row may have room for no more than its points.
  Value room = frame.mul(emitter.team->count,
                         frame.constant(schedule.getUnits() * lanes));
  Value wanted = frame.add(frame.dimSize(dim), frame.constant(lanes - 1));
  Value fits = arith::CmpIOp::create(frame.builder, frame.loc,
                                     arith::CmpIPredicate::sle, wanted, room);
  return arith::SelectOp::create(frame.builder, frame.loc, fits, offset, zero);
}

/// What is not held nor aligned: rows that follow each other in memory are
/// vectors from an aligned address on, where they are no shorter than two, and
/// what else is not aligned is loaded element by element.
void RowsEmitter::emitStreamed(Scope &scope) {
  int64_t lanes = schedule.getVectorWidth();
  Version elements{1, nullptr, /*holdsRow=*/false};
  VectorAlignment anywhere(frame.kernel, dim, lanes, teamDims);
  // Each end of a walk is a worker's.
  bool areEndsTaken =
      schedule.getThreads() * schedule.getCluster() >= TeamLoop::kRowEnds;
  if (schedule.getHeld() || !anywhere.isUseful() || !areEndsTaken ||
      !mayFoldInParts(frame.kernel))
    return emitParts(scope, elements);
  Version vectors{lanes, &anywhere, /*holdsRow=*/false};
  SizeExpr size = frame.kernel.getDimSize(dim);
  Value isLong;
  if (teamDims.size() > 1 && size.getConstant().value_or(0) < 2 * lanes)
    isLong = arith::CmpIOp::create(frame.builder, frame.loc,
                                   arith::CmpIPredicate::sge, frame.size(size),
                                   frame.constant(2 * lanes));
  if (!isLong && anywhere.isCertain())
    return emitParts(scope, vectors);
  emitEither(
      frame, scope, emitIsAligned(frame, anywhere, isLong),
      [&](Scope &inner) { emitParts(inner, vectors); },
      [&](Scope &inner) { emitParts(inner, elements); });
}

/// What is neither held nor aligned is read again by each stage.
void RowsEmitter::emitVersions(Scope &scope, const VectorAlignment *alignment) {
  int64_t lanes = schedule.getVectorWidth();
  Version held{lanes, alignment, /*holdsRow=*/true};
  Version streamed{alignment ? lanes : 1, alignment, /*holdsRow=*/false};
  if (!schedule.getHeld())
    return alignment ? emitParts(scope, streamed) : emitStreamed(scope);
  if (frame.kernel.getDimSize(dim).isConstant())
    return emitParts(scope, held);
  Value isHeld = arith::CmpIOp::create(
      frame.builder, frame.loc, arith::CmpIPredicate::sle, frame.dimSize(dim),
      frame.constant(countHeldPoints(schedule) - (alignment ? 0 : lanes - 1)));
  emitEither(
      frame, scope, isHeld, [&](Scope &inner) { emitParts(inner, held); },
      [&](Scope &inner) { emitParts(inner, streamed); });
}

/// The threads of a multiprocessor whose rows its shared memory has room for.
int64_t RowsEmitter::countResidentThreads() const {
  constexpr int64_t kBlockBytes = 2 * 1024, kThreads = 2048;
  int64_t blocks = MachineModel::get(frame.kernel).blockSharedBytes /
                   (copies->getBytes(schedule) + kBlockBytes);
  return std::min(blocks * frame.threads, kThreads);
}

LaunchShape RowsEmitter::emit() {
  // The version that takes most registers is not the one that most calls need.
  if (copies)
    frame.limitRegisters(countResidentThreads());
  else if (schedule.getFitsThreads() || schedule.getPacked() || folds)
    frame.limitRegisters();
  Scope root(frame);
  VectorAlignment alignment(frame.kernel, dim, schedule.getVectorWidth(),
                            /*allowsRest=*/!schedule.getHeld() &&
                                teamDims.size() == 1);
  if (!alignment.isUseful()) {
    emitVersions(root, nullptr);
    return getShape();
  }
  // Rows of vectors have aligned ones unless the caller's memory does not: the
  // version for that takes no registers from the other one.
  bool isWhole =
      schedule.getHeld() && frame.kernel.getDimSize(dim).isConstant();
  emitEither(
      frame, root, emitIsAligned(frame, alignment),
      [&](Scope &scope) { emitVersions(scope, &alignment); },
      [&](Scope &scope) {
        if (isWhole)
          emitParts(scope, {1, nullptr, /*holdsRow=*/false});
        else
          emitVersions(scope, nullptr);
      });
  return getShape();
}

LaunchShape tc::emitRowKernel(GPUFrame &frame, GPURowScheduleAttr schedule) {
  return RowsEmitter(frame, schedule).emit();
}
