//===- FoldPositions.cpp - Integers that follow from their position -------===//
//
// Captured models compute masks and position numbers from arange by
// differences, comparisons, running sums and look-ups. Most of these are linear
// in the index of the element, and that is found here, forwards, one op at a
// time.
//
//===----------------------------------------------------------------------===//

#include "TC/Dialect/TC/IR/SplatValue.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "TC/Transforms/Passes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCFOLDPOSITIONSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// base + sum of steps[d] * index[d]: an element's value from its index.
struct Linear {
  int64_t base = 0;
  SmallVector<int64_t> steps;

  bool operator==(const Linear &other) const {
    return base == other.base && steps == other.steps;
  }
};

class PositionFolder {
public:
  /// The linear form of `value`, if it has one.
  std::optional<Linear> get(Value value);
  /// What says the same as the result of `op` in a simpler way, or null.
  Value fold(Operation *op);
  void forget(Value value) { known.erase(value); }

private:
  /// Nothing where a number might wrap.
  std::optional<Linear> compute(Operation *op);
  std::optional<Linear> computeUnbounded(Operation *op);
  std::optional<Linear> ofConcat(ConcatOp op);
  std::optional<Linear> ofIndex(IndexOp op);
  std::optional<bool> decide(Operation *op);
  Value takeInOrder(IndexOp op);

  llvm::DenseMap<Value, Linear> known;
};
} // namespace

static RankedTensorType typeOf(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Positions are signed integers of 64 bits; the narrower and the unsigned
/// wrap.
static bool isPosition(Type elementType) {
  return elementType.isSignlessInteger(64);
}

/// a * x + b * y; nothing where a number overflows.
static std::optional<Linear> combine(int64_t a, const Linear &x, int64_t b,
                                     const Linear &y) {
  auto term = [&](int64_t left, int64_t right) -> std::optional<int64_t> {
    int64_t first, second, sum;
    if (llvm::MulOverflow(a, left, first) ||
        llvm::MulOverflow(b, right, second) ||
        llvm::AddOverflow(first, second, sum))
      return std::nullopt;
    return sum;
  };
  Linear result;
  std::optional<int64_t> base = term(x.base, y.base);
  if (!base)
    return std::nullopt;
  result.base = *base;
  for (auto [left, right] : llvm::zip_equal(x.steps, y.steps)) {
    std::optional<int64_t> step = term(left, right);
    if (!step)
      return std::nullopt;
    result.steps.push_back(*step);
  }
  return result;
}

/// More elements than a dimension of unknown size has.
static constexpr int64_t kUnknownSize = int64_t(1) << 40;

/// The smallest and largest value over a tensor of `sizes`, or nothing when a
/// size that matters is unknown or a value has more than 64 bits.
static std::optional<std::pair<int64_t, int64_t>>
getRange(const Linear &linear, ArrayRef<int64_t> sizes) {
  int64_t low = linear.base, high = linear.base;
  for (auto [step, size] : llvm::zip_equal(linear.steps, sizes)) {
    if (step == 0)
      continue;
    int64_t reach;
    if (ShapedType::isDynamic(size) || size == 0 ||
        llvm::MulOverflow(step, size - 1, reach) ||
        llvm::AddOverflow(reach < 0 ? low : high, reach,
                          reach < 0 ? low : high))
      return std::nullopt;
  }
  return std::pair(low, high);
}

/// Whether every value is in [0, size): by numbers, or because one index of
/// step 1 runs over as many elements as there are.
static bool isWithin(const Linear &linear, RankedTensorType type,
                     SizeExpr size) {
  auto range = getRange(linear, type.getShape());
  std::optional<int64_t> count = size.getConstant();
  if (range && count)
    return range->first >= 0 && range->second < *count;
  Sizes sizes = getSizes(type);
  unsigned moving = 0;
  bool asMany = false;
  for (auto [step, extent] : llvm::zip_equal(linear.steps, sizes))
    if (step != 0) {
      ++moving;
      asMany |= step == 1 && extent == size;
    }
  return linear.base == 0 && moving == 1 && asMany;
}

std::optional<Linear> PositionFolder::get(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (std::optional<int64_t> splat = getSplatInteger(value))
    return Linear{*splat, SmallVector<int64_t>(type.getRank(), 0)};
  return std::nullopt;
}

std::optional<Linear> PositionFolder::ofConcat(ConcatOp op) {
  int64_t dim = op.getDim(), offset = 0;
  std::optional<Linear> whole;
  SmallVector<std::pair<int64_t, Linear>> parts; // with their first index
  for (Value input : op.getInputs()) {
    std::optional<Linear> part = get(input);
    int64_t size = typeOf(input).getDimSize(dim);
    if (!part || ShapedType::isDynamic(size) || size == 0)
      return std::nullopt;
    // The step along `dim`: of a part with several elements, or between two.
    if (!whole && size > 1)
      whole = part, whole->base -= part->steps[dim] * offset;
    parts.emplace_back(offset, *part);
    if (size == 1)
      parts.back().second.steps[dim] = 0;
    offset += size;
  }
  if (!whole && parts.size() > 1) {
    whole = parts[0].second;
    whole->steps[dim] = parts[1].second.base - parts[0].second.base;
  }
  if (!whole)
    return std::nullopt;
  for (auto [index, input] : llvm::enumerate(op.getInputs())) {
    auto &[first, part] = parts[index];
    Linear expected = *whole;
    expected.base += whole->steps[dim] * first;
    if (typeOf(input).getDimSize(dim) == 1)
      expected.steps[dim] = 0;
    if (!(part == expected))
      return std::nullopt;
  }
  return whole;
}

std::optional<Linear> PositionFolder::ofIndex(IndexOp op) {
  std::optional<Linear> source = get(op.getX());
  if (!source)
    return std::nullopt;
  RankedTensorType type = typeOf(op.getX());
  ArrayRef<int64_t> dims = op.getDims();
  int64_t indexRank = typeOf(op.getIndices().front()).getRank();
  Linear result{source->base, {}};
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (dim == dims.front())
      result.steps.append(indexRank, 0);
    if (!llvm::is_contained(dims, dim))
      result.steps.push_back(source->steps[dim]);
  }
  for (auto [dim, indices] : llvm::zip_equal(dims, op.getIndices())) {
    std::optional<Linear> index = get(indices);
    if (!index || !isWithin(*index, typeOf(indices), getSizes(type)[dim]))
      return std::nullopt;
    Linear moved{index->base, SmallVector<int64_t>(result.steps.size(), 0)};
    llvm::copy(index->steps, moved.steps.begin() + dims.front());
    auto sum = combine(1, result, source->steps[dim], moved);
    if (!sum)
      return std::nullopt;
    result = *sum;
  }
  return result;
}

/// Of a view of something linear.
static std::optional<Linear> ofView(Operation *op, const Linear &x) {
  RankedTensorType type = typeOf(op->getResult(0));
  int64_t rank = type.getRank();
  RankedTensorType from = typeOf(op->getOperand(0));
  Linear result{x.base, SmallVector<int64_t>(rank, 0)};
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    for (auto [dim, target] : llvm::enumerate(broadcast.getDims()))
      result.steps[target] = from.getDimSize(dim) == 1 ? 0 : x.steps[dim];
    return result;
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    for (auto [dim, source] : llvm::enumerate(transpose.getPermutation()))
      result.steps[dim] = x.steps[source];
    return result;
  }
  if (isa<ReshapeOp>(op)) { // of unit dimensions alone
    Sizes before = getSizes(from), after = getSizes(type);
    size_t next = 0;
    for (int64_t dim = 0; dim < rank; ++dim) {
      if (after[dim].isConstant(1))
        continue;
      while (next < before.size() && before[next].isConstant(1))
        ++next;
      if (next == before.size() || before[next] != after[dim])
        return std::nullopt;
      result.steps[dim] = x.steps[next++];
    }
    return result;
  }
  auto slice = cast<SliceOp>(op);
  for (auto [dim, offset] : llvm::enumerate(slice.getOffsets().getSizes())) {
    std::optional<int64_t> first = offset.getConstant();
    if (!first && x.steps[dim] != 0)
      return std::nullopt;
    result.base += x.steps[dim] * first.value_or(0);
    result.steps[dim] = x.steps[dim] * slice.getStrides()[dim];
  }
  return result;
}

std::optional<Linear> PositionFolder::compute(Operation *op) {
  std::optional<Linear> linear = computeUnbounded(op);
  if (!linear)
    return std::nullopt;
  auto sizes = llvm::map_to_vector(
      typeOf(op->getResult(0)).getShape(), [](int64_t size) {
        // Of no elements there is no value that could wrap.
        return ShapedType::isDynamic(size) ? kUnknownSize
                                           : std::max<int64_t>(size, 1);
      });
  return getRange(*linear, sizes) ? linear : std::nullopt;
}

std::optional<Linear> PositionFolder::computeUnbounded(Operation *op) {
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !isPosition(type.getElementType()))
    return std::nullopt;
  int64_t rank = type.getRank();
  if (auto iota = dyn_cast<IotaOp>(op)) {
    Linear result{static_cast<int64_t>(iota.getStart()),
                  SmallVector<int64_t>(rank, 0)};
    result.steps[iota.getDim()] = iota.getStep();
    return result;
  }
  if (auto concat = dyn_cast<ConcatOp>(op))
    return ofConcat(concat);
  if (auto index = dyn_cast<IndexOp>(op))
    return ofIndex(index);
  std::optional<Linear> x;
  if (op->getNumOperands() == 0 || !(x = get(op->getOperand(0))))
    return std::nullopt;
  if (isa<BroadcastOp, TransposeOp, ReshapeOp, SliceOp>(op))
    return ofView(op, *x);
  if (auto scan = dyn_cast<ScanOp>(op)) { // n times the same number
    if (scan.getKind() != ReductionKind::Sum ||
        llvm::any_of(x->steps, [](int64_t step) { return step != 0; }))
      return std::nullopt;
    x->steps[scan.getDim()] = x->base;
    return x;
  }
  if (isa<CastOp>(op))
    return isPosition(typeOf(op->getOperand(0)).getElementType())
               ? x
               : std::nullopt;
  if (isa<NegOp>(op))
    return combine(-1, *x, 0, *x);
  std::optional<Linear> y;
  if (!isa<AddOp, SubOp, MulOp>(op) || !(y = get(op->getOperand(1))))
    return std::nullopt;
  if (isa<AddOp, SubOp>(op))
    return combine(1, *x, isa<AddOp>(op) ? 1 : -1, *y);
  for (auto [number, other] : {std::pair(x, y), std::pair(y, x)})
    if (llvm::all_of(number->steps, [](int64_t step) { return step == 0; }))
      return combine(number->base, *other, 0, *other);
  return std::nullopt;
}

/// The result of a comparison where that is the same everywhere.
std::optional<bool> PositionFolder::decide(Operation *op) {
  if (!isa<EqOp, NeOp, LtOp, LeOp, GtOp, GeOp>(op) ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return std::nullopt;
  std::optional<Linear> x = get(op->getOperand(0)), y = get(op->getOperand(1));
  if (!x || !y ||
      typeOf(op->getOperand(0)).getElementType().isUnsignedInteger())
    return std::nullopt;
  std::optional<Linear> difference = combine(1, *x, -1, *y);
  if (!difference)
    return std::nullopt;
  auto range = getRange(*difference, typeOf(op->getResult(0)).getShape());
  if (!range)
    return std::nullopt;
  auto [low, high] = *range;
  auto everywhere = [](bool always, bool never) -> std::optional<bool> {
    return always ? std::optional(true)
                  : (never ? std::optional(false) : std::nullopt);
  };
  bool equal = low == 0 && high == 0, distinct = low > 0 || high < 0;
  if (isa<EqOp>(op))
    return everywhere(equal, distinct);
  if (isa<NeOp>(op))
    return everywhere(distinct, equal);
  if (isa<LtOp>(op))
    return everywhere(high < 0, low >= 0);
  if (isa<LeOp>(op))
    return everywhere(high <= 0, low > 0);
  if (isa<GtOp>(op))
    return everywhere(low > 0, high <= 0);
  return everywhere(low >= 0, high < 0);
}

/// The elements of x as a view where the indices are the positions 0, 1, ...
/// along all of x, each in a dimension of its own; else null.
Value PositionFolder::takeInOrder(IndexOp op) {
  Sizes from = getSizes(typeOf(op.getX())), to = getSizes(typeOf(op));
  const int64_t first = op.getDims().front();
  SmallVector<int64_t> places(from.size(), -1); // in the result
  for (auto [dim, indices] : llvm::zip_equal(op.getDims(), op.getIndices())) {
    std::optional<Linear> index = get(indices);
    if (!index || index->base != 0)
      return {};
    auto isMoving = [](int64_t step) { return step != 0; };
    if (llvm::count_if(index->steps, isMoving) != 1)
      return {};
    auto moving = llvm::find_if(index->steps, isMoving);
    const int64_t place = first + (moving - index->steps.begin());
    if (*moving != 1 || to[place] != from[dim] ||
        llvm::is_contained(places, place))
      return {};
    places[dim] = place;
  }
  const int64_t indexRank = typeOf(op.getIndices().front()).getRank();
  for (int64_t dim = 0, next = 0; dim < int64_t(from.size()); ++dim) {
    if (next == first)
      next += indexRank;
    if (places[dim] < 0)
      places[dim] = next++;
  }
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, places.size()));
  llvm::sort(order,
             [&](int64_t a, int64_t b) { return places[a] < places[b]; });
  llvm::sort(places);
  OpBuilder builder(op);
  TensorBuilder b(builder, op.getLoc());
  return b.broadcast(b.transpose(op.getX(), order), to, places);
}

Value PositionFolder::fold(Operation *op) {
  if (op->getNumResults() != 1)
    return {};
  Value result = op->getResult(0);
  OpBuilder builder(op);
  if (std::optional<bool> always = decide(op))
    return FullOp::create(builder, op->getLoc(), typeOf(result),
                          builder.getBoolAttr(*always));
  // A bool that is the same everywhere, as a number.
  if (auto cast = dyn_cast<CastOp>(op);
      cast && isPosition(typeOf(result).getElementType()) &&
      typeOf(cast.getX()).getElementType().isInteger(1)) {
    std::optional<int64_t> splat = getSplatInteger(cast.getX());
    if (!splat)
      return {};
    return FullOp::create(builder, op->getLoc(), typeOf(result),
                          builder.getI64IntegerAttr(*splat));
  }
  std::optional<Linear> linear = compute(op);
  if (!linear) {
    auto index = dyn_cast<IndexOp>(op);
    return index ? takeInOrder(index) : Value();
  }
  known[result] = *linear;
  if (isa<IotaOp, BroadcastOp>(op))
    return {};
  SmallVector<int64_t> moving;
  for (auto [dim, step] : llvm::enumerate(linear->steps))
    if (step != 0)
      moving.push_back(dim);
  if (moving.size() > 1)
    return {};
  Value simple;
  if (moving.empty())
    simple = FullOp::create(builder, op->getLoc(), typeOf(result),
                            builder.getI64IntegerAttr(linear->base));
  else
    simple = IotaOp::create(builder, op->getLoc(), result.getType(), moving[0],
                            linear->base, linear->steps[moving[0]]);
  known[simple] = *linear;
  return simple;
}

namespace {
class FoldPositionsPass
    : public tc::impl::TCFoldPositionsPassBase<FoldPositionsPass> {
  void runOnOperation() override {
    PositionFolder folder;
    // In the order of the program, so that operands are known before results.
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<KernelOp>(op))
        return WalkResult::skip();
      Value simple = folder.fold(op);
      if (!simple)
        return WalkResult::advance();
      folder.forget(op->getResult(0));
      op->replaceAllUsesWith(ValueRange(simple));
      op->erase();
      return WalkResult::skip(); // the op is gone
    });
  }
};
} // namespace
