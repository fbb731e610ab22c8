//===- SafeTensors.h - safetensors files ------------------------*- C++ -*-===//
//
// The format: an 8-byte length, a JSON header of that length, the elements.
// https://github.com/huggingface/safetensors#format
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SAFETENSORS_H
#define TC_RUNTIME_SAFETENSORS_H

#include "TC/Runtime/Tensor.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace tc::runtime {

struct SafeTensors {
  std::vector<NamedTensor> tensors; ///< in the header's order
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The tensor of that name, or null.
  const Tensor *find(std::string_view name) const;
};

/// Maps a file. The tensors are read-only views of the mapping and aligned only
/// as the file is. A dtype that TC has no type for is an error.
Expected<SafeTensors> readSafeTensors(const std::string &path);

/// Writes a file; replaces it. Every tensor begins at a multiple of 8 bytes if
/// the sizes of those before it allow, the first at a multiple of 64.
Status writeSafeTensors(const std::string &path, const SafeTensors &content);

} // namespace tc::runtime

#endif // TC_RUNTIME_SAFETENSORS_H
