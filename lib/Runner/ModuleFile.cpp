//===- ModuleFile.cpp - Reading a module from a file ----------------------===//

#include "TC/Runner/ModuleFile.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Frontend/PT2/ImportPT2.h"
#include "TC/Frontend/Text/ModuleText.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/FileSystem.h"

using namespace mlir;
using namespace tc;

llvm::Expected<OwningOpRef<ModuleOp>>
runner::readModuleFile(const std::string &path, llvm::SourceMgr &sources,
                       MLIRContext &context) {
  if (path != "-" && !llvm::sys::fs::exists(path))
    return llvm::createStringError("there is no file '" + path + "'");
  if (llvm::sys::fs::is_directory(path))
    return llvm::createStringError("'" + path +
                                   "' is a directory, expected a file of MLIR, "
                                   "a .pt2 archive or a graph in .json");
  // Sizes are attributes of the dialect even where a module has none of its
  // ops.
  context.loadDialect<TCDialect>();
  OwningOpRef<ModuleOp> module;
  if (StringRef(path).ends_with(".pt2")) {
    module = pt2::importPT2File(path, &context);
  } else {
    auto file = llvm::MemoryBuffer::getFileOrSTDIN(path);
    if (!file)
      return llvm::createStringError("cannot read '" + path +
                                     "': " + file.getError().message());
    module =
        StringRef(path).ends_with(".json")
            ? pt2::importGraphText((*file)->getBuffer(), path, &context)
            : parseModule(std::move(*file), sources, ParserConfig(&context));
  }
  if (!module)
    return llvm::createStringError("'" + path + "' cannot be read");
  return module;
}
