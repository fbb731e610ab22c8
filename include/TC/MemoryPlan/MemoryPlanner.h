//===- MemoryPlanner.h - Places of blocks in one arena ----------*- C++ -*-===//
//
// Blocks of memory with a size and a lifetime get offsets in one arena, such
// that blocks that live together do not overlap and the arena is small (dynamic
// storage allocation). Knows nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef TC_MEMORYPLAN_MEMORYPLANNER_H
#define TC_MEMORYPLAN_MEMORYPLANNER_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tc {

/// A block of memory: `bytes` at every step of [`first`, `last`]; none where
/// they are below zero.
struct MemoryBlock {
  int64_t bytes = 0;
  int64_t first = 0;
  int64_t last = 0;
};

struct MemoryPlannerOptions {
  /// Offsets are multiples of this, in bytes.
  int64_t alignment = 64;
  /// A bound on the search: steps of the search after the greedy plans.
  int64_t effort = 20'000'000;
  /// Seed of the search's random choices; equal seeds give equal plans.
  uint64_t seed = 0;
};

struct MemoryPlan {
  /// Bytes from the arena's begin, for each block.
  std::vector<int64_t> offsets;
  /// Size of the arena.
  int64_t bytes = 0;
};

/// `bytes` rounded up to a multiple of `alignment`.
int64_t alignBytes(int64_t bytes, int64_t alignment);

/// The most bytes live at one step, each block rounded up to the alignment: no
/// plan is smaller.
int64_t getPeakBytes(const std::vector<MemoryBlock> &blocks,
                     int64_t alignment = 64);

/// Whether the two are live at a common step and both have bytes.
bool liveTogether(const MemoryBlock &a, const MemoryBlock &b);

/// Places every block: greedily in several orders, by best fit, then by local
/// search over orders until the peak is reached or the effort is spent. Of
/// blocks with millions of pairs that are live together, each takes the
/// smallest gap at the step where its lifetime begins.
MemoryPlan planMemory(const std::vector<MemoryBlock> &blocks,
                      const MemoryPlannerOptions &options = {});

/// Two blocks that are live together and overlap at these offsets, if any.
std::optional<std::pair<size_t, size_t>>
findOverlap(const std::vector<MemoryBlock> &blocks,
            const std::vector<int64_t> &offsets);

} // namespace tc

#endif // TC_MEMORYPLAN_MEMORYPLANNER_H
