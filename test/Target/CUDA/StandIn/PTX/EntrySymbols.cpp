//===- EntrySymbols.cpp - What an operand of PTX names --------------------===//

#include "Parser.h"

#include <algorithm>
#include <cctype>

using namespace standin::ptx;

namespace {
struct SpecialName {
  std::string_view name;
  Special special;
};

constexpr SpecialName specialNames[] = {
    {"%tid.x", Special::tidX},
    {"%tid.y", Special::tidY},
    {"%tid.z", Special::tidZ},
    {"%ntid.x", Special::ntidX},
    {"%ntid.y", Special::ntidY},
    {"%ntid.z", Special::ntidZ},
    {"%ctaid.x", Special::ctaidX},
    {"%ctaid.y", Special::ctaidY},
    {"%ctaid.z", Special::ctaidZ},
    {"%nctaid.x", Special::nctaidX},
    {"%nctaid.y", Special::nctaidY},
    {"%nctaid.z", Special::nctaidZ},
    {"%laneid", Special::lane},
    {"%warpid", Special::warp},
    {"%nwarpid", Special::warps},
    {"%cluster_ctaid.x", Special::clusterRank},
    {"%cluster_ctaid.y", Special::nothing},
    {"%cluster_ctaid.z", Special::nothing},
    {"%cluster_ctarank", Special::clusterRank},
    {"%cluster_nctaid.x", Special::clusterSize},
    {"%cluster_nctaid.y", Special::one},
    {"%cluster_nctaid.z", Special::one},
    {"%cluster_nctarank", Special::clusterSize},
    {"%clusterid.x", Special::clusterX},
    {"%clusterid.y", Special::ctaidY},
    {"%clusterid.z", Special::ctaidZ},
    {"%nclusterid.x", Special::clustersX},
    {"%nclusterid.y", Special::nctaidY},
    {"%nclusterid.z", Special::nctaidZ},
    {"%lanemask_lt", Special::laneMaskLt},
    {"%lanemask_le", Special::laneMaskLe},
    {"%lanemask_eq", Special::laneMaskEq},
    {"%lanemask_ge", Special::laneMaskGe},
    {"%lanemask_gt", Special::laneMaskGt},
    {"%dynamic_smem_size", Special::dynamicSharedBytes},
};
} // namespace

int32_t EntryParser::newSlot(uint64_t value) {
  entry.initial.push_back(value);
  written.push_back(false);
  narrow.push_back(false);
  return int32_t(entry.initial.size() - 1);
}

int32_t EntryParser::constant(uint64_t value) {
  const auto found = constants.find(value);
  if (found != constants.end())
    return found->second;
  return constants[value] = newSlot(value);
}

int32_t EntryParser::special(Special special, uint64_t offset) {
  const auto found = specials.find({special, offset});
  if (found != specials.end())
    return found->second;
  const int32_t slot = newSlot();
  entry.specials.push_back({slot, special, offset});
  return specials[{special, offset}] = slot;
}

int32_t EntryParser::findRegister(const std::string &name) {
  std::string prefix = name;
  while (!prefix.empty() &&
         std::isdigit(static_cast<unsigned char>(prefix.back())))
    prefix.pop_back();
  uint64_t number = 0;
  const bool isNumbered =
      prefix.size() < name.size() &&
      readNumber(std::string_view(name).substr(prefix.size()), number);
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
    auto found = scope->find(name);
    if (found != scope->end() && !found->second.count)
      return found->second.first;
    found = scope->find(prefix);
    if (isNumbered && found != scope->end() && number < found->second.count)
      return found->second.first + int32_t(number);
  }
  return -1;
}

int32_t EntryParser::findSymbol(const std::string &name) {
  for (const SpecialName &known : specialNames)
    if (known.name == name)
      return special(known.special);
  if (const auto found = parameters.find(name); found != parameters.end())
    return constant(parameterWindow + found->second);
  if (const auto found = locals.find(name); found != locals.end())
    return constant(localWindow + found->second);
  if (const auto found = shared.find(name); found != shared.end())
    return special(Special::sharedAddress, found->second);
  for (const Declaration &declared : moduleShared) {
    if (declared.name != name)
      continue;
    if (!declared.bytes) { // behind all others, known at the end
      const int32_t slot = newSlot();
      dynamicShared.push_back(entry.specials.size());
      entry.specials.push_back({slot, Special::sharedAddress, declared.align});
      return slot;
    }
    const uint64_t align = declared.align;
    const uint64_t begin = (entry.sharedBytes + align - 1) / align * align;
    entry.sharedBytes = begin + declared.bytes;
    shared[name] = begin;
    return special(Special::sharedAddress, begin);
  }
  for (const Variable &variable : program.variables)
    if (variable.name == name)
      return constant(variable.begin);
  problem("'" + name + "' is unknown");
  return -1;
}

int32_t EntryParser::parseValue() {
  const bool isNegative = lexer.take("-");
  const Token token = lexer.next();
  if (token.kind == Token::number) {
    uint64_t value = 0;
    if (!readNumber(token.spelling, value)) {
      problem("the number '" + std::string(token.spelling) +
              "' cannot be read");
      return -1;
    }
    return constant(isNegative ? 0 - value : value);
  }
  if (token.kind != Token::word || isNegative)
    return -1;
  if (token.is("_"))
    return 0;
  const std::string name(token.spelling);
  if (const int32_t slot = findRegister(name); slot >= 0)
    return slot;
  if (name == "WARP_SZ")
    return constant(32);
  return findSymbol(name);
}

void EntryParser::finish() {
  for (const Branch &branch : branches) {
    auto found = labels.end();
    for (size_t scope = branch.scopes.size();
         scope-- > 0 && found == labels.end();)
      found = labels.find({branch.scopes[scope], branch.label});
    if (found == labels.end()) {
      problem("there is no label '" + branch.label + "'");
      return;
    }
    entry.code[branch.index].target = found->second;
  }
  uint64_t align = 16;
  for (size_t index : dynamicShared)
    align = std::max(align, entry.specials[index].offset);
  if (!dynamicShared.empty())
    entry.sharedBytes = (entry.sharedBytes + align - 1) / align * align;
  for (size_t index : dynamicShared)
    entry.specials[index].offset = entry.sharedBytes;
  // A body may end in a label.
  Instruction end;
  Opcode opcode("ret");
  end.run = decode(opcode, end).run;
  end.index = uint32_t(entry.code.size());
  entry.code.push_back(end);
  entry.text.emplace_back("ret");
}
