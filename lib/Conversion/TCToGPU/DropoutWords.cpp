//===- DropoutWords.cpp - Random words of a thread's weights --------------===//

#include "DropoutWords.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

/// A group has 8 rows or keys next to each other, and those a multiple of 8
/// behind each of these.
static constexpr int64_t kNext = 8;

DropoutWords::DropoutWords(const KeptWeights &kept, Words words, Value seed,
                           Value offset)
    : count(kept.count), words(words), key{words.narrow(seed), highWord(seed)},
      offset{words.narrow(offset), highWord(offset)} {}

Value DropoutWords::highWord(Value value) {
  Value count = arith::ConstantIntOp::create(words.builder, words.loc, 32, 64);
  return words.narrow(
      arith::ShRUIOp::create(words.builder, words.loc, value, count));
}

Value DropoutWords::getGroup(Value index, int64_t span) {
  return words.add(words.mul(words.div(index, span), kNext),
                   words.rem(index, kNext));
}

Value DropoutWords::getShift(Value key) {
  constexpr int64_t kBits = 16;
  Value isHigh = words.rem(words.div(key, 2 * kNext), 2);
  return words.mul(words.sub(words.constant(1), isHigh), kBits);
}

/// As assembly: LLVM would keep words in 64 bits, and multiply these.
std::pair<Value, Value> DropoutWords::multiply(Value a, uint32_t b) {
  OpBuilder &builder = words.builder;
  Type word = builder.getI32Type();
  auto both =
      LLVM::LLVMStructType::getLiteral(builder.getContext(), {word, word});
  Value product =
      LLVM::InlineAsmOp::create(
          builder, words.loc, both,
          ValueRange{a, words.constant(int64_t(int32_t(b)))},
          "{ .reg .b64 product; mul.wide.u32 product, $2, $3; mov.b64 {$0, "
          "$1}, product; }",
          "=r,=r,r,n", /*has_side_effects=*/false, /*is_align_stack=*/false,
          LLVM::tailcallkind::TailCallKind::None, LLVM::AsmDialectAttr(),
          ArrayAttr())
          .getRes();
  auto part = [&](int64_t index) {
    return LLVM::ExtractValueOp::create(builder, words.loc, product, index);
  };
  return {part(1), part(0)};
}

Value DropoutWords::exclusiveOr(Value a, Value b) {
  return arith::XOrIOp::create(words.builder, words.loc, a, b);
}

std::array<Value, 4> DropoutWords::emit(Value rowGroup, Value keyGroup) {
  constexpr int64_t kRounds = 10;
  std::array<Value, 4> state = {keyGroup, rowGroup, offset[0], offset[1]};
  Value round[2] = {key[0], key[1]};
  for (int64_t number = 0; number < kRounds; ++number) {
    if (number > 0) {
      round[0] = words.add(round[0], int64_t(int32_t(0x9E3779B9u)));
      round[1] = words.add(round[1], int64_t(int32_t(0xBB67AE85u)));
    }
    auto [high0, low0] = multiply(state[0], 0xD2511F53u);
    auto [high1, low1] = multiply(state[2], 0xCD9E8D57u);
    state = {exclusiveOr(exclusiveOr(high1, state[1]), round[0]), low1,
             exclusiveOr(exclusiveOr(high0, state[3]), round[1]), low0};
  }
  return state;
}

Value DropoutWords::emitKept(Value word, Value shift) {
  if (count == 0)
    return arith::ConstantIntOp::create(words.builder, words.loc, 0, 1);
  if (shift)
    word = arith::ShLIOp::create(words.builder, words.loc, word, shift);
  const auto last = uint32_t((uint64_t(count) << 16) - 1);
  return words.compare(arith::CmpIPredicate::ule, word,
                       words.constant(int64_t(int32_t(last))));
}
