//===- Program.h - PTX that is decoded to run on the host -------*- C++ -*-===//
//
// A module of PTX as the stand-in's interpreter runs it. Every value of a
// thread has a slot of 64 bits: registers, immediates, special registers and
// addresses of variables, so that an operand is the number of a slot.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_PROGRAM_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_PROGRAM_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace standin::ptx {

struct Thread;
struct Instruction;

/// Executes an instruction for a thread whose pc is already behind it.
using Handler = void (*)(Thread &, const Instruction &);
/// Executes an instruction for the threads of a warp that wait at it: 32 of
/// them, null for those that do not take part.
using WarpHandler = void (*)(Thread *const *lanes, const Instruction &);

enum class Space : uint8_t {
  generic,
  global,
  constant,
  shared,
  cluster, ///< shared memory of any block of the cluster
  local,
  parameter
};

/// Rounding of a conversion: to nearest even, towards zero, down, up.
enum class Rounding : uint8_t { none, nearest, zero, down, up };

/// Windows of addresses without memory of the host behind them. They fit in 32
/// bits; a block of a cluster has its shared memory at `sharedStride` times its
/// rank.
constexpr uint64_t sharedWindow = 0x10000000, sharedStride = 0x100000,
                   parameterWindow = 0x20000000, localWindow = 0x30000000;

/// A vector operand: slots among an entry's elements.
struct List {
  uint32_t begin = 0, count = 0;
};

struct Instruction {
  Handler run = nullptr;
  WarpHandler together = nullptr; ///< of all threads of a warp; null: see mode
  int32_t guard = -1;             ///< slot of the predicate, or -1
  bool guardNegated = false;
  bool flush = false;    ///< .ftz
  bool saturate = false; ///< .sat
  bool integral = false; ///< .rni and the like: to an integral value
  Rounding rounding = Rounding::none;
  Space space = Space::generic;
  uint8_t count = 1;          ///< elements of a vector
  uint8_t mode = 0;           ///< of prmt, shfl, vote and the like
  bool narrowAddress = false; ///< the address is a register of 32 bits
  int32_t slot[8] = {-1, -1, -1, -1, -1, -1, -1, -1}; ///< operands in order
  int32_t element[4] = {-1, -1, -1, -1};              ///< of the vector operand
  List list[4];            ///< the vector operands in order
  uint8_t lists = 0;       ///< how many there are
  int32_t pair = -1;       ///< second destination, behind '|'
  int64_t offset = 0;      ///< of the address, the last one of several
  int64_t offsets[4] = {}; ///< of each address, by operand
  uint32_t index = 0;      ///< in the entry's code
  uint32_t target = 0;     ///< of a branch
  uint8_t operands = 0;    ///< how many there are
};

/// What a thread knows without an instruction.
enum class Special : uint8_t {
  tidX,
  tidY,
  tidZ,
  ntidX,
  ntidY,
  ntidZ,
  ctaidX,
  ctaidY,
  ctaidZ,
  nctaidX,
  nctaidY,
  nctaidZ,
  lane,
  warp,
  warps,
  clusterRank,
  clusterSize,
  clusterX,
  clustersX,
  one,
  nothing,
  laneMaskLt,
  laneMaskLe,
  laneMaskEq,
  laneMaskGe,
  laneMaskGt,
  clock,
  dynamicSharedBytes,
  sharedAddress ///< the value is an offset in the block's shared memory
};

struct SpecialSlot {
  int32_t slot;
  Special special;
  uint64_t offset = 0;
};

/// A kernel. Where `problem` says something, it cannot run.
struct Entry {
  std::string name, problem;
  std::vector<Instruction> code;
  std::vector<std::string> text; ///< of each instruction
  std::vector<uint64_t> initial; ///< what a slot holds at first
  std::vector<SpecialSlot> specials;
  std::vector<int32_t> elements; ///< slots of vector operands
  uint64_t sharedBytes = 0, localBytes = 0, parameterBytes = 0;
  uint32_t cluster = 0;    ///< blocks that it is compiled for; 0: any
  uint32_t maxThreads = 0; ///< of a block; 0: any
};

/// A .global or .const variable with its memory.
struct Variable {
  std::string name;
  std::vector<char> memory; ///< with room to align it
  uint64_t begin = 0, bytes = 0;
};

struct Program {
  std::string problem; ///< of the module as a whole
  std::map<std::string, Entry, std::less<>> entries;
  std::vector<Variable> variables;
};

/// Decodes a module. Never fails: what cannot be read is a problem of an entry
/// or of the module.
std::unique_ptr<Program> parse(std::string_view text);

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_PROGRAM_H
