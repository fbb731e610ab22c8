//===- ObjectFiles.cpp - tc-run --object-files ----------------------------===//

#include "ObjectFiles.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace tc;
using namespace tc::runner;

llvm::Error runner::writeObjectFiles(llvm::ArrayRef<ObjectCode> objects,
                                     llvm::StringRef directory) {
  if (directory.empty())
    return llvm::Error::success();
  auto fail = [](const llvm::Twine &path, std::error_code code) {
    return llvm::createStringError("cannot write " + path + ": " +
                                   code.message());
  };
  if (std::error_code code = llvm::sys::fs::create_directories(directory))
    return fail(directory, code);
  for (const ObjectCode &object : objects) {
    llvm::SmallString<128> path(directory);
    llvm::sys::path::append(path, object.name + ".o");
    std::error_code code;
    llvm::raw_fd_ostream file(path, code);
    if (!code) {
      file.write(object.bytes.data(), object.bytes.size());
      file.close();
      code = file.error();
      file.clear_error();
    }
    if (code)
      return fail(path, code);
  }
  return llvm::Error::success();
}
