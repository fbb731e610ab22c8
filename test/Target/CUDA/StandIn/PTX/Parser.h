//===- Parser.h - Reading PTX -----------------------------------*- C++ -*-===//

#ifndef TC_TEST_TARGET_CUDA_STANDIN_PTX_PARSER_H
#define TC_TEST_TARGET_CUDA_STANDIN_PTX_PARSER_H

#include "Lexer.h"
#include "Opcode.h"

#include <optional>

namespace standin::ptx {

/// The declaration of a variable: ".align 16 .b8 name[64]".
struct Declaration {
  std::string name;
  uint64_t align = 1, bytes = 0, elementBytes = 1;
};

/// Reads a declaration behind its state space.
std::optional<Declaration> parseDeclaration(Lexer &lexer);

/// Bytes of a value of a type.
uint64_t bytesOf(Type type);

/// Reads the parameters, the directives and the body of one kernel.
class EntryParser {
public:
  /// `shared`: the module's variables in shared memory; those of 0 bytes are
  /// what a launch asks for.
  EntryParser(Lexer &lexer, const Program &program,
              const std::vector<Declaration> &shared, Entry &entry)
      : lexer(lexer), program(program), moduleShared(shared), entry(entry) {}

  /// Where this stops before the end of the body, the entry has a problem.
  void parse();

private:
  struct Registers {
    int32_t first = 0;
    uint64_t count = 0; ///< 0: a single one
    bool narrow = false;
  };

  bool problem(const std::string &what);
  bool parseParameters();
  bool parseDirectives();
  bool parseStatement();
  bool parseRegisters();
  bool parseVariable(bool isShared);
  bool parseInstruction();
  bool parseOperand(Instruction &instruction);
  bool parseAddress(Instruction &instruction);
  bool parseVector(Instruction &instruction);
  void openScope();
  void closeScope();
  /// The slot of a register, an immediate, a special register or a variable's
  /// address; -1 with a problem.
  int32_t parseValue();
  int32_t newSlot(uint64_t value = 0);
  int32_t constant(uint64_t value);
  int32_t special(Special special, uint64_t offset = 0);
  int32_t findRegister(const std::string &name);
  int32_t findSymbol(const std::string &name);
  bool checkOperands(const Decoded &decoded, const Instruction &instruction,
                     const std::string &text);
  void finish();

  Lexer &lexer;
  const Program &program;
  const std::vector<Declaration> &moduleShared;
  Entry &entry;
  std::vector<std::map<std::string, Registers>> scopes;
  std::map<std::string, uint64_t> parameters, locals;
  std::map<std::string, uint64_t> shared;
  std::map<uint64_t, int32_t> constants;
  std::map<std::pair<Special, uint64_t>, int32_t> specials;
  /// Labels and branches are of a scope: its number, and the numbers of the
  /// scopes around it from the outermost.
  std::map<std::pair<uint32_t, std::string>, uint32_t> labels;
  struct Branch {
    uint32_t index; ///< in the entry's code
    std::string label;
    std::vector<uint32_t> scopes;
  };
  std::vector<Branch> branches;
  std::vector<uint32_t> scopeNumbers;
  uint32_t scopeCount = 0;
  std::vector<size_t> dynamicShared; ///< of the entry's specials
  std::vector<bool> written;         ///< slots that may be a destination
  std::vector<bool> narrow;
  bool isBranch = false;
  int addresses = 0; ///< of the instruction
};

} // namespace standin::ptx

#endif // TC_TEST_TARGET_CUDA_STANDIN_PTX_PARSER_H
