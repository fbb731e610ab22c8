//===- Manifest.h - What a compiled module holds ----------------*- C++ -*-===//
//
// Everything a caller has to know of a compiled module: its functions with
// their inputs and outputs, and its parameters.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_MANIFEST_H
#define TC_RUNTIME_MANIFEST_H

#include "TC/Runtime/DType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tc::runtime {

/// One size of a tensor: a number, or an expression in the function's symbols.
struct ManifestSize {
  std::string text; ///< "8" or "s0 * 4"
  std::optional<int64_t> constant;
};

struct ManifestTensor {
  std::string name; ///< in the user's program; may be empty
  DType dtype = DType::F32;
  std::vector<ManifestSize> sizes;

  /// "s0x8xf32"
  std::string typeString() const;
};

/// A step of computing an expression on a stack of values.
struct ManifestStep {
  enum Kind {
    Constant, ///< pushes `value`
    Symbol,   ///< pushes the symbol with the number `value`
    Add,      ///< these replace the two values on top
    Multiply,
    FloorDivide,
    Modulo,
    Minimum,
    Maximum
  } kind;
  int64_t value = 0;
};

/// A stride, in elements.
struct ManifestStride : ManifestSize {
  std::vector<ManifestStep> steps; ///< how calls compute it
};

struct ManifestInput : ManifestTensor {
  /// One for each dimension; empty for row-major.
  std::vector<ManifestStride> strides;
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

/// Where a call gives a symbol its value: a size or stride of an input is
/// `factor` times the symbol plus `offset`.
struct ManifestBinding {
  size_t symbol, input, dim;
  bool isStride;
  int64_t factor, offset;
};

struct ManifestFunction {
  std::string name;
  std::vector<ManifestInput> inputs;
  std::vector<ManifestOutput> outputs;
  std::vector<ManifestSymbol> symbols;
  /// For the symbols that strides of inputs have, in the order in which the
  /// values are found.
  std::vector<ManifestBinding> bindings;
  /// The parameters it reads, as numbers in tc_call::parameters.
  std::vector<int32_t> parameters;
  int64_t launches = 0;
  std::string arenaBytes; ///< an expression in the symbols; "0" for none

  /// The outputs that replace no input and no buffer.
  size_t userOutputCount() const;
  /// "main(x: 4x8xf32, y: s0x2xf32 strides [8, 1]) -> (4x8xf32)"
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
  /// A file with the value at an offset; empty where @tc.prepare is to run.
  std::string file;
  uint64_t offset = 0;
};

/// One launch of a kernel, as it was after phase fuse.
struct ManifestKernel {
  std::string function;
  std::string name;
  std::string kernelClass; ///< "pointwise", "contraction", ...
  std::string schedule;    ///< as the attribute prints; empty for none
};

struct Manifest {
  std::vector<ManifestFunction> functions;
  /// @tc.prepare, which the runtime calls and users do not.
  std::optional<ManifestFunction> prepare;
  /// In the order of tc_call::parameters, where the prepared values follow.
  std::vector<ManifestParameter> parameters;
  std::vector<ManifestPrepared> prepared;
  /// fingerprintOf the parameters that files of prepared values are made of.
  int64_t fingerprint = 0;
  std::vector<ManifestKernel> kernels; ///< in the order of the module

  const ManifestFunction *find(const std::string &name) const;
  /// "main, step", for messages.
  std::string functionNames() const;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_MANIFEST_H
