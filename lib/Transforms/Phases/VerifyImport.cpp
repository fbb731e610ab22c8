//===- VerifyImport.cpp - tc-verify-import --------------------------------===//

#include "TC/Analysis/SizeRanges.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYIMPORTPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// Whether a later phase makes the op.
static bool isOfLaterPhase(Operation *op) {
  return isa<BufferOp, ArenaOp, ArenaViewOp, OutputBufferOp, BufferReshapeOp,
             LaunchOp>(op);
}

/// What convert-aten-to-tc makes of the captured graph.
static LogicalResult verifyConverted(Operation *op) {
  if (auto call = dyn_cast<AtenOp>(op)) {
    InFlightDiagnostic error = op->emitOpError("of '")
                               << call.getTarget()
                               << "' is left after phase import; expected the "
                                  "tc ops that it means";
    error.attachNote() << "convert-aten-to-tc should have converted it";
    return error;
  }
  auto random = dyn_cast<RandomOp>(op);
  if (!random || !random.getEachIteration())
    return success();
  InFlightDiagnostic error =
      op->emitOpError("is left with 'each_iteration' after phase import; "
                      "expected a seed that the loop computes");
  error.attachNote() << "convert-aten-to-tc should have computed it";
  return error;
}

namespace {
/// Checks a function; its dispatch has no body of ops.
class FunctionVerifier {
public:
  explicit FunctionVerifier(func::FuncOp function) : function(function) {
    for (SymbolAttr symbol : getDeclaredSymbols(function))
      declared.insert(symbol.getName());
  }

  LogicalResult verify() {
    for (BlockArgument argument : function.getArguments())
      if (failed(verifyType(function, argument.getType())))
        return failure();
    for (unsigned index = 0; index < function.getNumResults(); ++index)
      if (failed(verifyMutation(index, kMutatesAttr)) ||
          failed(verifyMutation(index, kMayOverwriteAttr)))
        return failure();
    WalkResult result =
        function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
          if (failed(verifyOp(op)))
            return WalkResult::interrupt();
          return isa<KernelOp>(op) ? WalkResult::skip() : WalkResult::advance();
        });
    return failure(result.wasInterrupted());
  }

private:
  LogicalResult verifyOp(Operation *op) {
    if (failed(verifyConverted(op)))
      return failure();
    if (!isa_and_nonnull<TCDialect, func::FuncDialect>(op->getDialect()) ||
        isOfLaterPhase(op))
      return op->emitOpError("is in @")
             << function.getName()
             << " after phase import; expected tc ops on tensors, kernels, and "
                "ops of the func dialect";
    if (auto guard = dyn_cast<GuardOp>(op))
      if (failed(verifyGuard(guard)))
        return failure();
    for (Region &region : op->getRegions())
      for (Type type : region.getArgumentTypes())
        if (!isa<KernelOp>(op) && failed(verifyType(op, type)))
          return failure();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return failure();
    return success();
  }

  /// A tensor whose symbols the function declares.
  LogicalResult verifyType(Operation *op, Type type) {
    if (!seen.insert(type).second)
      return success();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return op->emitOpError("has a value of type ")
             << type << " after phase import; expected a tensor";
    if (tensor.hasStaticShape())
      return success();
    if (!hasKnownSizes(tensor))
      return op->emitOpError("has a value of type ")
             << type << " after phase import; expected every '?' named in "
             << "#tc.sizes";
    std::string undeclared;
    for (SizeExpr size : getSizes(tensor))
      size.walkSymbols([&](StringRef name) {
        if (!declared.contains(name))
          undeclared = name.str();
      });
    if (undeclared.empty())
      return success();
    return op->emitOpError("has a value of type ")
           << type << ", but tc.symbols of @" << function.getName()
           << " declares no '" << undeclared << "'";
  }

  /// A guard is about what the caller gives.
  LogicalResult verifyGuard(GuardOp guard) {
    for (Value input : guard.getInputs()) {
      auto argument = dyn_cast<BlockArgument>(input);
      if (!argument || argument.getOwner() != &function.front())
        return guard.emitOpError("of kind ")
               << stringifyGuardKind(guard.getKind())
               << " is about a value that is computed; expected an argument "
                  "of @"
               << function.getName();
    }
    return success();
  }

  /// What replaces an argument or a parameter has its type.
  LogicalResult verifyMutation(unsigned index, StringRef attribute) {
    Attribute target = function.getResultAttr(index, attribute);
    if (!target)
      return success();
    Type expected;
    if (auto number = dyn_cast<IntegerAttr>(target)) {
      expected = function.getArgumentTypes()[number.getInt()];
    } else {
      auto source = SymbolTable::lookupNearestSymbolFrom<ParameterSourceOp>(
          function, cast<FlatSymbolRefAttr>(target));
      if (!source)
        return function.emitOpError("has tc.mutates = ")
               << target << " on result " << index
               << ", but the module declares no parameter of that name";
      expected = source.getType();
    }
    Type actual = function.getResultTypes()[index];
    if (actual == expected)
      return success();
    return function.emitOpError("replaces ")
           << target << " of type " << expected << " by result " << index
           << " of type " << actual << "; expected the same type";
  }

  func::FuncOp function;
  llvm::StringSet<> declared;
  llvm::DenseSet<Type> seen;
};

class VerifyImportPass
    : public tc::impl::TCVerifyImportPassBase<VerifyImportPass> {
public:
  using TCVerifyImportPassBase::TCVerifyImportPassBase;

  void runOnOperation() override {
    for (Operation &op : *getOperation().getBody()) {
      if (auto function = dyn_cast<func::FuncOp>(op)) {
        if (!function.isDeclaration() &&
            failed(FunctionVerifier(function).verify()))
          return signalPassFailure();
        continue;
      }
      if (isa<DispatchOp, ParameterSourceOp, PreparedOp>(op))
        continue;
      op.emitOpError("is in the module after phase import; expected "
                     "func.func, tc.dispatch, tc.parameter_source and "
                     "tc.prepared");
      return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
