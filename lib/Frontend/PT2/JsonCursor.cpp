//===- JsonCursor.cpp - reading JSON with errors that say where -----------===//

#include "JsonCursor.h"

#include "llvm/ADT/StringSwitch.h"

#include <limits>

using namespace llvm;

namespace tc::pt2 {

static std::string describe(const json::Value *value) {
  if (!value)
    return "nothing";
  switch (value->kind()) {
  case json::Value::Null:
    return "null";
  case json::Value::Boolean:
    return *value->getAsBoolean() ? "true" : "false";
  case json::Value::Number:
    if (std::optional<int64_t> integer = value->getAsInteger())
      return std::to_string(*integer);
    return std::to_string(*value->getAsNumber());
  case json::Value::String:
    return ("'" + value->getAsString()->take_front(60) + "'").str();
  case json::Value::Array:
    return "a list";
  case json::Value::Object:
    return "an object";
  }
  return "an unknown value";
}

static std::string getPath(const JsonReading::Step *step) {
  std::string path;
  for (; step; step = step->parent)
    path =
        (step->field.empty() ? "[" + std::to_string(step->index) + "]"
                             : (step->parent ? "." : "") + step->field.str()) +
        path;
  return path.empty() ? "the document" : path;
}

void JsonCursor::fail(const Twine &message) const {
  if (reading->failure.empty())
    reading->failure = (getPath(step) + ": " + message).str();
}

void JsonCursor::failType(StringRef expected) const {
  fail("expected " + expected + ", found " + describe(value));
}

JsonCursor JsonCursor::field(StringRef name) const {
  const json::Value *child = nullptr;
  if (const json::Object *object = value ? value->getAsObject() : nullptr)
    child = object->get(name);
  else
    failType("an object");
  return JsonCursor(child, *this, name, 0);
}

bool JsonCursor::has(StringRef name) const {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  const json::Value *child = object ? object->get(name) : nullptr;
  return child && child->kind() != json::Value::Null;
}

std::pair<StringRef, JsonCursor> JsonCursor::tagged() const {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object || object->size() != 1) {
    failType("an object with one field");
    return {"", JsonCursor(nullptr, *this, "?", 0)};
  }
  StringRef name = object->begin()->first;
  return {name, JsonCursor(&object->begin()->second, *this, name, 0)};
}

int64_t JsonCursor::getInteger() const {
  if (std::optional<int64_t> integer =
          value ? value->getAsInteger() : std::nullopt)
    return *integer;
  failType("an integer of 64 bits");
  return 0;
}

double JsonCursor::getReal() const {
  if (std::optional<double> number =
          value ? value->getAsNumber() : std::nullopt)
    return *number;
  // JSON has no infinities; the export writes them as strings.
  StringRef text;
  if (std::optional<StringRef> string =
          value ? value->getAsString() : std::nullopt)
    text = *string;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "Infinity")
    return infinity;
  if (text == "-Infinity")
    return -infinity;
  if (text == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  failType("a number");
  return 0.0;
}

bool JsonCursor::getBool() const {
  if (std::optional<bool> boolean =
          value ? value->getAsBoolean() : std::nullopt)
    return *boolean;
  failType("true or false");
  return false;
}

std::string JsonCursor::getString() const {
  if (std::optional<StringRef> string =
          value ? value->getAsString() : std::nullopt)
    return string->str();
  failType("a string");
  return "";
}

void JsonCursor::forEach(function_ref<void(JsonCursor)> visit) const {
  const json::Array *array = value ? value->getAsArray() : nullptr;
  if (!array)
    return failType("a list");
  for (size_t i = 0; i < array->size() && reading->failure.empty(); ++i)
    visit(JsonCursor(&(*array)[i], *this, "", i));
}

void JsonCursor::forEachField(
    function_ref<void(StringRef, JsonCursor)> visit) const {
  const json::Object *object = value ? value->getAsObject() : nullptr;
  if (!object)
    return failType("an object");
  for (const auto &[name, child] : *object)
    visit(name, JsonCursor(&child, *this, name, 0));
}

} // namespace tc::pt2
