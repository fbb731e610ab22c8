//===- ZipTest.cpp - Tests of zip archives and .npz -----------------------===//

#include "TC/Runtime/Zip.h"
#include "TC/Runtime/Npy.h"
#include "TC/Runtime/Npz.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <cstring>
#include <vector>

using namespace tc::runtime;

namespace {

using Sizes = std::vector<int64_t>;

/// Reads all entries of an archive; false at the first failure.
bool readsWhole(const std::string &path) {
  auto archive = ZipReader::open(path);
  if (!archive.ok())
    return false;
  for (const ZipEntry &entry : archive->entries()) {
    StorageRef keepAlive;
    if (!archive->read(entry, keepAlive).ok())
      return false;
  }
  return true;
}

// An archive made by Python's zipfile with ZIP_DEFLATED: the entry "a.txt" of
// 40 times "abc".
constexpr unsigned char deflated[] = {
    0x50, 0x4b, 0x03, 0x04, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00,
    0x21, 0x00, 0x02, 0xf0, 0xae, 0x9c, 0x08, 0x00, 0x00, 0x00, 0x78, 0x00,
    0x00, 0x00, 0x05, 0x00, 0x00, 0x00, 0x61, 0x2e, 0x74, 0x78, 0x74, 0x4b,
    0x4c, 0x4a, 0x4e, 0x1c, 0x08, 0x04, 0x00, 0x50, 0x4b, 0x01, 0x02, 0x14,
    0x03, 0x14, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00, 0x21, 0x00, 0x02,
    0xf0, 0xae, 0x9c, 0x08, 0x00, 0x00, 0x00, 0x78, 0x00, 0x00, 0x00, 0x05,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80,
    0x01, 0x00, 0x00, 0x00, 0x00, 0x61, 0x2e, 0x74, 0x78, 0x74, 0x50, 0x4b,
    0x05, 0x06, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x01, 0x00, 0x33, 0x00,
    0x00, 0x00, 0x2b, 0x00, 0x00, 0x00, 0x00, 0x00};

std::string deflatedArchive() {
  return std::string(reinterpret_cast<const char *>(deflated),
                     sizeof(deflated));
}

TEST(Zip, ComputesTheChecksum) {
  const std::string text = "The quick brown fox jumps over the lazy dog";
  EXPECT_EQ(checksumCRC32({text.data(), text.size()}), 0x414fa339u);
  EXPECT_EQ(checksumCRC32({text.data() + 5, text.size() - 5},
                          checksumCRC32({text.data(), 5})),
            0x414fa339u);
  EXPECT_EQ(checksumCRC32({}), 0u);
}

TEST(Zip, RoundTrip) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.zip");
  const std::string first = "first", second(100000, 'x');
  const ZipContent entries[] = {{"a", {first, second}}, {"b/c", {}}};
  ASSERT_TRUE(writeZip(path, entries).ok());
  auto archive = ZipReader::open(path);
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  ASSERT_EQ(archive->entries().size(), 2u);
  StorageRef keepAlive;
  auto bytes = archive->read(*archive->find("a"), keepAlive);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message();
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), first + second);
  EXPECT_EQ(archive->read(archive->entries()[1], keepAlive)->size(), 0u);
  EXPECT_EQ(archive->find("d"), nullptr);
}

TEST(Zip, ReadsDeflatedEntries) {
  TemporaryFolder folder;
  auto archive = ZipReader::open(folder.write("x.zip", deflatedArchive()));
  ASSERT_TRUE(archive.ok()) << archive.error().message();
  StorageRef keepAlive;
  auto bytes = archive->read(archive->entries()[0], keepAlive);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message();
  std::string expected;
  for (int i = 0; i < 40; ++i)
    expected += "abc";
  EXPECT_EQ(std::string(bytes->begin(), bytes->end()), expected);
}

TEST(Zip, DamagedArchivesAreRefused) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.zip");
  const std::string content = "hello, archive";
  const ZipContent entries[] = {{"name", {content}}};
  ASSERT_TRUE(writeZip(path, entries).ok());
  for (const std::string &good : {folder.read("x.zip"), deflatedArchive()}) {
    for (size_t length = 0; length < good.size(); ++length)
      EXPECT_FALSE(readsWhole(folder.write("y.zip", good.substr(0, length))));
    // Any changed byte is read or refused, never a crash.
    for (size_t position = 0; position < good.size(); ++position)
      for (int value : {0, 1, 127, 128, 255}) {
        std::string changed = good;
        changed[position] = char(value);
        (void)readsWhole(folder.write("y.zip", changed));
      }
  }
}

TEST(Zip, NamesTheEntryWithAWrongChecksum) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.zip"), content = "hello";
  const ZipContent entries[] = {{"name", {content}}};
  ASSERT_TRUE(writeZip(path, entries).ok());
  std::string changed = folder.read("x.zip");
  changed[changed.find("hello")] = 'j';
  auto archive = ZipReader::open(folder.write("x.zip", changed));
  ASSERT_TRUE(archive.ok());
  StorageRef keepAlive;
  auto bytes = archive->read(archive->entries()[0], keepAlive);
  ASSERT_FALSE(bytes.ok());
  EXPECT_EQ(bytes.error().message(),
            "'" + path +
                "' is a damaged zip archive: the checksum of entry "
                "'name' is wrong");
}

TEST(Npz, RoundTrip) {
  TemporaryFolder folder;
  const std::string path = folder.path("x.npz");
  const std::vector<float> values = {1, 2, 3, 4, 5, 6};
  const std::vector<NamedTensor> tensors = {
      {"weight", *Tensor::copyOf<float>(DType::F32, Sizes{2, 3}, values)},
      {"half", *Tensor::zeros(DType::BF16, Sizes{4})}};
  ASSERT_TRUE(writeNpz(path, tensors).ok());
  auto read = readNpz(path);
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].first, "weight");
  EXPECT_EQ((*read)[0].second.typeString(), "2x3xf32");
  EXPECT_EQ((*read)[0].second.dataAs<float>()[5], 6);
  EXPECT_EQ((*read)[1].second.typeString(), "4xbf16");
}

TEST(Npz, NamesTheEntryThatIsNoArray) {
  TemporaryFolder folder;
  const std::string path = folder.write("x.npz", deflatedArchive());
  auto read = readNpz(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message(),
            "'" + path +
                ":a.txt' is no npy data: it does not begin with "
                "\\x93NUMPY");
}

} // namespace
