//===- tc-cache.cpp - Look at the cache of compiled programs --------------===//

#include "TC/Runtime/ArtefactCache.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>

using namespace tc::runtime;

static constexpr const char *kHelp =
    R"(OVERVIEW: Lists, checks or removes the compiled programs that are kept on disk.

USAGE: tc-cache [--directory=DIRECTORY] ls|verify|clear

  ls      print the entries, the last used first: time of use, bytes, target,
          functions, file
  verify  check each entry, print those that are damaged and remove them; the
          exit status is 1 when there are some
  clear   remove all entries

OPTIONS:
  --directory=DIRECTORY  the cache; without it TC_CACHE_DIR of the environment,
                         else tc in XDG_CACHE_HOME or in .cache of HOME
  --help                 print this
)";

static std::string textOf(const char *variable) {
  const char *text = std::getenv(variable);
  return text ? text : "";
}

/// As tc/cache.py of the Python package finds it.
static std::string defaultDirectory() {
  if (std::string own = textOf("TC_CACHE_DIR"); !own.empty())
    return own;
  if (std::string caches = textOf("XDG_CACHE_HOME"); !caches.empty())
    return caches + "/tc";
  return textOf("HOME") + "/.cache/tc";
}

static int fail(const Status &status) {
  std::fprintf(stderr, "tc-cache: error: %s\n", status.message().c_str());
  return 1;
}

static std::string describe(const ArtefactFile &file) {
  Expected<std::vector<ArtefactSummary>> programs = summarize(file);
  if (!programs.ok())
    return programs.error().message();
  std::string text;
  for (const ArtefactSummary &program : *programs)
    text +=
        (text.empty() ? "" : "; ") + program.target + "  " + program.functions;
  return text;
}

static int list(const std::vector<ArtefactCache::Entry> &entries) {
  uint64_t total = 0;
  for (const ArtefactCache::Entry &entry : entries) {
    const std::time_t seconds = entry.lastUse / 1000000000;
    char when[32];
    std::tm parts;
    std::strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S",
                  localtime_r(&seconds, &parts));
    Expected<ArtefactFile> file = ArtefactFile::open(entry.path);
    const std::string what =
        file.ok() ? describe(*file) : "cannot be read, see tc-cache verify";
    std::printf("%s  %9llu  %s  %s\n", when,
                static_cast<unsigned long long>(entry.bytes), what.c_str(),
                entry.path.c_str());
    total += entry.bytes;
  }
  std::printf("%zu entries, %llu bytes\n", entries.size(),
              static_cast<unsigned long long>(total));
  return 0;
}

static int verify(const std::vector<ArtefactCache::Entry> &entries) {
  size_t damaged = 0;
  for (const ArtefactCache::Entry &entry : entries) {
    Expected<ArtefactFile> file = ArtefactFile::open(entry.path);
    std::error_code ignored;
    // Other processes may have removed or replaced it meanwhile.
    if (file.ok() || file.error().code() != ErrorCode::CorruptData)
      continue;
    std::printf("%s\n", file.error().message().c_str());
    std::filesystem::remove(entry.path, ignored);
    ++damaged;
  }
  std::printf("%zu entries, %zu damaged and removed\n", entries.size(),
              damaged);
  return damaged ? 1 : 0;
}

int main(int argc, char **argv) {
  std::string directory = defaultDirectory(), command;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::string option = "--directory=";
    if (argument == "--help" || argument == "--help-hidden") {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (argument.starts_with(option))
      directory = argument.substr(option.size());
    else if (command.empty() && !argument.starts_with("-"))
      command = argument;
    else
      return fail(Status(ErrorCode::InvalidArgument,
                         "argument '" + argument +
                             "' is not known, see tc-cache --help"));
  }
  const ArtefactCache cache(directory);
  Expected<std::vector<ArtefactCache::Entry>> entries = cache.list();
  if (!entries.ok())
    return fail(entries.error());
  if (command == "ls")
    return list(*entries);
  if (command == "verify")
    return verify(*entries);
  if (command != "clear")
    return fail(Status(ErrorCode::InvalidArgument,
                       "the command is '" + command +
                           "', expected ls, verify or clear"));
  if (Status status = cache.clear(); !status.ok())
    return fail(status);
  std::printf("%zu entries removed\n", entries->size());
  return 0;
}
