//===- ZipArchive.cpp - stored zip entries in place -----------------------===//

#include "TC/Frontend/PT2/ZipArchive.h"
#include "TC/Runtime/Zip.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;
using tc::runtime::ZipReader;

namespace tc::pt2 {

static Error failure(StringRef path, const Twine &message) {
  return createStringError(Twine(path) + ": " + message);
}

ZipArchive::ZipArchive(StringRef path, std::unique_ptr<ZipReader> reader)
    : path(path), reader(std::move(reader)) {}
ZipArchive::~ZipArchive() = default;

Expected<std::unique_ptr<ZipArchive>>
ZipArchive::make(StringRef path, runtime::Expected<ZipReader> reader) {
  if (!reader.ok())
    return createStringError(
        reader.error().message() +
        (reader.error().code() == runtime::ErrorCode::CorruptData
             ? "; expected a file written by torch.export.save"
             : ""));
  std::unique_ptr<ZipArchive> archive(
      new ZipArchive(path, std::make_unique<ZipReader>(*std::move(reader))));
  for (const runtime::ZipEntry &entry : archive->reader->entries())
    if (Error error = archive->add(entry))
      return std::move(error);
  return std::move(archive);
}

Expected<std::unique_ptr<ZipArchive>> ZipArchive::open(StringRef path) {
  return make(path, ZipReader::open(path.str()));
}

Expected<std::unique_ptr<ZipArchive>>
ZipArchive::fromBuffer(std::unique_ptr<MemoryBuffer> buffer) {
  std::string path = buffer->getBufferIdentifier().str();
  auto *bytes = const_cast<char *>(buffer->getBufferStart());
  size_t size = buffer->getBufferSize();
  runtime::StorageRef storage = runtime::wrapForeignMemory(
      bytes, size,
      [](void *context) { delete static_cast<MemoryBuffer *>(context); },
      buffer.release());
  return make(path, ZipReader::fromStorage(std::move(storage), path));
}

const ZipEntry *ZipArchive::find(StringRef name) const {
  auto it = indexByName.find(name);
  return it == indexByName.end() ? nullptr : &entries[it->second];
}

Error ZipArchive::add(const runtime::ZipEntry &entry) {
  StringRef name = entry.name;
  if (entry.flags & 1)
    return failure(path, "entry '" + name +
                             "' is encrypted; expected a plain archive "
                             "written by torch.export.save");
  if (entry.method != 0)
    return failure(path, "entry '" + name + "' is compressed (method " +
                             Twine(entry.method) +
                             "); expected stored entries as torch.export.save "
                             "writes them, repack the archive with 'zip -0'");
  if (entry.bytes != entry.packedBytes)
    return failure(
        path, "stored entry '" + name + "' has " + Twine(entry.packedBytes) +
                  " bytes in the archive but claims " + Twine(entry.bytes) +
                  "; the file is damaged, export it again");
  runtime::Expected<std::span<const char>> bytes = reader->packedBytes(entry);
  if (!bytes.ok())
    return createStringError(bytes.error().message() + "; export it again");
  if (!indexByName.try_emplace(name, entries.size()).second)
    return failure(path, "entry '" + name +
                             "' appears twice; the file is damaged, "
                             "export it again");
  const auto *file = static_cast<const char *>(reader->mapping()->data);
  entries.push_back({entry.name, StringRef(bytes->data(), bytes->size()),
                     uint64_t(bytes->data() - file)});
  return Error::success();
}

} // namespace tc::pt2
