//===- ZipArchiveTest.cpp -------------------------------------------------===//

#include "TC/Frontend/PT2/ZipArchive.h"

#include "TestInputs.h"
#include "llvm/Support/Endian.h"

#include <gtest/gtest.h>

using namespace llvm;
using namespace tc::pt2;

/// Opens `bytes` as an archive and returns the message of the refusal.
static std::string openAndFail(std::string bytes) {
  auto archive =
      ZipArchive::fromBuffer(MemoryBuffer::getMemBufferCopy(bytes, "a.pt2"));
  if (archive)
    return "opened";
  return toString(archive.takeError());
}

static void write32(std::string &bytes, size_t at, uint32_t value) {
  support::endian::write32le(bytes.data() + at, value);
}

TEST(ZipArchive, ListsStoredEntriesInPlace) {
  auto archive = ZipArchive::open(getInputPath("mlp.pt2"));
  ASSERT_TRUE(bool(archive)) << toString(archive.takeError());
  const ZipEntry *format = (*archive)->find("mlp/archive_format");
  ASSERT_NE(format, nullptr);
  EXPECT_EQ(format->bytes, "pt2");
  EXPECT_EQ((*archive)->find("mlp/nothing"), nullptr);
  std::string file = readInput("mlp.pt2");
  for (const ZipEntry &entry : (*archive)->getEntries()) {
    EXPECT_EQ(entry.offset % 64, 0u) << entry.name;
    EXPECT_EQ(entry.bytes,
              StringRef(file).substr(entry.offset, entry.bytes.size()));
  }
}

TEST(ZipArchive, RefusesAMissingFile) {
  auto archive = ZipArchive::open("nowhere.pt2");
  ASSERT_FALSE(bool(archive));
  EXPECT_EQ(toString(archive.takeError()),
            "cannot open 'nowhere.pt2': No such file or directory");
}

TEST(ZipArchive, RefusesWhatIsNoArchive) {
  EXPECT_EQ(openAndFail("hello"),
            "'a.pt2' is a damaged zip archive: it is shorter than an empty "
            "archive; expected a file written by torch.export.save");
}

TEST(ZipArchive, RefusesCompressedEntries) {
  std::string bytes = readInput("mlp.pt2");
  size_t entry = bytes.find("PK\x01\x02");
  bytes[entry + 10] = 8;
  EXPECT_NE(openAndFail(bytes).find(
                "is compressed (method 8); expected stored entries"),
            std::string::npos);
}

TEST(ZipArchive, RefusesEncryptedEntries) {
  std::string bytes = readInput("mlp.pt2");
  bytes[bytes.find("PK\x01\x02") + 8] |= 1;
  EXPECT_NE(openAndFail(bytes).find("is encrypted"), std::string::npos);
}

TEST(ZipArchive, RefusesEntriesOutsideTheFile) {
  std::string bytes = readInput("mlp.pt2");
  size_t entry = bytes.find("PK\x01\x02");
  std::string far = bytes;
  write32(far, entry + 42, 0x7fffffff); // the local header's offset
  EXPECT_NE(openAndFail(far).find("the header of entry"), std::string::npos);
  std::string large = bytes;
  write32(large, entry + 20, 0x7fffffff);
  write32(large, entry + 24, 0x7fffffff);
  EXPECT_NE(openAndFail(large).find("reaches beyond its end"),
            std::string::npos);
}

TEST(ZipArchive, RefusesADirectoryOutsideTheFile) {
  std::string bytes = readInput("mlp.pt2");
  write32(bytes, bytes.size() - 22 + 16, 0x7ffffff0);
  EXPECT_NE(openAndFail(bytes).find("its directory reaches"),
            std::string::npos);
}

TEST(ZipArchive, RefusesSeveralVolumes) {
  std::string bytes = readInput("mlp.pt2");
  bytes[bytes.size() - 22 + 4] = 1;
  EXPECT_EQ(openAndFail(bytes),
            "'a.pt2' is one of several volumes; join them first");
}

TEST(ZipArchive, RefusesMoreEntriesThanFit) {
  std::string bytes = readInput("mlp.pt2");
  bytes[bytes.size() - 22 + 10] = '\xf0';
  bytes[bytes.size() - 22 + 11] = '\x7f';
  EXPECT_NE(openAndFail(bytes).find("of 32752 is not in the directory"),
            std::string::npos);
}

TEST(ZipArchive, RefusesZip64WithoutItsRecords) {
  std::string bytes = readInput("mlp.pt2");
  write32(bytes, bytes.size() - 22 + 16, 0xffffffff);
  EXPECT_NE(openAndFail(bytes).find("its directory reaches"),
            std::string::npos);
  write32(bytes, bytes.find("PK\x01\x02") + 42, 0xffffffff);
}

TEST(ZipArchive, ReadsZip64) {
  std::string bytes = readInput("mlp.pt2");
  size_t end = bytes.size() - 22;
  uint32_t offset = support::endian::read32le(bytes.data() + end + 16);
  uint32_t size = support::endian::read32le(bytes.data() + end + 12);
  uint16_t count = support::endian::read16le(bytes.data() + end + 10);
  std::string record(56, '\0'), locator(20, '\0');
  write32(record, 0, 0x06064b50);
  support::endian::write64le(record.data() + 32, count);
  support::endian::write64le(record.data() + 40, size);
  support::endian::write64le(record.data() + 48, offset);
  write32(locator, 0, 0x07064b50);
  support::endian::write64le(locator.data() + 8, end);
  write32(bytes, end + 16, 0xffffffff);
  bytes.insert(end, record + locator);
  auto archive =
      ZipArchive::fromBuffer(MemoryBuffer::getMemBufferCopy(bytes, "a.pt2"));
  ASSERT_TRUE(bool(archive)) << toString(archive.takeError());
  EXPECT_EQ((*archive)->getEntries().size(), count);
}

/// Whatever is cut or flipped, opening ends in success or in a message.
TEST(ZipArchive, SurvivesDamage) {
  std::string bytes = readInput("mlp.pt2");
  for (size_t length = 0; length < bytes.size(); length += 37)
    openAndFail(bytes.substr(0, length));
  size_t directory = bytes.find("PK\x01\x02");
  for (size_t at = directory; at < bytes.size(); ++at)
    for (char flip : {'\xff', '\x80', '\x01'}) {
      std::string damaged = bytes;
      damaged[at] ^= flip;
      openAndFail(damaged);
    }
}
