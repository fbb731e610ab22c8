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

  /// Whether the call writes to an argument.
  bool mutates() const;
  /// Whether a result may share memory with an argument it does not write.
  bool returnsView() const;
};

/// Parses `name(arguments) -> results` as PyTorch prints schemas.
llvm::Expected<OperatorSchema> parseOperatorSchema(llvm::StringRef text);

/// The schema of an overload of ATen ("add.Tensor"), or null if the table does
/// not list it. Parsed on first use; may be called from any thread.
const OperatorSchema *findOperatorSchema(llvm::StringRef overload);

/// All overloads of the table, sorted by name.
std::vector<llvm::StringRef> listOperatorOverloads();

} // namespace tc::pt2

#endif // TC_FRONTEND_PT2_OPERATORSCHEMA_H
