//===- AssignBuffersToResults.cpp - tc-assign-buffers-to-results ----------===//

#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/MemoryPlan/MemoryPlanner.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"
#include "TC/Transforms/Bufferize/SizeBounds.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCASSIGNBUFFERSTORESULTSPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// A result, idle before step `first`.
struct Host {
  OutputBufferOp op;
  SizeExpr bytes;
  int64_t elementBytes, first;
};

/// An intermediate: live at every step of [`first`, `last`].
struct Guest {
  BufferOp op;
  SizeExpr bytes, alignedBytes;
  int64_t elementBytes, first, last;
  int64_t largestBytes; ///< aligned, at the largest sizes
  Host *host = nullptr; ///< where it is allocated, if not in the arena,
  SizeExpr offset = {}; ///< and at which byte
};

/// One function: which intermediates are allocated in which results.
class ResultHosting {
public:
  explicit ResultHosting(func::FuncOp function);

  /// Finds hosts, until the arena cannot become smaller that way.
  void run();
  void apply();
  int64_t getPeak() const;

private:
  void addGuest(BufferOp buffer);
  void addHost(OutputBufferOp output);
  /// From the last step of the peak to the first, or the other way round.
  void lowerPeak(bool backwards);
  bool lowerPeakAt(int64_t step, SmallVectorImpl<Guest *> &moved);
  bool place(Guest &guest, Host &host);
  /// The most bytes that are live in the arena, and the first or the last step
  /// at which they are.
  struct Peak {
    int64_t bytes = 0, step = 0;
  };
  Peak findPeak(bool backwards) const;

  func::FuncOp function;
  BufferLiveness liveness;
  SizeBounds bounds;
  SizeEpochs epochs;
  SmallVector<Host> hosts;
  SmallVector<Guest> guests;
  int64_t stepCount = 0;
};

/// Intermediates looked at in one direction, over all moves: each move looks at
/// all of them, and of a long function only a part can be moved.
constexpr int64_t kEffort = 200'000'000;
} // namespace

void ResultHosting::addGuest(BufferOp buffer) {
  Operation *first = liveness.getFirstUser(buffer);
  auto type = cast<MemRefType>(buffer.getType());
  if (!first)
    return;
  Guest guest{buffer,
              getBytes(type),
              getAlignedBytes(type),
              getElementBytes(type.getElementType()),
              liveness.getStep(first),
              liveness.getStep(liveness.getLastUser(buffer)),
              0};
  guest.largestBytes = alignBytes(
      bounds.evaluate(guest.alignedBytes, bounds.getSamples().size() - 1)
          .value_or(0),
      /*alignment=*/64);
  stepCount = std::max(stepCount, guest.last + 1);
  guests.push_back(guest);
}

void ResultHosting::addHost(OutputBufferOp output) {
  auto type = cast<MemRefType>(output.getType());
  if (Operation *first = liveness.getFirstUser(output.getResult()))
    hosts.push_back({output, getBytes(type),
                     int64_t(getElementBytes(type.getElementType())),
                     liveness.getStep(first)});
}

ResultHosting::ResultHosting(func::FuncOp function)
    : function(function), liveness(function.front()), bounds(function),
      epochs(function.front()) {
  for (Operation &op : function.front()) {
    if (auto output = dyn_cast<OutputBufferOp>(op))
      addHost(output);
    if (auto buffer = dyn_cast<BufferOp>(op))
      addGuest(buffer);
  }
  // A small result is of no use to a large intermediate.
  unsigned largest = bounds.getSamples().size() - 1;
  llvm::sort(hosts, [&](Host &a, Host &b) {
    return std::pair(bounds.evaluate(a.bytes, largest), a.op.getIndex()) <
           std::pair(bounds.evaluate(b.bytes, largest), b.op.getIndex());
  });
}

int64_t ResultHosting::getPeak() const {
  return findPeak(/*backwards=*/false).bytes;
}

ResultHosting::Peak ResultHosting::findPeak(bool backwards) const {
  // Bytes that come at a step, and go after the one before it.
  std::vector<int64_t> change(stepCount + 1, 0);
  for (const Guest &guest : guests)
    if (!guest.host) {
      change[guest.first] += guest.largestBytes;
      change[guest.last + 1] -= guest.largestBytes;
    }
  Peak peak;
  int64_t live = 0;
  for (int64_t step = 0; step < stepCount; ++step) {
    live += change[step];
    if (live > peak.bytes || (backwards && live == peak.bytes))
      peak = {live, step};
  }
  return peak;
}

/// Puts `guest` into `host` if it is dead before the result is written, fits
/// whatever the sizes are, and overlaps nothing that is live together with it.
bool ResultHosting::place(Guest &guest, Host &host) {
  if (guest.last >= host.first || guest.elementBytes > host.elementBytes ||
      !host.op->isBeforeInBlock(guest.op))
    return false;
  SmallVector<Guest *> others;
  for (Guest &other : guests)
    if (other.host == &host && other.first <= guest.last &&
        guest.first <= other.last)
      others.push_back(&other);
  SmallVector<SizeExpr> offsets{SizeExpr::constant(function.getContext(), 0)};
  for (Guest *other : others)
    offsets.push_back(other->offset.add(other->alignedBytes));
  for (SizeExpr offset : offsets) {
    bool isFree = llvm::all_of(others, [&](Guest *other) {
      return bounds.isAtMost(offset.add(guest.alignedBytes), other->offset) ||
             bounds.isAtMost(other->offset.add(other->alignedBytes), offset);
    });
    // The place must be known when the intermediate is.
    if (epochs.of(offset) > epochs.of(guest.bytes))
      continue;
    if (!isFree || !bounds.isAtMost(offset.add(guest.bytes), host.bytes))
      continue;
    guest.host = &host;
    guest.offset = offset;
    return true;
  }
  return false;
}

/// Moves one intermediate that is live at `step` out of the arena: the largest
/// one, of several that which is live longest.
bool ResultHosting::lowerPeakAt(int64_t step, SmallVectorImpl<Guest *> &moved) {
  SmallVector<Guest *> live;
  for (Guest &guest : guests)
    if (!guest.host && guest.largestBytes > 0 && guest.first <= step &&
        step <= guest.last)
      live.push_back(&guest);
  llvm::sort(live, [](const Guest *a, const Guest *b) {
    return std::tuple(-a->largestBytes, a->first - a->last, a->first, a) <
           std::tuple(-b->largestBytes, b->first - b->last, b->first, b);
  });
  for (Guest *guest : live)
    for (Host &host : hosts)
      if (place(*guest, host)) {
        moved.push_back(guest);
        return true;
      }
  return false;
}

void ResultHosting::lowerPeak(bool backwards) {
  SmallVector<Guest *> moved; // since the peak was lowered
  Peak peak = findPeak(backwards);
  int64_t work = 0, perMove = guests.size() * (2 + hosts.size());
  while (peak.bytes > 0 && (work += perMove) <= kEffort) {
    if (!lowerPeakAt(peak.step, moved))
      break;
    Peak next = findPeak(backwards);
    if (next.bytes < peak.bytes)
      moved.clear();
    peak = next;
  }
  for (Guest *guest : moved)
    guest->host = nullptr;
}

void ResultHosting::run() {
  if (hosts.empty())
    return;
  lowerPeak(/*backwards=*/true);
  int64_t reached = getPeak();
  SmallVector<Guest> found = guests;
  for (Guest &guest : guests)
    guest.host = nullptr;
  lowerPeak(/*backwards=*/false);
  if (reached <= getPeak())
    guests = found;
}

/// Each guest becomes a view of its host's bytes.
void ResultHosting::apply() {
  llvm::DenseMap<Host *, Value> bytesOf;
  for (Guest &guest : guests) {
    if (!guest.host)
      continue;
    OpBuilder builder(guest.op);
    Value &bytes = bytesOf[guest.host];
    if (!bytes) {
      OutputBufferOp output = guest.host->op;
      builder.setInsertionPointAfter(output);
      bytes = BufferReshapeOp::create(
          builder, output.getLoc(),
          getMemRefType(guest.host->bytes, builder.getI8Type()), output);
      builder.setInsertionPoint(guest.op);
    }
    auto view = ArenaViewOp::create(builder, guest.op.getLoc(),
                                    guest.op.getType(), bytes, guest.offset);
    guest.op.getResult().replaceAllUsesWith(view.getResult());
    guest.op.erase();
  }
}

namespace {
class AssignBuffersToResultsPass
    : public tc::impl::TCAssignBuffersToResultsPassBase<
          AssignBuffersToResultsPass> {
public:
  using TCAssignBuffersToResultsPassBase::TCAssignBuffersToResultsPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration())
      return;
    ResultHosting hosting(function);
    int64_t before = hosting.getPeak();
    hosting.run();
    int64_t peak = hosting.getPeak();
    if (peak == before)
      return;
    hosting.apply();
    remark::passed(function.getLoc(),
                   remark::RemarkOpts::name("hosted")
                       .category("tc-assign-buffers-to-results")
                       .function(function.getName()))
        << remark::metric("PeakBefore", before) << remark::metric("Peak", peak);
  }
};
} // namespace
