//===- Opcode.cpp - The words of an instruction ---------------------------===//

#include "Opcode.h"

#include <algorithm>

using namespace standin::ptx;

static Type typeOf(std::string_view text) {
  constexpr std::string_view names[] = {
      "",    "pred", "b8",    "b16",    "b32", "b64", "u8",
      "u16", "u32",  "u64",   "s8",     "s16", "s32", "s64",
      "f16", "bf16", "f16x2", "bf16x2", "f32", "f64"};
  const auto *found = std::find(std::begin(names), std::end(names), text);
  return found == std::end(names) ? Type::none : Type(found - names);
}

Opcode::Opcode(std::string_view text) {
  for (size_t at = 0; at <= text.size();) {
    const size_t dot = std::min(text.find('.', at), text.size());
    parts.push_back(text.substr(at, dot - at));
    at = dot + 1;
  }
}

bool Opcode::take(std::string_view part) {
  const auto found = std::find(parts.begin() + 1, parts.end(), part);
  if (found == parts.end())
    return false;
  parts.erase(found);
  return true;
}

void Opcode::drop(std::initializer_list<std::string_view> ignored) {
  for (std::string_view part : ignored)
    take(part);
}

Type Opcode::takeType() {
  for (auto part = parts.begin() + 1; part != parts.end(); ++part) {
    if (const Type type = typeOf(*part); type != Type::none) {
      parts.erase(part);
      return type;
    }
  }
  return Type::none;
}

std::string_view Opcode::takeStartingWith(std::string_view prefix) {
  const auto found =
      std::find_if(parts.begin() + 1, parts.end(), [&](std::string_view part) {
        return part.starts_with(prefix);
      });
  if (found == parts.end())
    return {};
  const std::string_view part = *found;
  parts.erase(found);
  return part;
}

int Opcode::takeOneOf(std::initializer_list<std::string_view> choices) {
  for (size_t i = 0; i < choices.size(); ++i)
    if (take(choices.begin()[i]))
      return int(i);
  return -1;
}

Decoded standin::ptx::decode(Opcode &opcode, Instruction &instruction) {
  // A name belongs to one of them, except that add, mul and the like are
  // integers' or floats' by their type: who is not meant takes nothing.
  for (auto *decoder :
       {decodeInteger, decodeBits, decodeFloat, decodeApproximate,
        decodeComparison, decodeConversion, decodeMove, decodeMemory,
        decodeAtomic, decodeControl, decodeWarp, decodeMatrix,
        decodeMemoryBarrier, decodeBulkCopy}) {
    Opcode attempt = opcode;
    Instruction made = instruction;
    const Decoded result = decoder(attempt, made);
    if (result.run && attempt.isDone()) {
      opcode = attempt;
      instruction = made;
      return result;
    }
  }
  return {};
}
