//===- Dump.cpp - Folders of what a compilation goes through --------------===//

#include "Dump.h"
#include "TC/Compiler/OutputFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;
namespace fs = llvm::sys::fs;

llvm::Error runner::writeModule(StringRef path, ModuleOp module) {
  return writeFile(path, [&](llvm::raw_ostream &os) {
    module->print(os, OpPrintingFlags().useLocalScope());
    os << "\n";
  });
}

/// How many folders of a directory have a number for a name.
static unsigned countFolders(const std::string &directory) {
  unsigned count = 0;
  std::error_code code;
  for (fs::directory_iterator entry(directory, code), end;
       !code && entry != end; entry.increment(code))
    count += llvm::all_of(llvm::sys::path::filename(entry->path()),
                          [](char c) { return llvm::isDigit(c); });
  return count;
}

llvm::Expected<Dump> Dump::start(const std::string &directory) {
  std::error_code code = fs::create_directories(directory);
  for (unsigned number = countFolders(directory);; ++number) {
    llvm::SmallString<128> folder(directory);
    std::string name;
    llvm::raw_string_ostream(name) << llvm::format("%04u", number);
    llvm::sys::path::append(folder, name);
    if (!code)
      code = fs::create_directory(folder, /*IgnoreExisting=*/false);
    if (!code)
      return Dump(folder.str().str());
    if (code != std::errc::file_exists || !fs::is_directory(directory))
      return llvm::createStringError("cannot make a folder in the directory " +
                                     directory + ": " + code.message());
    code.clear(); // another process has taken the number
  }
}

std::string Dump::pathOf(StringRef name) const {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, name);
  return path.str().str();
}

llvm::Error Dump::writeText(StringRef name, StringRef text) const {
  return writeFile(pathOf(name), [&](llvm::raw_ostream &os) { os << text; });
}

llvm::Error Dump::addCommand(StringRef file, const std::string &given) {
  commands += ("tc-run " + file + given + " --random-inputs=0\n").str();
  return writeText("replay.txt", commands);
}

llvm::Error Dump::addSource(const DumpedSource &given, ModuleOp module) {
  options = given.options;
  llvm::SmallString<128> source(given.file);
  if (given.file == "-") {
    source = "module.mlir";
    if (llvm::Error error = writeModule(pathOf(source), module))
      return error;
  } else {
    (void)fs::make_absolute(source);
  }
  return addCommand(source, given.options + given.more);
}

llvm::Error Dump::addPhase(const PhaseInfo &phase, ModuleOp module) {
  const std::string name =
      std::to_string(int(phase.phase)) + "_" + phase.name().str() + ".mlir";
  if (llvm::Error error = writeModule(pathOf(name), module))
    return error;
  return addCommand(name, options);
}

llvm::Error Dump::addCode(const CompiledModule &compiled, bool isForGPU) {
  if (llvm::Error error = writeText("code.ll", compiled.llvmIR()))
    return error;
  return writeText(isForGPU ? "code.ptx" : "code.s", compiled.assembly());
}
