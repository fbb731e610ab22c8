//===- Parser.cpp - Reading a module of PTX -------------------------------===//

#include "Parser.h"

#include <cstring>

using namespace standin::ptx;

uint64_t standin::ptx::bytesOf(Type type) {
  switch (type) {
  case Type::b8:
  case Type::u8:
  case Type::s8:
  case Type::pred:
    return 1;
  case Type::b16:
  case Type::u16:
  case Type::s16:
  case Type::f16:
  case Type::bf16:
    return 2;
  case Type::b64:
  case Type::u64:
  case Type::s64:
  case Type::f64:
    return 8;
  case Type::none:
    return 0;
  default:
    return 4;
  }
}

std::optional<Declaration> standin::ptx::parseDeclaration(Lexer &lexer) {
  Declaration result;
  Type type = Type::none;
  while (lexer.peek().kind == Token::word &&
         lexer.peek().spelling.starts_with('.')) {
    const Token word = lexer.next();
    if (word.is(".align")) {
      if (!readNumber(lexer.next().spelling, result.align))
        return std::nullopt;
      continue;
    }
    if (word.is(".ptr") || word.is(".global") || word.is(".shared") ||
        word.is(".const"))
      continue;
    Opcode text(word.spelling);
    type = text.takeType();
    if (type == Type::none)
      return std::nullopt;
  }
  result.elementBytes = result.bytes = bytesOf(type);
  if (lexer.peek().kind != Token::word || !result.bytes)
    return std::nullopt;
  result.name = lexer.next().spelling;
  while (lexer.take("[")) {
    uint64_t count = 0;
    if (!lexer.peek().is("]") && !readNumber(lexer.next().spelling, count))
      return std::nullopt;
    result.bytes *= count;
    if (!lexer.take("]"))
      return std::nullopt;
  }
  return result;
}

namespace {
/// Reads what a .global or .const variable holds at first.
bool parseInitial(Lexer &lexer, const Declaration &declared, char *memory) {
  if (!lexer.take("="))
    return true;
  const bool isList = lexer.take("{");
  uint64_t at = 0;
  while (!lexer.peek().is("}") && !lexer.peek().is(";")) {
    const bool isNegative = lexer.take("-");
    uint64_t value = 0;
    if (!readNumber(lexer.next().spelling, value) ||
        at + declared.elementBytes > declared.bytes)
      return false;
    value = isNegative ? 0 - value : value;
    std::memcpy(memory + at, &value, declared.elementBytes);
    at += declared.elementBytes;
    lexer.take(",");
  }
  return !isList || lexer.take("}");
}

class ModuleParser {
public:
  ModuleParser(std::string_view text, Program &program)
      : lexer(text), program(program) {}

  void parse() {
    while (lexer.peek().kind != Token::end)
      if (!parseItem())
        return;
  }

private:
  bool parseItem() {
    const Token token = lexer.peek();
    if (token.is(".version") || token.is(".target") ||
        token.is(".address_size") || token.is(".file") || token.is(".loc")) {
      lexer.skipLine();
      return true;
    }
    lexer.next();
    if (token.is(".visible") || token.is(".extern") || token.is(".weak") ||
        token.is(".common") || token.is(";"))
      return true;
    if (token.is(".entry")) {
      parseEntry();
      return true;
    }
    if (token.is(".section") || token.is(".func")) {
      while (!lexer.peek().is("{") && !lexer.peek().is(";") &&
             lexer.peek().kind != Token::end)
        lexer.next();
      if (lexer.peek().is("{"))
        lexer.skipBrackets();
      return true;
    }
    if (token.is(".global") || token.is(".const") || token.is(".shared"))
      return parseVariable(token);
    program.problem =
        "'" + std::string(token.spelling) + "' is unknown in a module";
    return false;
  }

  void parseEntry() {
    const std::string name(lexer.next().spelling);
    Entry &entry = program.entries[name];
    entry.name = name;
    EntryParser(lexer, program, shared, entry).parse();
    if (entry.problem.empty())
      return;
    // Whatever follows it, as far as that can be told.
    while (lexer.peek().kind != Token::end && !lexer.peek().is(".entry"))
      lexer.next();
  }

  bool parseVariable(const Token &space) {
    const auto declared = parseDeclaration(lexer);
    program.problem = "a variable of the module cannot be read";
    if (!declared)
      return false;
    if (space.is(".shared")) {
      shared.push_back(*declared);
    } else {
      Variable &variable = program.variables.emplace_back();
      variable.name = declared->name;
      variable.bytes = declared->bytes;
      variable.memory.resize(declared->bytes + declared->align + 16);
      const auto address = reinterpret_cast<uint64_t>(variable.memory.data());
      const uint64_t align = declared->align;
      variable.begin = (address + align - 1) / align * align;
      if (!parseInitial(lexer, *declared,
                        variable.memory.data() + (variable.begin - address)))
        return false;
    }
    program.problem.clear();
    return lexer.take(";");
  }

  Lexer lexer;
  Program &program;
  std::vector<Declaration> shared;
};
} // namespace

std::unique_ptr<Program> standin::ptx::parse(std::string_view text) {
  auto program = std::make_unique<Program>();
  ModuleParser(text, *program).parse();
  return program;
}
