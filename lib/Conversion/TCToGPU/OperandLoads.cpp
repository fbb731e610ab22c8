//===- OperandLoads.cpp - Elements of an operand that threads load --------===//
//
// Neighbouring threads have neighbouring 16 bytes of a row of a box, which are
// neighbours in memory where the operand is one of contiguous rows. Points
// behind the end of what is summed over are 0; those behind the end of the own
// dimension may be anything, as their results are not stored.
//
//===----------------------------------------------------------------------===//

#include "OperandLoads.h"
#include "../KernelEmission/Loops.h"
#include "AlignedVersion.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace tc;

/// Units of 16 bytes of a row of a box.
static constexpr int64_t kUnits = 8;
/// Rows of boxes that the warp group stores at once.
static constexpr int64_t kRowsOfPass = block::kGroupThreads / kUnits;

/// The dimension along which neighbours of an operand are neighbours in memory.
static unsigned getInnerDim(const ContractionTiles &tiles,
                            const TensorCoreProduct::Operand &operand) {
  const ContractionRoles &roles = tiles.product.roles;
  if (!operand.isAcross)
    return roles.reduced.back();
  return &operand == &tiles.product.rows ? roles.rows.back()
                                         : roles.lanes.back();
}

OperandLoads::OperandLoads(ContractionTiles &tiles,
                           const TensorCoreProduct::Operand &operand,
                           bool isRows, int64_t offset, int64_t tile,
                           bool areAligned, Scope &scope)
    : tiles(tiles), frame(tiles.frame), words(tiles.words), operand(operand),
      own(isRows ? ArrayRef(tiles.product.roles.rows)
                 : ArrayRef(tiles.product.roles.lanes)),
      ownCount(isRows ? tiles.product.rowCount : tiles.product.laneCount),
      offset(offset), tile(tile), unit(tiles.getUnit()), scope(scope),
      alignment(tiles.frame.kernel, getInnerDim(tiles, operand), unit),
      areAligned(areAligned), unaligned(tiles.frame) {}

std::optional<Value> OperandLoads::emitAreAligned(ContractionTiles &tiles) {
  GPUFrame &frame = tiles.frame;
  std::optional<unsigned> dim;
  for (const TensorCoreProduct::Operand *operand :
       tiles.product.getOperands()) {
    if (operand->matrix)
      continue;
    unsigned own = getInnerDim(tiles, *operand);
    if (dim && *dim != own)
      return std::nullopt;
    dim = own;
  }
  if (!dim)
    return std::nullopt;
  VectorAlignment alignment(frame.kernel, *dim, tiles.getUnit());
  if (!alignment.isUseful())
    return std::nullopt;
  return emitIsAligned(frame, alignment);
}

/// Whether the neighbours of a unit are points of one dimension.
bool OperandLoads::hasWholeVectors() const {
  ArrayRef<unsigned> dims =
      operand.isAcross ? own : ArrayRef(tiles.product.roles.reduced);
  auto last = frame.kernel.getDimSize(dims.back()).getConstant();
  return dims.size() == 1 || (last && *last % unit == 0);
}

OperandLoads::Place OperandLoads::getPlace(Value row, Value column, Value first,
                                           Value reduced) {
  Value inner = words.mul(column, unit);
  if (!operand.isAcross)
    return {words.add(first, row), words.add(reduced, inner)};
  const int64_t elements = tiles.product.getStepElements();
  Value box = words.div(row, elements), inBox = words.rem(row, elements);
  return {words.add(first, words.add(words.mul(box, elements), inner)),
          words.add(reduced, inBox)};
}

/// `index`, or the last point of `count` where it is behind that; tiles have
/// `tilePoints` of them.
Value OperandLoads::clamp(Value index, SizeExpr count, int64_t tilePoints) {
  auto constant = count.getConstant();
  if (constant && *constant % tilePoints == 0)
    return index;
  return words.min(
      index, words.sub(words.narrow(frame.size(count)), words.constant(1)));
}

/// Whether (i1) a point is before the end of what is summed over.
static Value isInside(Words words, GPUFrame &frame, Value reduced,
                      SizeExpr count) {
  return words.isLess(reduced, words.narrow(frame.size(count)));
}

Value OperandLoads::loadVector(const Place &place, Scope &tileScope) {
  auto &b = frame.builder;
  const TensorCoreProduct &product = tiles.product;
  ArrayRef<unsigned> reduced = product.roles.reduced;
  unsigned dim = operand.isAcross ? own.back() : reduced.back();
  Value ownIndex = place.own, reducedIndex = place.reduced;
  Scope inner(tileScope, Scope::Detached());
  inner.lanes = Lanes{dim, unit, /*mask=*/nullptr};
  auto known = product.reducedCount.getConstant();
  bool isWhole =
      known && *known % product.getStepElements() == 0 && !tiles.isSplit();
  if (operand.isAcross) {
    auto constant = ownCount.getConstant();
    if (!constant || *constant % tile != 0)
      inner.lanes->mask = unaligned.lanesBefore(
          words.sub(words.narrow(frame.size(ownCount)), ownIndex), unit);
    if (!isWhole)
      inner.readable =
          isInside(words, frame, reducedIndex, product.reducedCount);
  } else {
    ownIndex = clamp(ownIndex, ownCount, tile);
    if (!isWhole)
      inner.lanes->mask = unaligned.lanesBefore(
          words.sub(words.narrow(frame.size(product.reducedCount)),
                    reducedIndex),
          unit);
  }
  bindDigits(frame, inner, own, words.widen(ownIndex));
  bindDigits(frame, inner, reduced, words.widen(reducedIndex));
  PointEmitter emitter(frame, dim, unit);
  emitter.unaligned = &unaligned;
  if (areAligned)
    emitter.aligned = &alignment;
  Type type = operand.value.getType();
  auto vectorType = VectorType::get({unit}, getStorageType(type));
  auto read = operand.value.getDefiningOp<ReadOp>();
  bool isStored = read && read.getIndices().empty() &&
                  isVector(frame, operand.value, inner);
  Value value =
      isStored ? emitter.access.emitStored(read, inner)
               : narrow(frame, emitter.emitVector(operand.value, inner), type);
  // Lanes that the mask leaves out may be anything.
  Value zeros =
      arith::ConstantOp::create(b, frame.loc, b.getZeroAttr(vectorType));
  if (!operand.isAcross && inner.lanes->mask)
    return arith::SelectOp::create(b, frame.loc, inner.lanes->mask, value,
                                   zeros);
  return inner.readable ? Value(arith::SelectOp::create(
                              b, frame.loc, inner.readable, value, zeros))
                        : value;
}

/// Element number `number` of the unit at `place`.
Value OperandLoads::loadElement(const Place &place, int64_t number,
                                Scope &tileScope) {
  auto &b = frame.builder;
  const TensorCoreProduct &product = tiles.product;
  Value ownIndex = place.own, reducedIndex = place.reduced;
  Value &moved = operand.isAcross ? ownIndex : reducedIndex;
  moved = words.add(moved, number);
  Scope inner(tileScope, Scope::Detached());
  inner.readable = isInside(words, frame, reducedIndex, product.reducedCount);
  bindDigits(frame, inner, own, words.widen(clamp(ownIndex, ownCount, tile)));
  bindDigits(frame, inner, product.roles.reduced, words.widen(reducedIndex));
  PointEmitter emitter(frame, std::nullopt, 1);
  Type type = operand.value.getType();
  Value value = narrow(frame, emitter.emit(operand.value, inner), type);
  Value zero = arith::ConstantOp::create(b, frame.loc,
                                         b.getZeroAttr(getStorageType(type)));
  return arith::SelectOp::create(b, frame.loc, inner.readable, value, zero);
}

/// The unit at `place`, as a vector.
Value OperandLoads::load(const Place &place, Scope &tileScope) {
  if (hasWholeVectors())
    return loadVector(place, tileScope);
  SmallVector<Value> elements;
  for (int64_t number = 0; number < unit; ++number)
    elements.push_back(loadElement(place, number, tileScope));
  return vector::FromElementsOp::create(
      frame.builder, frame.loc,
      VectorType::get({unit}, elements.front().getType()), elements);
}

void OperandLoads::emit(Value pipeline, Value slot, Value batch, Value first,
                        Value reduced) {
  // Units that a thread loads before it stores the first of them.
  constexpr int64_t kMostTogether = 4, kMostAligned = 8;
  auto &b = frame.builder;
  Location loc = frame.loc;
  const int64_t passes = llvm::divideCeil(tile, kRowsOfPass);
  int64_t together = areAligned ? kMostAligned : kMostTogether;
  while (passes % together != 0)
    together /= 2;
  Scope tileScope(scope, Scope::Detached());
  tiles.bindBatches(tileScope, batch);
  Value thread = words.narrow(frame.threadNumber),
        column = words.rem(thread, kUnits), own = words.div(thread, kUnits);
  auto loop = scf::ForOp::create(b, loc, words.constant(0),
                                 words.constant(passes * kRowsOfPass),
                                 words.constant(together * kRowsOfPass));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<std::pair<Value, Value>> loaded;
  for (int64_t pass = 0; pass < together; ++pass) {
    Value row =
        words.add(words.add(loop.getInductionVar(), own), pass * kRowsOfPass);
    // Two threads store the same where a tile has half as many rows.
    if (tile % kRowsOfPass != 0)
      row = words.min(row, words.constant(tile - 1));
    Place place = getPlace(row, column, first, reduced);
    loaded.push_back({row, load(place, tileScope)});
  }
  for (auto [row, values] : loaded)
    block::StoreInOp::create(b, loc, values, pipeline, slot, offset, row,
                             column);
}
