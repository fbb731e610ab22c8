//===- OperatorSchema.h - what ATen's overloads take ------------*- C++ -*-===//
//
// The arguments, defaults and alias annotations of ATen's overloads, from the
// embedded table AtenSchemas.inc (utils/list_aten_schemas.py makes it).
//
//===----------------------------------------------------------------------===//

#ifndef TC_FRONTEND_PT2_OPERATORSCHEMA_H
#define TC_FRONTEND_PT2_OPERATORSCHEMA_H

#include "TC/Frontend/PT2/ExportedProgram.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace tc::pt2 {

/// An argument or result of an overload: `Tensor(a!) self`, `int[2] size=1`.
struct SchemaValue {
  /// "Tensor", "Scalar", "SymInt", "float", "ScalarType", "str", ...
  std::string type;
  std::string name;
  bool isOptional = false;        ///< Tensor?, int[]?
  bool isList = false;            ///< Tensor[], int[2]
  bool isElementOptional = false; ///< Tensor?[]
  bool isKeywordOnly = false;
  /// The alias set ("a"), empty for a value that shares no memory.
  std::string aliasSet;
  bool isMutated = false; ///< Tensor(a!)
  std::optional<Argument> defaultValue;
};

/// An overload such as add.Tensor.
struct OperatorSchema {
  std::string name;
  std::vector<SchemaValue> arguments;
  std::vector<SchemaValue> results;
  /// Whether each element of the result is made of the operands' elements at
  /// its place, sizes of 1 repeated.
  bool isElementwise = false;

  /// Whether the call writes to an argument, which an `out` is as well.
  bool mutates() const;
  /// Whether a result may share memory with an argument it does not write.
  bool returnsView() const;
};

/// Parses `name(arguments) -> results` as PyTorch prints schemas.
llvm::Expected<OperatorSchema> parseOperatorSchema(llvm::StringRef text);

/// The schema of an overload of ATen ("add.Tensor"), or null if the table does
/// not list it. Parsed on first use; may be called from any thread.
const OperatorSchema *findOperatorSchema(llvm::StringRef overload);

/// The target of calls of an overload: "aten.add.Tensor". Operators of other
/// libraries have the library's name in front: "transformers.x.default".
std::string getCallTarget(llvm::StringRef overload);

/// The overload that gives as results what `schema` writes to its arguments:
/// add.Tensor of add_.Tensor and of add.out, and
/// _native_batch_norm_legit_functional of _native_batch_norm_legit. It takes
/// arguments of the same types in the same order, without those that are there
/// to be written (`out`), and its results are those of `schema` that are new,
/// then the mutated arguments in order. Null where the table has none.
const OperatorSchema *findFunctionalTwin(const OperatorSchema &schema);

/// Whether a call takes the argument only to write to it (`out`).
bool isOutArgument(const SchemaValue &argument);

/// All overloads of the table, sorted by name.
std::vector<llvm::StringRef> listOperatorOverloads();

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_OPERATORSCHEMA_H
