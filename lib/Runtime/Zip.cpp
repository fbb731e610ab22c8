//===- Zip.cpp - Zip archives ---------------------------------------------===//
//
// The format: APPNOTE.TXT of PKWARE, version 6.3. Numbers are little-endian.
//
//===----------------------------------------------------------------------===//

#include "TC/Runtime/Zip.h"
#include "TC/Runtime/MappedFile.h"
#include "TC/Runtime/MemoryPool.h"

#include <algorithm>
#include <array>
#include <cstring>

#if TC_RUNTIME_HAS_ZLIB
#include <zlib.h>
#endif

using namespace tc::runtime;

namespace {

constexpr uint32_t localSignature = 0x04034b50;
constexpr uint32_t entrySignature = 0x02014b50;
constexpr uint32_t endSignature = 0x06054b50;
constexpr uint32_t end64Signature = 0x06064b50;
constexpr uint32_t locator64Signature = 0x07064b50;
constexpr size_t localBytes = 30, entryBytes = 46, endBytes = 22;
constexpr size_t end64Bytes = 56, locator64Bytes = 20;
constexpr uint16_t zip64Tag = 1;
constexpr uint32_t inZip64 = 0xffffffff; ///< the number is in the zip64 field

template <typename T> T loadAt(std::span<const char> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

/// Replaces the numbers that did not fit by those of the zip64 field. They are
/// there only, and in this order, for each that did not fit.
bool readZip64Field(std::span<const char> extra, ZipEntry &entry) {
  while (extra.size() >= 4) {
    const auto tag = loadAt<uint16_t>(extra, 0);
    const size_t length = loadAt<uint16_t>(extra, 2);
    if (length > extra.size() - 4)
      return false;
    std::span<const char> field = extra.subspan(4, length);
    extra = extra.subspan(4 + length);
    if (tag != zip64Tag)
      continue;
    for (uint64_t *number :
         {&entry.bytes, &entry.packedBytes, &entry.headerOffset}) {
      if (*number != inZip64)
        continue;
      if (field.size() < 8)
        return false;
      *number = loadAt<uint64_t>(field, 0);
      field = field.subspan(8);
    }
    return true;
  }
  return true;
}

} // namespace

uint32_t tc::runtime::checksumCRC32(std::span<const char> bytes,
                                    uint32_t previous) {
  // tables[k][b]: the effect of byte b followed by k zero bytes.
  static const auto tables = [] {
    std::array<std::array<uint32_t, 256>, 8> result{};
    for (uint32_t b = 0; b < 256; ++b) {
      uint32_t value = b;
      for (int bit = 0; bit < 8; ++bit)
        value = value & 1 ? 0xedb88320u ^ (value >> 1) : value >> 1;
      result[0][b] = value;
    }
    for (size_t k = 1; k < 8; ++k)
      for (size_t b = 0; b < 256; ++b) {
        const uint32_t value = result[k - 1][b];
        result[k][b] = result[0][value & 255] ^ (value >> 8);
      }
    return result;
  }();
  uint32_t checksum = ~previous;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    const uint64_t word = loadAt<uint64_t>(bytes, i) ^ checksum;
    checksum = 0;
    for (size_t k = 0; k < 8; ++k)
      checksum ^= tables[7 - k][(word >> (8 * k)) & 255];
  }
  for (; i < bytes.size(); ++i)
    checksum =
        tables[0][(checksum ^ static_cast<unsigned char>(bytes[i])) & 255] ^
        (checksum >> 8);
  return ~checksum;
}

Status ZipReader::corrupt(const std::string &reason) const {
  return Status(ErrorCode::CorruptData,
                "'" + path + "' is a damaged zip archive: " + reason);
}

Expected<ZipReader> ZipReader::open(const std::string &path) {
  Expected<StorageRef> file = mapFile(path);
  if (!file.ok())
    return file.takeStatus();
  return fromStorage(*std::move(file), path);
}

Expected<ZipReader> ZipReader::fromStorage(StorageRef file, std::string path) {
  ZipReader reader;
  reader.path = std::move(path);
  reader.file = std::move(file);
  if (Status status = reader.readDirectory(); !status.ok())
    return status;
  return reader;
}

Status ZipReader::readDirectory() {
  const std::span<const char> bytes = bytesOf(file);
  // The end record is last but for a comment of at most 65535 bytes.
  if (bytes.size() < endBytes)
    return corrupt("it is shorter than an empty archive");
  size_t end = bytes.size() - endBytes;
  const size_t lowest = end > 65535 ? end - 65535 : 0;
  while (loadAt<uint32_t>(bytes, end) != endSignature)
    if (end-- == lowest)
      return corrupt("it has no directory");
  uint64_t count = loadAt<uint16_t>(bytes, end + 10);
  uint64_t directoryBytes = loadAt<uint32_t>(bytes, end + 12);
  uint64_t offset = loadAt<uint32_t>(bytes, end + 16);
  if (end >= locator64Bytes &&
      loadAt<uint32_t>(bytes, end - locator64Bytes) == locator64Signature) {
    const auto end64 = loadAt<uint64_t>(bytes, end - locator64Bytes + 8);
    if (end64 > bytes.size() || bytes.size() - end64 < end64Bytes ||
        loadAt<uint32_t>(bytes, end64) != end64Signature)
      return corrupt("its zip64 end record is missing");
    count = loadAt<uint64_t>(bytes, end64 + 32);
    directoryBytes = loadAt<uint64_t>(bytes, end64 + 40);
    offset = loadAt<uint64_t>(bytes, end64 + 48);
  }
  if (offset > bytes.size() || directoryBytes > bytes.size() - offset)
    return corrupt("its directory reaches beyond its end");
  if (const auto volume = loadAt<uint16_t>(bytes, end + 4);
      volume != 0 && volume != 0xffff)
    return Status(ErrorCode::Unsupported,
                  "'" + path + "' is one of several volumes; join them first");

  std::span<const char> rest = bytes.subspan(offset, directoryBytes);
  for (uint64_t i = 0; i < count; ++i) {
    if (rest.size() < entryBytes || loadAt<uint32_t>(rest, 0) != entrySignature)
      return corrupt("entry " + std::to_string(i) + " of " +
                     std::to_string(count) + " is not in the directory");
    const size_t nameBytes = loadAt<uint16_t>(rest, 28);
    const size_t extraBytes = loadAt<uint16_t>(rest, 30);
    const size_t commentBytes = loadAt<uint16_t>(rest, 32);
    const size_t length = entryBytes + nameBytes + extraBytes + commentBytes;
    if (rest.size() < length)
      return corrupt("its directory ends inside entry " + std::to_string(i));
    ZipEntry entry;
    entry.flags = loadAt<uint16_t>(rest, 8);
    entry.method = loadAt<uint16_t>(rest, 10);
    entry.checksum = loadAt<uint32_t>(rest, 16);
    entry.packedBytes = loadAt<uint32_t>(rest, 20);
    entry.bytes = loadAt<uint32_t>(rest, 24);
    entry.headerOffset = loadAt<uint32_t>(rest, 42);
    entry.name.assign(rest.data() + entryBytes, nameBytes);
    if (!readZip64Field(rest.subspan(entryBytes + nameBytes, extraBytes),
                        entry))
      return corrupt("the sizes of entry '" + entry.name + "' are missing");
    directory.push_back(std::move(entry));
    rest = rest.subspan(length);
  }
  return Status::success();
}

const ZipEntry *ZipReader::find(std::string_view name) const {
  for (const ZipEntry &entry : directory)
    if (entry.name == name)
      return &entry;
  return nullptr;
}

Expected<std::span<const char>>
ZipReader::packedBytes(const ZipEntry &entry) const {
  const std::span<const char> bytes = bytesOf(file);
  const uint64_t offset = entry.headerOffset;
  if (offset > bytes.size() || bytes.size() - offset < localBytes ||
      loadAt<uint32_t>(bytes, offset) != localSignature)
    return corrupt("the header of entry '" + entry.name + "' is missing");
  const uint64_t begin = offset + localBytes +
                         loadAt<uint16_t>(bytes, offset + 26) +
                         loadAt<uint16_t>(bytes, offset + 28);
  if (begin > bytes.size() || entry.packedBytes > bytes.size() - begin)
    return corrupt("entry '" + entry.name + "' of " +
                   std::to_string(entry.packedBytes) +
                   " bytes reaches beyond its end");
  return bytes.subspan(begin, entry.packedBytes);
}

/// Unpacks all of `packed`; false unless that gives exactly `target`'s size.
static bool inflateInto(std::span<const char> packed, std::span<char> target) {
#if TC_RUNTIME_HAS_ZLIB
  z_stream stream{};
  // Negative: deflate data without zlib's own header.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return false;
  constexpr size_t most = size_t(1) << 30; // zlib counts in 32 bits
  int result = Z_OK;
  char spare; // zlib needs room for output even when nothing is left to write
  while (result == Z_OK) {
    const size_t input = std::min(packed.size(), most);
    const size_t output = std::min(target.size(), most);
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(packed.data()));
    stream.avail_in = uInt(input);
    stream.next_out =
        reinterpret_cast<Bytef *>(output ? target.data() : &spare);
    stream.avail_out = uInt(output ? output : 1);
    result = inflate(&stream, Z_NO_FLUSH);
    packed = packed.subspan(input - stream.avail_in);
    if (output)
      target = target.subspan(output - stream.avail_out);
    else if (stream.avail_out == 0)
      break; // more than was announced
  }
  inflateEnd(&stream);
  return result == Z_STREAM_END && target.empty();
#else
  return false;
#endif
}

Expected<std::span<const char>> ZipReader::read(const ZipEntry &entry,
                                                StorageRef &keepAlive) const {
  Expected<std::span<const char>> packed = packedBytes(entry);
  if (!packed.ok())
    return packed;
  std::span<const char> content = *packed;
  const std::string quoted = "entry '" + entry.name + "'";
  if (entry.flags & 1)
    return Status(ErrorCode::Unsupported,
                  "'" + path + "': " + quoted + " is encrypted");
  if (entry.method == 0) {
    if (entry.bytes != entry.packedBytes)
      return corrupt("the two sizes of stored " + quoted + " differ");
    keepAlive = file;
  } else if (entry.method == 8 && TC_RUNTIME_HAS_ZLIB) {
    // Deflate packs at most about 1032 to 1; a larger size is wrong.
    if (entry.bytes / 1040 > entry.packedBytes)
      return corrupt("the size of " + quoted + ", " +
                     std::to_string(entry.bytes) + " bytes, is impossible");
    keepAlive = MemoryPool::global().allocate(entry.bytes);
    if (!keepAlive)
      return Status(ErrorCode::OutOfMemory,
                    "no memory for " + quoted + " of '" + path + "', " +
                        std::to_string(entry.bytes) + " bytes");
    const std::span<char> target(static_cast<char *>(keepAlive->data),
                                 entry.bytes);
    if (!inflateInto(content, target))
      return corrupt(quoted + " does not unpack to " +
                     std::to_string(entry.bytes) + " bytes");
    content = target;
  } else {
    return Status(ErrorCode::Unsupported,
                  "'" + path + "': " + quoted + " is packed by method " +
                      std::to_string(entry.method) + ", expected 0 (stored)" +
                      (TC_RUNTIME_HAS_ZLIB ? " or 8 (deflated)" : ""));
  }
  if (checksumCRC32(content) != entry.checksum)
    return corrupt("the checksum of " + quoted + " is wrong");
  return content;
}

namespace {

/// Collects little-endian numbers.
class Record {
public:
  template <typename T> Record &add(T value) {
    const auto *bytes = reinterpret_cast<const char *>(&value);
    text.append(bytes, sizeof(T));
    return *this;
  }
  Record &addText(const std::string &value) {
    text += value;
    return *this;
  }
  size_t size() const { return text.size(); }
  const std::string &bytes() const { return text; }

private:
  std::string text;
};

struct WrittenEntry {
  uint64_t offset, bytes;
  uint32_t checksum;
};

// The fields that the local header and the directory's entry share. Sizes are
// always in the zip64 field, so that one form serves all.
void addCommonFields(Record &record, const std::string &name,
                     const WrittenEntry &entry, uint16_t extraBytes) {
  constexpr uint16_t version = 45, utf8Names = 1 << 11, stored = 0;
  constexpr uint16_t time = 0, date = (1 << 5) | 1; // 1980-01-01: reproducible
  record.add(version).add(utf8Names).add(stored).add(time).add(date);
  record.add(entry.checksum).add(inZip64).add(inZip64);
  record.add(uint16_t(name.size())).add(extraBytes);
}

std::string localHeader(const std::string &name, const WrittenEntry &entry) {
  Record record;
  record.add(localSignature);
  addCommonFields(record, name, entry, 20);
  record.addText(name).add(zip64Tag).add(uint16_t(16));
  record.add(entry.bytes).add(entry.bytes);
  return record.bytes();
}

std::string directoryEntry(const std::string &name, const WrittenEntry &entry) {
  Record record;
  constexpr uint16_t madeByUnix = (3 << 8) | 45;
  constexpr uint32_t regularFile = uint32_t(0100644) << 16;
  record.add(entrySignature).add(madeByUnix);
  addCommonFields(record, name, entry, 28);
  record.add(uint16_t(0)).add(uint16_t(0)).add(uint16_t(0));
  record.add(regularFile).add(inZip64);
  record.addText(name).add(zip64Tag).add(uint16_t(24));
  record.add(entry.bytes).add(entry.bytes).add(entry.offset);
  return record.bytes();
}

std::string endOfDirectory(uint64_t count, uint64_t offset, uint64_t bytes) {
  Record record;
  constexpr uint16_t version = 45;
  record.add(end64Signature).add(uint64_t(end64Bytes - 12));
  record.add(version).add(version).add(uint32_t(0)).add(uint32_t(0));
  record.add(count).add(count).add(bytes).add(offset);
  record.add(locator64Signature).add(uint32_t(0)).add(offset + bytes);
  record.add(uint32_t(1));
  record.add(endSignature).add(uint16_t(0)).add(uint16_t(0));
  const auto shortCount = uint16_t(std::min<uint64_t>(count, 0xffff));
  record.add(shortCount).add(shortCount);
  record.add(uint32_t(std::min<uint64_t>(bytes, inZip64)));
  record.add(inZip64).add(uint16_t(0));
  return record.bytes();
}

} // namespace

Status tc::runtime::writeZip(const std::string &path,
                             std::span<const ZipContent> entries) {
  std::vector<std::string> headers;
  std::string directory;
  uint64_t offset = 0;
  for (const ZipContent &content : entries) {
    if (content.name.size() > 0xffff)
      return Status(ErrorCode::InvalidArgument,
                    "cannot write '" + path + "': a name of " +
                        std::to_string(content.name.size()) +
                        " bytes exceeds 65535");
    WrittenEntry entry{offset, 0, 0};
    for (std::span<const char> part : content.parts) {
      entry.bytes += part.size();
      entry.checksum = checksumCRC32(part, entry.checksum);
    }
    headers.push_back(localHeader(content.name, entry));
    directory += directoryEntry(content.name, entry);
    offset += headers.back().size() + entry.bytes;
  }
  const std::string end =
      endOfDirectory(entries.size(), offset, directory.size());
  std::vector<std::span<const char>> parts;
  for (size_t i = 0; i < entries.size(); ++i) {
    parts.push_back(headers[i]);
    parts.insert(parts.end(), entries[i].parts.begin(), entries[i].parts.end());
  }
  parts.push_back(directory);
  parts.push_back(end);
  return writeFile(path, parts);
}
