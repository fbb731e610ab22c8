//===- CUDAAssembler.cpp - CUDA's assembler as a program ------------------===//

#include "TC/Runtime/CUDAAssembler.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace tc::runtime;

namespace {
/// A file of its own in the folder for temporary ones, which goes with it.
class TemporaryFile {
public:
  TemporaryFile() {
    std::error_code error;
    const auto folder = std::filesystem::temp_directory_path(error);
    if (error)
      return;
    path = (folder / "tc-XXXXXX").string();
    const int file = mkstemp(path.data());
    if (file < 0)
      path.clear();
    else
      close(file);
  }
  ~TemporaryFile() {
    if (!path.empty())
      unlink(path.c_str());
  }
  TemporaryFile(const TemporaryFile &) = delete;
  TemporaryFile &operator=(const TemporaryFile &) = delete;

  bool write(std::string_view content) const {
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (!file)
      return false;
    const bool isWhole =
        std::fwrite(content.data(), 1, content.size(), file) == content.size();
    return (std::fclose(file) == 0) && isWhole;
  }
  std::string read() const {
    std::string content;
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (!file)
      return content;
    char buffer[65536];
    while (const size_t count = std::fread(buffer, 1, sizeof(buffer), file))
      content.append(buffer, count);
    std::fclose(file);
    return content;
  }

  std::string path; ///< empty where there is no file
};

/// The chip that PTX is for, "sm_90a"; empty where it names none.
std::string chipOf(std::string_view image) {
  constexpr std::string_view directive = ".target ";
  const size_t at = image.find(directive);
  if (at == image.npos)
    return "";
  image.remove_prefix(at + directive.size());
  return std::string(image.substr(0, image.find_first_of(", \t\r\n")));
}

/// Runs the program and says whether it ended well; where there is none, no
/// other is looked for.
bool run(const char *program, const std::string &chip, const std::string &from,
         const std::string &to) {
  static std::atomic<bool> isMissing{false};
  if (isMissing)
    return false;
  const std::string target = "-arch=" + chip;
  const char *arguments[] = {program,    target.c_str(), "-o",
                             to.c_str(), from.c_str(),   nullptr};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions))
    return false;
  int error = 0;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    error |= posix_spawn_file_actions_addopen(&actions, stream, "/dev/null",
                                              O_RDWR, 0);
  // Threads that assemble take no signals; the program does.
  posix_spawnattr_t attributes;
  error |= posix_spawnattr_init(&attributes);
  sigset_t none;
  sigemptyset(&none);
  error |= posix_spawnattr_setsigmask(&attributes, &none);
  error |= posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
  pid_t child = 0;
  if (!error)
    error = posix_spawnp(&child, program, &actions, &attributes,
                         const_cast<char **>(arguments), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    isMissing = true;
    return false;
  }
  int status = 0;
  pid_t ended = 0;
  do
    ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  return ended == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
} // namespace

std::string tc::runtime::assembleWholeProgram(std::string_view image) {
  const char *own = std::getenv("TC_PTXAS");
  const char *program = own && *own ? own : "ptxas";
  const std::string chip = chipOf(image);
  if (chip.empty() || std::string_view(program) == "none")
    return "";
  const TemporaryFile text, cubin;
  if (text.path.empty() || cubin.path.empty())
    return "";
  // Without the zero behind the text.
  if (!image.empty() && image.back() == '\0')
    image.remove_suffix(1);
  if (!text.write(image) || !run(program, chip, text.path, cubin.path))
    return "";
  return cubin.read();
}
