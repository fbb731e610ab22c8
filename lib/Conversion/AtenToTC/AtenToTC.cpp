//===- AtenToTC.cpp - convert-aten-to-tc ----------------------------------===//

#include "TC/Conversion/AtenToTC/AtenToTC.h"
#include "AtenTable.h"
#include "RandomIterations.h"
#include "TC/Analysis/SizeSimplification.h"
#include "TC/Conversion/Passes.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/SizeAlgebra.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTATENTOTCPASS
#include "TC/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;
using namespace tc::aten;

/// The conversions of all themes.
static AtenTable makeTable() {
  static constexpr std::pair<StringLiteral, void (*)(AtenTable &)> themes[] = {
      {kElementwiseRows, addElementwiseRows},
      {"Arithmetic", addArithmetic},
      {"Activations", addActivations},
      {"Selections", addSelections},
      {"Composites", addComposites},
      {"Complex numbers", addComplex},
      {"Fourier transforms", addFourier},
      {"Reductions", addReductions},
      {"Contractions", addContractions},
      {"Grouped products", addGroupedProducts},
      {"Einsum", addEinsum},
      {"Convolutions", addConvolutions},
      {"Views", addViews},
      {"Diagonals", addDiagonals},
      {"Shapes", addShapes},
      {"Windows", addWindows},
      {"Joins", addJoins},
      {"Indexing", addIndexing},
      {"Embedding bags", addEmbeddingBags},
      {"Scatters", addScatters},
      {"Grids", addGrids},
      {"Antialiasing", addAntialiasing},
      {"Pooling", addPooling},
      {"Unpooling", addUnpooling},
      {"Normalizations", addNormalizations},
      {"Neural networks", addNeuralNetworks},
      {"Recurrent layers", addRecurrent},
      {"Linear algebra", addLinearAlgebra},
      {"Matrix factorizations", addFactorizations},
      {"Losses", addLosses},
      {"Margin losses", addMarginLosses},
      {"Distances", addDistances},
      {"Data-dependent sizes", addDataDependentSizes},
      {"Backwards", addBackwards},
      {"Factories", addFactories},
      {"Dropout", addDropout},
      {"Random numbers", addRandomNumbers},
      {"Special functions", addSpecialFunctions},
      {"Statistics", addStatistics},
      {"Sorts and scans", addSortsAndScans},
      {"Aliases", addAliases},
  };
  AtenTable table;
  for (auto [name, addRows] : themes) {
    table.startTheme(name);
    addRows(table);
  }
  return table;
}

static const AtenTable &getTable() {
  static const AtenTable table = makeTable();
  return table;
}

/// The calls that write to arguments, of which the importer makes calls that do
/// not: those whose meaning has a conversion.
static void printMutations(raw_ostream &os) {
  for (StringRef overload : pt2::listOperatorOverloads()) {
    const pt2::OperatorSchema *schema = pt2::findOperatorSchema(overload);
    const pt2::OperatorSchema *functional =
        schema ? pt2::findFunctionalTwin(*schema) : nullptr;
    if (functional && getTable().find(functional->name))
      os << "Mutations, in the importer: " << overload << "\n";
  }
}

bool tc::convertsAtenOverload(StringRef overload) {
  // Also those that only calls with complex operands have, as view_as_real.
  return getTable().find(overload, /*isComplex=*/true);
}

llvm::Error tc::printAtenOverloads(raw_ostream &os) {
  getTable().print(os);
  printMutations(os);
  if (StringRef error = getTable().getError(); !error.empty())
    return llvm::createStringError(error);
  return llvm::Error::success();
}

namespace {
class ConvertAtenToTC
    : public tc::impl::ConvertAtenToTCPassBase<ConvertAtenToTC> {
public:
  void runOnOperation() override {
    targets.clear();
    SmallVector<AtenOp> calls;
    getOperation().walk([&](AtenOp op) { calls.push_back(op); });
    if (failed(checkSupported(calls)))
      return signalPassFailure();
    getOperation().walk(simplifySizes);
    OpBuilder builder(&getContext());
    bool anyFailed = false;
    llvm::MapVector<Operation *, KnownSizes> known;
    for (AtenOp op : calls) {
      auto function = op->getParentOfType<func::FuncOp>();
      auto [entry, isNew] = known.try_emplace(function, function);
      anyFailed |= failed(convert(op, entry->second, builder));
    }
    for (auto &[function, sizes] : known)
      anyFailed = anyFailed || failed(sizes.equalities.apply());
    anyFailed = anyFailed || failed(verifyConverted());
    if (anyFailed)
      return signalPassFailure();
    drawInEachIteration(getOperation());
    getOperation().walk(settleGuards);
    getOperation().walk(substituteGuardedSizes);
    eraseUnused();
  }

private:
  /// The facts on a function's sizes.
  struct KnownSizes {
    explicit KnownSizes(func::FuncOp function)
        : ranges(function), equalities(function) {}
    SizeRanges ranges;
    SizeEqualities equalities;
    int64_t randomStreams = 0;
  };

  static StringRef getOverload(AtenOp op) {
    StringRef overload = op.getTarget();
    overload.consume_front("aten.");
    return overload;
  }

  static AtenConversion findConversion(AtenOp op) {
    auto isComplex = [](Type type) {
      auto shaped = dyn_cast<ShapedType>(type);
      return shaped && isa<ComplexType>(shaped.getElementType());
    };
    bool anyIsComplex = llvm::any_of(op->getOperandTypes(), isComplex) ||
                        llvm::any_of(op->getResultTypes(), isComplex);
    return getTable().find(getOverload(op), anyIsComplex);
  }

  /// Refuses all overloads without a conversion in one message.
  LogicalResult checkSupported(ArrayRef<AtenOp> calls) {
    llvm::MapVector<StringRef, SmallVector<AtenOp>> unsupported;
    for (AtenOp op : calls)
      if (!findConversion(op))
        unsupported[op.getTarget()].push_back(op);
    if (unsupported.empty())
      return success();
    auto first = unsupported.begin();
    InFlightDiagnostic error =
        emitError(first->second.front().getLoc())
        << "'" << first->first
        << "' is not supported; replace it in the model, or decompose it with "
           "run_decompositions() before the export";
    for (auto it = std::next(first); it != unsupported.end(); ++it)
      error.attachNote(it->second.front().getLoc())
          << "'" << it->first << "' is not supported either";
    return error;
  }

  /// Whether the regions of a branch or loop hold captured calls, and no other
  /// ops the sizes of which follow from those of their operands.
  static bool isCaptured(Operation *op) {
    bool hasCalls = false;
    WalkResult others = op->walk([&](Operation *inner) {
      hasCalls |= isa<AtenOp>(inner);
      bool mayChange = isa<AtenOp, IfOp, WhileOp>(inner) ||
                       llvm::all_of(inner->getResultTypes(), [](Type type) {
                         auto tensor = dyn_cast<RankedTensorType>(type);
                         return !tensor || tensor.hasStaticShape();
                       });
      return mayChange ? WalkResult::advance() : WalkResult::interrupt();
    });
    return hasCalls && !others.wasInterrupted();
  }

  /// Simplifies the sizes of ATen's results by the ranges of the symbols, and
  /// those of branches and loops of captured calls. Arguments keep the sizes
  /// that callers see, results of TC's own ops those that follow from their
  /// operands.
  static void simplifySizes(func::FuncOp function) {
    if (function.isDeclaration())
      return;
    SizeRanges ranges(function);
    auto simplify = [&](SizeExpr size) { return simplifySize(size, ranges); };
    auto simplifyType = [&](Value value) {
      auto type = cast<RankedTensorType>(value.getType());
      Sizes sizes = getSizes(type);
      llvm::transform(sizes, sizes.begin(), simplify);
      value.setType(getTensorType(sizes, type.getElementType()));
    };
    function.getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<AtenOp>(op))
        replaceSizes(op, simplify);
      if (!isa<IfOp, WhileOp>(op))
        return WalkResult::advance();
      if (!isCaptured(op))
        return WalkResult::skip();
      llvm::for_each(op->getResults(), simplifyType);
      for (Region &region : op->getRegions())
        llvm::for_each(region.getArguments(), simplifyType);
      return WalkResult::advance();
    });
    function.getBody().walk(reshapeAtBorders);
    setResultTypes(function);
  }

  /// Gives what enters a loop, or leaves a region, the sizes that it has there.
  static void reshapeAtBorders(Operation *op) {
    auto fit = [](MutableArrayRef<OpOperand> operands, TypeRange types) {
      for (auto [operand, type] : llvm::zip_equal(operands, types)) {
        Operation *user = operand.getOwner();
        OpBuilder builder(user);
        if (operand.get().getType() != type)
          operand.set(
              ReshapeOp::create(builder, user->getLoc(), type, operand.get()));
      }
    };
    TypeRange types = op->getResultTypes();
    if (isa<IfOp>(op))
      for (Region &region : op->getRegions())
        fit(region.front().getTerminator()->getOpOperands(), types);
    if (auto loop = dyn_cast<WhileOp>(op)) {
      fit(loop->getOpOperands(), types);
      fit(loop.getBodyYield()->getOpOperands(), types);
    }
  }

  LogicalResult convert(AtenOp op, KnownSizes &known, OpBuilder &builder) {
    const pt2::OperatorSchema *schema =
        pt2::findOperatorSchema(getOverload(op));
    if (!schema)
      return op.emitError() << "'" << op.getTarget()
                            << "' has no schema in the table of overloads";
    builder.setInsertionPoint(op);
    AtenCall call(op, *schema, known.ranges, known.equalities,
                  known.randomStreams, builder);
    if (failed(call.prepare()))
      return failure();
    Operation *before = op->getPrevNode(), *after = op->getNextNode();
    Block *block = op->getBlock();
    StringAttr target = op.getTargetAttr();
    if (failed(findConversion(op)(call)))
      return failure();
    Block::iterator first =
        before ? std::next(Block::iterator(before)) : block->begin();
    for (Operation &made : llvm::make_range(first, Block::iterator(after)))
      targets[&made] = target;
    return success();
  }

  /// Ops that are not valid stand for calls that TC has no ops for, such as
  /// arithmetic of float8.
  LogicalResult verifyConverted() {
    SmallVector<std::tuple<Location, StringAttr, std::string>> reasons;
    getOperation().walk([&](Operation *op) {
      StringAttr target = targets.lookup(op);
      if (!target)
        return;
      std::string reason;
      ScopedDiagnosticHandler handler(&getContext(),
                                      [&](Diagnostic &diagnostic) {
                                        reason = diagnostic.str();
                                        return success();
                                      });
      if (succeeded(verify(op, /*verifyRecursively=*/false)))
        return;
      reasons.emplace_back(op->getLoc(), target, reason);
    });
    for (auto &[location, target, reason] : reasons)
      emitError(location) << "'" << target.getValue()
                          << "' is not supported with these operands: "
                          << reason;
    return success(reasons.empty());
  }

  /// Puts guards on data-dependent sizes after the definition of their last
  /// symbol, before all kernels of such sizes. Erases those that say no more
  /// than the ranges of the symbols, which are checked where they are defined.
  static void settleGuards(func::FuncOp function) {
    if (function.isDeclaration())
      return;
    SizeRanges ranges(function);
    for (auto guard :
         llvm::make_early_inc_range(function.getBody().getOps<GuardOp>())) {
      if (!guard.getExpr() || !isDataDependent(*guard.getExpr()) ||
          !guard.getInputs().empty())
        continue;
      auto end = [](std::optional<uint64_t> value, int64_t otherwise) {
        return value ? static_cast<int64_t>(*value) : otherwise;
      };
      SizeRange allowed{end(guard.getMin(), INT64_MIN),
                        end(guard.getMax(), INT64_MAX), 1};
      if (ranges.of(*guard.getExpr()).isWithin(allowed)) {
        guard.erase();
        continue;
      }
      SizeFromOp last = findLastDefinition(function, *guard.getExpr());
      if (last)
        guard->moveAfter(last);
    }
  }

  /// Conversions may leave values that nothing uses; uses come after what they
  /// use, so one walk from the end finds them all.
  void eraseUnused() {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  /// The call that each op stands for.
  llvm::DenseMap<Operation *, StringAttr> targets;
};
} // namespace
