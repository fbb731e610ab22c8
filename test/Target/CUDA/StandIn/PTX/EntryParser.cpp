//===- EntryParser.cpp - Reading a kernel of PTX --------------------------===//

#include "Parser.h"

#include <iterator>

using namespace standin::ptx;

static uint64_t alignTo(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

bool EntryParser::problem(const std::string &what) {
  if (entry.problem.empty())
    entry.problem = what;
  return false;
}

void EntryParser::parse() {
  openScope();
  newSlot(); // what '_' takes
  written[0] = true;
  if (!parseParameters() || !parseDirectives())
    return;
  while (!scopes.empty())
    if (!parseStatement())
      return;
  finish();
}

void EntryParser::openScope() {
  scopes.emplace_back();
  scopeNumbers.push_back(scopeCount++);
}

void EntryParser::closeScope() {
  scopes.pop_back();
  scopeNumbers.pop_back();
}

bool EntryParser::parseParameters() {
  if (!lexer.take("("))
    return true;
  while (!lexer.take(")")) {
    lexer.take(",");
    if (!lexer.take(".param"))
      return problem("a parameter cannot be read");
    const auto declared = parseDeclaration(lexer);
    if (!declared)
      return problem("a parameter cannot be read");
    // .ptr .align speaks of what the pointer points to.
    const uint64_t align = declared->bytes == declared->elementBytes
                               ? declared->bytes
                               : declared->align;
    entry.parameterBytes = alignTo(entry.parameterBytes, align);
    parameters[declared->name] = entry.parameterBytes;
    entry.parameterBytes += declared->bytes;
  }
  return true;
}

bool EntryParser::parseDirectives() {
  while (!lexer.take("{")) {
    const Token directive = lexer.next();
    if (directive.kind != Token::word || !directive.spelling.starts_with('.'))
      return problem("'" + std::string(directive.spelling) +
                     "' is unknown ahead of a body");
    uint64_t product = 1, value = 0;
    while (lexer.peek().kind == Token::number) {
      if (!readNumber(lexer.next().spelling, value))
        return problem("a directive cannot be read");
      product *= value;
      lexer.take(",");
    }
    if (directive.is(".maxntid") || directive.is(".reqntid"))
      entry.maxThreads = uint32_t(product);
    else if (directive.is(".reqnctapercluster"))
      entry.cluster = uint32_t(product);
  }
  return true;
}

bool EntryParser::parseStatement() {
  const Token token = lexer.peek();
  if (lexer.take("{")) {
    openScope();
    return true;
  }
  if (lexer.take("}")) {
    closeScope();
    return true;
  }
  if (lexer.take(";"))
    return true;
  if (token.is(".loc")) {
    lexer.skipLine();
    return true;
  }
  if (lexer.take(".pragma")) {
    lexer.next();
    return lexer.take(";") || problem("a pragma cannot be read");
  }
  if (lexer.take(".reg"))
    return parseRegisters();
  if (token.is(".shared") || token.is(".local")) {
    lexer.next();
    return parseVariable(token.is(".shared"));
  }
  if (token.kind == Token::end)
    return problem("the body has no end");
  return parseInstruction();
}

bool EntryParser::parseRegisters() {
  Opcode word(lexer.next().spelling);
  const Type type = word.takeType();
  if (type == Type::none)
    return problem("registers of an unknown type");
  do {
    const std::string name(lexer.next().spelling);
    Registers made{int32_t(entry.initial.size()), 0, bytesOf(type) < 8};
    if (lexer.take("<")) {
      if (!readNumber(lexer.next().spelling, made.count) || !lexer.take(">"))
        return problem("the registers '" + name + "' cannot be read");
    }
    const uint64_t count = made.count ? made.count : 1;
    entry.initial.resize(entry.initial.size() + count);
    written.resize(entry.initial.size(), true);
    narrow.resize(entry.initial.size(), made.narrow);
    scopes.back()[name] = made;
  } while (lexer.take(","));
  return lexer.take(";") || problem("registers cannot be read");
}

bool EntryParser::parseVariable(bool isShared) {
  const auto declared = parseDeclaration(lexer);
  if (!declared || !lexer.take(";"))
    return problem("a variable cannot be read");
  uint64_t &bytes = isShared ? entry.sharedBytes : entry.localBytes;
  bytes = alignTo(bytes, declared->align);
  (isShared ? shared : locals)[declared->name] = bytes;
  bytes += declared->bytes;
  return true;
}

bool EntryParser::parseInstruction() {
  const size_t begin = lexer.peek().at;
  Instruction instruction;
  if (lexer.take("@")) {
    instruction.guardNegated = lexer.take("!");
    instruction.guard = findRegister(std::string(lexer.next().spelling));
    if (instruction.guard < 0)
      return problem("an unknown predicate");
  }
  const Token word = lexer.next();
  if (word.kind == Token::word && lexer.take(":")) {
    const std::pair label(scopeNumbers.back(), std::string(word.spelling));
    if (!labels.emplace(label, uint32_t(entry.code.size())).second)
      return problem("the label '" + std::string(word.spelling) +
                     "' is there twice");
    return true;
  }
  Opcode opcode(word.spelling);
  const std::string unknown =
      "the instruction '" + std::string(word.spelling) + "' is unknown";
  const std::string unread =
      "the operands of '" + std::string(word.spelling) + "' cannot be read";
  if (word.kind != Token::word)
    return problem(unknown);
  const Decoded decoded = decode(opcode, instruction);
  if (!decoded.run)
    return problem(unknown);
  instruction.run = decoded.run;
  isBranch = opcode.name() == "bra";
  addresses = 0;
  while (!lexer.take(";")) {
    if (instruction.operands)
      lexer.take(",");
    if (lexer.peek().kind == Token::end ||
        instruction.operands == std::size(instruction.slot) ||
        !parseOperand(instruction))
      return problem(unread);
    ++instruction.operands;
  }
  if ((!decoded.takesLists &&
       (instruction.lists > 1 || instruction.count > 4)) ||
      (!decoded.takesAddresses && addresses > 1))
    return problem(unread);
  std::string text(lexer.since(begin));
  text = text.substr(0, text.find(';'));
  for (char &c : text)
    c = c == '\t' || c == '\n' ? ' ' : c;
  if (!checkOperands(decoded, instruction, text))
    return false;
  instruction.index = uint32_t(entry.code.size());
  entry.code.push_back(instruction);
  entry.text.push_back(text);
  return true;
}

bool EntryParser::checkOperands(const Decoded &decoded,
                                const Instruction &instruction,
                                const std::string &text) {
  if (instruction.operands < decoded.fewest ||
      instruction.operands > decoded.most)
    return problem("'" + text + "' has " +
                   std::to_string(instruction.operands) + " operands");
  if (!decoded.writes)
    return true;
  if (instruction.pair >= 0 && !written[size_t(instruction.pair)])
    return problem("'" + text + "' writes to what is not a register");
  if (instruction.slot[0] >= 0)
    return written[size_t(instruction.slot[0])] ||
           problem("'" + text + "' writes to what is not a register");
  const List &to = instruction.list[0];
  for (uint32_t i = 0; i < to.count; ++i)
    if (!written[size_t(entry.elements[to.begin + i])])
      return problem("'" + text + "' writes to what is not a register");
  return true;
}

bool EntryParser::parseOperand(Instruction &instruction) {
  if (isBranch) {
    branches.push_back({uint32_t(entry.code.size()),
                        std::string(lexer.next().spelling), scopeNumbers});
    return true;
  }
  if (lexer.take("["))
    return parseAddress(instruction);
  if (lexer.take("{"))
    return parseVector(instruction);
  const bool isNegated = lexer.take("!");
  int32_t slot = parseValue();
  if (slot < 0)
    return false;
  if (isNegated) {
    // Only a predicate that a comparison is combined with has one.
    instruction.mode |= 1;
    if (instruction.operands != 3)
      return false;
  }
  instruction.slot[instruction.operands] = slot;
  if (lexer.take("|")) {
    instruction.pair = parseValue();
    return instruction.operands == 0 && instruction.pair >= 0;
  }
  return true;
}

bool EntryParser::parseAddress(Instruction &instruction) {
  const int32_t slot = parseValue();
  if (slot < 0)
    return false;
  instruction.narrowAddress = narrow[size_t(slot)];
  instruction.offset = 0;
  instruction.slot[instruction.operands] = slot;
  if (lexer.peek().is("+") || lexer.peek().is("-")) {
    const bool isBelow = lexer.next().is("-");
    const bool isNegative = lexer.take("-") != isBelow;
    uint64_t value = 0;
    if (!readNumber(lexer.next().spelling, value))
      return false;
    instruction.offset = isNegative ? -int64_t(value) : int64_t(value);
  }
  ++addresses;
  if (instruction.operands < std::size(instruction.offsets))
    instruction.offsets[instruction.operands] = instruction.offset;
  // Coordinates of a tensor.
  if (lexer.take(",") && !(lexer.take("{") && parseVector(instruction)))
    return false;
  return lexer.take("]");
}

bool EntryParser::parseVector(Instruction &instruction) {
  if (instruction.lists == std::size(instruction.list))
    return false;
  List &list = instruction.list[instruction.lists++];
  list.begin = uint32_t(entry.elements.size());
  do {
    const int32_t slot = parseValue();
    if (slot < 0 || list.count == 255)
      return false;
    if (list.count < std::size(instruction.element))
      instruction.element[list.count] = slot;
    entry.elements.push_back(slot);
    ++list.count;
  } while (lexer.take(","));
  instruction.count = uint8_t(list.count);
  return lexer.take("}");
}
