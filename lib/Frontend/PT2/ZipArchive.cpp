//===- ZipArchive.cpp - stored zip entries in place -----------------------===//
//
// The format is PKWARE's APPNOTE.TXT 6.3.9: section 4.3 (records), 4.4 (their
// fields) and 4.5.3 (zip64 extra field). Only the central directory is trusted
// for sizes; the local header is read for the length of its variable part.
//
//===----------------------------------------------------------------------===//

#include "TC/Frontend/PT2/ZipArchive.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"

#include <optional>

using namespace llvm;

namespace tc::pt2 {

namespace {
constexpr uint32_t endOfDirectorySignature = 0x06054b50;
constexpr uint32_t zip64EndSignature = 0x06064b50;
constexpr uint32_t zip64LocatorSignature = 0x07064b50;
constexpr uint32_t directoryEntrySignature = 0x02014b50;
constexpr uint32_t localHeaderSignature = 0x04034b50;

constexpr uint64_t endOfDirectorySize = 22;
constexpr uint64_t zip64LocatorSize = 20;
constexpr uint64_t zip64EndSize = 56;
constexpr uint64_t directoryEntrySize = 46;
constexpr uint64_t localHeaderSize = 30;
constexpr uint64_t maximumCommentSize = 0xffff;

uint16_t read16(StringRef data, uint64_t at) {
  return support::endian::read16le(data.data() + at);
}
uint32_t read32(StringRef data, uint64_t at) {
  return support::endian::read32le(data.data() + at);
}
uint64_t read64(StringRef data, uint64_t at) {
  return support::endian::read64le(data.data() + at);
}

/// Whether `length` bytes from `at` lie inside `size` bytes, without overflow.
bool inside(uint64_t at, uint64_t length, uint64_t size) {
  return at <= size && length <= size - at;
}

Error failure(StringRef path, const Twine &message) {
  return createStringError(Twine(path) + ": " + message);
}

/// Where the central directory lies and how many entries it has.
struct Directory {
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t count = 0;
};

/// Searches backwards for the end record, which only a comment may follow.
std::optional<uint64_t> findEndOfDirectory(StringRef data) {
  if (data.size() < endOfDirectorySize)
    return std::nullopt;
  uint64_t last = data.size() - endOfDirectorySize;
  uint64_t first = last > maximumCommentSize ? last - maximumCommentSize : 0;
  for (uint64_t at = last + 1; at-- > first;)
    if (read32(data, at) == endOfDirectorySignature &&
        at + endOfDirectorySize + read16(data, at + 20) == data.size())
      return at;
  return std::nullopt;
}

Expected<Directory> readZip64End(StringRef path, StringRef data,
                                 uint64_t endRecord) {
  if (endRecord < zip64LocatorSize ||
      read32(data, endRecord - zip64LocatorSize) != zip64LocatorSignature)
    return failure(path, "the zip64 directory locator is missing; the file is "
                         "damaged, export it again");
  uint64_t at = read64(data, endRecord - zip64LocatorSize + 8);
  if (!inside(at, zip64EndSize, data.size()) ||
      read32(data, at) != zip64EndSignature)
    return failure(path, "the zip64 end record should be at byte " + Twine(at) +
                             " of " + Twine(data.size()) +
                             " but is not there; the file is damaged, export "
                             "it again");
  return Directory{read64(data, at + 48), read64(data, at + 40),
                   read64(data, at + 32)};
}

Expected<Directory> locateDirectory(StringRef path, StringRef data) {
  std::optional<uint64_t> end = findEndOfDirectory(data);
  if (!end)
    return failure(path, "not a zip archive (no end-of-directory record in " +
                             Twine(data.size()) +
                             " bytes); expected a file written by "
                             "torch.export.save, perhaps it was cut short");
  if (read16(data, *end + 4) != 0 && read16(data, *end + 4) != 0xffff)
    return failure(path, "a zip archive of several volumes is not supported; "
                         "join the volumes first");
  Directory directory{read32(data, *end + 16), read32(data, *end + 12),
                      read16(data, *end + 10)};
  if (directory.offset == 0xffffffff || directory.size == 0xffffffff ||
      directory.count == 0xffff) {
    Expected<Directory> wide = readZip64End(path, data, *end);
    if (!wide)
      return wide.takeError();
    directory = *wide;
  }
  if (!inside(directory.offset, directory.size, data.size()))
    return failure(path, "the zip directory (" + Twine(directory.size) +
                             " bytes at " + Twine(directory.offset) +
                             ") lies outside the file of " +
                             Twine(data.size()) +
                             " bytes; the file is damaged, export it again");
  // Each entry takes at least this much, so a hostile count is found here.
  if (directory.count > directory.size / directoryEntrySize)
    return failure(path, "the zip directory claims " + Twine(directory.count) +
                             " entries in " + Twine(directory.size) +
                             " bytes; the file is damaged, export it again");
  return directory;
}

/// Fields of a directory entry that a zip64 extra field may replace.
struct EntryFields {
  uint64_t size;
  uint64_t storedSize;
  uint64_t localOffset;
};

/// Reads the zip64 extra field (id 1): the 64-bit values of exactly those
/// fields whose 32-bit form is all ones, in this order.
bool readZip64Extra(StringRef extra, EntryFields &fields) {
  auto isWide = [](uint64_t value) { return value == 0xffffffff; };
  if (!isWide(fields.size) && !isWide(fields.storedSize) &&
      !isWide(fields.localOffset))
    return true;
  for (uint64_t at = 0; inside(at, 4, extra.size());) {
    uint16_t id = read16(extra, at), length = read16(extra, at + 2);
    at += 4;
    if (!inside(at, length, extra.size()))
      return false;
    if (id != 1) {
      at += length;
      continue;
    }
    uint64_t end = at + length;
    for (uint64_t *field :
         {&fields.size, &fields.storedSize, &fields.localOffset}) {
      if (!isWide(*field))
        continue;
      if (!inside(at, 8, end))
        return false;
      *field = read64(extra, at);
      at += 8;
    }
    return true;
  }
  return false;
}
} // namespace

Expected<std::unique_ptr<ZipArchive>> ZipArchive::open(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(
      path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return failure(path, "cannot be read: " + buffer.getError().message());
  return fromBuffer(std::move(*buffer));
}

Expected<std::unique_ptr<ZipArchive>>
ZipArchive::fromBuffer(std::unique_ptr<MemoryBuffer> buffer) {
  std::unique_ptr<ZipArchive> archive(new ZipArchive(std::move(buffer)));
  if (Error error = archive->readDirectory())
    return std::move(error);
  return std::move(archive);
}

const ZipEntry *ZipArchive::find(StringRef name) const {
  auto it = indexByName.find(name);
  return it == indexByName.end() ? nullptr : &entries[it->second];
}

Error ZipArchive::readDirectory() {
  Expected<Directory> directory =
      locateDirectory(getPath(), buffer->getBuffer());
  if (!directory)
    return directory.takeError();
  uint64_t position = directory->offset;
  uint64_t end = directory->offset + directory->size;
  entries.reserve(directory->count);
  for (uint64_t i = 0; i < directory->count; ++i)
    if (Error error = readDirectoryEntry(position, end))
      return error;
  return Error::success();
}

Error ZipArchive::readDirectoryEntry(uint64_t &position, uint64_t end) {
  StringRef data = buffer->getBuffer();
  if (!inside(position, directoryEntrySize, end) ||
      read32(data, position) != directoryEntrySignature)
    return failure(getPath(), "zip directory entry " + Twine(entries.size()) +
                                  " at byte " + Twine(position) +
                                  " is damaged; export the file again");
  uint16_t flags = read16(data, position + 8);
  uint16_t method = read16(data, position + 10);
  EntryFields fields{read32(data, position + 24), read32(data, position + 20),
                     read32(data, position + 42)};
  uint64_t nameLength = read16(data, position + 28);
  uint64_t extraLength = read16(data, position + 30);
  uint64_t commentLength = read16(data, position + 32);
  uint64_t variable = position + directoryEntrySize;
  if (!inside(variable, nameLength + extraLength + commentLength, end))
    return failure(getPath(), "zip directory entry " + Twine(entries.size()) +
                                  " is longer than the directory; the file is "
                                  "damaged, export it again");
  StringRef name = data.substr(variable, nameLength);
  StringRef extra = data.substr(variable + nameLength, extraLength);
  position = variable + nameLength + extraLength + commentLength;

  if (flags & 1)
    return failure(getPath(), "entry '" + name +
                                  "' is encrypted; expected a plain archive "
                                  "written by torch.export.save");
  if (method != 0)
    return failure(getPath(),
                   "entry '" + name + "' is compressed (method " +
                       Twine(method) +
                       "); expected stored entries as torch.export.save "
                       "writes them, repack the archive with 'zip -0'");
  if (!readZip64Extra(extra, fields))
    return failure(getPath(), "entry '" + name +
                                  "' has no valid zip64 sizes; the file is "
                                  "damaged, export it again");
  if (fields.size != fields.storedSize)
    return failure(getPath(), "stored entry '" + name + "' has " +
                                  Twine(fields.storedSize) +
                                  " bytes in the archive but claims " +
                                  Twine(fields.size) +
                                  "; the file is damaged, export it again");
  uint64_t local = fields.localOffset;
  if (!inside(local, localHeaderSize, data.size()) ||
      read32(data, local) != localHeaderSignature)
    return failure(getPath(), "entry '" + name + "' has no header at byte " +
                                  Twine(local) +
                                  "; the file is damaged, export it again");
  uint64_t begin = local + localHeaderSize + read16(data, local + 26) +
                   read16(data, local + 28);
  if (!inside(begin, fields.size, data.size()))
    return failure(getPath(), "entry '" + name + "' (" + Twine(fields.size) +
                                  " bytes at " + Twine(begin) +
                                  ") lies outside the file of " +
                                  Twine(data.size()) +
                                  " bytes; the file is damaged, export it "
                                  "again");
  if (!indexByName.try_emplace(name, entries.size()).second)
    return failure(getPath(), "entry '" + name +
                                  "' appears twice; the file is damaged, "
                                  "export it again");
  entries.push_back({name.str(), data.substr(begin, fields.size), begin});
  return Error::success();
}

} // namespace tc::pt2
