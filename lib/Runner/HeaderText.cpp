//===- HeaderText.cpp - An artefact's functions in C ----------------------===//

#include "HeaderText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace tc;
using llvm::StringRef;

/// A name with an underscore in the place of each character that C's have not.
static std::string makeName(StringRef text) {
  std::string name;
  for (char c : text)
    name += llvm::isAlnum(c) ? c : '_';
  if (name.empty() || llvm::isDigit(name.front()))
    name.insert(name.begin(), '_');
  return name;
}

/// The names of the parameters for inputs: those of the user's program, or
/// "input0"; no two are the same, and none is one of the function's own.
static std::vector<std::string> nameInputs(const ManifestFunction &function) {
  llvm::StringSet<> taken;
  for (StringRef own : {"artefact", "inputs", "outputs", "error"})
    taken.insert(own);
  std::vector<std::string> names;
  for (auto [index, input] : llvm::enumerate(function.inputs)) {
    std::string number = std::to_string(index);
    // Keywords of C and C++ have no underscore at their end.
    std::string name =
        input.name.empty() ? "input" + number : makeName(input.name) + "_";
    while (!taken.insert(name).second)
      name += number;
    names.push_back(name);
  }
  return names;
}

static void writeFunction(llvm::raw_ostream &os,
                          const ManifestFunction &function, size_t number,
                          const std::string &name) {
  const std::vector<std::string> inputs = nameInputs(function);
  os << "\n/**\n * " << function.signature()
     << "\n *\n * `outputs` has room for " << function.outputs.size()
     << "; they are the caller's to free.\n";
  for (auto [index, output] : llvm::enumerate(function.outputs))
    if (!output.mutates.empty())
      os << " * Output " << index << " is the new value of " << output.mutates
         << ".\n";
  os << " */\nstatic inline tc_error *" << name
     << "(const tc_artefact *artefact";
  for (const std::string &input : inputs)
    os << ", const tc_array *" << input;
  os << ", tc_array **outputs) {\n";
  if (inputs.empty())
    os << "  const tc_array *const *inputs = NULL;\n";
  else
    os << "  const tc_array *inputs[] = {" << llvm::join(inputs, ", ")
       << "};\n";
  os << "  return tc_artefact_call(artefact, " << number << ", inputs, "
     << inputs.size() << ", outputs, " << function.outputs.size() << ");\n}\n";
}

std::string runner::makeHeader(const Manifest &manifest, StringRef prefix) {
  std::string text;
  llvm::raw_string_ostream os(text);
  const std::string begin = makeName(prefix);
  const std::string guard = "TC_ARTEFACT_" + StringRef(begin).upper() + "_H";
  os << "/* The functions of an artefact, written by tc-compile. */\n\n"
     << "#ifndef " << guard << "\n#define " << guard
     << "\n\n#include \"tc-c/Artefact.h\"\n"
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n";
  for (auto [number, function] : llvm::enumerate(manifest.functions))
    writeFunction(os, function, number, begin + "_" + makeName(function.name));
  os << "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
