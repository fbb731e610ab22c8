//===- Entry.h - The function that is run -----------------------*- C++ -*-===//

#ifndef TC_RUNNER_ENTRY_H
#define TC_RUNNER_ENTRY_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace tc::runner {

/// A function that can be run, at whatever phase its module is.
struct Entry {
  std::string name;
  mlir::Operation *op = nullptr;
  llvm::SmallVector<mlir::ShapedType> inputTypes;
  std::vector<std::string> inputNames;
  llvm::SmallVector<tc::SymbolAttr> symbols;

  /// "main(x: 4x8xf32)"
  std::string signature() const;
};

/// Finds the function to run: `name`, or the only public one, or main.
llvm::Expected<Entry> findEntry(mlir::ModuleOp module, const std::string &name);

} // namespace tc::runner

#endif // TC_RUNNER_ENTRY_H
