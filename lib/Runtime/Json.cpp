//===- Json.cpp - A small JSON reader -------------------------------------===//

#include "Json.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>

using namespace tc::runtime;

const JsonValue *JsonValue::find(std::string_view name) const {
  for (const auto &[memberName, value] : members)
    if (memberName == name)
      return &value;
  return nullptr;
}

namespace {

class JsonParser {
public:
  explicit JsonParser(std::string_view text) : text(text) {}

  Expected<JsonValue> parse() {
    JsonValue value;
    if (parseValue(value, 0) && (skipSpace(), position < text.size()))
      fail("the end was expected");
    if (reason)
      return Status(ErrorCode::CorruptData, std::string(reason) + " at byte " +
                                                std::to_string(position) +
                                                " of the JSON text");
    return value;
  }

private:
  bool fail(const char *why) {
    if (!reason)
      reason = why;
    return false;
  }

  void skipSpace() {
    while (position < text.size() &&
           (text[position] == ' ' || text[position] == '\n' ||
            text[position] == '\r' || text[position] == '\t'))
      ++position;
  }

  bool consume(char c) {
    skipSpace();
    if (position >= text.size() || text[position] != c)
      return false;
    ++position;
    return true;
  }

  bool consumeWord(std::string_view word) {
    if (text.substr(position, word.size()) != word)
      return false;
    position += word.size();
    return true;
  }

  bool parseValue(JsonValue &value, int depth) {
    if (depth > 64)
      return fail("nesting is too deep");
    if (consume('{'))
      return parseObject(value, depth);
    if (consume('['))
      return parseArray(value, depth);
    if (consume('"')) {
      value.kind = JsonValue::Kind::String;
      return parseString(value.string);
    }
    if (consumeWord("true") || consumeWord("false")) {
      value.kind = JsonValue::Kind::Bool;
      value.boolean = text[position - 2] == 'u'; // tr(u)e
      return true;
    }
    if (consumeWord("null"))
      return true;
    return parseNumber(value);
  }

  bool parseObject(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Object;
    if (consume('}'))
      return true;
    do {
      auto &[name, member] = value.members.emplace_back();
      if (!consume('"'))
        return fail("a member's name was expected");
      if (!parseString(name))
        return false;
      if (!consume(':'))
        return fail("a colon was expected");
      if (!parseValue(member, depth + 1))
        return false;
    } while (consume(','));
    return consume('}') || fail("a comma or '}' was expected");
  }

  bool parseArray(JsonValue &value, int depth) {
    value.kind = JsonValue::Kind::Array;
    if (consume(']'))
      return true;
    do {
      if (!parseValue(value.elements.emplace_back(), depth + 1))
        return false;
    } while (consume(','));
    return consume(']') || fail("a comma or ']' was expected");
  }

  bool parseNumber(JsonValue &value) {
    const size_t begin = position;
    while (position < text.size() &&
           std::string_view("+-.0123456789eE").find(text[position]) !=
               std::string_view::npos)
      ++position;
    const char *first = text.data() + begin, *last = text.data() + position;
    auto result = std::from_chars(first, last, value.number);
    if (begin == position || result.ptr != last ||
        result.ec == std::errc::invalid_argument) {
      position = begin;
      return fail("a value was expected");
    }
    int64_t integer = 0;
    auto exact = std::from_chars(first, last, integer);
    if (exact.ec == std::errc() && exact.ptr == last)
      value.integer = integer;
    value.kind = JsonValue::Kind::Number;
    return true;
  }

  bool parseHex(uint32_t &code) {
    if (text.size() - position < 4)
      return false;
    const char *first = text.data() + position;
    auto result = std::from_chars(first, first + 4, code, 16);
    position += 4;
    return result.ec == std::errc() && result.ptr == first + 4;
  }

  static void appendUTF8(std::string &out, uint32_t code) {
    if (code < 0x80) {
      out += char(code);
    } else if (code < 0x800) {
      out += char(0xc0 | (code >> 6));
      out += char(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
      out += char(0xe0 | (code >> 12));
      out += char(0x80 | ((code >> 6) & 0x3f));
      out += char(0x80 | (code & 0x3f));
    } else {
      out += char(0xf0 | (code >> 18));
      out += char(0x80 | ((code >> 12) & 0x3f));
      out += char(0x80 | ((code >> 6) & 0x3f));
      out += char(0x80 | (code & 0x3f));
    }
  }

  bool parseEscape(std::string &out) {
    static constexpr std::string_view letters = "\"\\/bfnrt";
    static constexpr std::string_view meanings = "\"\\/\b\f\n\r\t";
    if (position >= text.size())
      return fail("a string does not end");
    const char letter = text[position++];
    if (letter == 'u') {
      uint32_t code = 0, low = 0;
      if (!parseHex(code))
        return fail("four hexadecimal digits were expected");
      // A character beyond 16 bits is written as two surrogates.
      if (code >= 0xd800 && code < 0xdc00) {
        if (!consumeWord("\\u") || !parseHex(low) || low < 0xdc00 ||
            low > 0xdfff)
          return fail("a surrogate stands alone");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
      }
      appendUTF8(out, code);
      return true;
    }
    const size_t index = letters.find(letter);
    if (index == std::string_view::npos)
      return fail("an unknown escape");
    out += meanings[index];
    return true;
  }

  bool parseString(std::string &out) {
    while (position < text.size()) {
      const char c = text[position++];
      if (c == '"')
        return true;
      if (static_cast<unsigned char>(c) < 0x20)
        return fail("a control character in a string");
      if (c != '\\')
        out += c;
      else if (!parseEscape(out))
        return false;
    }
    return fail("a string does not end");
  }

  std::string_view text;
  size_t position = 0;
  const char *reason = nullptr;
};

} // namespace

Expected<JsonValue> tc::runtime::parseJson(std::string_view text) {
  return JsonParser(text).parse();
}

void tc::runtime::appendJsonString(std::string &text, std::string_view value) {
  text += '"';
  for (char c : value) {
    if (c == '"' || c == '\\') {
      text += '\\';
      text += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char code[8];
      std::snprintf(code, sizeof(code), "\\u%04x", c);
      text += code;
    } else {
      text += c;
    }
  }
  text += '"';
}
