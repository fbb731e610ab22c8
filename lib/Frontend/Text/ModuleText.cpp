//===- ModuleText.cpp - Modules as text and bytecode ----------------------===//

#include "TC/Frontend/Text/ModuleText.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/Endian.h"

using namespace mlir;
using namespace tc;

//===----------------------------------------------------------------------===//
// Bytecode
//===----------------------------------------------------------------------===//

/// The seal before bytecode: this text, its length as 8 bytes, its hash, and
/// zeros up to a multiple of the alignment of MLIR's sections.
static constexpr StringLiteral kSeal = "TC-bytecode-1\n";
static constexpr size_t kLengthAt = 16, kHashAt = 24, kHashBytes = 32,
                        kHeaderBytes = 64;

bool tc::isBytecode(StringRef text) {
  return mlir::isBytecode(llvm::MemoryBufferRef(text, ""));
}

static std::string hashOf(StringRef bytes) {
  auto hash =
      llvm::BLAKE3::hash<kHashBytes>(llvm::arrayRefFromStringRef(bytes));
  return std::string(hash.begin(), hash.end());
}

std::string tc::sealBytecode(StringRef bytecode) {
  std::string sealed(kHeaderBytes, '\0');
  llvm::copy(kSeal, sealed.begin());
  llvm::support::endian::write64le(&sealed[kLengthAt], bytecode.size());
  llvm::copy(hashOf(bytecode), sealed.begin() + kHashAt);
  return sealed + bytecode.str();
}

/// The bytecode after a seal that fits.
static llvm::Expected<StringRef> unseal(StringRef sealed) {
  if (sealed.size() < kHeaderBytes)
    return llvm::createStringError("bytecode ends in its first " +
                                   Twine(kHeaderBytes) +
                                   " bytes; it was cut off: write it again");
  StringRef bytecode = sealed.drop_front(kHeaderBytes);
  uint64_t length = llvm::support::endian::read64le(sealed.data() + kLengthAt);
  if (bytecode.size() != length)
    return llvm::createStringError("bytecode has " + Twine(bytecode.size()) +
                                   " bytes, expected " + Twine(length) +
                                   "; it was damaged: write it again");
  if (sealed.substr(kHashAt, kHashBytes) != hashOf(bytecode))
    return llvm::createStringError("bytecode has another hash than when it was "
                                   "written; it was damaged: write it again");
  return bytecode;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {
/// Goes through a text and counts what a parser would nest.
class NestingScanner {
public:
  explicit NestingScanner(StringRef text) : text(text) {}
  llvm::Error scan();

private:
  void skipString();
  llvm::Error open(char bracket);
  llvm::Error countTerm();
  llvm::Error fail(const Twine &what) const {
    return llvm::createStringError("line " + Twine(line) + " " + what);
  }

  StringRef text;
  size_t at = 0;
  unsigned line = 1, nested = 0, braces = 0, signs = 0;
  /// How deep the affine map or set begins that the scanner is in; 0: in none.
  unsigned affineFrom = 0, affineTerms = 0;
};
} // namespace

void NestingScanner::skipString() {
  for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
    if (text[at] == '\\')
      ++at;
}

llvm::Error NestingScanner::open(char bracket) {
  ++nested;
  braces += bracket == '{';
  if (nested <= kMostNested && braces <= kMostBraces)
    return llvm::Error::success();
  return fail("has more than " + Twine(kMostNested) + " brackets or " +
              Twine(kMostBraces) + " braces inside each other");
}

llvm::Error NestingScanner::countTerm() {
  if (affineFrom == 0 || ++affineTerms <= kMostAffineTerms)
    return llvm::Error::success();
  return fail("has an affine map or set of more than " +
              Twine(kMostAffineTerms) + " operators");
}

llvm::Error NestingScanner::scan() {
  for (; at < text.size(); ++at) {
    char letter = text[at];
    StringRef rest = text.substr(at);
    if (!llvm::isSpace(letter) && letter != '-')
      signs = 0;
    if (rest.starts_with("affine_map<") || rest.starts_with("affine_set<")) {
      affineFrom = nested + 1;
      affineTerms = 0;
    }
    switch (letter) {
    case '\n':
      ++line;
      break;
    case '"':
      skipString();
      break;
    case '/':
      if (rest.starts_with("//")) {
        at = std::min(text.find('\n', at), text.size()) - 1;
        break;
      }
      break;
    case '(':
    case '[':
    case '{':
    case '<':
      if (rest.starts_with("<="))
        break;
      if (llvm::Error error = open(letter))
        return error;
      break;
    case '>':
      if (rest.starts_with(">=") || (at > 0 && text[at - 1] == '-'))
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      if (nested == affineFrom)
        affineFrom = 0;
      nested -= nested > 0;
      braces -= letter == '}' && braces > 0;
      break;
    case '-':
      if (++signs > kMostNested)
        return fail("has more than " + Twine(kMostNested) +
                    " signs one after the other");
      [[fallthrough]];
    case '+':
    case '*':
    case 'm': // mod
    case 'f': // floordiv
    case 'c': // ceildiv
      if (llvm::Error error = countTerm())
        return error;
      break;
    default:
      break;
    }
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
tc::checkModuleText(std::unique_ptr<llvm::MemoryBuffer> buffer) {
  StringRef text = buffer->getBuffer();
  if (text.starts_with(kSeal)) {
    auto bytecode = unseal(text);
    if (!bytecode)
      return bytecode.takeError();
    // Reading it in place needs it to be aligned.
    return llvm::MemoryBuffer::getMemBufferCopy(*bytecode,
                                                buffer->getBufferIdentifier());
  }
  if (tc::isBytecode(text))
    return llvm::createStringError(
        "is bytecode that TC has not written; expected text, or what tc-opt "
        "--emit-bytecode writes");
  if (llvm::Error error = NestingScanner(text).scan())
    return std::move(error);
  return buffer;
}

OwningOpRef<ModuleOp>
tc::parseModule(std::unique_ptr<llvm::MemoryBuffer> buffer,
                llvm::SourceMgr &sources, const ParserConfig &config) {
  std::string name = buffer->getBufferIdentifier().str();
  auto checked = checkModuleText(std::move(buffer));
  if (!checked) {
    emitError(FileLineColLoc::get(config.getContext(), name, 0, 0))
        << llvm::toString(checked.takeError());
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(*checked), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, config);
}
