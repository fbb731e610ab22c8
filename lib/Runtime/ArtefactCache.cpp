//===- ArtefactCache.cpp - Artefacts that processes share -----------------===//

#include "TC/Runtime/ArtefactCache.h"
#include "ArtefactSections.h"
#include "ContentHash.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace tc::runtime;
namespace fs = std::filesystem;

static constexpr std::string_view kEnding = ".tca";
static constexpr const char *kKeySection = "key";
static constexpr int64_t kSecond = 1000000000;
/// A file being written is one that a killed process has left after this time.
static constexpr int64_t kLongestWrite = 600 * kSecond;

ArtefactCache::ArtefactCache(const std::string &directory, uint64_t limitBytes)
    : path(directory + "/artefacts"), limit(limitBytes) {}

std::string ArtefactCache::pathOf(std::string_view key) const {
  char name[32];
  std::snprintf(name, sizeof(name), "/%016llx",
                static_cast<unsigned long long>(contentHash(key)));
  return path + name + std::string(kEnding);
}

/// What is in the folder belongs to whoever may write there: it is code.
Status ArtefactCache::checkFolder() const {
  struct stat information;
  if (lstat(path.c_str(), &information) != 0)
    return Status(ErrorCode::IOError, "cannot open the cache '" + path +
                                          "': " + std::strerror(errno));
  const bool isOwn =
      S_ISDIR(information.st_mode) && information.st_uid == geteuid();
  if (isOwn && (information.st_mode & 077) == 0)
    return Status::success();
  char mode[8];
  std::snprintf(mode, sizeof(mode), "%o", unsigned(information.st_mode & 0777));
  return Status(ErrorCode::InvalidArgument,
                "the cache '" + path + "' belongs to user " +
                    std::to_string(information.st_uid) + " and has mode " +
                    mode + ", expected a folder of user " +
                    std::to_string(geteuid()) +
                    " with mode 700: remove it, or choose another directory");
}

std::optional<ArtefactFile> ArtefactCache::find(std::string_view key) const {
  if (!checkFolder().ok())
    return std::nullopt;
  const std::string file = pathOf(key);
  Expected<ArtefactFile> opened = ArtefactFile::open(file);
  if (!opened.ok()) {
    if (opened.error().code() == ErrorCode::CorruptData)
      std::remove(file.c_str());
    return std::nullopt;
  }
  Expected<std::string_view> stored = opened->find(kKeySection);
  if (!stored.ok() || *stored != key)
    return std::nullopt; // another key with the same hash
  utimensat(AT_FDCWD, file.c_str(), nullptr, 0);
  return *std::move(opened);
}

Status
ArtefactCache::store(std::string_view key,
                     const std::vector<ArtefactProgram> &programs) const {
  std::error_code ignored;
  fs::create_directories(fs::path(path).parent_path(), ignored);
  if (mkdir(path.c_str(), 0700) != 0 && errno != EEXIST)
    return Status(ErrorCode::IOError, "cannot make the cache '" + path +
                                          "': " + std::strerror(errno));
  if (Status status = checkFolder(); !status.ok())
    return status;
  std::deque<std::string> texts;
  std::vector<ArtefactSection> sections = makeSections(programs, texts);
  sections.push_back({kKeySection, {key.data(), key.size()}});
  Expected<std::string> content = makeArtefactContent(sections);
  if (!content.ok())
    return content.takeStatus();
  if (Status status = replaceFile(pathOf(key), *content); !status.ok())
    return status;
  evict();
  return Status::success();
}

/// The regular files of a folder; those that go away meanwhile are left out.
static std::vector<ArtefactCache::Entry> filesOf(const std::string &folder) {
  std::vector<ArtefactCache::Entry> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    struct stat information;
    if (lstat(at->path().c_str(), &information) != 0 ||
        !S_ISREG(information.st_mode))
      continue;
    files.push_back(
        {at->path().string(), uint64_t(information.st_size),
         information.st_mtim.tv_sec * kSecond + information.st_mtim.tv_nsec});
  }
  std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) {
    return std::pair(b.lastUse, b.path) < std::pair(a.lastUse, a.path);
  });
  return files;
}

void ArtefactCache::evict() const {
  uint64_t total = 0;
  bool isFirst = true;
  const int64_t now = int64_t(std::time(nullptr)) * kSecond;
  for (const Entry &file : filesOf(path)) {
    const bool isEntry = file.path.ends_with(kEnding);
    const bool isAbandoned = !isEntry && file.lastUse < now - kLongestWrite;
    total += file.bytes;
    // What is larger than the limit alone serves until the next store.
    if (isAbandoned || (isEntry && !isFirst && total > limit)) {
      std::remove(file.path.c_str());
      total -= file.bytes;
    }
    isFirst &= !isEntry;
  }
}

Expected<std::vector<ArtefactCache::Entry>> ArtefactCache::list() const {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    return std::vector<Entry>();
  if (Status status = checkFolder(); !status.ok())
    return status;
  std::vector<Entry> files = filesOf(path);
  std::erase_if(
      files, [](const Entry &file) { return !file.path.ends_with(kEnding); });
  return files;
}

Status ArtefactCache::clear() const {
  Expected<std::vector<Entry>> entries = list();
  if (!entries.ok())
    return entries.takeStatus();
  for (const Entry &file : filesOf(path))
    if (std::remove(file.path.c_str()) != 0 && errno != ENOENT)
      return Status(ErrorCode::IOError, "cannot remove '" + file.path +
                                            "': " + std::strerror(errno));
  return Status::success();
}
