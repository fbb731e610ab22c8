//===- MappedFileTest.cpp - Tests of files in memory ----------------------===//

#include "TC/Runtime/MappedFile.h"
#include "TemporaryFolder.h"
#include "gtest/gtest.h"

#include <array>

using namespace tc::runtime;

namespace {

/// Text of so many bytes that differs from place to place.
std::string textOf(size_t bytes) {
  std::string text(bytes, 0);
  for (size_t i = 0; i < bytes; ++i)
    text[i] = char('a' + (i * 7 + i / 4096) % 26);
  return text;
}

/// Parts that end within blocks, at their ends and beyond several.
TEST(MappedFile, PartsOfAnySizesFollowEachOther) {
  constexpr size_t kBlock = size_t(2) << 20;
  TemporaryFolder folder;
  const std::string path = folder.path("parts.bin");
  const std::array<std::string, 6> texts = {
      textOf(100),          "",
      textOf(kBlock - 100), textOf(2 * kBlock + 5),
      textOf(kBlock - 5),   textOf(7)};
  std::vector<std::span<const char>> parts(texts.begin(), texts.end());
  std::string expected;
  for (const std::string &text : texts)
    expected += text;
  ASSERT_TRUE(writeFile(path, parts).ok());
  EXPECT_TRUE(folder.read("parts.bin") == expected);
  ASSERT_TRUE(writeFile(path, parts, /*append=*/true).ok());
  EXPECT_TRUE(folder.read("parts.bin") == expected + expected);
  ASSERT_TRUE(writeFile(path, {}).ok());
  EXPECT_EQ(folder.read("parts.bin"), "");
}

TEST(MappedFile, AFolderThatIsNotThereIsNamed) {
  TemporaryFolder folder;
  const std::string path = folder.path("absent/x.bin");
  Status status = writeFile(path, {});
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.message(),
            "cannot open '" + path + "': No such file or directory");
}

} // namespace
