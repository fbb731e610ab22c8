//===- Dispatch.cpp - Which version of a function runs --------------------===//

#include "TC/Reference/Dispatch.h"
#include "Guards.h"
#include "SymbolBinding.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace tc::reference {

/// Whether all guards of `block` hold; adds the text of the first that does
/// not to `misses`.
static bool holdsWithout(Evaluation &evaluation, CaseOp version,
                         SmallVectorImpl<std::string> &misses) {
  std::string text;
  ScopedDiagnosticHandler handler(
      version.getContext(), [&](Diagnostic &diagnostic) {
        text = "@" + version.getVersion().str() + ": " + diagnostic.str();
        return success();
      });
  for (auto guard : version.getGuards().front().getOps<GuardOp>())
    if (failed(evaluate(evaluation, guard))) {
      misses.push_back(text);
      return false;
    }
  return true;
}

FailureOr<Choice> chooseVersion(DispatchOp dispatch,
                                ArrayRef<Tensor> arguments) {
  if (arguments.size() != dispatch.getNumArguments())
    return dispatch.emitError()
           << "function @" << dispatch.getSymName() << " takes "
           << dispatch.getNumArguments() << " arguments, but "
           << arguments.size() << " are given";
  Options options;
  Evaluation evaluation(options, /*depth=*/0);
  if (failed(bindSymbolsOf(dispatch, evaluation, arguments)))
    return failure();
  for (auto [value, tensor] :
       llvm::zip_equal(dispatch.getArguments(), arguments))
    evaluation.set(value, tensor);
  Choice choice;
  StringRef name = dispatch.getOtherwise().getVersion();
  for (Operation &op : dispatch.getBody().front().without_terminator()) {
    auto guard = dyn_cast<GuardOp>(op);
    if (guard && failed(evaluate(evaluation, guard)))
      return failure();
    auto version = dyn_cast<CaseOp>(op);
    if (!version || !holdsWithout(evaluation, version, choice.misses))
      continue;
    name = version.getVersion();
    break;
  }
  choice.version = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
      dispatch, StringAttr::get(dispatch.getContext(), name));
  if (!choice.version)
    return dispatch.emitOpError("runs @")
           << name << ", which the reference interpreter cannot run";
  return choice;
}

} // namespace tc::reference
