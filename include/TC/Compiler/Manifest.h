//===- Manifest.h - What a compiled module holds ----------------*- C++ -*-===//
//
// Everything a caller has to know of a compiled module, without MLIR: its
// functions with their inputs and outputs, and its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_MANIFEST_H
#define TC_COMPILER_MANIFEST_H

#include "TC/Runtime/DType.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
}

namespace tc {

/// One size of a tensor: a number, or an expression in the function's symbols.
struct ManifestSize {
  std::string text; ///< "8" or "s0 * 4"
  std::optional<int64_t> constant;
};

struct ManifestTensor {
  std::string name; ///< in the user's program; may be empty
  runtime::DType dtype = runtime::DType::F32;
  std::vector<ManifestSize> sizes;

  /// "s0x8xf32"
  std::string typeString() const;
};

/// An output of a function. Those that are new values of inputs or buffers
/// come after the user's.
struct ManifestOutput : ManifestTensor {
  /// The value that this one replaces: the number of an input, "0", or the name
  /// of a parameter after an '@', "@running_mean"; empty for the user's
  /// outputs.
  std::string mutates;
};

struct ManifestSymbol {
  std::string name;
  int64_t minimum = 0;
  int64_t maximum = INT64_MAX;
  int64_t divisor = 1;
};

struct ManifestFunction {
  std::string name;
  std::vector<ManifestTensor> inputs;
  std::vector<ManifestOutput> outputs;
  std::vector<ManifestSymbol> symbols;
  /// The parameters it reads, as numbers in tc_call::parameters.
  std::vector<int32_t> parameters;
  int64_t launches = 0;
  std::string arenaBytes; ///< an expression in the symbols; "0" for none

  /// The outputs that replace no input and no buffer.
  size_t userOutputCount() const;
  /// "main(x: 4x8xf32, y: s0xf32) -> (4x8xf32)"
  std::string signature() const;
};

/// A weight, buffer or constant: the file and the bytes of its elements.
struct ManifestParameter : ManifestTensor {
  std::string file;
  uint64_t offset = 0;
  std::vector<int64_t> strides; ///< empty for row-major
  std::string role;
};

/// A value that @tc.prepare computes from parameters.
struct ManifestPrepared : ManifestTensor {
  int32_t output = 0; ///< of @tc.prepare
};

struct Manifest {
  std::vector<ManifestFunction> functions;
  /// @tc.prepare, which the runtime calls and users do not.
  std::optional<ManifestFunction> prepare;
  /// In the order of tc_call::parameters, where the prepared values follow.
  std::vector<ManifestParameter> parameters;
  std::vector<ManifestPrepared> prepared;

  const ManifestFunction *find(const std::string &name) const;
  /// "main, step", for messages.
  std::string functionNames() const;
};

/// The parameters that a module declares, at any phase.
std::vector<ManifestParameter> readParameters(mlir::ModuleOp module);

/// Reads the manifest off a module that has run the emit phase.
Manifest readManifest(mlir::ModuleOp module);

/// The manifest of a module at any phase: public functions and parameters, but
/// launches and arena only after emit.
Manifest readInterface(mlir::ModuleOp module);

/// Fails, naming the function and the output, unless what each output replaces
/// is there and has its type, and outputs that replace something are the last.
llvm::Error checkMutations(const Manifest &manifest);

} // namespace tc

#endif // TC_COMPILER_MANIFEST_H
