//===- GraphReader.cpp - graphs from model.json ---------------------------===//

#include "GraphReader.h"
#include "TC/Frontend/PT2/SympyParser.h"

#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace tc::pt2 {

/// Graphs nest (the bodies of cond), arguments nest (dictionaries).
static constexpr unsigned maximumDepth = 64;

static ScalarType readScalarType(JsonCursor cursor) {
  auto type = static_cast<ScalarType>(cursor.getInteger());
  if (getScalarTypeName(type).empty())
    cursor.fail("expected the number of an element type, found " +
                Twine(static_cast<int64_t>(type)));
  return type;
}

static Device readDevice(JsonCursor cursor) {
  Device device{cursor.field("type").getString(), std::nullopt};
  if (cursor.has("index"))
    device.index = cursor.field("index").getInteger();
  return device;
}

Expression readSymbolicValue(JsonCursor cursor) {
  auto [tag, value] = cursor.tagged();
  Expression result;
  if (tag == "as_int")
    return Expression::makeInteger(value.getInteger());
  if (tag == "as_bool") {
    result.kind = ExpressionKind::Boolean;
    result.integer = value.getBool();
    return result;
  }
  if (tag == "as_float") {
    result.kind = ExpressionKind::Float;
    result.real = value.getReal();
    return result;
  }
  if (tag != "as_expr") {
    cursor.fail("expected a number or an expression, found '" + tag + "'");
    return result;
  }
  JsonCursor text = value.field("expr_str");
  Expected<Expression> parsed = parseSympyExpression(text.getString());
  if (parsed) {
    if (value.has("hint") && value.field("hint").has("as_int"))
      parsed->hint = value.field("hint").field("as_int").getInteger();
    return std::move(*parsed);
  }
  text.fail(toString(parsed.takeError()));
  return result;
}

TensorMeta readTensorMeta(JsonCursor cursor) {
  TensorMeta meta;
  meta.dtype = readScalarType(cursor.field("dtype"));
  meta.sizes = cursor.field("sizes").getList(readSymbolicValue);
  meta.strides = cursor.field("strides").getList(readSymbolicValue);
  if (cursor.has("storage_offset"))
    meta.storageOffset = readSymbolicValue(cursor.field("storage_offset"));
  if (cursor.has("device"))
    meta.device = readDevice(cursor.field("device"));
  if (cursor.has("layout"))
    meta.layout = cursor.field("layout").getInteger();
  if (cursor.has("requires_grad"))
    meta.requiresGrad = cursor.field("requires_grad").getBool();
  if (meta.sizes.size() != meta.strides.size())
    cursor.fail("expected as many strides as sizes, found " +
                Twine(meta.strides.size()) + " and " +
                Twine(meta.sizes.size()));
  return meta;
}

static Argument makeText(ArgumentKind kind, std::string text) {
  Argument result;
  result.kind = kind;
  result.text = std::move(text);
  return result;
}

static Argument makeInteger(ArgumentKind kind, int64_t value) {
  Argument result;
  result.kind = kind;
  result.integer = value;
  return result;
}

static Argument readTensorName(JsonCursor cursor) {
  return makeText(ArgumentKind::Tensor, cursor.field("name").getString());
}

static Argument readOptionalTensor(JsonCursor cursor) {
  auto [tag, value] = cursor.tagged();
  return tag == "as_none" ? Argument() : readTensorName(value);
}

/// A symbolic argument: {"as_name": ...} or the number itself.
template <ArgumentKind Named> Argument readSymbolicArgument(JsonCursor cursor) {
  auto [tag, value] = cursor.tagged();
  if (tag == "as_name")
    return makeText(Named, value.getString());
  if (tag == "as_int")
    return makeInteger(ArgumentKind::Int, value.getInteger());
  if (tag == "as_bool")
    return makeInteger(ArgumentKind::Bool, value.getBool());
  Argument result;
  result.kind = ArgumentKind::Float;
  result.real = value.getReal();
  return result;
}

static Argument readInteger(JsonCursor cursor) {
  return makeInteger(ArgumentKind::Int, cursor.getInteger());
}

static Argument readReal(JsonCursor cursor) {
  Argument result;
  result.kind = ArgumentKind::Float;
  result.real = cursor.getReal();
  return result;
}

static Argument readBool(JsonCursor cursor) {
  return makeInteger(ArgumentKind::Bool, cursor.getBool());
}

static Argument readString(JsonCursor cursor) {
  return makeText(ArgumentKind::String, cursor.getString());
}

static Argument readList(JsonCursor cursor,
                         function_ref<Argument(JsonCursor)> read) {
  Argument result;
  result.kind = ArgumentKind::List;
  cursor.forEach(
      [&](JsonCursor element) { result.elements.push_back(read(element)); });
  return result;
}

static Argument readNestedList(JsonCursor cursor,
                               function_ref<Argument(JsonCursor)> read) {
  return readList(cursor,
                  [&](JsonCursor inner) { return readList(inner, read); });
}

/// Arguments that hold one value.
static std::optional<Argument> readSingleArgument(StringRef tag,
                                                  JsonCursor value) {
  using Kind = ArgumentKind;
  if (tag == "as_none")
    return Argument();
  if (tag == "as_tensor")
    return readTensorName(value);
  if (tag == "as_optional_tensor")
    return readOptionalTensor(value);
  if (tag == "as_int")
    return readInteger(value);
  if (tag == "as_float")
    return readReal(value);
  if (tag == "as_bool")
    return readBool(value);
  if (tag == "as_string")
    return readString(value);
  if (tag == "as_sym_int")
    return readSymbolicArgument<Kind::SymInt>(value);
  if (tag == "as_sym_float")
    return readSymbolicArgument<Kind::SymFloat>(value);
  if (tag == "as_sym_bool")
    return readSymbolicArgument<Kind::SymBool>(value);
  if (tag == "as_scalar_type")
    return makeInteger(Kind::ScalarType,
                       static_cast<int64_t>(readScalarType(value)));
  if (tag == "as_memory_format")
    return makeInteger(Kind::MemoryFormat, value.getInteger());
  if (tag == "as_layout")
    return makeInteger(Kind::Layout, value.getInteger());
  if (tag == "as_operator")
    return makeText(Kind::Operator, value.getString());
  if (tag == "as_custom_obj")
    return makeText(Kind::CustomObject, value.field("name").getString());
  Argument result;
  if (tag == "as_device") {
    result.kind = Kind::Device;
    result.device = readDevice(value);
    return result;
  }
  if (tag == "as_complex") {
    result.kind = Kind::Complex;
    result.real = value.field("real").getReal();
    result.imaginary = value.field("imag").getReal();
    return result;
  }
  return std::nullopt;
}

static std::optional<Argument> readListArgument(StringRef tag,
                                                JsonCursor value) {
  using Kind = ArgumentKind;
  if (tag == "as_tensors")
    return readList(value, readTensorName);
  if (tag == "as_optional_tensors")
    return readList(value, readOptionalTensor);
  if (tag == "as_nested_tensors")
    return readNestedList(value, readTensorName);
  if (tag == "as_ints")
    return readList(value, readInteger);
  if (tag == "as_floats")
    return readList(value, readReal);
  if (tag == "as_bools")
    return readList(value, readBool);
  if (tag == "as_strings")
    return readList(value, readString);
  if (tag == "as_sym_ints")
    return readList(value, readSymbolicArgument<Kind::SymInt>);
  if (tag == "as_sym_floats")
    return readList(value, readSymbolicArgument<Kind::SymFloat>);
  if (tag == "as_sym_bools")
    return readList(value, readSymbolicArgument<Kind::SymBool>);
  if (tag == "as_int_lists")
    return readNestedList(value, readInteger);
  if (tag == "as_float_lists")
    return readNestedList(value, readReal);
  return std::nullopt;
}

Argument readArgument(JsonCursor cursor, unsigned depth) {
  auto [tag, value] = cursor.tagged();
  if (tag.empty())
    return Argument();
  if (depth > maximumDepth) {
    cursor.fail("expected at most " + Twine(maximumDepth) +
                " levels of nesting");
    return Argument();
  }
  if (std::optional<Argument> argument = readSingleArgument(tag, value))
    return *argument;
  if (std::optional<Argument> argument = readListArgument(tag, value))
    return *argument;
  Argument result;
  if (tag == "as_graph") {
    result.kind = ArgumentKind::Graph;
    result.text = value.field("name").getString();
    result.graph =
        std::make_shared<Graph>(readGraph(value.field("graph"), depth + 1));
  } else if (tag == "as_string_to_argument") {
    result.kind = ArgumentKind::Dictionary;
    value.forEachField([&](StringRef key, JsonCursor element) {
      result.keys.push_back(key.str());
      result.elements.push_back(readArgument(element, depth + 1));
    });
  } else {
    cursor.fail("the kind of argument '" + tag + "' is not known");
  }
  return result;
}

static Node readNode(JsonCursor cursor, unsigned depth) {
  Node node;
  node.target = cursor.field("target").getString();
  if (cursor.has("name"))
    node.name = cursor.field("name").getString();
  cursor.field("inputs").forEach([&](JsonCursor input) {
    node.inputs.push_back({input.field("name").getString(),
                           readArgument(input.field("arg"), depth)});
  });
  cursor.field("outputs").forEach([&](JsonCursor output) {
    node.outputs.push_back(readArgument(output, depth));
  });
  if (cursor.has("metadata") && cursor.field("metadata").has("stack_trace"))
    node.stackTrace = cursor.field("metadata").field("stack_trace").getString();
  return node;
}

Graph readGraph(JsonCursor cursor, unsigned depth) {
  Graph graph;
  auto readOne = [&](JsonCursor argument) {
    return readArgument(argument, depth);
  };
  graph.inputs = cursor.field("inputs").getList(readOne);
  graph.outputs = cursor.field("outputs").getList(readOne);
  graph.nodes = cursor.field("nodes").getList(
      [&](JsonCursor node) { return readNode(node, depth); });
  cursor.field("tensor_values")
      .forEachField([&](StringRef name, JsonCursor meta) {
        graph.tensorValues[name] = readTensorMeta(meta);
      });
  for (StringRef table :
       {"sym_int_values", "sym_float_values", "sym_bool_values"})
    if (cursor.has(table))
      cursor.field(table).forEachField([&](StringRef name, JsonCursor value) {
        graph.symbolicValues[name] = readSymbolicValue(value);
      });
  if (cursor.has("is_single_tensor_return"))
    graph.isSingleTensorReturn =
        cursor.field("is_single_tensor_return").getBool();
  return graph;
}

} // namespace tc::pt2
