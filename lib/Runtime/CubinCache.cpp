//===- CubinCache.cpp - Assembled kernels on disk -------------------------===//

#include "CubinCache.h"
#include "ContentHash.h"

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <unistd.h>

using namespace tc::runtime;

namespace {
/// What a file begins with; the key and the cubin follow.
struct Header {
  char magic[8];
  uint64_t keyBytes, cubinBytes, hash;
};
constexpr char magic[8] = {'T', 'C', 'C', 'U', 'B', 'I', 'N', '1'};

std::string keyOf(std::string_view image, int driverVersion,
                  const std::string &chip) {
  return std::to_string(driverVersion) + " " + chip + "\n" + std::string(image);
}

std::string fileOf(const std::string &key) {
  char name[32];
  std::snprintf(name, sizeof(name), "%016llx.cubin",
                static_cast<unsigned long long>(contentHash(key)));
  return CubinCache::folder() + "/" + name;
}

std::optional<std::string> readFile(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return std::nullopt;
  std::string content;
  char buffer[65536];
  while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file))
    content.append(buffer, count);
  std::fclose(file);
  return content;
}

std::string findFolder() {
  const char *own = std::getenv("TC_CACHE_DIR");
  return own ? own : "";
}
} // namespace

const std::string &CubinCache::folder() {
  static const auto *found = new std::string(findFolder());
  return *found;
}

std::optional<std::string> CubinCache::read(std::string_view image,
                                            int driverVersion,
                                            const std::string &chip) {
  if (folder().empty())
    return std::nullopt;
  const std::string key = keyOf(image, driverVersion, chip);
  std::optional<std::string> content = readFile(fileOf(key));
  Header header;
  if (!content || content->size() < sizeof(header))
    return std::nullopt;
  std::memcpy(&header, content->data(), sizeof(header));
  const std::string_view body =
      std::string_view(*content).substr(sizeof(header));
  if (std::memcmp(header.magic, magic, sizeof(magic)) != 0 ||
      header.keyBytes != key.size() || header.cubinBytes > body.size() ||
      header.keyBytes != body.size() - header.cubinBytes ||
      header.hash != contentHash(body) || !body.starts_with(key))
    return std::nullopt;
  return std::string(body.substr(key.size()));
}

void CubinCache::write(std::string_view image, int driverVersion,
                       const std::string &chip, std::string_view cubin) {
  if (folder().empty())
    return;
  std::error_code error;
  std::filesystem::create_directories(folder(), error);
  const std::string key = keyOf(image, driverVersion, chip);
  const std::string body = key + std::string(cubin);
  Header header;
  std::memcpy(header.magic, magic, sizeof(magic));
  header.keyBytes = key.size();
  header.cubinBytes = cubin.size();
  header.hash = contentHash(body);
  // Readers see the whole file or the one before.
  static std::atomic<unsigned> number{0};
  const std::string path = fileOf(key),
                    temporary = path + "." + std::to_string(getpid()) + "." +
                                std::to_string(number.fetch_add(1));
  std::FILE *file = std::fopen(temporary.c_str(), "wb");
  if (!file)
    return;
  bool written = std::fwrite(&header, sizeof(header), 1, file) == 1 &&
                 std::fwrite(body.data(), 1, body.size(), file) == body.size();
  written = std::fclose(file) == 0 && written;
  if (!written || std::rename(temporary.c_str(), path.c_str()) != 0)
    std::remove(temporary.c_str());
}
