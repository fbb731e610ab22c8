//===- Opcode.h - The words of an instruction -------------------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_OPCODE_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_OPCODE_H

#include "Program.h"

#include <initializer_list>

namespace standin::ptx {

enum class Type : uint8_t {
  none,
  pred,
  b8,
  b16,
  b32,
  b64,
  u8,
  u16,
  u32,
  u64,
  s8,
  s16,
  s32,
  s64,
  f16,
  bf16,
  f16x2,
  bf16x2,
  f32,
  f64
};

/// An opcode such as `ld.global.v4.b32`: its name and what follows. Who
/// decodes an instruction takes every part that it understands; an opcode with
/// parts left is unknown.
class Opcode {
public:
  explicit Opcode(std::string_view text);

  std::string_view name() const { return parts.front(); }
  /// Takes a part; false when it is not there.
  bool take(std::string_view part);
  /// Takes all of these that are there.
  void drop(std::initializer_list<std::string_view> ignored);
  /// Takes the first part that names a type; `none` when there is none.
  Type takeType();
  /// Takes the first part that begins so; empty when there is none.
  std::string_view takeStartingWith(std::string_view prefix);
  /// Takes the first of these that is there: its index, or -1.
  int takeOneOf(std::initializer_list<std::string_view> choices);
  bool isDone() const { return parts.size() == 1; }

private:
  std::vector<std::string_view> parts;
};

/// What an instruction needs: who executes it, how many operands it has at
/// least and at most and whether the first is written.
struct Decoded {
  Handler run = nullptr;
  int fewest = 0, most = 0;
  bool writes = true;
  bool takesAddresses = false; ///< several addresses, each with an offset
  bool takesLists = false; ///< several vector operands, of any number of values

  Decoded() = default;
  Decoded(Handler run, int operands, bool writes = true)
      : run(run), fewest(operands), most(operands), writes(writes) {}
  Decoded(Handler run, int fewest, int most, bool writes)
      : run(run), fewest(fewest), most(most), writes(writes) {}
};

// Each knows some opcodes by name, takes their parts and sets what
// `instruction` needs besides operands. Without a handler it does not know it.
Decoded decodeInteger(Opcode &opcode, Instruction &instruction);
Decoded decodeBits(Opcode &opcode, Instruction &instruction);
Decoded decodeFloat(Opcode &opcode, Instruction &instruction);
Decoded decodeApproximate(Opcode &opcode, Instruction &instruction);
Decoded decodeComparison(Opcode &opcode, Instruction &instruction);
Decoded decodeConversion(Opcode &opcode, Instruction &instruction);
Decoded decodeMove(Opcode &opcode, Instruction &instruction);
Decoded decodeMemory(Opcode &opcode, Instruction &instruction);
Decoded decodeAtomic(Opcode &opcode, Instruction &instruction);
Decoded decodeControl(Opcode &opcode, Instruction &instruction);
Decoded decodeWarp(Opcode &opcode, Instruction &instruction);
Decoded decodeMatrix(Opcode &opcode, Instruction &instruction);
Decoded decodeMemoryBarrier(Opcode &opcode, Instruction &instruction);
Decoded decodeBulkCopy(Opcode &opcode, Instruction &instruction);

/// Any of these.
Decoded decode(Opcode &opcode, Instruction &instruction);

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_OPCODE_H
