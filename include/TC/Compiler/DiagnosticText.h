//===- DiagnosticText.h - Diagnostics as text -------------------*- C++ -*-===//

#ifndef TC_COMPILER_DIAGNOSTICTEXT_H
#define TC_COMPILER_DIAGNOSTICTEXT_H

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include <optional>
#include <string>

namespace tc {

/// Collects the diagnostics of a context as text while it lives, instead of
/// handing them to the context's handlers. Does nothing when not enabled.
class DiagnosticText {
public:
  DiagnosticText(mlir::MLIRContext *context, bool enabled) {
    if (enabled)
      handler.emplace(context, [this](mlir::Diagnostic &diagnostic) {
        append(diagnostic);
        for (mlir::Diagnostic &note : diagnostic.getNotes())
          append(note);
        return mlir::success();
      });
  }
  /// A line for each diagnostic and note: "FILE:LINE:COLUMN: MESSAGE".
  const std::string &get() const { return text; }

private:
  void append(mlir::Diagnostic &diagnostic) {
    llvm::raw_string_ostream os(text);
    mlir::Location location = diagnostic.getLocation();
    if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(location))
      os << file.getFilename().getValue() << ":" << file.getLine() << ":"
         << file.getColumn() << ": ";
    else if (!mlir::isa<mlir::UnknownLoc>(location))
      os << location << ": ";
    os << diagnostic << "\n";
  }

  std::string text;
  std::optional<mlir::ScopedDiagnosticHandler> handler;
};

} // namespace tc

#endif // TC_COMPILER_DIAGNOSTICTEXT_H
