//===- ImportPT2.cpp - tc-import-pt2 --------------------------------------===//

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "TC/Frontend/PT2/Importer.h"
#include "TC/Frontend/PT2/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

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
