//===- TensorSpec.h - Tensors on a command line -----------------*- C++ -*-===//
//
// The notation of IREE's --input= and --output= options.
//
// An input is one of
//   2x3xf32=1 2 3 4 5 6      elements in row-major order; commas and brackets,
//   2x3xf32=[1 2 3][4 5 6]   as in the printed form, only separate
//   4xi32=7                  one value for all elements
//   4xi32                    zeros
//   f32=3.5                  a scalar
//   3.5                      a scalar of the type the caller expects, else f32
//   7                        the same, else i64
//   2x3xbf16=@file.bin       the raw bytes of a file
//   2x3xbf16=@file.npy       an array that must have this type
//   @file.npy                all arrays of the file; *file.npy is the same
//   @file.npz                all arrays of the archive
// A complex element is written as in Python, 1+2j. Booleans are 0, 1, false or
// true. Integers must fit their type and may be hexadecimal, 0x1f.
//
// An output is one of
//   (nothing)                ignored
//   -                        printed
//   @file.npy, +file.npy     written to a file, appended to one
//   @file.bin, +file.bin     the raw bytes
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_TENSORSPEC_H
#define TC_RUNTIME_TENSORSPEC_H

#include "TC/Runtime/Tensor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::runtime {

/// A dtype and sizes, as in "2x3xf32".
struct TensorType {
  DType dtype = DType::F32;
  std::vector<int64_t> sizes;
};

/// Parses "2x3xf32".
Expected<TensorType> parseTensorType(std::string_view text);

/// Parses one input, which may give several tensors. `expectedDType` is that of
/// the argument, if known: for bare scalars and for npy files of bf16 and f8.
Expected<std::vector<Tensor>>
parseInputSpec(std::string_view spec,
               std::optional<DType> expectedDType = std::nullopt);

/// What to do with an output.
struct OutputSpec {
  enum class Action { Ignore, Print, WriteNpy, WriteRaw };
  Action action = Action::Print;
  std::string path;
  bool append = false;
};

Expected<OutputSpec> parseOutputSpec(std::string_view spec);

/// Writes the tensor as the spec says; printed text is appended to `text`.
Status writeOutput(const OutputSpec &spec, const Tensor &tensor,
                   std::string &text);

} // namespace tc::runtime

#endif // TC_RUNTIME_TENSORSPEC_H
