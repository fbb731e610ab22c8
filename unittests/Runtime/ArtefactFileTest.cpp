//===- ArtefactFileTest.cpp - Tests of the container of artefacts ---------===//

#include "TC/Runtime/ArtefactFile.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

using namespace tc::runtime;

namespace {

std::string writeTwoSections(const TemporaryFolder &folder) {
  const std::string path = folder.path("m.tca");
  const std::string first = "first", second(100, 'x');
  auto content = makeArtefactContent({{"a", first}, {"b/c", second}});
  EXPECT_TRUE(content.ok() && replaceFile(path, *content).ok());
  return path;
}

std::string messageOf(const std::string &path) {
  auto file = ArtefactFile::open(path);
  return file.ok() ? "" : file.error().message();
}

TEST(ArtefactFile, GivesSectionsByName) {
  TemporaryFolder folder;
  auto file = ArtefactFile::open(writeTwoSections(folder));
  ASSERT_TRUE(file.ok()) << file.error().message();
  EXPECT_EQ(*file->find("a"), "first");
  EXPECT_EQ(*file->find("b/c"), std::string(100, 'x'));
  auto missing = file->find("d");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("has no section 'd'"),
            std::string::npos);
}

TEST(ArtefactFile, EachDamagedByteIsFound) {
  TemporaryFolder folder;
  writeTwoSections(folder);
  const std::string content = folder.read("m.tca");
  for (size_t i = 0; i < content.size(); ++i) {
    std::string damaged = content;
    damaged[i] ^= 1 << i % 8;
    EXPECT_FALSE(ArtefactFile::open(folder.write("damaged.tca", damaged)).ok())
        << "byte " << i;
  }
}

TEST(ArtefactFile, EachShorterFileIsRefused) {
  TemporaryFolder folder;
  writeTwoSections(folder);
  const std::string content = folder.read("m.tca");
  for (size_t bytes = 0; bytes < content.size(); ++bytes)
    EXPECT_FALSE(
        ArtefactFile::open(folder.write("short.tca", content.substr(0, bytes)))
            .ok())
        << bytes << " bytes";
}

TEST(ArtefactFile, AnotherVersionIsRefusedByName) {
  TemporaryFolder folder;
  writeTwoSections(folder);
  std::string content = folder.read("m.tca");
  content.replace(16, 6, "9.8.7", 6);
  const std::string message = messageOf(folder.write("other.tca", content));
  EXPECT_NE(message.find("was written by TC 9.8.7"), std::string::npos)
      << message;
}

TEST(ArtefactFile, AnotherFileIsNoArtefact) {
  TemporaryFolder folder;
  const std::string message =
      messageOf(folder.write("x.tca", std::string(200, 'x')));
  EXPECT_NE(message.find("is no artefact of TC"), std::string::npos) << message;
}

TEST(ArtefactFile, ALongNameIsRefused) {
  const std::string text = "text";
  EXPECT_FALSE(makeArtefactContent({{std::string(48, 'n'), text}}).ok());
}

} // namespace
