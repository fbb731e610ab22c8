//===- MemoryPlanner.cpp - Places of blocks in one arena ------------------===//

#include "TC/MemoryPlan/MemoryPlanner.h"
#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <tuple>

namespace tc {

int64_t alignBytes(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

static int64_t alignBytes(const MemoryBlock &block, int64_t alignment) {
  return alignBytes(std::max<int64_t>(block.bytes, 0), alignment);
}

bool liveTogether(const MemoryBlock &a, const MemoryBlock &b) {
  return a.bytes > 0 && b.bytes > 0 && a.first <= b.last && b.first <= a.last;
}

int64_t getPeakBytes(const std::vector<MemoryBlock> &blocks,
                     int64_t alignment) {
  // Bytes that become live at each step, and those that die after it.
  std::map<int64_t, int64_t> change;
  for (const MemoryBlock &block : blocks) {
    change[block.first] += alignBytes(block, alignment);
    change[block.last + 1] -= alignBytes(block, alignment);
  }
  int64_t live = 0, peak = 0;
  for (const auto &[step, bytes] : change)
    peak = std::max(peak, live += bytes);
  return peak;
}

//===----------------------------------------------------------------------===//
// Greedy plans
//===----------------------------------------------------------------------===//

/// Pairs of blocks that are live together, beyond which they are placed in the
/// order of time: planners that use each pair take that much memory and time.
static constexpr size_t kMostPairs = 4'000'000;

/// For each block, those that are live together with it; nothing when that is
/// too many pairs.
static std::optional<std::vector<std::vector<size_t>>>
findNeighbours(const std::vector<MemoryBlock> &blocks) {
  size_t pairs = 0;
  std::vector<std::vector<size_t>> neighbours(blocks.size());
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
        if (++pairs > kMostPairs)
          return std::nullopt;
        neighbours[byFirst[i]].push_back(byFirst[j]);
        neighbours[byFirst[j]].push_back(byFirst[i]);
      }
  return neighbours;
}

/// Places blocks in the order in which they come to live, each in the smallest
/// gap that is free then.
static MemoryPlan placeInTime(const std::vector<MemoryBlock> &blocks,
                              const std::vector<int64_t> &sizes) {
  std::vector<size_t> byFirst(blocks.size());
  std::iota(byFirst.begin(), byFirst.end(), 0);
  std::sort(byFirst.begin(), byFirst.end(), [&](size_t a, size_t b) {
    return std::tuple(blocks[a].first, -sizes[a], a) <
           std::tuple(blocks[b].first, -sizes[b], b);
  });
  MemoryPlan plan;
  plan.offsets.assign(blocks.size(), 0);
  std::map<int64_t, int64_t> gaps;              // begin to end
  std::set<std::pair<int64_t, int64_t>> bySize; // size and begin
  std::set<std::pair<int64_t, size_t>> byLast;  // what lives
  auto addGap = [&](int64_t begin, int64_t end) {
    auto next = gaps.lower_bound(begin);
    if (next != gaps.end() && next->first == end) {
      end = next->second;
      bySize.erase({next->second - next->first, next->first});
      next = gaps.erase(next);
    }
    if (next != gaps.begin() && std::prev(next)->second == begin) {
      begin = std::prev(next)->first;
      bySize.erase({std::prev(next)->second - begin, begin});
      gaps.erase(std::prev(next));
    }
    gaps[begin] = end;
    bySize.insert({end - begin, begin});
  };
  for (size_t block : byFirst) {
    if (sizes[block] == 0)
      continue;
    while (!byLast.empty() && byLast.begin()->first < blocks[block].first) {
      size_t dead = byLast.begin()->second;
      byLast.erase(byLast.begin());
      addGap(plan.offsets[dead], plan.offsets[dead] + sizes[dead]);
    }
    auto gap = bySize.lower_bound({sizes[block], 0});
    if (gap == bySize.end()) { // on top, of a gap there if there is one
      bool endsInGap = !gaps.empty() && gaps.rbegin()->second == plan.bytes;
      int64_t free = endsInGap ? plan.bytes - gaps.rbegin()->first : 0;
      addGap(plan.bytes, plan.bytes + sizes[block] - free);
      plan.bytes += sizes[block] - free;
      gap = bySize.lower_bound({sizes[block], 0});
    }
    auto [size, begin] = *gap;
    bySize.erase(gap);
    gaps.erase(begin);
    plan.offsets[block] = begin;
    byLast.insert({blocks[block].last, block});
    if (size > sizes[block])
      addGap(begin + sizes[block], begin + size);
  }
  return plan;
}

/// Places blocks one after another, each in the tightest or the lowest gap
/// among those placed before.
static MemoryPlan
placeInOrder(const std::vector<int64_t> &sizes,
             const std::vector<std::vector<size_t>> &neighbours,
             const std::vector<size_t> &order, bool tightest) {
  MemoryPlan plan;
  plan.offsets.assign(sizes.size(), -1);
  std::vector<std::pair<int64_t, int64_t>> taken;
  for (size_t block : order) {
    taken.clear();
    for (size_t neighbour : neighbours[block])
      if (int64_t offset = plan.offsets[neighbour]; offset >= 0)
        taken.push_back({offset, offset + sizes[neighbour]});
    std::sort(taken.begin(), taken.end());
    int64_t end = 0, best = -1;
    int64_t bestGap = std::numeric_limits<int64_t>::max();
    for (auto [from, to] : taken) {
      int64_t gap = from - end;
      if (gap >= sizes[block] && gap < bestGap && (tightest || best < 0)) {
        best = end;
        bestGap = gap;
      }
      end = std::max(end, to);
    }
    int64_t offset = sizes[block] == 0 ? 0 : best >= 0 ? best : end;
    plan.offsets[block] = offset;
    plan.bytes = std::max(plan.bytes, offset + sizes[block]);
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
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::tuple(key(blocks[a]), -blocks[a].bytes, a) <
             std::tuple(key(blocks[b]), -blocks[b].bytes, b);
    });
  }
  return orders;
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// Looks for a plan within a target by placing blocks from the bottom up, with
/// backtracking. Time is cut into sections at whose borders blocks come or go;
/// a section's floor is the top of its placed blocks. A block is placed on the
/// floor of its sections, and never below the block placed before it: every
/// plan can be brought to this form by letting blocks fall. A branch ends as
/// soon as some section's floor and unplaced bytes exceed the target.
class BottomUpSearch {
public:
  BottomUpSearch(const std::vector<MemoryBlock> &blocks,
                 const std::vector<int64_t> &sizes);

  /// A plan of at most `target` bytes; nothing when there is none or when the
  /// effort is spent. `seed` varies which block is tried first.
  std::optional<MemoryPlan> run(int64_t target, int64_t effort, uint64_t seed);

private:
  struct Candidate {
    size_t block;
    int64_t offset;
    double rank;
  };
  struct Entry {
    size_t first, last; ///< sections
    int64_t bytes, offset = 0;
    double rank = 0;
    bool placed = false;
  };

  bool search(size_t count, int64_t lowest);
  std::vector<Candidate> findCandidates(int64_t lowest);
  bool place(size_t block, int64_t offset);
  int64_t getFloor(const Entry &entry) const;

  std::vector<Entry> entries;
  std::vector<size_t> original; ///< the block of each entry
  std::vector<int64_t> floors, unplaced;
  size_t blockCount;
  int64_t target = 0, work = 0, effort = 0;
};
} // namespace

BottomUpSearch::BottomUpSearch(const std::vector<MemoryBlock> &blocks,
                               const std::vector<int64_t> &sizes)
    : blockCount(blocks.size()) {
  std::vector<int64_t> borders;
  for (size_t i = 0; i < blocks.size(); ++i)
    if (sizes[i] > 0)
      borders.insert(borders.end(), {blocks[i].first, blocks[i].last + 1});
  std::sort(borders.begin(), borders.end());
  borders.erase(std::unique(borders.begin(), borders.end()), borders.end());
  auto sectionOf = [&](int64_t step) -> size_t {
    return std::lower_bound(borders.begin(), borders.end(), step) -
           borders.begin();
  };
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (sizes[i] == 0)
      continue;
    entries.push_back({sectionOf(blocks[i].first),
                       sectionOf(blocks[i].last + 1) - 1, sizes[i]});
    original.push_back(i);
  }
  floors.resize(borders.size());
  unplaced.resize(borders.size());
}

int64_t BottomUpSearch::getFloor(const Entry &entry) const {
  return *std::max_element(floors.begin() + entry.first,
                           floors.begin() + entry.last + 1);
}

/// Unplaced blocks that may come next in order, best first.
std::vector<BottomUpSearch::Candidate>
BottomUpSearch::findCandidates(int64_t lowest) {
  std::vector<Candidate> candidates;
  int64_t lowestEnd = std::numeric_limits<int64_t>::max();
  for (size_t i = 0; i < entries.size(); ++i) {
    const Entry &entry = entries[i];
    if (entry.placed)
      continue;
    work += entry.last - entry.first + 1;
    int64_t offset = getFloor(entry);
    if (offset < lowest)
      continue; // should have been placed before
    lowestEnd = std::min(lowestEnd, offset + entry.bytes);
    candidates.push_back({i, offset, entry.rank});
  }
  // Where a whole block fits below, it could fall there.
  std::erase_if(candidates, [&](const Candidate &candidate) {
    return candidate.offset >= lowestEnd;
  });
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate &a, const Candidate &b) {
              return std::tuple(a.offset, -a.rank, a.block) <
                     std::tuple(b.offset, -b.rank, b.block);
            });
  return candidates;
}

/// Puts a block on its sections; false when some section can no longer hold
/// its unplaced blocks, all of which will be at `offset` or above.
bool BottomUpSearch::place(size_t block, int64_t offset) {
  Entry &entry = entries[block];
  entry.placed = true;
  entry.offset = offset;
  for (size_t section = entry.first; section <= entry.last; ++section) {
    floors[section] = offset + entry.bytes;
    unplaced[section] -= entry.bytes;
  }
  work += floors.size();
  for (size_t section = 0; section < floors.size(); ++section)
    if (unplaced[section] > 0 &&
        std::max(floors[section], offset) + unplaced[section] > target)
      return false;
  return floors[entry.first] <= target;
}

bool BottomUpSearch::search(size_t count, int64_t lowest) {
  if (count == entries.size())
    return true;
  for (const Candidate &candidate : findCandidates(lowest)) {
    if (work > effort)
      return false;
    Entry &entry = entries[candidate.block];
    std::vector<int64_t> before(floors.begin() + entry.first,
                                floors.begin() + entry.last + 1);
    if (place(candidate.block, candidate.offset) &&
        search(count + 1, candidate.offset))
      return true;
    entry.placed = false;
    std::copy(before.begin(), before.end(), floors.begin() + entry.first);
    for (size_t section = entry.first; section <= entry.last; ++section)
      unplaced[section] += entry.bytes;
  }
  return false;
}

std::optional<MemoryPlan> BottomUpSearch::run(int64_t wanted, int64_t mostWork,
                                              uint64_t seed) {
  target = wanted;
  effort = mostWork;
  work = 0;
  std::mt19937_64 random(seed);
  std::fill(floors.begin(), floors.end(), 0);
  std::fill(unplaced.begin(), unplaced.end(), 0);
  for (Entry &entry : entries) {
    entry.placed = false;
    for (size_t section = entry.first; section <= entry.last; ++section)
      unplaced[section] += entry.bytes;
  }
  // Long blocks, large ones, and those in full sections decide the most; which
  // of them leads differs by seed, later seeds shake the order too.
  for (Entry &entry : entries) {
    double fullest =
        double(*std::max_element(unplaced.begin() + entry.first,
                                 unplaced.begin() + entry.last + 1)) /
        double(target);
    double length = double(entry.last - entry.first + 1);
    double share = double(entry.bytes) / double(target);
    double shake = seed < 4 ? 1 : 0.5 + double(random() % 1000) / 1000;
    const double ranks[] = {length, length * share, fullest + share,
                            fullest * length};
    entry.rank = ranks[seed % 4] * shake;
  }
  if (!search(0, 0))
    return std::nullopt;
  MemoryPlan plan;
  plan.offsets.resize(blockCount);
  for (size_t i = 0; i < entries.size(); ++i) {
    plan.offsets[original[i]] = entries[i].offset;
    plan.bytes = std::max(plan.bytes, entries[i].offset + entries[i].bytes);
  }
  return plan;
}

MemoryPlan planMemory(const std::vector<MemoryBlock> &blocks,
                      const MemoryPlannerOptions &options) {
  if (blocks.empty())
    return {};
  std::vector<int64_t> sizes;
  for (const MemoryBlock &block : blocks)
    sizes.push_back(alignBytes(block, options.alignment));
  auto neighbours = findNeighbours(blocks);
  if (!neighbours)
    return placeInTime(blocks, sizes);
  MemoryPlan best;
  for (const std::vector<size_t> &order : getGreedyOrders(blocks))
    for (bool tightest : {true, false}) {
      MemoryPlan plan = placeInOrder(sizes, *neighbours, order, tightest);
      if (best.offsets.empty() || plan.bytes < best.bytes)
        best = std::move(plan);
    }
  // The peak itself first, then targets halfway to what is known to work.
  int64_t impossible = getPeakBytes(blocks, options.alignment);
  BottomUpSearch search(blocks, sizes);
  constexpr uint64_t kAttempts = 16;
  int64_t target = impossible, share = options.effort / 4 / kAttempts;
  while (best.bytes > impossible && target < best.bytes) {
    std::optional<MemoryPlan> found;
    for (uint64_t attempt = 0; attempt < kAttempts && !found; ++attempt)
      found = search.run(target, share, options.seed * kAttempts + attempt);
    if (found)
      best = *std::move(found);
    else
      impossible = target;
    int64_t step = (best.bytes - impossible) / 2;
    if (step < options.alignment || step < best.bytes / 256)
      break;
    target = impossible + step;
  }
  return best;
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
