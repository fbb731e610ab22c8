//===- VerifyBufferize.cpp - tc-verify-bufferize --------------------------===//

#include "PlacedView.h"
#include "TC/Analysis/AccessBounds.h"
#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Analysis/TaskPlan.h"
#include "TC/Analysis/WrittenBuffers.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/InputOps.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"
#include "TC/Transforms/Bufferize/SizeBounds.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include <map>

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYBUFFERIZEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// A reshape's result is in the memory of its operand.
static LogicalResult verifyReshape(BufferReshapeOp reshape,
                                   const SizeFacts &facts) {
  auto whole = cast<MemRefType>(reshape.getX().getType()),
       shown = cast<MemRefType>(reshape.getType());
  if (SizeProver(facts).hasAtMostBytesOf(shown, whole))
    return success();
  return reshape.emitOpError("shows ")
         << getBytes(shown).str() << " bytes of a buffer of "
         << getBytes(whole).str()
         << ", which are not proved to be at least as many by tc.symbols and "
            "the guards";
}

/// No tensor and no buffer without a place is left, also in regions.
static LogicalResult verifyOp(Operation &op, const SizeFacts &facts) {
  if (isa<ArenaOp, ArenaViewOp, OutputBufferOp>(op) &&
      !isa<func::FuncOp>(op.getParentOp())) {
    InFlightDiagnostic error =
        op.emitOpError("is in a ")
        << (isa<IfOp>(op.getParentOp()) ? "branch" : "region") << " of "
        << op.getParentOp()->getName().getStringRef()
        << "; expected it before, where the memory plan sees it";
    error.attachNote() << "tc-bufferize-kernels puts buffers there";
    return error;
  }
  if (isa<BufferOp>(op)) {
    InFlightDiagnostic error = op.emitOpError("has no place in the arena");
    error.attachNote() << "tc-plan-memory should have given it one";
    return error;
  }
  for (Type type :
       llvm::concat<const Type>(op.getOperandTypes(), op.getResultTypes()))
    if (isa<TensorType>(type)) {
      InFlightDiagnostic error = op.emitOpError("uses a value of type ")
                                 << type << " after phase bufferize";
      error.attachNote() << "tc-bufferize-kernels should have put it on a "
                            "buffer";
      return error;
    }
  if (isa<IfOp, WhileOp>(op)) {
    for (Region &region : op.getRegions()) {
      SizeFacts inside = facts.in(region.front());
      for (Operation &inner : region.front()) {
        inside.pass(inner);
        if (failed(verifyOp(inner, inside)))
          return failure();
      }
    }
    return success();
  }
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    if (kernel.getSchedule() &&
        failed(verifySchedule(kernel, *kernel.getSchedule())))
      return failure();
    return success(succeeded(verifyInPlaceWrites(kernel)) &&
                   succeeded(verifyWorkspace(kernel, facts)) &&
                   succeeded(verifyAccessBounds(kernel, facts)));
  }
  if (auto reshape = dyn_cast<BufferReshapeOp>(op))
    return verifyReshape(reshape, facts);
  if (isa<ParameterOp, InputStorageOp, GuardOp, SizeGuardOp, func::ReturnOp,
          YieldOp, OutputBufferOp, ArenaOp, ArenaViewOp, SizeFromOp,
          memref::GetGlobalOp>(op))
    return success();
  InFlightDiagnostic error = op.emitOpError("has no form on buffers");
  error.attachNote() << "phase fuse should have made it a tc.kernel";
  return error;
}

/// The epoch in which all sizes of what is in the arena are known: they
/// may cancel out in its own.
static unsigned getEpoch(ArenaOp arena, const SizeEpochs &epochs) {
  unsigned epoch = epochs.of(arena.getBytes());
  for (Operation *user : arena->getUsers())
    if (auto view = dyn_cast<ArenaViewOp>(user))
      epoch = std::max(epoch, epochs.of(cast<ShapedType>(view.getType())));
  return epoch;
}

/// Every result has its one output buffer.
static LogicalResult verifyOutputs(func::FuncOp function) {
  SizeEpochs epochs(function.front());
  llvm::DenseSet<unsigned> known;
  for (auto arena : function.front().getOps<ArenaOp>())
    if (!known.insert(getEpoch(arena, epochs)).second)
      return arena.emitOpError("is a second arena of the function; expected at "
                               "most one, and one after each tc.size_from");
  auto types = function->getAttrOfType<ArrayAttr>(kResultTypesAttr);
  if (function.getNumResults() != 0 || !types) {
    InFlightDiagnostic error =
        function.emitError()
        << "function @" << function.getSymName() << " has "
        << function.getNumResults() << " results and " << (types ? "" : "no ")
        << "tc.result_types; expected no results and tc.result_types";
    error.attachNote() << "tc-bufferize-kernels should have made the results "
                          "output buffers";
    return error;
  }
  SmallVector<OutputBufferOp> found(types.size());
  for (auto output : function.front().getOps<OutputBufferOp>()) {
    size_t index = output.getIndex();
    if (index >= types.size() || found[index])
      return output.emitOpError("is output ")
             << index
             << (index >= types.size() ? ", but the function has "
                                       : " once more, of ")
             << types.size() << " outputs";
    auto type = cast<ShapedType>(cast<TypeAttr>(types[index]).getValue());
    auto buffer = cast<MemRefType>(output.getType());
    if (getSizes(type) != getSizes(buffer) ||
        type.getElementType() != buffer.getElementType())
      return output.emitOpError("is a buffer of type ")
             << buffer << " for the result " << index << " of type " << type;
    found[index] = output;
  }
  for (auto [index, output] : llvm::enumerate(found))
    if (!output)
      return function.emitError() << "function @" << function.getSymName()
                                  << " has no tc.output_buffer " << index
                                  << " for its result of type "
                                  << cast<TypeAttr>(types[index]).getValue();
  return success();
}

/// An output that is written over an argument is the only one, and what reads
/// the argument itself comes before what writes the output, or is the kernel
/// that does; verifyInPlaceWrites looks at that.
static LogicalResult verifyOverwrites(func::FuncOp function) {
  UseOrder order(function.front());
  llvm::DenseSet<Value> overwritten;
  for (auto output : function.front().getOps<OutputBufferOp>()) {
    Value argument = output.getOver();
    if (!argument)
      continue;
    int64_t end = order.size();
    PlacedView old{output, argument, end, -1, 0, 0},
        made{output, output, end, -1, 0, 0};
    order.extendByUsers(argument, old);
    order.extendByUsers(output, made);
    order.extendThroughLoops(old);
    order.extendThroughLoops(made);
    bool isShown =
        llvm::any_of(argument.getUsers(), llvm::IsaPred<InputStorageOp>);
    if (!isShown && old.last <= made.first &&
        overwritten.insert(argument).second)
      continue;
    InFlightDiagnostic error = output.emitOpError("is output ")
                               << output.getIndex() << " over argument "
                               << cast<BlockArgument>(argument).getArgNumber()
                               << ", which another op reads or writes later";
    error.attachNote() << "tc-assign-buffers-in-place should have left it "
                          "memory of its own";
    return error;
  }
  return success();
}

static std::string describeSample(const SizeBounds &bounds, unsigned sample) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &entry : bounds.getSamples()[sample])
    os << (text.empty() ? " with " : ", ") << entry.getKey() << " = "
       << entry.getValue();
  return text;
}

/// Bytes of the arena or result that a view is a part of.
static SizeExpr getWholeBytes(Value memory) {
  auto arena = memory.getDefiningOp<ArenaOp>();
  return arena ? arena.getBytes()
               : getBytes(cast<MemRefType>(memory.getType()));
}

/// Whether `tc.symbols` declares all symbols of the sizes.
static bool areDeclared(ArrayRef<SizeExpr> sizes, const SizeBounds &bounds) {
  bool all = true;
  for (SizeExpr size : sizes)
    size.walkSymbols([&](StringRef name) {
      all &= bounds.getSamples().front().contains(name);
    });
  return all;
}

/// Whether the sizes of all tensors in memory are sizes at a sample: not where
/// one is negative or divides by 0, which guards keep out, nor where the bytes
/// of a tensor or an arena exceed 64 bits, which the call refuses.
static bool isPossible(func::FuncOp function, const SizeBounds &bounds,
                       unsigned sample) {
  auto isSize = [&](SizeExpr size) {
    return bounds.evaluate(size, sample).value_or(-1) >= 0;
  };
  return llvm::all_of(function.front(), [&](Operation &op) {
    if (auto arena = dyn_cast<ArenaOp>(op))
      return isSize(arena.getBytes());
    if (!isa<ArenaViewOp, OutputBufferOp>(op))
      return true;
    auto type = cast<MemRefType>(op.getResult(0).getType());
    return llvm::all_of(getSizes(type), isSize) && isSize(getBytes(type));
  });
}

/// The places of all results and views that are used, without their bytes;
/// fails for one that no declared symbols give.
static LogicalResult findPlaces(func::FuncOp function, const SizeBounds &bounds,
                                const UseOrder &order,
                                SmallVectorImpl<PlacedView> &places) {
  int64_t end = order.size();
  for (auto output : function.front().getOps<OutputBufferOp>()) {
    PlacedView place{output, output, end, end, 0, 0};
    order.extendByUsers(output, place);
    order.extendThroughLoops(place);
    places.push_back(place);
  }
  for (auto view : function.front().getOps<ArenaViewOp>()) {
    Value memory = getBufferRoot(view.getArena());
    SizeExpr sizes[] = {view.getOffset(),
                        getBytes(cast<MemRefType>(view.getType())),
                        getWholeBytes(memory)};
    if (!areDeclared(sizes, bounds))
      return view.emitOpError("has a place that tc.symbols does not give");
    PlacedView place{view, memory, end + 1, -1, 0, 0};
    order.extendByUsers(view, place);
    order.extendThroughLoops(place);
    places.push_back(place);
  }
  llvm::sort(places, [](const PlacedView &a, const PlacedView &b) {
    return a.first < b.first;
  });
  return success();
}

/// Gives places their bytes at a sample; fails for a view that is not aligned
/// or not inside.
static LogicalResult setBytes(MutableArrayRef<PlacedView> places,
                              const SizeBounds &bounds, unsigned sample) {
  for (PlacedView &place : places) {
    std::optional<int64_t> whole =
        bounds.evaluate(getWholeBytes(place.memory), sample);
    auto view = dyn_cast<ArenaViewOp>(place.op);
    if (!view) {
      place.end = whole.value_or(0);
      continue;
    }
    std::optional<int64_t> begin = bounds.evaluate(view.getOffset(), sample),
                           size = bounds.evaluate(
                               getBytes(cast<MemRefType>(view.getType())),
                               sample);
    place.begin = begin.value_or(-1);
    place.end = place.begin + size.value_or(0);
    if (place.begin % 64 != 0 || place.begin < 0 ||
        place.end > whole.value_or(-1))
      return view.emitOpError("is at bytes ")
             << place.begin << " to " << place.end << " of "
             << (place.memory.getDefiningOp<ArenaOp>() ? "an arena"
                                                       : "a result")
             << " of " << whole.value_or(-1) << describeSample(bounds, sample)
             << "; expected a multiple of 64 inside";
  }
  return success();
}

/// Fails for two places that overlap while both are live.
static LogicalResult verifyNoOverlap(PlacedView a, PlacedView b,
                                     const SizeBounds &bounds,
                                     unsigned sample) {
  if (isa<OutputBufferOp>(a.op))
    std::swap(a, b);
  if (a.memory != b.memory || a.begin >= b.end || b.begin >= a.end)
    return success();
  std::string at = describeSample(bounds, sample);
  if (isa<OutputBufferOp>(b.op)) {
    InFlightDiagnostic error = a.op->emitOpError("is still read when the "
                                                 "result it is allocated in is "
                                                 "written")
                               << at;
    error.attachNote(b.op->getLoc())
        << "the result; tc-assign-buffers-to-results should have kept them "
           "disjoint";
    return error;
  }
  InFlightDiagnostic error =
      b.op->emitOpError("overlaps another view that is live together with it: "
                        "bytes ")
      << b.begin << " to " << b.end << " and " << a.begin << " to " << a.end
      << at;
  error.attachNote(a.op->getLoc())
      << "the other view; tc-plan-memory should have kept them disjoint";
  return error;
}

/// Where a place begins and ends, for all values of the symbols.
static std::pair<SizeExpr, SizeExpr> getEnds(const PlacedView &place) {
  MLIRContext *context = place.op->getContext();
  SizeExpr begin = SizeExpr::constant(context, 0);
  if (auto view = dyn_cast<ArenaViewOp>(place.op))
    begin = view.getOffset();
  Value buffer = place.op->getResult(0);
  return {begin, begin.add(getBytes(cast<MemRefType>(buffer.getType())))};
}

/// Fails unless two places that are live together are proved not to overlap.
static LogicalResult proveNoOverlap(const PlacedView &a, const PlacedView &b,
                                    SizeBounds &bounds,
                                    const SizeFacts &facts) {
  if (a.memory != b.memory)
    return success();
  auto [aBegin, aEnd] = getEnds(a);
  auto [bBegin, bEnd] = getEnds(b);
  auto areDisjoint = [&, aBegin = aBegin, aEnd = aEnd, bBegin = bBegin,
                      bEnd = bEnd](const SizeFacts &known) {
    return SizeProver(known).isAtMost(aEnd, bBegin) ||
           SizeProver(known).isAtMost(bEnd, aBegin);
  };
  // Both are in use after the later one only.
  Operation *later = a.op->isBeforeInBlock(b.op) ? b.op : a.op;
  if (bounds.isAtMost(aEnd, bBegin) || bounds.isAtMost(bEnd, aBegin) ||
      areDisjoint(facts) || areDisjoint(facts.before(later)))
    return success();
  InFlightDiagnostic error = b.op->emitOpError(
      "is not proved disjoint from another view that is live together with "
      "it, for all sizes that tc.symbols allows: bytes ");
  error << bBegin.str() << " to " << bEnd.str() << " and " << aBegin.str()
        << " to " << aEnd.str();
  error.attachNote(a.op->getLoc())
      << "the other view; tc-plan-memory should have kept them disjoint";
  return error;
}

/// Fails unless each view is proved to be aligned and inside.
static LogicalResult proveInside(func::FuncOp function, SizeFacts facts) {
  for (Operation &op : function.front()) {
    facts.pass(op);
    auto view = dyn_cast<ArenaViewOp>(op);
    if (!view)
      continue;
    Value memory = getBufferRoot(view.getArena());
    auto arena = memory.getDefiningOp<ArenaOp>();
    SizeExpr offset = view.getOffset(),
             size = getBytes(cast<MemRefType>(view.getType())),
             whole = getWholeBytes(memory);
    SizeRange range = facts.getRanges().of(offset);
    SizeProver prover(facts);
    bool isAligned = range.divisor % 64 == 0 || offset.isConstant(0);
    if (isAligned && prover.isAtMost(offset.mul(0), offset) &&
        (SizeBounds(function).isAtMost(offset.add(size), whole) ||
         prover.isAtMost(offset.add(size), whole)))
      continue;
    return view.emitOpError("is at bytes ")
           << offset.str() << " to " << offset.add(size).str() << " of "
           << (arena ? "an arena" : "a result") << " of " << whole.str()
           << ", which is not proved to be a multiple of 64 inside for all "
              "sizes that tc.symbols allows";
  }
  return success();
}

/// Fails for two of `places`, in the order of their first use, that overlap
/// while both are live. What lives in one memory is kept in the order of its
/// bytes: a place can only overlap the one before or the one after it.
static LogicalResult verifyPlaces(ArrayRef<PlacedView> places,
                                  const SizeBounds &bounds, unsigned sample) {
  using Alive = std::multimap<int64_t, const PlacedView *>;
  llvm::MapVector<Value, Alive> memories;
  std::multimap<int64_t, std::pair<Alive *, Alive::iterator>> byLast;
  for (const PlacedView &place : places)
    memories[place.memory];
  for (const PlacedView &place : places) {
    if (place.begin == place.end || place.last < 0)
      continue; // empty, or not used
    while (!byLast.empty() && byLast.begin()->first < place.first) {
      auto [alive, which] = byLast.begin()->second;
      alive->erase(which);
      byLast.erase(byLast.begin());
    }
    Alive &alive = memories[place.memory];
    auto after = alive.lower_bound(place.begin);
    if (after != alive.end() &&
        failed(verifyNoOverlap(*after->second, place, bounds, sample)))
      return failure();
    if (after != alive.begin() &&
        failed(
            verifyNoOverlap(*std::prev(after)->second, place, bounds, sample)))
      return failure();
    byLast.emplace(place.last,
                   std::pair(&alive, alive.emplace(place.begin, &place)));
  }
  return success();
}

/// Calls `check` for every two places that are live at a common op.
template <typename Check>
static LogicalResult forEachPair(ArrayRef<PlacedView> places, Check check) {
  for (auto [index, a] : llvm::enumerate(places))
    for (const PlacedView &b : places.drop_front(index + 1)) {
      if (b.first > a.last)
        break;
      if (failed(check(a, b)))
        return failure();
    }
  return success();
}

/// Views that are live at a common op do not overlap: at samples, of which an
/// error can give the numbers, then for all values of the symbols.
static LogicalResult verifyPlan(func::FuncOp function, const SizeFacts &facts) {
  UseOrder order(function.front());
  SizeBounds bounds(function);
  SmallVector<PlacedView> places;
  if (failed(findPlaces(function, bounds, order, places)))
    return failure();
  for (unsigned sample = 0; sample < bounds.getSamples().size(); ++sample)
    if (isPossible(function, bounds, sample) &&
        (failed(setBytes(places, bounds, sample)) ||
         failed(verifyPlaces(places, bounds, sample))))
      return failure();
  if (bounds.getSamples().size() == 1)
    return success(); // without symbols the sample is all there is
  if (failed(proveInside(function, facts)))
    return failure();
  return forEachPair(places, [&](const PlacedView &a, const PlacedView &b) {
    return proveNoOverlap(a, b, bounds, facts);
  });
}

namespace {
class VerifyBufferizePass
    : public tc::impl::TCVerifyBufferizePassBase<VerifyBufferizePass> {
public:
  using TCVerifyBufferizePassBase::TCVerifyBufferizePassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    SizeFacts facts(function), now = facts;
    for (Operation &op : function.front()) {
      now.pass(op);
      if (failed(verifyOp(op, now)))
        return signalPassFailure();
    }
    if (failed(verifyOutputs(function)) || failed(verifyOverwrites(function)) ||
        failed(verifyPlan(function, facts)) ||
        failed(verifyWritten(function.front(), facts)))
      signalPassFailure();
  }
};
} // namespace
