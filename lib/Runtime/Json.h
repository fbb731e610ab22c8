//===- Json.h - A small JSON reader -----------------------------*- C++ -*-===//

#ifndef TC_LIB_RUNTIME_JSON_H
#define TC_LIB_RUNTIME_JSON_H

#include "TC/Runtime/Status.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

struct JsonMember;

/// A JSON value. An object keeps its members in the order of the text.
struct JsonValue {
  enum class Kind { Null, Bool, Number, String, Array, Object };
  Kind kind = Kind::Null;
  bool boolean = false;
  double number = 0;
  /// The number exactly, when it is written as an integer that fits.
  std::optional<int64_t> integer;
  std::string string;
  std::vector<JsonValue> elements;
  std::vector<JsonMember> members;

  /// The member of that name, or null.
  const JsonValue *find(std::string_view name) const;
};

struct JsonMember {
  std::string name;
  JsonValue value;
};

/// Reads one value and nothing behind it but whitespace. The message of a
/// failure has the byte position; nesting is limited to 64 levels.
Expected<JsonValue> parseJson(std::string_view text);

/// Appends `value` in quotes, escaped.
void appendJsonString(std::string &text, std::string_view value);

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_JSON_H
