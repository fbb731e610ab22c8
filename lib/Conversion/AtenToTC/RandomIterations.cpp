//===- RandomIterations.cpp - random elements of each iteration -----------===//
//
// A call in a loop draws other elements in each iteration: the seed of its
// stream follows from counters of the loops around it.
//
//===----------------------------------------------------------------------===//

#include "RandomIterations.h"
#include "AtenTable.h"
#include "TC/Dialect/TC/IR/RandomSeed.h"
#include "TC/Dialect/TC/IR/TensorBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tc;

/// Factor of the outer loops' seed, to which the counter of the next loop is
/// then added: an odd number whose multiples differ widely modulo 2^64
/// (2^64 over the golden ratio).
static constexpr uint64_t kSpread = 0x9e3779b97f4a7c15;

static Value makeNumber(OpBuilder &builder, Location loc, uint64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type, ArrayRef(static_cast<int64_t>(value))));
}

/// Where the counter of a loop begins: at 0 within another one, else at the
/// function's seed.
static Value makeFirst(OpBuilder &builder, WhileOp loop) {
  Value seed = loop->getParentOfType<WhileOp>()
                   ? Value()
                   : findRandomSeed(loop->getParentOfType<func::FuncOp>());
  return seed ? seed : makeNumber(builder, loop.getLoc(), 0);
}

/// Carries the number of the iteration after the other values.
static void addCounter(WhileOp loop) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  SmallVector<Value> initial(loop.getInitial());
  initial.push_back(makeFirst(builder, loop));
  auto counted = WhileOp::create(builder, loc, initial);
  counted->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  for (auto [from, to] :
       llvm::zip_equal(loop->getRegions(), counted->getRegions())) {
    to.takeBody(from);
    to.front().addArgument(initial.back().getType(), loc);
  }
  YieldOp end = counted.getBodyYield();
  builder.setInsertionPoint(end);
  Value next =
      AddOp::create(builder, loc, counted.getBodyBlock().getArguments().back(),
                    makeNumber(builder, loc, 1));
  end->insertOperands(end->getNumOperands(), next);
  loop->replaceAllUsesWith(counted.getResults().drop_back());
  loop.erase();
}

/// The seed at `op`, from the counters of the loops around it.
static Value makeSeed(Operation *op) {
  OpBuilder builder(op);
  Location loc = op->getLoc();
  SmallVector<Value> counters; // of the innermost loop first
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion())
    if (isa<WhileOp>(region->getParentOp()))
      counters.push_back(region->front().getArguments().back());
  Value seed = counters.pop_back_val();
  for (Value counter : llvm::reverse(counters)) {
    Value spread =
        MulOp::create(builder, loc, seed, makeNumber(builder, loc, kSpread));
    seed = AddOp::create(builder, loc, spread, counter);
  }
  return seed;
}

void tc::aten::drawInEachIteration(Operation *module) {
  SmallVector<RandomOp> draws;
  llvm::SetVector<Operation *> loops;
  module->walk([&](RandomOp op) {
    if (!op.getEachIteration())
      return;
    op.setEachIteration(false);
    draws.push_back(op);
    for (auto loop = op->getParentOfType<WhileOp>(); loop;
         loop = loop->getParentOfType<WhileOp>())
      loops.insert(loop);
  });
  for (Operation *loop : loops)
    addCounter(cast<WhileOp>(loop));
  for (RandomOp op : draws)
    op.getSeedMutable().assign(makeSeed(op));
}
