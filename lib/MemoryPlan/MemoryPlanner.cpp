//===- MemoryPlanner.cpp - Places of blocks in one arena ------------------===//

#include "TC/MemoryPlan/MemoryPlanner.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>

namespace tc {

int64_t alignBytes(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool liveTogether(const MemoryBlock &a, const MemoryBlock &b) {
  return a.bytes > 0 && b.bytes > 0 && a.first <= b.last && b.first <= a.last;
}

int64_t getPeakBytes(const std::vector<MemoryBlock> &blocks,
                     int64_t alignment) {
  // Bytes that come and go at each step; what goes, goes after the step.
  std::map<int64_t, int64_t> change;
  for (const MemoryBlock &block : blocks) {
    change[block.first] += alignBytes(block.bytes, alignment);
    change[block.last + 1] -= alignBytes(block.bytes, alignment);
  }
  int64_t live = 0, peak = 0;
  for (const auto &[step, bytes] : change)
    peak = std::max(peak, live += bytes);
  return peak;
}

namespace {
/// Plans by placing blocks one after another; the order decides.
class OrderedPlacement {
public:
  OrderedPlacement(const std::vector<MemoryBlock> &blocks, int64_t alignment);

  enum class Fit { Lowest, Best };
  MemoryPlan place(const std::vector<size_t> &order, Fit fit);
  /// Blocks looked at so far.
  int64_t getWork() const { return work; }
  int64_t getSize(size_t block) const { return sizes[block]; }
  const std::vector<size_t> &getNeighbours(size_t block) const {
    return neighbours[block];
  }

private:
  int64_t findGap(size_t block, const std::vector<int64_t> &offsets, Fit fit);

  std::vector<int64_t> sizes;
  /// Blocks that are live together with a block.
  std::vector<std::vector<size_t>> neighbours;
  std::vector<std::pair<int64_t, int64_t>> taken;
  int64_t work = 0;
};
} // namespace

OrderedPlacement::OrderedPlacement(const std::vector<MemoryBlock> &blocks,
                                   int64_t alignment)
    : neighbours(blocks.size()) {
  for (const MemoryBlock &block : blocks)
    sizes.push_back(alignBytes(block.bytes, alignment));
  std::vector<size_t> byFirst(blocks.size());
  std::iota(byFirst.begin(), byFirst.end(), 0);
  std::sort(byFirst.begin(), byFirst.end(), [&](size_t a, size_t b) {
    return blocks[a].first < blocks[b].first;
  });
  for (size_t i = 0; i < byFirst.size(); ++i)
    for (size_t j = i + 1; j < byFirst.size() &&
                           blocks[byFirst[j]].first <= blocks[byFirst[i]].last;
         ++j)
      if (liveTogether(blocks[byFirst[i]], blocks[byFirst[j]])) {
        neighbours[byFirst[i]].push_back(byFirst[j]);
        neighbours[byFirst[j]].push_back(byFirst[i]);
      }
}

/// The offset for `block` among its placed neighbours: the lowest or the
/// tightest gap that holds it, else the end of all.
int64_t OrderedPlacement::findGap(size_t block,
                                  const std::vector<int64_t> &offsets,
                                  Fit fit) {
  taken.clear();
  for (size_t neighbour : neighbours[block])
    if (offsets[neighbour] >= 0)
      taken.push_back(
          {offsets[neighbour], offsets[neighbour] + sizes[neighbour]});
  work += neighbours[block].size() + 1;
  std::sort(taken.begin(), taken.end());
  int64_t end = 0, best = -1;
  int64_t bestGap = std::numeric_limits<int64_t>::max();
  for (auto [from, to] : taken) {
    int64_t gap = from - end;
    if (gap >= sizes[block] && gap < bestGap) {
      best = end;
      bestGap = gap;
      if (fit == Fit::Lowest)
        return best;
    }
    end = std::max(end, to);
  }
  return best >= 0 ? best : end;
}

MemoryPlan OrderedPlacement::place(const std::vector<size_t> &order, Fit fit) {
  MemoryPlan plan;
  plan.offsets.assign(sizes.size(), -1);
  for (size_t block : order) {
    plan.offsets[block] = sizes[block] ? findGap(block, plan.offsets, fit) : 0;
    plan.bytes = std::max(plan.bytes, plan.offsets[block] + sizes[block]);
  }
  return plan;
}

/// The orders that greedy planners are known to do well with.
static std::vector<std::vector<size_t>>
getGreedyOrders(const std::vector<MemoryBlock> &blocks) {
  using Key = int64_t (*)(const MemoryBlock &);
  const Key keys[] = {
      [](const MemoryBlock &block) { return -block.bytes; },
      [](const MemoryBlock &block) {
        return -block.bytes * (block.last - block.first + 1);
      },
      [](const MemoryBlock &block) { return block.first - block.last; },
      [](const MemoryBlock &block) { return block.first; },
      [](const MemoryBlock &block) { return -block.last; },
  };
  std::vector<std::vector<size_t>> orders;
  for (Key key : keys) {
    std::vector<size_t> &order = orders.emplace_back(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(key(blocks[a]), -blocks[a].bytes) <
             std::pair(key(blocks[b]), -blocks[b].bytes);
    });
  }
  return orders;
}

namespace {
/// Local search: a block that reaches the arena's end is placed earlier, or two
/// blocks change places; a change that does not make the plan larger stays.
class OrderSearch {
public:
  OrderSearch(OrderedPlacement &placement, uint64_t seed)
      : placement(placement), random(seed) {}

  void consider(const std::vector<size_t> &order, OrderedPlacement::Fit fit);
  void run(int64_t peak, int64_t effort);
  MemoryPlan takeBest() { return std::move(best); }
  int64_t getBytes() const { return best.bytes; }

private:
  size_t choose(size_t count) { return random() % count; }
  std::vector<size_t> vary(const std::vector<size_t> &order,
                           const MemoryPlan &plan);

  OrderedPlacement &placement;
  std::mt19937_64 random;
  MemoryPlan best;
  std::vector<size_t> bestOrder;
  OrderedPlacement::Fit bestFit = OrderedPlacement::Fit::Best;
};
} // namespace

void OrderSearch::consider(const std::vector<size_t> &order,
                           OrderedPlacement::Fit fit) {
  MemoryPlan plan = placement.place(order, fit);
  if (!bestOrder.empty() && plan.bytes >= best.bytes)
    return;
  best = std::move(plan);
  bestOrder = order;
  bestFit = fit;
}

std::vector<size_t> OrderSearch::vary(const std::vector<size_t> &order,
                                      const MemoryPlan &plan) {
  std::vector<size_t> varied(order);
  std::vector<size_t> highest; // positions of blocks at the arena's end
  for (size_t position = 0; position < order.size(); ++position) {
    size_t block = order[position];
    if (plan.offsets[block] + placement.getSize(block) == plan.bytes)
      highest.push_back(position);
  }
  size_t from = highest[choose(highest.size())];
  // Half the time not the block itself but one that is in its way.
  const std::vector<size_t> &around = placement.getNeighbours(order[from]);
  if (choose(2) && !around.empty())
    from =
        std::find(order.begin(), order.end(), around[choose(around.size())]) -
        order.begin();
  size_t to = choose(order.size());
  if (choose(2)) {
    std::swap(varied[from], varied[to]);
    return varied;
  }
  size_t block = varied[from];
  varied.erase(varied.begin() + from);
  varied.insert(varied.begin() + std::min(to, from), block);
  return varied;
}

void OrderSearch::run(int64_t peak, int64_t effort) {
  std::vector<size_t> order = bestOrder;
  MemoryPlan plan = best;
  int64_t begin = placement.getWork(), sinceBetter = 0;
  while (best.bytes > peak && placement.getWork() - begin < effort) {
    std::vector<size_t> varied = vary(order, plan);
    MemoryPlan candidate = placement.place(varied, bestFit);
    if (candidate.bytes <= plan.bytes) {
      order = std::move(varied);
      plan = std::move(candidate);
    }
    if (plan.bytes < best.bytes) {
      best = plan;
      bestOrder = order;
      sinceBetter = 0;
    } else if (++sinceBetter % 256 == 0) {
      // Walk away from where this has got stuck.
      order = bestOrder;
      for (int swaps = 0; swaps < 4; ++swaps)
        std::swap(order[choose(order.size())], order[choose(order.size())]);
      plan = placement.place(order, bestFit);
    }
  }
}

MemoryPlan planMemory(const std::vector<MemoryBlock> &blocks,
                      const MemoryPlannerOptions &options) {
  if (blocks.empty())
    return {};
  OrderedPlacement placement(blocks, options.alignment);
  OrderSearch search(placement, options.seed);
  int64_t peak = getPeakBytes(blocks, options.alignment);
  for (const std::vector<size_t> &order : getGreedyOrders(blocks))
    for (auto fit :
         {OrderedPlacement::Fit::Best, OrderedPlacement::Fit::Lowest}) {
      search.consider(order, fit);
      if (search.getBytes() == peak)
        return search.takeBest();
    }
  search.run(peak, options.effort);
  return search.takeBest();
}

std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<MemoryBlock> &blocks,
            const std::vector<int64_t> &offsets) {
  for (size_t a = 0; a < blocks.size(); ++a)
    for (size_t b = a + 1; b < blocks.size(); ++b)
      if (liveTogether(blocks[a], blocks[b]) &&
          offsets[a] < offsets[b] + blocks[b].bytes &&
          offsets[b] < offsets[a] + blocks[a].bytes)
        return std::pair(a, b);
  return std::nullopt;
}

} // namespace tc
