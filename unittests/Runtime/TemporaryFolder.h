//===- TemporaryFolder.h - A folder that a test may write to ----*- C++ -*-===//

#ifndef TC_UNITTESTS_RUNTIME_TEMPORARYFOLDER_H
#define TC_UNITTESTS_RUNTIME_TEMPORARYFOLDER_H

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

/// A fresh folder, removed with all it holds at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "tc-runtime-XXXXXX").string();
    folder = mkdtemp(pattern.data());
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string path(const std::string &name) const {
    return (folder / name).string();
  }
  /// Writes a file, making the folders on its way.
  std::string write(const std::string &name, std::string_view content) const {
    std::filesystem::create_directories((folder / name).parent_path());
    // Some file systems write a file out when it is truncated and rewritten.
    std::filesystem::remove(folder / name);
    std::ofstream(folder / name, std::ios::binary) << content;
    return path(name);
  }
  std::string read(const std::string &name) const {
    std::ifstream file(folder / name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }

private:
  std::filesystem::path folder;
};

#endif // TC_UNITTESTS_RUNTIME_TEMPORARYFOLDER_H
