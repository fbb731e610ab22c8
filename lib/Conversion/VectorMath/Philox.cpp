//===- Philox.cpp - Random bits by counters -------------------------------===//

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "Term.h"

using namespace mlir;

namespace tc::vectormath {

/// The four words, each in an i64, of a block of Philox 4x32-10 whose number is
/// `blockLow` and `blockHigh`, of 32 bits each.
static std::array<Term, 4> emitPhiloxBlock(Term seed, Term offset,
                                           Term blockLow, Term blockHigh) {
  // Products of words of 32 bits fit.
  Term mask = seed.integer(0xffffffff);
  auto low = [&](Term x) { return x & mask; };
  auto high = [](Term x) { return shiftRightUnsigned(x, 32); };
  std::array<Term, 4> words = {blockLow, blockHigh, low(offset), high(offset)};
  Term key[2] = {low(seed), high(seed)};
  for (int round = 0; round < 10; ++round) {
    if (round > 0) {
      key[0] = low(key[0] + key[0].integer(0x9E3779B9));
      key[1] = low(key[1] + key[1].integer(0xBB67AE85));
    }
    Term first = words[0] * words[0].integer(0xD2511F53);
    Term second = words[2] * words[2].integer(0xCD9E8D57);
    words = {high(second) ^ words[1] ^ key[0], low(second),
             high(first) ^ words[3] ^ key[1], low(first)};
  }
  return words;
}

/// Word number `lane`, from 0 to 3.
static Term selectWord(const std::array<Term, 4> &words, Term lane) {
  Term pair[2] = {
      select(lane == lane.integer(0), words[0], words[1]),
      select(lane == lane.integer(2), words[2], words[3]),
  };
  return select(lane < lane.integer(2), pair[0], pair[1]);
}

Value emitPhilox(VectorMathBuilder &b, Location loc, Value seedValue,
                 Value offsetValue, Value counterValue) {
  Term seed(b, loc, seedValue), offset(b, loc, offsetValue);
  Term counter(b, loc, counterValue);
  Term block = shiftRightSigned(counter, 2);
  return selectWord(emitPhiloxBlock(seed, offset,
                                    block & block.integer(0xffffffff),
                                    shiftRightUnsigned(block, 32)),
                    counter & counter.integer(3));
}

Value emitPhiloxBits(VectorMathBuilder &b, Location loc, Value seedValue,
                     Value offsetValue, Value positionValue) {
  Term seed(b, loc, seedValue), offset(b, loc, offsetValue);
  Term position(b, loc, positionValue);
  Term row = shiftRightUnsigned(position, 32),
       column = position & position.integer(0xffffffff);
  // Bits `from` and up of `x`, `count` of them.
  auto bits = [](Term x, int from, int count) {
    return shiftRightUnsigned(x, from) & x.integer((int64_t(1) << count) - 1);
  };
  auto group = [&](Term x, int span) {
    Term number = shiftRightUnsigned(x, span);
    return number * x.integer(8) + bits(x, 0, 3);
  };
  Term lane = bits(row, 3, 1) * row.integer(2) + bits(column, 3, 1);
  Term word = selectWord(
      emitPhiloxBlock(seed, offset, group(column, 5), group(row, 4)), lane);
  return select(bits(column, 4, 1) == column.integer(0), bits(word, 0, 16),
                bits(word, 16, 16));
}

} // namespace tc::vectormath
