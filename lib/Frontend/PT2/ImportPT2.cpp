//===- ImportPT2.cpp - archives and graphs as modules, tc-import-pt2 ------===//

#include "TC/Frontend/PT2/ImportPT2.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Frontend/PT2/Importer.h"
#include "TC/Frontend/PT2/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

/// Imports what was loaded, or emits why there is nothing.
static OwningOpRef<ModuleOp>
importLoaded(llvm::Expected<std::unique_ptr<tc::pt2::ExportedProgram>> program,
             MLIRContext *context) {
  if (program)
    return tc::pt2::importExportedProgram(**program, context);
  emitError(UnknownLoc::get(context)) << toString(program.takeError());
  return nullptr;
}

OwningOpRef<ModuleOp> tc::pt2::importPT2File(StringRef path,
                                             MLIRContext *context,
                                             StringRef modelName) {
  return importLoaded(ExportedProgram::load(path, modelName), context);
}

OwningOpRef<ModuleOp> tc::pt2::importGraphText(StringRef text, StringRef name,
                                               MLIRContext *context) {
  return importLoaded(ExportedProgram::parse(text, name), context);
}

namespace tc {
#define GEN_PASS_DEF_TCIMPORTPT2PASS
#include "TC/Frontend/PT2/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
class ImportPT2Pass : public tc::impl::TCImportPT2PassBase<ImportPT2Pass> {
public:
  using TCImportPT2PassBase::TCImportPT2PassBase;

  void runOnOperation() override {
    if (file.empty())
      return;
    OwningOpRef<ModuleOp> imported =
        pt2::importPT2File(file, &getContext(), model);
    if (!imported)
      return signalPassFailure();
    ModuleOp module = getOperation();
    module.getBodyRegion().takeBody(imported->getBodyRegion());
    module->setDiscardableAttrs((*imported)->getDiscardableAttrDictionary());
    module->setLoc((*imported)->getLoc());
  }
};
} // namespace
