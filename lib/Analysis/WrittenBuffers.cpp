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
  /// Whether `index` takes each value in [0, size) at one point of dimensions
  /// that no other index uses.
  bool counts(AffineExpr index, SizeExpr size, SizeProver &prover);

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

bool Digits::counts(AffineExpr index, SizeExpr size, SizeProver &prover) {
  terms.clear();
  rest = SizeExpr::constant(context, 0);
  if (failed(addTerms(index, SizeExpr::constant(context, 1))) ||
      !rest.isConstant(0))
    return false;
  for (auto [dim, factor] : terms) {
    if (used.test(dim))
      return false;
    used.set(dim);
  }
  // The digit of factor 1, then the one whose factor is the first's size, ...
  SizeExpr reached = SizeExpr::constant(context, 1);
  while (!terms.empty()) {
    auto *next = llvm::find_if(
        terms, [&](auto &term) { return term.second == reached; });
    if (next == terms.end())
      return false;
    reached = reached.mul(sizes[next->first]);
    terms.erase(next);
  }
  // A size that is at most 1 has one index, a constant.
  return reached == size || prover.isAtMost(size, reached);
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

static bool writesWhole(KernelOp kernel, WriteOp write,
                        const SizeFacts &facts) {
  if (!write.getIndices().empty() || write.getCombine() != CombineKind::Replace)
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
  Value root = getBufferRoot(buffer);
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
                                  Buffers &written) {
  for (auto [index, in] : llvm::enumerate(kernel.getIns()))
    if (!kernel.getInArgument(index).use_empty() &&
        failed(verifyRead(kernel, in, ("input " + Twine(index)).str(), facts,
                          written)))
      return failure();
  for (auto [index, out] : llvm::enumerate(kernel.getOuts())) {
    Value root = getBufferRoot(out);
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
    if (writesWhole(kernel, index, facts) &&
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
  for (Operation &op : block) {
    facts.pass(op);
    if (auto kernel = dyn_cast<KernelOp>(op)) {
      if (failed(verifyKernel(kernel, facts, written)))
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
    if (written.contains(output) || hasNoElements(output, facts))
      continue;
    return output.emitOpError("is output ")
           << output.getIndex() << " of type " << type
           << ", of which no kernel certainly writes all elements";
  }
  return success();
}
