//===- StandIn.cpp - The CUDA driver of the tests -------------------------===//

#include "StandIn.h"

#include <filesystem>
#include <unistd.h>

namespace {
/// Sets what the driver and the runtime read at their first use: several
/// devices, a log and a folder of cubins.
struct Environment {
  Environment() {
    folder = std::filesystem::temp_directory_path() /
             ("tc-stand-in-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    setenv("STAND_IN_DEVICES", "13", 1);
    setenv("STAND_IN_LOG", (folder / "log").c_str(), 1);
    setenv("TC_CACHE_DIR", (folder / "cache").c_str(), 1);
    setenv("TC_PTXAS", "none", 1);
  }
  ~Environment() {
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }
  std::filesystem::path folder;
};
const Environment environment;
} // namespace
