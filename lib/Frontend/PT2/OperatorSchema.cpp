//===- OperatorSchema.cpp - what ATen's overloads take --------------------===//

#include "TC/Frontend/PT2/OperatorSchema.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <iterator>
#include <memory>
#include <mutex>

using namespace llvm;

namespace tc::pt2 {

namespace {
/// A row of the table.
struct SchemaRow {
  StringLiteral text;
  bool isElementwise;
};
} // namespace

static constexpr SchemaRow schemaTable[] = {
#define TC_ATEN_SCHEMA(text) {text, false},
#define TC_ATEN_ELEMENTWISE(text) {text, true},
#include "AtenSchemas.inc"
#undef TC_ATEN_SCHEMA
#undef TC_ATEN_ELEMENTWISE
};

bool OperatorSchema::mutates() const {
  return any_of(arguments,
                [](const SchemaValue &argument) { return argument.isMutated; });
}

bool OperatorSchema::returnsView() const {
  return any_of(results, [](const SchemaValue &result) {
    return !result.aliasSet.empty() && !result.isMutated;
  });
}

namespace {
/// Reads one schema from left to right.
class SchemaParser {
public:
  explicit SchemaParser(StringRef text) : text(text), rest(text) {}

  Expected<OperatorSchema> parse();

private:
  Error failure(const Twine &expected) const {
    return createStringError("schema '" + text + "': expected " + expected +
                             " before '" + rest.take_front(30) + "'");
  }
  bool takeIf(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }
  std::string takeWord() {
    rest = rest.ltrim();
    StringRef word =
        rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size());
    return word.str();
  }
  Error parseAlias(SchemaValue &value);
  Error parseType(SchemaValue &value);
  Error parseDefault(SchemaValue &value);
  Expected<Argument> parseLiteral(const SchemaValue &value);
  Error parseArguments(OperatorSchema &schema);
  Error parseResults(OperatorSchema &schema);

  StringRef text;
  StringRef rest;
};
} // namespace

/// (a), (a!), (a -> *), (a|b)
Error SchemaParser::parseAlias(SchemaValue &value) {
  if (!rest.consume_front("("))
    return Error::success();
  StringRef annotation = rest.take_until([](char c) { return c == ')'; });
  rest = rest.drop_front(annotation.size());
  if (!rest.consume_front(")"))
    return failure("')'");
  value.isMutated = annotation.contains('!');
  value.aliasSet = annotation.take_while(isAlpha).str();
  return Error::success();
}

/// Tensor(a!)?, Tensor?[], int[2]?, SymInt[]
Error SchemaParser::parseType(SchemaValue &value) {
  value.type = takeWord();
  if (value.type.empty())
    return failure("a type");
  if (Error error = parseAlias(value))
    return error;
  bool optional = rest.consume_front("?");
  if (rest.starts_with("[")) {
    value.isList = true;
    value.isElementOptional = optional;
    rest = rest.drop_front(
        rest.find(']') == StringRef::npos ? rest.size() : rest.find(']') + 1);
    if (value.aliasSet.empty())
      if (Error error = parseAlias(value))
        return error;
    optional = rest.consume_front("?");
  }
  value.isOptional = optional;
  return Error::success();
}

/// c10's numbers of element types, which schemas print, as the archive's.
static ScalarType fromC10(int64_t number) {
  if (number >= 0 && number <= 11)
    return static_cast<ScalarType>(number + 1);
  return number == 15 ? ScalarType::BFloat16 : ScalarType::Unknown;
}

Expected<Argument> SchemaParser::parseLiteral(const SchemaValue &value) {
  Argument result;
  if (takeIf("None"))
    return result;
  if (takeIf("[")) {
    result.kind = ArgumentKind::List;
    while (!takeIf("]")) {
      Expected<Argument> element = parseLiteral(value);
      if (!element)
        return element;
      result.elements.push_back(std::move(*element));
      takeIf(",");
    }
    return result;
  }
  bool isTrue = takeIf("True");
  if (isTrue || takeIf("False")) {
    result.kind = ArgumentKind::Bool;
    result.integer = isTrue;
    return result;
  }
  if (takeIf("\"")) {
    StringRef string = rest.take_until([](char c) { return c == '"'; });
    rest = rest.drop_front(string.size());
    if (!rest.consume_front("\""))
      return failure("'\"'");
    result.kind = ArgumentKind::String;
    result.text = string.str();
    return result;
  }
  StringRef number =
      rest.take_until([](char c) { return c == ',' || c == ')' || c == ']'; });
  rest = rest.drop_front(number.size());
  if (!number.getAsInteger(10, result.integer)) {
    result.kind = ArgumentKind::Int;
    if (value.type == "ScalarType") {
      result.kind = ArgumentKind::ScalarType;
      result.integer = static_cast<int64_t>(fromC10(result.integer));
    } else if (value.type == "MemoryFormat") {
      result.kind = ArgumentKind::MemoryFormat;
      result.integer += 1; // c10 counts from 0, the archive from 1
    } else if (value.type == "float") {
      result.kind = ArgumentKind::Float;
      result.real = static_cast<double>(result.integer);
    }
    return result;
  }
  if (number.getAsDouble(result.real, /*AllowInexact=*/true))
    return failure("a literal (found '" + number + "')");
  result.kind = ArgumentKind::Float;
  return result;
}

Error SchemaParser::parseDefault(SchemaValue &value) {
  if (!takeIf("="))
    return Error::success();
  // TorchScript's own calls print enumerators: contiguous_format.
  if (takeIf("contiguous_format")) {
    value.defaultValue.emplace();
    value.defaultValue->kind = ArgumentKind::MemoryFormat;
    value.defaultValue->integer = 1;
    return Error::success();
  }
  Expected<Argument> literal = parseLiteral(value);
  if (!literal)
    return literal.takeError();
  value.defaultValue = std::move(*literal);
  return Error::success();
}

Error SchemaParser::parseArguments(OperatorSchema &schema) {
  bool keywordOnly = false;
  while (!takeIf(")")) {
    if (takeIf("*")) {
      keywordOnly = true;
    } else {
      SchemaValue value;
      value.isKeywordOnly = keywordOnly;
      if (Error error = parseType(value))
        return error;
      value.name = takeWord();
      if (Error error = parseDefault(value))
        return error;
      schema.arguments.push_back(std::move(value));
    }
    if (!takeIf(",") && !rest.ltrim().starts_with(")"))
      return failure("',' or ')'");
  }
  return Error::success();
}

Error SchemaParser::parseResults(OperatorSchema &schema) {
  bool several = takeIf("(");
  if (several && takeIf(")"))
    return Error::success();
  do {
    SchemaValue value;
    if (Error error = parseType(value))
      return error;
    value.name = takeWord();
    schema.results.push_back(std::move(value));
  } while (several && takeIf(","));
  if (several && !takeIf(")"))
    return failure("')'");
  return Error::success();
}

Expected<OperatorSchema> SchemaParser::parse() {
  OperatorSchema schema;
  schema.name = rest.take_until([](char c) { return c == '('; }).str();
  rest = rest.drop_front(schema.name.size());
  if (schema.name.empty() || !takeIf("("))
    return failure("name(arguments)");
  if (Error error = parseArguments(schema))
    return std::move(error);
  if (!takeIf("->"))
    return failure("'->'");
  if (Error error = parseResults(schema))
    return std::move(error);
  if (!rest.trim().empty())
    return failure("the end");
  return schema;
}

Expected<OperatorSchema> parseOperatorSchema(StringRef text) {
  return SchemaParser(text).parse();
}

static StringRef getOverload(StringRef schema) {
  return schema.take_until([](char c) { return c == '('; });
}

/// The first row that is not before an overload or the beginning of one.
static const SchemaRow *findFirst(StringRef overload) {
  return lower_bound(schemaTable, overload,
                     [](const SchemaRow &row, StringRef name) {
                       return getOverload(row.text) < name;
                     });
}

const OperatorSchema *findOperatorSchema(StringRef overload) {
  static std::mutex mutex;
  static StringMap<std::unique_ptr<OperatorSchema>> parsed;
  std::lock_guard<std::mutex> lock(mutex);
  auto [entry, isNew] = parsed.try_emplace(overload);
  if (!isNew)
    return entry->second.get();
  const SchemaRow *found = findFirst(overload);
  if (found == std::end(schemaTable) || getOverload(found->text) != overload)
    return nullptr;
  Expected<OperatorSchema> schema = parseOperatorSchema(found->text);
  if (!schema) { // a unit test parses the whole table
    consumeError(schema.takeError());
    return nullptr;
  }
  schema->isElementwise = found->isElementwise;
  entry->second = std::make_unique<OperatorSchema>(std::move(*schema));
  return entry->second.get();
}

std::string getCallTarget(StringRef overload) {
  bool hasLibrary = overload.count('.') > 1;
  return hasLibrary ? overload.str() : ("aten." + overload).str();
}

bool isOutArgument(const SchemaValue &argument) {
  return argument.isMutated && argument.isKeywordOnly;
}

/// Whether two declarations take the same values.
static bool takesTheSame(const SchemaValue &a, const SchemaValue &b) {
  return a.type == b.type && a.isList == b.isList &&
         a.isOptional == b.isOptional &&
         a.isElementOptional == b.isElementOptional;
}

static bool isTwin(const OperatorSchema &schema,
                   const OperatorSchema &functional) {
  if (functional.mutates() || functional.returnsView())
    return false; // t_ changes what is seen of a tensor, not the tensor
  auto arguments =
      make_filter_range(schema.arguments, [](const SchemaValue &value) {
        return !isOutArgument(value);
      });
  auto isFresh = [](const SchemaValue &value) { return !value.isMutated; };
  size_t fresh = count_if(schema.results, isFresh);
  size_t mutated =
      schema.arguments.size() - count_if(schema.arguments, isFresh);
  return functional.results.size() == fresh + mutated &&
         range_size(arguments) == functional.arguments.size() &&
         equal(arguments, functional.arguments, takesTheSame) &&
         none_of(functional.results,
                 [](const SchemaValue &value) { return value.isList; });
}

const OperatorSchema *findFunctionalTwin(const OperatorSchema &schema) {
  if (!schema.mutates())
    return nullptr;
  auto [name, variant] = StringRef(schema.name).split('.');
  StringRef base = name;
  bool isInPlace = base.consume_back("_");
  const OperatorSchema *found = nullptr;
  for (const std::string &prefix :
       {(base + ".").str(), (base + "_functional.").str()}) {
    const SchemaRow *row = findFirst(prefix);
    for (; row != std::end(schemaTable) && row->text.starts_with(prefix);
         ++row) {
      StringRef overload = getOverload(row->text);
      const OperatorSchema *functional = findOperatorSchema(overload);
      if (!functional || !isTwin(schema, *functional))
        continue;
      // Overloads for TorchScript take the same types: a name is better.
      if (!found || (isInPlace && overload.split('.').second == variant))
        found = functional;
    }
    if (found)
      break;
  }
  return found;
}

std::vector<StringRef> listOperatorOverloads() {
  std::vector<StringRef> names;
  for (const SchemaRow &row : schemaTable)
    names.push_back(getOverload(row.text));
  return names;
}

} // namespace tc::pt2
