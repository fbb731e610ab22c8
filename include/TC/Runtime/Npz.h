//===- Npz.h - Arrays of .npz files -----------------------------*- C++ -*-===//

#ifndef TC_RUNTIME_NPZ_H
#define TC_RUNTIME_NPZ_H

#include "TC/Runtime/Npy.h"

namespace tc::runtime {

/// Reads all arrays of an .npz file, names without ".npy", in the file's order.
Expected<std::vector<NamedTensor>>
readNpz(const std::string &path,
        std::optional<DType> expectedDType = std::nullopt);

/// Writes an .npz file as numpy.savez does, not compressed.
Status writeNpz(const std::string &path, std::span<const NamedTensor> tensors);

} // namespace tc::runtime

#endif // TC_RUNTIME_NPZ_H
