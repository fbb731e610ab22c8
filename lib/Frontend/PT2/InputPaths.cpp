//===- InputPaths.cpp - Python paths of the user's inputs -----------------===//
//
// The signature's in_spec is a pytree: JSON [1, {"type", "context",
// "children_spec"}], whose root is the tuple (args, kwargs). A leaf has the
// type null.
//
//===----------------------------------------------------------------------===//

#include "InputPaths.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace tc::pt2 {

/// The keys of a dictionary node, kept as JSON text in its context.
static std::vector<std::string> getKeys(const json::Object &spec) {
  std::vector<std::string> keys;
  Expected<json::Value> context =
      json::parse(spec.getString("context").value_or("[]"));
  if (!context) {
    consumeError(context.takeError());
    return keys;
  }
  if (const json::Array *array = context->getAsArray())
    for (const json::Value &key : *array) {
      if (std::optional<StringRef> text = key.getAsString())
        keys.push_back(("['" + *text + "']").str());
      else
        keys.push_back("[" + std::to_string(key.getAsInteger().value_or(0)) +
                       "]");
    }
  return keys;
}

/// Appends the path of each leaf under `spec`, "" where it has no path.
static void collectLeaves(const json::Value &value, const std::string &path,
                          std::vector<std::string> &leaves) {
  const json::Object *spec = value.getAsObject();
  if (!spec)
    return;
  std::optional<StringRef> type = spec->getString("type");
  if (!type) {
    leaves.push_back(path);
    return;
  }
  const json::Array *children = spec->getArray("children_spec");
  if (!children)
    return;
  std::vector<std::string> keys;
  bool isDictionary = type->ends_with("dict") || type->ends_with("Dict");
  bool isSequence = *type == "builtins.tuple" || *type == "builtins.list";
  if (isDictionary)
    keys = getKeys(*spec);
  for (size_t i = 0; i < children->size(); ++i) {
    std::string child;
    if (!path.empty() && isSequence)
      child = path + "[" + std::to_string(i) + "]";
    else if (!path.empty() && isDictionary && i < keys.size())
      child = path + keys[i];
    collectLeaves((*children)[i], child, leaves);
  }
}

/// The leaves of the positional arguments, then of the keyword arguments.
static std::vector<std::string>
collectArguments(const json::Value &document,
                 const std::vector<std::string> &names) {
  std::vector<std::string> leaves;
  const json::Array *versioned = document.getAsArray();
  const json::Object *root = versioned && versioned->size() == 2
                                 ? (*versioned)[1].getAsObject()
                                 : nullptr;
  const json::Array *both = root ? root->getArray("children_spec") : nullptr;
  if (!both || both->size() != 2)
    return leaves;
  if (const json::Object *positional = (*both)[0].getAsObject())
    if (const json::Array *children = positional->getArray("children_spec"))
      for (size_t i = 0; i < children->size(); ++i)
        collectLeaves((*children)[i],
                      i < names.size() ? "L['" + names[i] + "']" : "", leaves);
  collectLeaves((*both)[1], "L", leaves);
  return leaves;
}

void assignInputPaths(JsonCursor moduleCallGraph,
                      std::vector<InputSpec> &inputs) {
  moduleCallGraph.forEach([&](JsonCursor entry) {
    if (!entry.field("fqn").getString().empty() || !entry.has("signature"))
      return;
    JsonCursor signature = entry.field("signature");
    std::vector<std::string> names;
    if (signature.has("forward_arg_names"))
      names = signature.field("forward_arg_names").getList([](JsonCursor name) {
        return name.getString();
      });
    Expected<json::Value> document =
        json::parse(signature.field("in_spec").getString());
    if (!document)
      return signature.fail("in_spec is not valid JSON: " +
                            toString(document.takeError()));
    std::vector<std::string> leaves = collectArguments(*document, names);
    size_t next = 0;
    for (InputSpec &input : inputs)
      if ((input.kind == InputSpec::UserInput ||
           input.kind == InputSpec::ConstantInput) &&
          next < leaves.size())
        input.path = leaves[next++];
  });
}

bool samePath(StringRef inputPath, StringRef guardPath) {
  if (inputPath == guardPath)
    return true;
  // L['args_3']rest is L['args'][3]rest.
  StringRef head = inputPath.take_until([](char c) { return c == ']'; });
  StringRef rest = inputPath.drop_front(head.size());
  auto [name, number] = head.rsplit('_');
  return number.consume_back("'") && !number.empty() &&
         all_of(number, isDigit) && rest.consume_front("]") &&
         (name + "'][" + number + "]" + rest).str() == guardPath;
}

} // namespace tc::pt2
