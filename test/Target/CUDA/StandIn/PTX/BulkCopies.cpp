//===- BulkCopies.cpp - cp.async of PTX -----------------------------------===//
//
// Copies of granules, of rows and of boxes of tensors between global and shared
// memory, which are done when no thread can go on without them, or when a
// thread waits for its own.
//
//===----------------------------------------------------------------------===//

#include "../TensorMap.h"
#include "Machine.h"
#include "Opcode.h"

#include <algorithm>

using namespace standin;
using namespace standin::ptx;

namespace {
constexpr uint32_t unit = 16; ///< bytes

void start(Thread &thread, bool isInGroup, std::function<void()> run) {
  thread.block->machine->copies.push_back(
      {&thread, isInGroup, thread.copyGroup, std::move(run)});
}

void endGroup(Thread &thread, const Instruction &) { ++thread.copyGroup; }

/// Until at most so many groups of the thread are not done.
void waitForGroups(Thread &thread, const Instruction &i) {
  const auto inFlight = get<uint32_t>(thread, i.slot[0]);
  doCopies(*thread.block->machine, [&](const Copy &copy) {
    return copy.thread == &thread && copy.isInGroup &&
           copy.group + inFlight < thread.copyGroup;
  });
}

/// A granule to shared memory: its first bytes, if not all, and zeros.
void copyGranule(Thread &thread, const Instruction &i) {
  const uint32_t to = sharedAddress(thread, i, 0);
  const uint64_t from = thread.slots[i.slot[1]] + uint64_t(i.offsets[1]);
  const auto bytes = get<uint32_t>(thread, i.slot[2]);
  const bool hasPolicy = i.mode == 1; // the last operand
  const uint32_t given = i.operands > 3 + hasPolicy
                             ? std::min(get<uint32_t>(thread, i.slot[3]), bytes)
                             : bytes;
  if ((bytes != 4 && bytes != 8 && bytes != unit) || to % bytes ||
      from % bytes) {
    fail(thread, i, misalignedAccess,
         "the addresses are not multiples of 4, 8 or 16 bytes, or " +
             std::to_string(bytes) + " is another number");
    return;
  }
  start(thread, true, [&thread, &i, to, from, bytes, given] {
    char *place = findMemoryIn(thread, i, Space::shared, to, bytes);
    const char *source =
        place && given ? findMemoryIn(thread, i, Space::global, from, given)
                       : nullptr;
    if (!place || (given && !source))
      return;
    std::memset(place, 0, bytes);
    if (given)
      std::memcpy(place, source, given);
  });
}

/// The barrier waits for the thread's copies before.
void arriveBehindCopies(Thread &thread, const Instruction &i) {
  const uint32_t barrier = sharedAddress(thread, i, 0);
  awaitCopies(thread, i, barrier, 1);
  start(thread, true,
        [&thread, &i, barrier] { awaitCopies(thread, i, barrier, -1); });
}

/// Whether a row is of whole units; else the thread has failed.
bool areUnits(Thread &thread, const Instruction &i, uint64_t to, uint64_t from,
              uint32_t bytes) {
  if (to % unit == 0 && from % unit == 0 && bytes % unit == 0)
    return true;
  fail(thread, i, misalignedAccess,
       "the addresses and " + std::to_string(bytes) +
           " bytes are not all multiples of 16");
  return false;
}

/// A row of bytes to shared memory, for a barrier there.
void copyRow(Thread &thread, const Instruction &i) {
  const uint64_t to = sharedAddress(thread, i, 0);
  const uint64_t from = thread.slots[i.slot[1]] + uint64_t(i.offsets[1]);
  const auto bytes = get<uint32_t>(thread, i.slot[2]);
  if (!areUnits(thread, i, to, from, bytes))
    return;
  const uint32_t barrier = sharedAddress(thread, i, 3);
  start(thread, false, [&thread, &i, to, from, bytes, barrier] {
    char *place = findMemoryIn(thread, i, Space::cluster, to, bytes);
    const char *source =
        place ? findMemoryIn(thread, i, Space::global, from, bytes) : nullptr;
    if (!source)
      return;
    std::memcpy(place, source, bytes);
    completeBytes(thread, i, barrier, bytes);
  });
}

/// A row of bytes from shared memory.
void storeRow(Thread &thread, const Instruction &i) {
  const uint64_t to = thread.slots[i.slot[0]] + uint64_t(i.offsets[0]);
  const uint32_t from = sharedAddress(thread, i, 1);
  const auto bytes = get<uint32_t>(thread, i.slot[2]);
  if (!areUnits(thread, i, to, from, bytes))
    return;
  start(thread, true, [&thread, &i, to, from, bytes] {
    const char *source = findMemoryIn(thread, i, Space::shared, from, bytes);
    char *place =
        source ? findMemoryIn(thread, i, Space::global, to, bytes) : nullptr;
    if (place)
      std::memcpy(place, source, bytes);
  });
}

/// A copy of a box, element by element.
class BoxCopy {
public:
  BoxCopy(Thread &thread, const Instruction &i, const TensorMap &map,
          uint64_t shared, bool isLoad, bool adds = false)
      : thread(thread), i(i), map(map), shared(shared), isLoad(isLoad),
        adds(adds) {
    const List &coordinates = i.list[0];
    const Entry &entry = thread.block->machine->entry;
    for (uint32_t dim = 0; dim < coordinates.count && dim < 5; ++dim)
      first[dim] =
          get<int32_t>(thread, entry.elements[coordinates.begin + dim]);
    const List &distances = i.list[1];
    for (uint32_t dim = 0; dim < distances.count && dim < 3; ++dim)
      under[dim] = get<uint16_t>(thread, entry.elements[distances.begin + dim]);
  }

  /// The bytes of the box; 0 after it has failed.
  uint32_t run() const {
    uint32_t count = map.places ? map.places : 1;
    for (uint32_t dim = 0; dim < map.rank; ++dim)
      count *= map.box[dim];
    for (uint32_t number = 0; number < count; ++number)
      if (!copy(number))
        return 0;
    return count * map.elementBytes;
  }

private:
  bool copy(uint32_t number) const {
    const uint64_t place = swizzled(shared + getOffset(number));
    uint64_t address = map.address;
    bool isInside = true;
    int64_t at[5];
    if (map.places)
      findPixel(number, at);
    else
      findElement(number, at);
    for (uint32_t dim = 0; dim < map.rank; ++dim) {
      isInside &= at[dim] >= 0 && at[dim] < int64_t(map.sizes[dim]);
      address += uint64_t(at[dim]) * map.strides[dim];
    }
    char *here =
        findMemoryIn(thread, i, isLoad ? Space::cluster : Space::shared, place,
                     map.elementBytes);
    if (!here)
      return false;
    if (!isInside) { // filled with zeros, or left out
      if (isLoad)
        std::memset(here, 0, map.elementBytes);
      return true;
    }
    char *there =
        findMemoryIn(thread, i, Space::global, address, map.elementBytes);
    if (!there)
      return false;
    if (adds)
      addTo(there, here);
    else
      std::memcpy(isLoad ? here : there, isLoad ? there : here,
                  map.elementBytes);
    return true;
  }

  static void addTo(char *sum, const char *summand) {
    float numbers[2];
    std::memcpy(&numbers[0], sum, sizeof(float));
    std::memcpy(&numbers[1], summand, sizeof(float));
    numbers[0] += numbers[1];
    std::memcpy(sum, &numbers[0], sizeof(float));
  }

  /// Where element `number` of the box is.
  void findElement(uint32_t number, int64_t *at) const {
    for (uint32_t dim = 0; dim < map.rank; ++dim) {
      at[dim] = first[dim] + int64_t(number % map.box[dim]);
      number /= map.box[dim];
    }
  }

  /// The same of a window: channels first, then its places from the first one
  /// on, row after row and image after image.
  void findPixel(uint32_t number, int64_t *at) const {
    at[0] = first[0] + int64_t(number % map.box[0]);
    int64_t further = number / map.box[0];
    for (uint32_t dim = 1; dim + 1 < map.rank; ++dim) {
      const int64_t lower = map.lower[dim - 1], step = map.steps[dim - 1],
                    last = int64_t(map.sizes[dim]) - 1 + map.upper[dim - 1],
                    places = (last - lower) / step + 1,
                    place = (first[dim] - lower) / step + further;
      at[dim] = lower + place % places * step + under[dim - 1];
      further = place / places;
    }
    at[map.rank - 1] = first[map.rank - 1] + further;
  }

  /// Where element number `number` of the box is in shared memory, ahead of the
  /// swizzle: rows are as far apart as it is wide.
  uint64_t getOffset(uint32_t number) const {
    const uint32_t columns = map.box[0],
                   rowBytes = std::max(columns * map.elementBytes,
                                       uint32_t(map.swizzleBytes));
    return uint64_t(number / columns) * rowBytes +
           number % columns * map.elementBytes;
  }

  /// Units of a row of so many bytes are permuted by the row's number among
  /// rows of 128 bytes.
  uint64_t swizzled(uint64_t address) const {
    if (!map.swizzleBytes)
      return address;
    return address ^ ((address >> 7 & (map.swizzleBytes / unit - 1)) << 4);
  }

  Thread &thread;
  const Instruction &i;
  TensorMap map;
  uint64_t shared;
  bool isLoad, adds;
  int64_t first[5] = {};
  int64_t under[3] = {}; ///< the point of a window that pixels are under
};

void loadBox(Thread &thread, const Instruction &i, const TensorMap &map,
             uint64_t shared, uint64_t barrier) {
  start(thread, false,
        [copy = BoxCopy(thread, i, map, shared, true), &thread, &i, barrier] {
          if (const uint32_t bytes = copy.run())
            completeBytes(thread, i, barrier, bytes);
        });
}

/// A box for each block whose bit is set: its place and its barrier are where
/// they are in the block that says so.
void loadBoxes(Thread &thread, const Instruction &i, const TensorMap &map,
               uint32_t shared, uint32_t barrier) {
  const auto blocks = get<uint16_t>(thread, i.slot[map.places ? 4 : 3]);
  const size_t count = thread.block->machine->blocks.size();
  if (!blocks || blocks >> count) {
    fail(thread, i, illegalAccess,
         "the copy is for blocks " + std::to_string(blocks) +
             ", by bits, of a cluster of " + std::to_string(count));
    return;
  }
  for (uint32_t rank = 0; rank < count; ++rank)
    if (blocks >> rank & 1)
      loadBox(thread, i, map, inBlock(shared, rank), inBlock(barrier, rank));
}

/// Mode 0: [shared], [map, {coordinates}], [barrier], and {distances} under a
/// window. Mode 1: [map, {coordinates}], [shared]. Mode 2: as mode 0, and the
/// blocks that it is for. Mode 3: as mode 1, added to what is there.
void copyBox(Thread &thread, const Instruction &i) {
  const bool isLoad = i.mode == 0 || i.mode == 2, adds = i.mode == 3;
  const uint32_t shared = sharedAddress(thread, i, isLoad ? 0 : 1);
  const int at = isLoad ? 1 : 0; // the map
  const char *place = findMemoryIn(
      thread, i, Space::generic,
      thread.slots[i.slot[at]] + uint64_t(i.offsets[at]), sizeof(TensorMap));
  if (!place)
    return;
  TensorMap map;
  std::memcpy(&map, place, sizeof(map));
  if (map.isMap != TensorMap::mark || map.rank != i.list[0].count ||
      i.list[1].count != (map.places ? map.rank - 2 : 0)) {
    fail(thread, i, launchFailed,
         "there is no tensor map of " + std::to_string(i.list[0].count) +
             " dimensions");
    return;
  }
  if (adds && !map.isF32) {
    fail(thread, i, launchFailed, "what is added to is no f32");
    return;
  }
  const uint32_t alignment = map.swizzleBytes ? 8 * map.swizzleBytes : 128;
  if (shared % alignment && isLoad && map.swizzleBytes == 128) {
    fail(thread, i, misalignedAccess,
         "the box in shared memory is not at a multiple of " +
             std::to_string(alignment) + " bytes");
    return;
  }
  if (!isLoad)
    return start(
        thread, true,
        [copy = BoxCopy(thread, i, map, shared, false, adds)] { copy.run(); });
  const uint32_t barrier = sharedAddress(thread, i, 2);
  if (i.mode == 2)
    return loadBoxes(thread, i, map, shared, barrier);
  loadBox(thread, i, map, shared, barrier);
}
} // namespace

bool standin::ptx::doCopies(Machine &machine,
                            const std::function<bool(const Copy &)> &isWanted) {
  std::vector<Copy> wanted, others;
  for (Copy &copy : machine.copies)
    (isWanted(copy) ? wanted : others).push_back(std::move(copy));
  machine.copies = std::move(others);
  for (const Copy &copy : wanted)
    if (!machine.outcome.error)
      copy.run();
  return !wanted.empty();
}

static Decoded ofAddresses(Decoded decoded) {
  decoded.takesAddresses = true;
  return decoded;
}

Decoded standin::ptx::decodeBulkCopy(Opcode &opcode, Instruction &instruction) {
  if (opcode.name() != "cp")
    return {};
  const bool adds = opcode.take("reduce");
  if (!opcode.take("async"))
    return {};
  const bool isBulk = opcode.take("bulk");
  if (opcode.take("commit_group"))
    return {endGroup, 0, false};
  if (opcode.take("wait_group")) {
    opcode.take("read");
    return {waitForGroups, 1, false};
  }
  if (!isBulk && opcode.take("mbarrier")) {
    opcode.drop({"shared", "shared::cta", "b64"});
    return ofAddresses(
        {opcode.take("arrive") ? arriveBehindCopies : nullptr, 1, false});
  }
  if (!isBulk) {
    opcode.drop({"ca", "cg", "shared", "shared::cta", "global"});
    const bool hasPolicy = opcode.take("L2::cache_hint");
    instruction.mode = hasPolicy;
    Decoded result(copyGranule, 3 + hasPolicy, 4 + hasPolicy, false);
    result.takesAddresses = true;
    return result;
  }
  const bool isLoad = opcode.take("mbarrier::complete_tx::bytes");
  const bool isStore = opcode.take("bulk_group");
  const bool isForBlocks = opcode.take("multicast::cluster");
  opcode.drop({"shared::cta", "shared::cluster", "global"});
  if (!opcode.take("tensor"))
    return ofAddresses({adds      ? nullptr
                        : isLoad  ? copyRow
                        : isStore ? storeRow
                                  : nullptr,
                        isLoad ? 4 : 3, false});
  opcode.drop({"1d", "2d", "3d", "4d", "5d"});
  if (adds && !opcode.take("add"))
    return {};
  opcode.take("tile");
  const int distances = opcode.take("im2col");
  instruction.mode = adds ? 3 : isForBlocks ? 2 : isLoad ? 0 : 1;
  Decoded result = ofAddresses({isLoad || isStore ? copyBox : nullptr,
                                (isForBlocks ? 4
                                 : isLoad    ? 3
                                             : 2) +
                                    distances,
                                false});
  result.takesLists = true;
  return result;
}
