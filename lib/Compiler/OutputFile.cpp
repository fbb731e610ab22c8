//===- OutputFile.cpp - Files and streams that tools write ----------------===//

#include "TC/Compiler/OutputFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include <cstdlib>
#include <new>
#include <unistd.h>

using namespace tc;

static llvm::Error describe(llvm::StringRef path, std::error_code code) {
  return llvm::createStringError("cannot write " + path + ": " +
                                 code.message());
}

/// The failure of a stream, which is forgotten then.
static std::error_code takeError(llvm::raw_fd_ostream &stream) {
  stream.flush(); // of a closed one: nothing
  std::error_code code = stream.error();
  stream.clear_error();
  return code;
}

llvm::Error tc::writeFile(llvm::StringRef path,
                          llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (path == "-") {
    write(llvm::outs());
    return llvm::Error::success();
  }
  std::error_code code;
  llvm::raw_fd_ostream file(path, code);
  if (code)
    return describe(path, code);
  write(file);
  if (std::error_code failure = takeError(file))
    return describe(path, failure);
  file.close(); // some systems say it no earlier
  if (std::error_code failure = takeError(file))
    return describe(path, failure);
  return llvm::Error::success();
}

static const char *toolName = "tc";

static void checkOutput() {
  std::error_code code = takeError(llvm::outs());
  if (code)
    llvm::WithColor::error(llvm::errs(), toolName)
        << llvm::toString(describe("the standard output", code)) << "\n";
  takeError(llvm::errs());
  if (code)
    _exit(1);
}

void tc::checkOutputAtExit(const char *tool) {
  toolName = tool;
  // Streams that are there now are destroyed after this has run.
  llvm::outs();
  llvm::errs();
  std::atexit(checkOutput);
  std::set_new_handler([] {
    // Without memory nothing can be formatted.
    for (llvm::StringRef part :
         {llvm::StringRef(toolName), llvm::StringRef(": error: the memory is "
                                                     "used up\n")})
      (void)!write(STDERR_FILENO, part.data(), part.size());
    _exit(1);
  });
}
