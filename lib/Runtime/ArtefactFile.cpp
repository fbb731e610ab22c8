//===- ArtefactFile.cpp - The container of artefacts ----------------------===//

#include "TC/Runtime/ArtefactFile.h"
#include "ContentHash.h"
#include "TC/Runtime/ABI.h"
#include "TC/Runtime/MappedFile.h"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace tc::runtime;

namespace {
constexpr uint32_t kFormatVersion = 3;
constexpr char kMagic[8] = {'\x7f', 'T', 'C', 'A', '\r', '\n', '\x1a', '\n'};
constexpr size_t kAlignment = 64;

/// What a file begins with; the table of sections follows. The fields up to
/// `release` stay where they are in all versions of the format.
struct Header {
  char magic[8];
  uint32_t formatVersion;
  uint32_t abiVersion;
  char release[32]; ///< of TC, with zeros behind it
  uint64_t hash;    ///< of the file, as if this field were 0
  uint64_t bytes;   ///< of the file
  uint64_t sectionCount;
};

struct TableEntry {
  char name[48];
  uint64_t offset, bytes;
};

size_t alignedUp(size_t offset) {
  return (offset + kAlignment - 1) / kAlignment * kAlignment;
}

std::string_view viewOf(const void *data, size_t bytes) {
  return {static_cast<const char *>(data), bytes};
}

/// The text in a field that zeros fill up.
template <size_t N> std::string textOf(const char (&field)[N]) {
  return std::string(field, strnlen(field, N));
}

Header makeHeader(size_t sectionCount) {
  Header header{};
  std::memcpy(header.magic, kMagic, sizeof(kMagic));
  header.formatVersion = kFormatVersion;
  header.abiVersion = TC_ABI_VERSION;
  std::strncpy(header.release, TC_VERSION, sizeof(header.release) - 1);
  header.sectionCount = sectionCount;
  return header;
}

std::string describeVersion(const Header &header) {
  return "TC " + textOf(header.release) + " (format " +
         std::to_string(header.formatVersion) + ", ABI " +
         std::to_string(header.abiVersion) + ")";
}

/// Why content that begins with `header` cannot be read; empty when it can.
std::string findProblem(const Header &header, std::string_view content) {
  const Header own = makeHeader(0);
  if (std::memcmp(header.magic, kMagic, sizeof(kMagic)) != 0)
    return "is no artefact of TC: its first bytes are others";
  if (describeVersion(header) != describeVersion(own))
    return "was written by " + describeVersion(header) + ", this is " +
           describeVersion(own) + "; compile the program again";
  if (header.bytes != content.size())
    return "has " + std::to_string(content.size()) + " bytes, expected " +
           std::to_string(header.bytes);
  Header hashed = header;
  hashed.hash = 0;
  if (contentHash(content.substr(sizeof(Header)),
                  contentHash(viewOf(&hashed, sizeof(hashed)))) != header.hash)
    return "is damaged: its content has another hash than was written";
  if (header.sectionCount >
      (content.size() - sizeof(Header)) / sizeof(TableEntry))
    return "is damaged: its table of sections is longer than it";
  return "";
}
} // namespace

Expected<ArtefactFile> ArtefactFile::open(const std::string &path) {
  Expected<StorageRef> mapped = mapFile(path);
  if (!mapped.ok())
    return mapped.takeStatus();
  return read(std::move(*mapped), path);
}

Expected<ArtefactFile> ArtefactFile::read(StorageRef bytes, std::string name) {
  auto fail = [&](const std::string &problem) {
    return Status(ErrorCode::CorruptData, "'" + name + "' " + problem);
  };
  ArtefactFile file;
  file.path = name;
  file.storage = std::move(bytes);
  const std::string_view content =
      viewOf(file.storage->data, file.storage->bytes);
  Header header;
  if (content.size() < sizeof(header))
    return fail("is no artefact of TC: it has " +
                std::to_string(content.size()) + " bytes, expected at least " +
                std::to_string(sizeof(header)));
  std::memcpy(&header, content.data(), sizeof(header));
  if (std::string problem = findProblem(header, content); !problem.empty())
    return fail(problem);
  for (uint64_t i = 0; i < header.sectionCount; ++i) {
    TableEntry entry;
    std::memcpy(&entry,
                content.data() + sizeof(header) + i * sizeof(TableEntry),
                sizeof(entry));
    if (entry.offset > content.size() ||
        entry.bytes > content.size() - entry.offset)
      return fail("is damaged: section '" + textOf(entry.name) +
                  "' is outside of it");
    file.list.push_back(
        {textOf(entry.name), {content.data() + entry.offset, entry.bytes}});
  }
  return file;
}

Expected<std::string_view> ArtefactFile::find(std::string_view name) const {
  for (const ArtefactSection &section : list)
    if (section.name == name)
      return std::string_view(section.content.data(), section.content.size());
  return Status(ErrorCode::CorruptData,
                "'" + path + "' has no section '" + std::string(name) + "'");
}

Expected<std::string>
tc::runtime::makeArtefactContent(const std::vector<ArtefactSection> &sections) {
  Header header = makeHeader(sections.size());
  std::string table, body;
  const size_t begin =
      alignedUp(sizeof(header) + sections.size() * sizeof(TableEntry));
  for (const ArtefactSection &section : sections) {
    TableEntry entry{};
    if (section.name.size() >= sizeof(entry.name))
      return Status(ErrorCode::InvalidArgument,
                    "the name of section '" + section.name + "' has " +
                        std::to_string(section.name.size()) +
                        " characters, expected at most " +
                        std::to_string(sizeof(entry.name) - 1));
    section.name.copy(entry.name, sizeof(entry.name) - 1);
    entry.offset = begin + body.size();
    entry.bytes = section.content.size();
    table.append(viewOf(&entry, sizeof(entry)));
    body.append(section.content.data(), section.content.size());
    body.resize(alignedUp(body.size()));
  }
  header.bytes = begin + body.size();
  std::string content(viewOf(&header, sizeof(header)));
  content += table;
  content.resize(begin);
  content += body;
  header.hash = contentHash(content);
  std::memcpy(content.data(), &header, sizeof(header));
  return content;
}

Status tc::runtime::replaceFile(const std::string &path,
                                const std::string &content) {
  static std::atomic<unsigned> number{0};
  const std::string temporary = path + "." + std::to_string(getpid()) + "." +
                                std::to_string(number.fetch_add(1));
  const std::span<const char> part(content);
  Status status = writeFile(temporary, {&part, 1});
  if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
    status = Status(ErrorCode::IOError,
                    "cannot write '" + path + "': " + std::strerror(errno));
  if (!status.ok())
    std::remove(temporary.c_str());
  return status;
}

std::string tc::runtime::artefactVersion() {
  return describeVersion(makeHeader(0));
}
