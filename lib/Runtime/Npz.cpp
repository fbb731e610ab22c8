//===- Npz.cpp - Archives of numpy's array files --------------------------===//

#include "TC/Runtime/Npz.h"
#include "TC/Runtime/Zip.h"

using namespace tc::runtime;

static constexpr std::string_view suffix = ".npy";

Expected<std::vector<NamedTensor>>
tc::runtime::readNpz(const std::string &path,
                     std::optional<DType> expectedDType) {
  Expected<ZipReader> archive = ZipReader::open(path);
  if (!archive.ok())
    return archive.takeStatus();
  std::vector<NamedTensor> tensors;
  for (const ZipEntry &entry : archive->entries()) {
    StorageRef keepAlive;
    Expected<std::span<const char>> bytes = archive->read(entry, keepAlive);
    if (!bytes.ok())
      return bytes.takeStatus();
    size_t offset = 0;
    Expected<Tensor> tensor =
        parseNpy(*bytes, offset, path + ":" + entry.name, expectedDType);
    if (!tensor.ok())
      return tensor.takeStatus();
    std::string name = entry.name;
    if (name.ends_with(suffix))
      name.resize(name.size() - suffix.size());
    tensors.emplace_back(std::move(name), *std::move(tensor));
  }
  return tensors;
}

Status tc::runtime::writeNpz(const std::string &path,
                             std::span<const NamedTensor> tensors) {
  std::vector<Tensor> rowMajor;
  std::vector<std::string> headers;
  for (const auto &[name, tensor] : tensors) {
    Expected<Tensor> contiguous = tensor.contiguous();
    if (!contiguous.ok())
      return contiguous.takeStatus();
    rowMajor.push_back(*std::move(contiguous));
    headers.push_back(encodeNpyHeader(tensor.dtype(), tensor.sizes()));
  }
  std::vector<ZipContent> entries;
  for (size_t i = 0; i < tensors.size(); ++i)
    entries.push_back(
        {tensors[i].first + std::string(suffix),
         {headers[i],
          {rowMajor[i].dataAs<const char>(), rowMajor[i].byteCount()}}});
  return writeZip(path, entries);
}
