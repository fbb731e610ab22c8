//===- ArtefactCacheTest.cpp - Tests of the cache of artefacts ------------===//

#include "TC/Runtime/ArtefactCache.h"
#include "../../lib/Runtime/ArtefactChoice.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"
#include <csignal>
#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc::runtime;
namespace fs = std::filesystem;

namespace {

/// A program whose content is known from its number; it is not linked.
struct Numbered {
  std::string content;
  ArtefactProgram program;

  explicit Numbered(int number, size_t bytes = 4000)
      : content(bytes, char('a' + number % 26)) {
    program.target = "number " + std::to_string(number);
    program.objects.push_back({content.data(), content.size()});
  }
};

std::string keyOf(int number) { return "key " + std::to_string(number); }

Status storeNumber(const ArtefactCache &cache, int number) {
  return cache.store(keyOf(number), {Numbered(number).program});
}

/// Whether the entry is absent, or exactly what was stored for the number.
bool isAbsentOrRight(const ArtefactCache &cache, int number, bool &isThere) {
  auto file = cache.find(keyOf(number));
  isThere = file.has_value();
  if (!file)
    return true;
  auto object = file->find("0/object/0");
  return object.ok() && *object == Numbered(number).content;
}

bool isThere(const ArtefactCache &cache, int number) {
  bool found = false;
  EXPECT_TRUE(isAbsentOrRight(cache, number, found));
  return found;
}

TEST(ArtefactCache, GivesWhatWasStored) {
  TemporaryFolder folder;
  ArtefactCache cache(folder.path("cache"));
  EXPECT_FALSE(isThere(cache, 1));
  ASSERT_TRUE(storeNumber(cache, 1).ok());
  EXPECT_TRUE(isThere(cache, 1));
  EXPECT_FALSE(isThere(cache, 2));
  EXPECT_EQ(cache.list()->size(), 1u);
  EXPECT_TRUE(cache.clear().ok());
  EXPECT_FALSE(isThere(cache, 1));
}

TEST(ArtefactCache, EachDamagedByteIsFoundAndTheFileRemoved) {
  TemporaryFolder folder;
  ArtefactCache cache(folder.path("cache"));
  ASSERT_TRUE(cache.store(keyOf(1), {Numbered(1, 100).program}).ok());
  const std::string path = cache.list()->at(0).path;
  const std::string name = fs::path(path).lexically_relative(folder.path(""));
  const std::string content = folder.read(name);
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] ^= 1 << i % 8;
    folder.write(name, damaged);
    EXPECT_FALSE(cache.find(keyOf(1))) << "byte " << i;
    EXPECT_FALSE(fs::exists(path)) << "byte " << i;
  }
}

TEST(ArtefactCache, AboveTheLimitTheLeastRecentlyUsedGoes) {
  TemporaryFolder folder;
  ArtefactCache cache(folder.path("cache"), 20000); // four entries
  for (int number = 0; number < 4; ++number)
    ASSERT_TRUE(storeNumber(cache, number).ok());
  EXPECT_TRUE(isThere(cache, 0)); // so that number 1 is the oldest
  ASSERT_TRUE(storeNumber(cache, 4).ok());
  EXPECT_TRUE(isThere(cache, 0));
  EXPECT_FALSE(isThere(cache, 1));
  EXPECT_TRUE(isThere(cache, 4));
}

TEST(ArtefactCache, TheFolderIsItsOwnersAlone) {
  TemporaryFolder folder;
  ArtefactCache cache(folder.path("cache"));
  ASSERT_TRUE(storeNumber(cache, 1).ok());
  struct stat information;
  ASSERT_EQ(stat(cache.folder().c_str(), &information), 0);
  EXPECT_EQ(information.st_mode & 0777, 0700u);
  ASSERT_EQ(chmod(cache.folder().c_str(), 0777), 0);
  EXPECT_FALSE(isThere(cache, 1));
  Status status = storeNumber(cache, 1);
  EXPECT_NE(status.message().find("has mode 777"), std::string::npos)
      << status.message();
  EXPECT_FALSE(cache.list().ok());
}

TEST(ArtefactCache, ProcessesThatAreKilledLeaveNothingTorn) {
  TemporaryFolder folder;
  ArtefactCache cache(folder.path("cache"), 60000);
  constexpr int kProcesses = 64, kNumbers = 20;
  std::vector<pid_t> children;
  auto start = [&](int seed) {
    const pid_t child = fork();
    if (child != 0)
      return children.push_back(child);
    std::mt19937 random{unsigned(seed)};
    bool found = false;
    for (;;) {
      const int number = int(random() % kNumbers);
      if (!isAbsentOrRight(cache, number, found))
        _exit(1);
      if (!found && !storeNumber(cache, number).ok())
        _exit(2);
    }
  };
  for (int i = 0; i < kProcesses; ++i)
    start(i);
  std::mt19937 random{7};
  for (int round = 0; round < 60; ++round) {
    usleep(2000);
    const size_t victim = random() % children.size();
    ASSERT_EQ(kill(children[victim], SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(children[victim], &status, 0), children[victim]);
    EXPECT_TRUE(WIFSIGNALED(status)) << "exit status " << WEXITSTATUS(status);
    children.erase(children.begin() + long(victim));
    start(1000 + round);
  }
  for (pid_t child : children) {
    int status = 0;
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status)) << "exit status " << WEXITSTATUS(status);
  }
  auto entries = cache.list();
  ASSERT_TRUE(entries.ok());
  for (const ArtefactCache::Entry &entry : *entries)
    EXPECT_TRUE(ArtefactFile::open(entry.path).ok()) << entry.path;
  EXPECT_GT(entries->size(), 0u);
}

TEST(ArtefactChoice, ChipsRunCodeOfEarlierOnes) {
  EXPECT_TRUE(runsCUDATarget("cuda:sm_80", "cuda:sm_90a"));
  EXPECT_TRUE(runsCUDATarget("cuda:sm_90a", "cuda:sm_90a"));
  EXPECT_FALSE(runsCUDATarget("cuda:sm_90a", "cuda:sm_100a"));
  EXPECT_FALSE(runsCUDATarget("cuda:sm_90", "cuda:sm_80"));
  EXPECT_TRUE(runsCUDATarget("cuda:sm_100f", "cuda:sm_103a"));
  EXPECT_FALSE(runsCUDATarget("cuda:sm_100f", "cuda:sm_120a"));
}

TEST(ArtefactChoice, DevicesAreReadFromText) {
  EXPECT_EQ(ArtefactDevice::parse("cuda:3")->index, 3);
  EXPECT_FALSE(ArtefactDevice::parse("")->kind.has_value());
  auto wrong = ArtefactDevice::parse("cuda:x");
  ASSERT_FALSE(wrong.ok());
  EXPECT_NE(wrong.error().message().find("expected cpu, cuda or cuda:N"),
            std::string::npos);
}

} // namespace
