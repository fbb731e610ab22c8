//===- Matrices.cpp - Products and stores of matrices of PTX --------------===//
//
// A warp multiplies together. Products of warp groups are those of their four
// warps, each of 16 rows, and are done at once.
//
//===----------------------------------------------------------------------===//

#include "Opcode.h"
#include "Values.h"

#include <cstring>

using namespace standin::ptx;

namespace {
constexpr int lanesOfRow = 4;

/// Elements of 8 bits. One of e5m2 is the upper half of one of f16; e4m3 has no
/// infinity, and one NaN.
struct E5M2 {
  uint8_t bits;
  double value() const { return Half{uint16_t(bits << 8)}.value(); }
};
struct E4M3 {
  uint8_t bits;
  double value() const {
    const int magnitude = bits & 0x7f, exponent = magnitude >> 3,
              mantissa = magnitude & 7;
    const double size = magnitude == 0x7f ? std::nan("")
                        : exponent == 0
                            ? std::ldexp(mantissa, -9)
                            : std::ldexp(8 + mantissa, exponent - 10);
    return bits & 0x80 ? -size : size;
  }
};
struct Signed8 {
  uint8_t bits;
  double value() const { return int8_t(bits); }
};

/// A sum as a number that further products are added to exactly, and back:
/// those of integers wrap.
double startOf(float sum) { return sum; }
double startOf(int32_t sum) { return sum; }
template <typename Sum> Sum sumOf(double value) {
  if constexpr (std::same_as<Sum, float>)
    return float(value);
  else
    return Sum(uint32_t(int64_t(value)));
}

void waitForWarp(Thread &thread, const Instruction &) {
  thread.wait = Wait::warp;
}

void nothing(Thread &, const Instruction &) {}

/// Slot number `index` of a vector operand.
int32_t slotOf(const Thread &thread, const List &list, uint32_t index) {
  return thread.block->machine->entry.elements[list.begin + index];
}

/// Element number `index` of a vector operand of words.
template <typename Element>
double elementOf(const Thread &thread, const List &list, uint32_t index) {
  constexpr uint32_t perWord = 4 / sizeof(Element);
  const auto word =
      get<uint32_t>(thread, slotOf(thread, list, index / perWord));
  Element element{};
  std::memcpy(&element,
              reinterpret_cast<const char *>(&word) +
                  index % perWord * sizeof(Element),
              sizeof(element));
  return element.value();
}

/// A left operand of 16 rows in the registers of a warp: words are of rows g
/// and g + 8 and of elements that begin at 4 t bytes of 16, and then those 16
/// bytes further, of lane 4 g + t.
template <typename Element>
double leftOf(Thread *const *lanes, const List &list, int row, int column) {
  constexpr int perWord = 4 / sizeof(Element), perUnit = 4 * perWord;
  const int lane = row % 8 * lanesOfRow + column % perUnit / perWord;
  return elementOf<Element>(
      *lanes[lane], list,
      uint32_t((row / 8 + column / perUnit * 2) * perWord + column % perWord));
}

/// Adds products to 16 rows of `columns` sums: those of a lane are of rows g
/// and g + 8, two neighbours every 8 columns.
template <typename Sum = float, typename Left, typename Right>
void multiply(Thread *const *lanes, const Instruction &i, const List &sums,
              bool isAdded, int columns, int depth, Left left, Right right) {
  for (int row = 0; row < 16; ++row)
    for (int column = 0; column < columns; ++column) {
      Thread &thread = *lanes[row % 8 * lanesOfRow + column % 8 / 2];
      const auto index = uint32_t(column / 8 * 4 + row / 8 * 2 + column % 2);
      // Of the addends that mma has apart from its result.
      const List &addends = i.lists == 4 ? i.list[3] : sums;
      double sum =
          isAdded ? startOf(get<Sum>(thread, slotOf(thread, addends, index)))
                  : 0;
      for (int k = 0; k < depth; ++k)
        sum += left(row, k) * right(k, column);
      put(thread, slotOf(thread, sums, index), sumOf<Sum>(sum));
    }
}

bool isWhole(Thread *const *lanes, const Instruction &i) {
  Thread *first = nullptr;
  int count = 0;
  for (int lane = 0; lane < 32; ++lane) {
    count += lanes[lane] != nullptr;
    first = first ? first : lanes[lane];
  }
  if (count < 32 && first)
    fail(*first, i, launchFailed, "a part of a warp multiplies");
  return count == 32;
}

/// mma.m16n8: the right operand has 8 columns, words of elements that begin at
/// 4 t bytes of 16 along the depth, of column g.
template <typename Element, typename Sum = float>
void multiplyInWarp(Thread *const *lanes, const Instruction &i) {
  constexpr int perWord = 4 / sizeof(Element), perUnit = 4 * perWord;
  if (!isWhole(lanes, i))
    return;
  auto left = [&](int row, int k) {
    return leftOf<Element>(lanes, i.list[1], row, k);
  };
  auto right = [&](int k, int column) {
    return elementOf<Element>(
        *lanes[column * lanesOfRow + k % perUnit / perWord], i.list[2],
        uint32_t(k / perUnit * perWord + k % perWord));
  };
  // A result may be an addend too: all products are of what was there.
  multiply<Sum>(lanes, i, i.list[0], true, 8, perUnit * int(i.list[2].count),
                left, right);
}

/// ldmatrix: lane 8 m + r has the address of row r of matrix m, of which lane
/// 4 r + t takes elements 2 t and 2 t + 1 in word m, or, of the transposed
/// matrix, of row r of that.
void loadMatrices(Thread *const *lanes, const Instruction &i) {
  if (!isWhole(lanes, i))
    return;
  for (uint32_t matrix = 0; matrix < i.list[0].count; ++matrix) {
    uint16_t elements[8][8];
    for (uint32_t row = 0; row < 8; ++row) {
      Thread &owner = *lanes[matrix * 8 + row];
      const char *place = access(owner, i, i.slot[1], sizeof(elements[row]));
      if (!place)
        return;
      std::memcpy(elements[row], place, sizeof(elements[row]));
    }
    for (uint32_t lane = 0; lane < 32; ++lane) {
      const uint32_t row = lane / lanesOfRow, t = lane % lanesOfRow;
      auto at = [&](uint32_t k) -> uint32_t {
        return i.mode ? elements[k][row] : elements[row][k];
      };
      put(*lanes[lane], slotOf(*lanes[lane], i.list[0], matrix),
          at(2 * t) | at(2 * t + 1) << 16);
    }
  }
}

/// A matrix of elements of 8 or 16 bits in shared memory, in rows of 128 bytes
/// whose units are permuted, as a descriptor of 64 bits says.
template <typename Element> class SharedMatrix {
public:
  SharedMatrix(Thread &thread, const Instruction &i, uint64_t descriptor,
               bool isTransposed)
      : thread(thread), i(i), start((descriptor & 0x3fff) << 4),
        leading((descriptor >> 16 & 0x3fff) << 4),
        stride((descriptor >> 32 & 0x3fff) << 4), isTransposed(isTransposed) {
    if (descriptor >> 62 != 1)
      fail(thread, i, notSupported, "the matrix has no swizzle of 128 bytes");
  }

  /// Of row or column `line` at place `k` of the depth.
  double at(int line, int k) const {
    const auto l = uint64_t(line), d = uint64_t(k);
    // Without transposition a row of memory goes along the depth.
    uint64_t offset = isTransposed ? start + l / 64 * leading + d / 8 * stride +
                                         d % 8 * 128 + l % 64 * 2
                                   : start + l / 8 * stride + l % 8 * 128 +
                                         d * sizeof(Element);
    offset ^= (offset >> 7 & 7) << 4;
    const uint64_t block = thread.block->rank * sharedStride;
    const char *place =
        findMemoryIn(thread, i, Space::shared, sharedWindow + block + offset,
                     sizeof(Element));
    Element element{};
    if (place)
      std::memcpy(&element, place, sizeof(element));
    return element.value();
  }

private:
  Thread &thread;
  const Instruction &i;
  uint64_t start, leading, stride;
  bool isTransposed;
};

/// wgmma: sums, left operand as a descriptor or in registers, descriptor of the
/// right operand, whether sums are added to, and, but for integers, signs. Of
/// elements of 16 bits, transpositions follow.
template <typename Element, typename Other = Element, typename Sum = float>
void multiplyInGroup(Thread *const *lanes, const Instruction &i) {
  constexpr int depth = 32 / int(sizeof(Element));
  if (!isWhole(lanes, i))
    return;
  Thread &thread = *lanes[0];
  const bool isLeftShared = i.lists == 1;
  auto isTransposed = [&](int slot) {
    return sizeof(Element) == 2 && get<uint32_t>(thread, i.slot[slot]) != 0;
  };
  const SharedMatrix<Other> right(thread, i, thread.slots[i.slot[2]],
                                  isTransposed(isLeftShared ? 7 : 6));
  const int columns = int(i.list[0].count) * 2;
  const bool isAdded = thread.slots[i.slot[3]] != 0;
  const int firstRow = int(thread.number / 32 % 4) * 16;
  // Each element is read once.
  std::vector<double> rows(16 * depth), others(size_t(depth * columns));
  if (isLeftShared) {
    const SharedMatrix<Element> left(thread, i, thread.slots[i.slot[1]],
                                     isTransposed(6));
    for (int row = 0; row < 16; ++row)
      for (int k = 0; k < depth; ++k)
        rows[size_t(row * depth + k)] = left.at(firstRow + row, k);
  } else if constexpr (ShortFloat<Element>) {
    for (int row = 0; row < 16; ++row)
      for (int k = 0; k < depth; ++k)
        rows[size_t(row * depth + k)] =
            leftOf<Element>(lanes, i.list[1], row, k);
  } else {
    return fail(thread, i, notSupported,
                "elements of 8 bits are multiplied from registers");
  }
  for (int column = 0; column < columns; ++column)
    for (int k = 0; k < depth; ++k)
      others[size_t(column * depth + k)] = right.at(column, k);
  multiply<Sum>(
      lanes, i, i.list[0], isAdded, columns, depth,
      [&](int row, int k) { return rows[size_t(row * depth + k)]; },
      [&](int k, int column) { return others[size_t(column * depth + k)]; });
}

/// stmatrix.x4: lane 8 m + r has the address of row r of matrix m, of which
/// lane 4 r + t has elements 2 t and 2 t + 1 in word m.
void storeMatrices(Thread *const *lanes, const Instruction &i) {
  if (!isWhole(lanes, i))
    return;
  for (uint32_t matrix = 0; matrix < i.list[0].count; ++matrix)
    for (uint32_t row = 0; row < 8; ++row) {
      Thread &owner = *lanes[matrix * 8 + row];
      char *place = access(owner, i, i.slot[0], 16);
      if (!place)
        return;
      for (uint32_t t = 0; t < lanesOfRow; ++t) {
        Thread &from = *lanes[row * lanesOfRow + t];
        const auto word = get<uint32_t>(from, slotOf(from, i.list[0], matrix));
        std::memcpy(place + t * 4, &word, sizeof(word));
      }
    }
}

Decoded asList(WarpHandler together, Instruction &instruction, int fewest,
               int most, bool writes) {
  instruction.together = together;
  Decoded result(waitForWarp, fewest, most, writes);
  result.takesLists = true;
  return result;
}

/// What multiplies elements of the types that follow each other in the opcode;
/// null for others.
WarpHandler takeElements(Opcode &opcode) {
  if (opcode.take("s32"))
    return opcode.take("s8") && opcode.take("s8")
               ? multiplyInGroup<Signed8, Signed8, int32_t>
               : nullptr;
  if (!opcode.take("f32"))
    return nullptr;
  if (opcode.take("f16"))
    return opcode.take("f16") ? multiplyInGroup<Half> : nullptr;
  if (opcode.take("bf16"))
    return opcode.take("bf16") ? multiplyInGroup<Brain> : nullptr;
  const std::string_view left = opcode.takeStartingWith("e"),
                         right = opcode.takeStartingWith("e");
  if (left == "e4m3" && right == "e4m3")
    return multiplyInGroup<E4M3>;
  if (left == "e4m3" && right == "e5m2")
    return multiplyInGroup<E4M3, E5M2>;
  if (left == "e5m2" && right == "e4m3")
    return multiplyInGroup<E5M2, E4M3>;
  return left == "e5m2" && right == "e5m2" ? multiplyInGroup<E5M2> : nullptr;
}

Decoded decodeGroup(Opcode &opcode, Instruction &instruction) {
  constexpr int fewest = 4, most = 8; // operands
  if (!opcode.take("mma_async") || opcode.takeStartingWith("m64n").empty())
    return {};
  WarpHandler multiplied = takeElements(opcode);
  return multiplied ? asList(multiplied, instruction, fewest, most, true)
                    : Decoded{};
}

Decoded decodeWarpProduct(Opcode &opcode, Instruction &instruction) {
  const int shape = opcode.takeOneOf({"m16n8k8", "m16n8k16", "m16n8k32"});
  if (shape < 0 || !opcode.take("row") || !opcode.take("col"))
    return {};
  constexpr int wide = 2; // of elements of 8 bits
  WarpHandler multiplied = nullptr;
  if (shape == wide && opcode.take("s32") && opcode.take("s8") &&
      opcode.take("s8") && opcode.take("s32"))
    multiplied = multiplyInWarp<Signed8, int32_t>;
  else if (shape < wide && opcode.take("f32") && opcode.take("f32"))
    multiplied =
        opcode.take("bf16") && opcode.take("bf16") ? multiplyInWarp<Brain>
        : opcode.take("f16") && opcode.take("f16") ? multiplyInWarp<Half>
                                                   : nullptr;
  return multiplied ? asList(multiplied, instruction, 4, 4, true) : Decoded{};
}
} // namespace

Decoded standin::ptx::decodeMatrix(Opcode &opcode, Instruction &instruction) {
  const std::string_view name = opcode.name();
  if (name != "mma" && name != "wgmma" && name != "stmatrix" &&
      name != "ldmatrix")
    return {};
  if (!opcode.take("sync") || !opcode.take("aligned"))
    return {};
  if (name == "stmatrix") {
    opcode.drop({"m8n8", "x1", "x2", "x4", "shared", "b16"});
    instruction.space = Space::shared;
    return asList(storeMatrices, instruction, 2, 2, false);
  }
  if (name == "ldmatrix") {
    opcode.drop({"m8n8", "x1", "x2", "x4", "shared", "b16"});
    instruction.mode = opcode.take("trans");
    instruction.space = Space::shared;
    return asList(loadMatrices, instruction, 2, 2, true);
  }
  if (name == "wgmma" && (opcode.take("fence") || opcode.take("commit_group")))
    return {nothing, 0, false};
  if (name == "wgmma" && opcode.take("wait_group"))
    return {nothing, 1, false};
  if (name == "wgmma")
    return decodeGroup(opcode, instruction);
  return decodeWarpProduct(opcode, instruction);
}
