//===- VerifyBufferize.cpp - tc-verify-bufferize --------------------------===//

#include "TC/Analysis/ScheduleVerification.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Transforms/BufferLiveness.h"
#include "TC/Transforms/Passes.h"
#include "TC/Transforms/SizeBounds.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCVERIFYBUFFERIZEPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

/// No tensor and no buffer without a place is left, also in branches.
static LogicalResult verifyOp(Operation &op) {
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
  if (isa<IfOp>(op)) {
    for (Region &region : op.getRegions())
      for (Operation &inner : region.front())
        if (failed(verifyOp(inner)))
          return failure();
    return success();
  }
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    if (kernel.getSchedule() &&
        failed(verifySchedule(kernel, *kernel.getSchedule())))
      return failure();
    return verifyInPlaceWrites(kernel);
  }
  if (isa<ParameterOp, GuardOp, SizeGuardOp, func::ReturnOp, YieldOp,
          OutputBufferOp, ArenaOp, ArenaViewOp, BufferReshapeOp,
          memref::GetGlobalOp>(op))
    return success();
  InFlightDiagnostic error = op.emitOpError("cannot stand on buffers");
  error.attachNote() << "phase fuse should have made it a tc.kernel";
  return error;
}

/// Every result has its one output buffer.
static LogicalResult verifyOutputs(func::FuncOp function) {
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

namespace {
/// A part of the arena or of a result, from its first use to its last, at one
/// sample of the symbols; or a whole result, from its first use on. Worked out
/// from the IR, not from the plan.
struct PlacedView {
  Operation *op;
  Value memory;        ///< the arena, or the result
  int64_t first, last; ///< positions in the order of walkBufferUsers
  int64_t begin, end;  ///< bytes
};
} // namespace

/// Extends [first, last] by every op that uses `buffer`, through reshapes; what
/// uses a view of it is that view's.
static void extendByUsers(Value buffer,
                          const llvm::DenseMap<Operation *, int64_t> &positions,
                          int64_t &first, int64_t &last) {
  for (Operation *user : buffer.getUsers()) {
    if (auto reshape = dyn_cast<BufferReshapeOp>(user)) {
      extendByUsers(reshape, positions, first, last);
      continue;
    }
    if (isa<ArenaViewOp>(user))
      continue;
    int64_t position = positions.lookup(user);
    first = std::min(first, position);
    last = std::max(last, position);
  }
}

static std::string describeSample(const SizeBounds &bounds, unsigned sample) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &entry : bounds.getSamples()[sample])
    os << (text.empty() ? " with " : ", ") << entry.getKey() << " = "
       << entry.getValue();
  return text;
}

/// Bytes of the arena or result that a view is a part of, at one sample.
static std::optional<int64_t>
getWholeBytes(Value memory, const SizeBounds &bounds, unsigned sample) {
  if (auto arena = memory.getDefiningOp<ArenaOp>())
    return bounds.evaluate(arena.getBytes(), sample);
  if (auto output = memory.getDefiningOp<OutputBufferOp>())
    return bounds.evaluate(getBytes(cast<MemRefType>(output.getType())),
                           sample);
  return std::nullopt;
}

/// Places at one sample; fails for a view that is not aligned or not inside.
static LogicalResult
findPlaces(func::FuncOp function, const SizeBounds &bounds, unsigned sample,
           const llvm::DenseMap<Operation *, int64_t> &positions,
           SmallVectorImpl<PlacedView> &places) {
  int64_t end = positions.size();
  for (auto output : function.front().getOps<OutputBufferOp>()) {
    PlacedView place{output, output,
                     end,    end,
                     0,      getWholeBytes(output, bounds, sample).value_or(0)};
    extendByUsers(output, positions, place.first, place.last);
    if (place.end > 0)
      places.push_back(place);
  }
  for (auto view : function.front().getOps<ArenaViewOp>()) {
    Value memory = getBufferRoot(view.getArena());
    std::optional<int64_t> begin = bounds.evaluate(view.getOffset(), sample),
                           size = bounds.evaluate(
                               getBytes(cast<MemRefType>(view.getType())),
                               sample),
                           whole = getWholeBytes(memory, bounds, sample);
    if (!begin || !size || !whole)
      return view.emitOpError("has a place that tc.symbols does not give");
    if (*begin % 64 != 0 || *begin < 0 || *begin + *size > *whole)
      return view.emitOpError("is at bytes ")
             << *begin << " to " << *begin + *size << " of "
             << (memory.getDefiningOp<ArenaOp>() ? "an arena" : "a result")
             << " of " << *whole << describeSample(bounds, sample)
             << "; expected a multiple of 64 inside";
    PlacedView place{view, memory, std::numeric_limits<int64_t>::max(),
                     -1,   *begin, *begin + *size};
    extendByUsers(view, positions, place.first, place.last);
    if (place.last >= 0 && *size > 0)
      places.push_back(place);
  }
  return success();
}

/// Fails for two places that overlap while both are live.
static LogicalResult verifyApart(PlacedView a, PlacedView b,
                                 const SizeBounds &bounds, unsigned sample) {
  if (isa<OutputBufferOp>(a.op))
    std::swap(a, b);
  if (a.memory != b.memory || a.begin >= b.end || b.begin >= a.end)
    return success();
  std::string at = describeSample(bounds, sample);
  if (isa<OutputBufferOp>(b.op)) {
    InFlightDiagnostic error = a.op->emitOpError("is still read when the "
                                                 "result it lies in is written")
                               << at;
    error.attachNote(b.op->getLoc())
        << "the result; tc-assign-buffers-to-results should have kept them "
           "apart";
    return error;
  }
  InFlightDiagnostic error =
      b.op->emitOpError("overlaps another view that is live together with it: "
                        "bytes ")
      << b.begin << " to " << b.end << " and " << a.begin << " to " << a.end
      << at;
  error.attachNote(a.op->getLoc())
      << "the other view; tc-plan-memory should have kept them apart";
  return error;
}

/// Views that are live at a common op do not overlap, at any sample.
static LogicalResult verifyPlan(func::FuncOp function) {
  llvm::DenseMap<Operation *, int64_t> positions;
  walkBufferUsers(function.front(),
                  [&](Operation &op) { positions[&op] = positions.size(); });
  SizeBounds bounds(function);
  for (unsigned sample = 0; sample < bounds.getSamples().size(); ++sample) {
    SmallVector<PlacedView> places;
    if (failed(findPlaces(function, bounds, sample, positions, places)))
      return failure();
    llvm::sort(places, [](const PlacedView &a, const PlacedView &b) {
      return a.first < b.first;
    });
    for (auto [index, a] : llvm::enumerate(places))
      for (PlacedView &b : MutableArrayRef(places).drop_front(index + 1)) {
        if (b.first > a.last)
          break;
        if (failed(verifyApart(a, b, bounds, sample)))
          return failure();
      }
  }
  return success();
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
    for (Operation &op : function.front())
      if (failed(verifyOp(op)))
        return signalPassFailure();
    if (failed(verifyOutputs(function)) || failed(verifyPlan(function)))
      signalPassFailure();
  }
};
} // namespace
