//===- PlacedView.cpp - When parts of memory are in use -------------------===//

#include "PlacedView.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"

using namespace mlir;
using namespace tc;

UseOrder::UseOrder(Block &block) {
  SmallVector<WhileOp> all;
  walkBufferUsers(block, [&](Operation &op) {
    positions.try_emplace(&op, positions.size());
    if (auto loop = dyn_cast<WhileOp>(op))
      all.push_back(loop);
  });
  for (WhileOp loop : all)
    loops.emplace_back(positions.lookup(loop),
                       positions.lookup(loop.getBodyYield()));
}

void UseOrder::extendByUsers(Value buffer, PlacedView &place) const {
  for (Operation *user : buffer.getUsers()) {
    if (auto reshape = dyn_cast<BufferReshapeOp>(user)) {
      extendByUsers(reshape, place);
      continue;
    }
    if (isa<ArenaViewOp>(user))
      continue;
    int64_t position = positions.lookup(user);
    place.first = std::min(place.first, position);
    place.last = std::max(place.last, position);
  }
}

void UseOrder::extendThroughLoops(PlacedView &place) const {
  for (auto [begin, end] : loops) {
    bool isDisjoint = place.last < begin || end < place.first,
         isInside = begin <= place.first && place.last <= end;
    if (isDisjoint || isInside)
      continue;
    place.first = std::min(place.first, begin);
    place.last = std::max(place.last, end);
  }
}
