//===- WrittenBuffers.cpp - Buffers that kernels write whole --------------===//

#include "TC/Analysis/WrittenBuffers.h"
#include "TC/Analysis/AccessBounds.h"
#include "TC/Analysis/InPlaceWrites.h"
#include "TC/Analysis/IndexSimplifier.h"
#include "llvm/ADT/SetOperations.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// One write
//===----------------------------------------------------------------------===//

namespace {
/// Index expressions as sums of dimensions, each with a factor.
class Digits {
public:
  explicit Digits(KernelOp kernel);

  /// Takes over that nothing is written beyond `set`; fails for a set that does
  /// more than end dimensions early.
  LogicalResult restrict(IntegerSet set, SizeProver &prover);
  /// Goes on to `index`; fails where it is no such sum, or of dimensions that
  /// an index before it uses.
  LogicalResult take(AffineExpr index);
  /// Whether `index` takes each value in [0, size) at one point of dimensions
  /// that no other index uses.
  bool counts(AffineExpr index, SizeExpr size, SizeProver &prover) {
    if (failed(take(index)))
      return false;
    auto every = findEvery(size, prover);
    return every && every->first == 1;
  }
  /// The stride and the first one where the index taken has every stride-th
  /// value of [0, size).
  std::optional<std::pair<int64_t, int64_t>>
  findEvery(SizeExpr size, SizeProver &prover) const;
  /// A digit of a number in a mixed radix: `place` is its factor, `value` in
  /// [0, count).
  struct Fixed {
    int64_t place, count, value;
  };
  /// Where the index taken has each number in [0, size) with some digits
  /// fixed: those, the least first.
  std::optional<SmallVector<Fixed>> findFixed(SizeExpr size) const;

private:
  LogicalResult addTerms(AffineExpr expr, SizeExpr factor);
  KernelOp kernel;
  MLIRContext *context;
  Sizes sizes; ///< of the dimensions
  llvm::SmallBitVector used;
  SmallVector<std::pair<unsigned, SizeExpr>> terms;
  SizeExpr rest;
};
} // namespace

Digits::Digits(KernelOp kernel)
    : kernel(kernel), context(kernel.getContext()), used(kernel.getNumDims()) {
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    sizes.push_back(kernel.getDimSize(dim));
}

LogicalResult Digits::addTerms(AffineExpr expr, SizeExpr factor) {
  if (auto size = toSize(kernel, expr)) {
    rest = rest.add(size->mul(factor));
    return success();
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
    if (dim.getPosition() >= sizes.size())
      return failure();
    terms.emplace_back(dim.getPosition(), factor);
    return success();
  }
  auto binary = cast<AffineBinaryOpExpr>(expr);
  if (expr.getKind() == AffineExprKind::Add)
    return success(succeeded(addTerms(binary.getLHS(), factor)) &&
                   succeeded(addTerms(binary.getRHS(), factor)));
  auto by = toSize(kernel, binary.getRHS());
  if (expr.getKind() != AffineExprKind::Mul || !by)
    return failure();
  return addTerms(binary.getLHS(), factor.mul(*by));
}

LogicalResult Digits::restrict(IntegerSet set, SizeProver &prover) {
  for (auto [constraint, isEquality] :
       llvm::zip_equal(set.getConstraints(), set.getEqFlags())) {
    terms.clear();
    rest = SizeExpr::constant(context, 0);
    // end - 1 - dim >= 0
    if (isEquality ||
        failed(addTerms(constraint, SizeExpr::constant(context, 1))) ||
        terms.size() != 1 || !terms[0].second.isConstant(-1))
      return failure();
    SizeExpr &size = sizes[terms[0].first], end = rest.add(1);
    if (prover.isAtMost(end, size))
      size = end;
    else if (!prover.isAtMost(size, end))
      return failure();
  }
  return success();
}

LogicalResult Digits::take(AffineExpr index) {
  terms.clear();
  rest = SizeExpr::constant(context, 0);
  if (failed(addTerms(index, SizeExpr::constant(context, 1))))
    return failure();
  for (unsigned dim : llvm::make_first_range(terms)) {
    if (used.test(dim))
      return failure();
    used.set(dim);
  }
  return success();
}

std::optional<std::pair<int64_t, int64_t>>
Digits::findEvery(SizeExpr size, SizeProver &prover) const {
  auto first = rest.getConstant();
  // A constant index is the only one of a phase with as many as the size.
  int64_t stride = terms.empty()
                       ? std::max<int64_t>(size.getConstant().value_or(1), 1)
                       : std::numeric_limits<int64_t>::max();
  for (SizeExpr factor : llvm::make_second_range(terms))
    stride = std::min(stride, factor.getConstant().value_or(stride));
  if (!first || *first < 0 || *first >= stride)
    return std::nullopt;
  // The digit of factor `stride`, then the one whose factor is the first's
  // size times that, ...
  SizeExpr reached = SizeExpr::constant(context, 1);
  auto left = terms;
  while (!left.empty()) {
    auto *next = llvm::find_if(
        left, [&](auto &term) { return term.second == reached.mul(stride); });
    if (next == left.end())
      return std::nullopt;
    reached = reached.mul(sizes[next->first]);
    left.erase(next);
  }
  SizeExpr expected = size.add(stride - 1 - *first).floorDiv(stride);
  // A size that is at most 1 has one index, a constant.
  if (reached != expected && !prover.isAtMost(expected, reached))
    return std::nullopt;
  return std::pair(stride, *first);
}

std::optional<SmallVector<Digits::Fixed>>
Digits::findFixed(SizeExpr size) const {
  auto whole = size.getConstant(), first = rest.getConstant();
  if (!whole || !first || *first < 0 || *first >= *whole)
    return std::nullopt;
  SmallVector<std::pair<int64_t, int64_t>> varying; // factor and count
  for (auto [dim, factor] : terms) {
    auto place = factor.getConstant(), count = sizes[dim].getConstant();
    if (!place || !count || *place < 1 || *count < 1)
      return std::nullopt;
    varying.emplace_back(*place, *count);
  }
  varying.emplace_back(*whole, 1);
  llvm::sort(varying);
  SmallVector<Fixed> fixed;
  int64_t reached = 1; // digits below this place are known
  for (auto [place, count] : varying) {
    if (place % reached != 0)
      return std::nullopt;
    if (int64_t between = place / reached; between > 1)
      fixed.push_back({reached, between, *first / reached % between});
    if (place < *whole && *first / place % count != 0)
      return std::nullopt;
    reached = place * count;
  }
  return reached == *whole ? std::optional(fixed) : std::nullopt;
}

/// The row-major position of the element at `map`, by sizes of which all but
/// the first are constant; null for others.
static AffineExpr getPosition(ArrayRef<SizeExpr> sizes, AffineMap map) {
  AffineExpr position = getAffineConstantExpr(0, map.getContext());
  for (auto [index, size] : llvm::zip_equal(map.getResults(), sizes)) {
    auto count = size.getConstant();
    if (!count && size != sizes.front())
      return nullptr;
    position = position * count.value_or(1) + index;
  }
  return position;
}

/// Whether a write puts one value into each element that it reaches.
static bool replaces(WriteOp write) {
  return write.getIndices().empty() &&
         write.getCombine() == CombineKind::Replace;
}

static bool writesWhole(KernelOp kernel, WriteOp write,
                        const SizeFacts &facts) {
  if (!replaces(write))
    return false;
  auto type = cast<ShapedType>(write.getDestination().getType());
  Sizes sizes = getSizes(type);
  SizeProver prover(facts);
  auto start = [&](Digits &digits) {
    if (!write.getWithin())
      return true;
    return succeeded(digits.restrict(*write.getWithin(), prover));
  };
  Digits digits(kernel);
  if (!start(digits))
    return false;
  IndexSimplifier simplifier(kernel);
  auto countsSize = [&](auto pair) {
    auto [index, size] = pair;
    return digits.counts(index, size, prover);
  };
  AffineMap map = simplifier.simplify(write.getMap());
  if (llvm::all_of(llvm::zip_equal(map.getResults(), sizes), countsSize))
    return true;
  Digits flat(kernel);
  AffineExpr position = getPosition(sizes, write.getMap());
  return position && start(flat) &&
         flat.counts(simplifier.simplify(position),
                     getElementCount(sizes, kernel.getContext()), prover);
}

bool tc::writesWhole(KernelOp kernel, unsigned outIndex,
                     const SizeFacts &facts) {
  return llvm::any_of(kernel.getOutArgument(outIndex).getUsers(),
                      [&](Operation *user) {
                        auto write = dyn_cast<WriteOp>(user);
                        return write && ::writesWhole(kernel, write, facts);
                      });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

using Buffers = llvm::SmallPtrSet<Value, 16>;

namespace {
/// The elements that a kernel writes where it writes every stride-th index, or
/// all with some digits fixed.
struct Phase {
  /// From the first index on that is not written whole.
  Sizes sizes;
  SmallVector<int64_t> strides, firsts;

  static std::optional<Phase> find(KernelOp kernel, unsigned outIndex,
                                   const SizeFacts &facts);
  /// How many such phases are all elements.
  int64_t countAll() const {
    int64_t count = 1;
    for (auto [size, stride] : llvm::zip_equal(sizes, strides))
      count *= std::min(stride, size.getConstant().value_or(stride));
    return count;
  }
  /// Whether the phase has one index along dimension `at`, which it has with
  /// the stride `stride` too.
  bool hasOneIndex(size_t at, int64_t stride) const {
    auto size = sizes[at].getConstant();
    auto isOne = [&](int64_t each) {
      return firsts[at] < each && firsts[at] + each >= *size;
    };
    return size && isOne(strides[at]) && isOne(stride);
  }
};
} // namespace

std::optional<Phase> Phase::find(KernelOp kernel, unsigned outIndex,
                                 const SizeFacts &facts) {
  BlockArgument out = kernel.getOutArgument(outIndex);
  auto write =
      out.hasOneUse() ? dyn_cast<WriteOp>(*out.user_begin()) : WriteOp();
  if (!write || !replaces(write) || write.getWithin())
    return std::nullopt;
  SizeProver prover(facts);
  Digits digits(kernel);
  AffineMap map = IndexSimplifier(kernel).simplify(write.getMap());
  Phase phase;
  for (auto [index, size] : llvm::zip_equal(
           map.getResults(), getSizes(cast<ShapedType>(out.getType())))) {
    if (failed(digits.take(index)))
      return std::nullopt;
    if (auto every = digits.findEvery(size, prover)) {
      if (phase.sizes.empty() && every->first == 1)
        continue;
      phase.sizes.push_back(size);
      phase.strides.push_back(every->first);
      phase.firsts.push_back(every->second);
      continue;
    }
    auto fixed = digits.findFixed(size);
    if (!fixed)
      return std::nullopt;
    // Each is an index of its own, which is constant.
    for (auto [place, count, value] : *fixed) {
      phase.sizes.push_back(
          SizeExpr::constant(kernel.getContext(), place * count));
      phase.strides.push_back(count);
      phase.firsts.push_back(value);
    }
  }
  return phase;
}

namespace {
/// The phases that kernels of one block have written.
class WrittenPhases {
public:
  /// Whether `phase` completes those of `root` that it belongs to.
  bool complete(Value root, Phase phase) {
    SmallVector<Phase> &before = phases[root];
    if (!before.empty() && !unifyStrides(before, phase))
      before.clear();
    if (llvm::none_of(before, [&](const Phase &other) {
          return other.firsts == phase.firsts;
        }))
      before.push_back(phase);
    return int64_t(before.size()) == phase.countAll();
  }

private:
  /// Gives `phase` the strides of those before it, and those before it its own
  /// where they have one index only. Returns false where others remain.
  static bool unifyStrides(MutableArrayRef<Phase> before, Phase &phase) {
    if (before.front().sizes != phase.sizes)
      return false;
    for (size_t at = 0; at < phase.strides.size(); ++at) {
      int64_t own = phase.strides[at], others = before.front().strides[at];
      if (own == others)
        continue;
      if (phase.hasOneIndex(at, others)) {
        phase.strides[at] = others;
        continue;
      }
      if (!llvm::all_of(before, [&](const Phase &other) {
            return other.hasOneIndex(at, own);
          }))
        return false;
      for (Phase &other : before)
        other.strides[at] = own;
    }
    return true;
  }

  llvm::DenseMap<Value, SmallVector<Phase>> phases;
};
} // namespace

/// Whether a buffer has no elements before something is written to it.
static bool isToBeWritten(Value root) {
  return root.getDefiningOp<ArenaViewOp>() ||
         root.getDefiningOp<OutputBufferOp>();
}

/// Whether a buffer certainly has no elements that could be written.
static bool hasNoElements(Value buffer, const SizeFacts &facts) {
  auto type = cast<MemRefType>(buffer.getType());
  SizeExpr count = getElementCount(getSizes(type), type.getContext());
  return SizeProver(facts).isAtMost(count, count.mul(0));
}

static LogicalResult verifyRead(Operation *op, Value buffer, StringRef what,
                                const SizeFacts &facts,
                                const Buffers &written) {
  Value root = getShownBuffer(buffer);
  if (!isToBeWritten(root) || written.contains(root) ||
      hasNoElements(root, facts))
    return success();
  InFlightDiagnostic error =
      op->emitOpError("reads ")
      << what << ", a buffer of type " << root.getType()
      << ", before a kernel has certainly written all its elements";
  error.attachNote(root.getLoc()) << "the buffer is here";
  return error;
}

static LogicalResult verifyKernel(KernelOp kernel, const SizeFacts &facts,
                                  Buffers &written, WrittenPhases &phases) {
  for (auto [index, in] : llvm::enumerate(kernel.getIns()))
    if (!kernel.getInArgument(index).use_empty() &&
        failed(verifyRead(kernel, in, ("input " + Twine(index)).str(), facts,
                          written)))
      return failure();
  for (auto [index, out] : llvm::enumerate(kernel.getOuts())) {
    Value root = getShownBuffer(out);
    if (!isToBeWritten(root))
      return kernel.emitOpError("'")
             << kernel.getName() << "' writes output " << index
             << " to what is no memory of the call: "
             << (isa<BlockArgument>(root)
                     ? std::string("an argument of the function")
                     : ("the result of " +
                        root.getDefiningOp()->getName().getStringRef())
                           .str())
             << "; expected a tc.arena_view or a tc.output_buffer";
    bool isWhole = writesWhole(kernel, index, facts);
    if (auto phase = isWhole ? std::nullopt : Phase::find(kernel, index, facts))
      isWhole = phases.complete(root, *phase);
    if (isWhole &&
        SizeProver(facts).hasAtMostBytesOf(cast<MemRefType>(root.getType()),
                                           cast<MemRefType>(out.getType())))
      written.insert(root);
  }
  return success();
}

static LogicalResult verifyBlock(Block &block, SizeFacts facts,
                                 Buffers &written);

/// The condition region runs once at least, the body perhaps not.
static LogicalResult verifyLoop(WhileOp loop, const SizeFacts &facts,
                                Buffers &written) {
  Block &condition = loop.getConditionBlock(), &body = loop.getBodyBlock();
  YieldOp holds = loop.getConditionYield();
  if (failed(verifyBlock(condition, facts.in(condition), written)) ||
      failed(verifyRead(loop, holds.getOperand(0), "its condition", facts,
                        written)))
    return failure();
  Buffers inBody = written;
  return verifyBlock(body, facts.in(body), inBody);
}

static LogicalResult verifyBlock(Block &block, SizeFacts facts,
                                 Buffers &written) {
  WrittenPhases phases;
  for (Operation &op : block) {
    facts.pass(op);
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      if (failed(verifyKernel(kernel, facts, written, phases)))
        return failure();
      continue;
    }
    if (auto definition = dyn_cast<SizeFromOp>(op))
      if (failed(verifyRead(definition, definition.getValue(), "its value",
                            facts, written)))
        return failure();
    if (auto loop = dyn_cast<WhileOp>(op))
      if (failed(verifyLoop(loop, facts, written)))
        return failure();
    auto branches = dyn_cast<IfOp>(op);
    if (!branches)
      continue;
    if (failed(verifyRead(branches, branches.getCondition(), "its condition",
                          facts, written)))
      return failure();
    Buffers otherwise = written;
    Block &chosen = branches.getThenRegion().front(),
          &other = branches.getElseRegion().front();
    if (failed(verifyBlock(chosen, facts.in(chosen), written)) ||
        failed(verifyBlock(other, facts.in(other), otherwise)))
      return failure();
    llvm::set_intersect(written, otherwise);
  }
  return success();
}

LogicalResult tc::verifyWritten(Block &body, const SizeFacts &facts) {
  Buffers written;
  if (failed(verifyBlock(body, facts, written)))
    return failure();
  for (auto output : body.getOps<OutputBufferOp>()) {
    auto type = cast<MemRefType>(output.getType());
    if (written.contains(getShownBuffer(output)) ||
        hasNoElements(output, facts))
      continue;
    return output.emitOpError("is output ")
           << output.getIndex() << " of type " << type
           << ", of which no kernel certainly writes all elements";
  }
  return success();
}
