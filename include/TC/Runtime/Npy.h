//===- Npy.h - numpy's array files ------------------------------*- C++ -*-===//
//
// The .npy format, versions 1.0 to 3.0, and .npz archives of such files.
//
// numpy has no bf16 and f8. What numpy.save makes of ml_dtypes' types is read:
// V2 as bf16, f1 as f8E5M2, and V1 as the 8-bit type that the caller expects.
// They are written as V2 and V1, which numpy.load takes: view the array as the
// ml_dtypes type then.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_NPY_H
#define TC_RUNTIME_NPY_H

#include "TC/Runtime/Tensor.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tc::runtime {

/// Reads the array that begins at `offset` of `bytes` and moves `offset` past
/// it. Messages call the data `name`. With `expectedDType`, V1 and V2
/// are read as that dtype, and any other dtype must be that one. Big-endian
/// data is swapped; Fortran order becomes row-major.
Expected<Tensor> parseNpy(std::span<const char> bytes, size_t &offset,
                          std::string_view name,
                          std::optional<DType> expectedDType = std::nullopt);

/// Reads a file that holds one array.
Expected<Tensor> readNpy(const std::string &path,
                         std::optional<DType> expectedDType = std::nullopt);

/// Reads a file that holds one array after the other, at least one.
Expected<std::vector<Tensor>>
readNpyStream(const std::string &path,
              std::optional<DType> expectedDType = std::nullopt);

/// The magic string, version and header that numpy.save writes.
std::string encodeNpyHeader(DType dtype, Extents sizes);

/// Writes one array; replaces the file.
Status writeNpy(const std::string &path, const Tensor &tensor);
/// Appends one array to the file.
Status appendNpy(const std::string &path, const Tensor &tensor);

} // namespace tc::runtime

#endif // TC_RUNTIME_NPY_H
