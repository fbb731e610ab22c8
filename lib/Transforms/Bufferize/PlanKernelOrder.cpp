//===- PlanKernelOrder.cpp - tc-plan-kernel-order -------------------------===//

#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/MemoryPlan/MemoryPlanner.h"
#include "TC/Transforms/Bufferize/BufferLiveness.h"
#include "TC/Transforms/Bufferize/SizeBounds.h"
#include "TC/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/Sequence.h"
#include <set>

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_TCPLANKERNELORDERPASS
#include "TC/Transforms/Passes.h.inc"
} // namespace tc

using namespace tc;

namespace {
/// The kernels of a function, what must come before what, and the bytes of the
/// intermediates between them. A branch or a loop is moved as one kernel.
class KernelGraph {
public:
  explicit KernelGraph(func::FuncOp function);

  using Order = SmallVector<unsigned>;
  Order getOriginal() const {
    return llvm::to_vector(llvm::seq<unsigned>(0, kernels.size()));
  }
  /// Next is always the ready kernel that leaves the least memory taken.
  Order getGreedy() const;
  /// What an output needs comes right before it, and no earlier.
  Order getLatest() const;
  int64_t getPeak(const Order &order) const;
  void apply(const Order &order);
  size_t size() const { return kernels.size(); }

private:
  /// The last write to a buffer, and the reads since.
  struct Accesses {
    std::optional<unsigned> writer;
    SmallVector<unsigned> readers;
  };
  using AccessMap = llvm::DenseMap<Value, Accesses>;

  void addKernel(Operation &op, const SizeBounds &bounds,
                 llvm::DenseMap<Value, unsigned> &numbers);
  void addDependences(unsigned number, AccessMap &accesses);
  void addDependence(unsigned from, unsigned to);
  int64_t getGrowth(unsigned kernel, ArrayRef<bool> made,
                    ArrayRef<unsigned> usersLeft) const;
  void visit(unsigned kernel, SmallVectorImpl<bool> &visited,
             Order &order) const;

  struct Buffer {
    int64_t bytes;
    SmallVector<unsigned> users; ///< kernels, each once
  };
  SmallVector<Operation *> kernels;
  SmallVector<SmallVector<unsigned>> before, after;
  SmallVector<SmallVector<unsigned>> buffersOf; ///< intermediates of a kernel
  SmallVector<Buffer> buffers;
};
} // namespace

void KernelGraph::addDependence(unsigned from, unsigned to) {
  if (from == to || llvm::is_contained(after[from], to))
    return;
  after[from].push_back(to);
  before[to].push_back(from);
}

/// The buffers that a kernel, or a branch or loop and the kernels in it, reads
/// and writes.
static void collectAccesses(Operation &op, SmallVectorImpl<Value> &reads,
                            SmallVectorImpl<Value> &writes) {
  if (auto kernel = dyn_cast<KernelOp>(op)) {
    llvm::append_range(reads, kernel.getIns());
    llvm::append_range(writes, kernel.getOuts());
  } else if (isa<IfOp, WhileOp, YieldOp>(op)) { // these read conditions
    llvm::append_range(reads, op.getOperands());
    for (Region &region : op.getRegions())
      for (Operation &inner : region.front())
        collectAccesses(inner, reads, writes);
  }
}

void KernelGraph::addKernel(Operation &op, const SizeBounds &bounds,
                            llvm::DenseMap<Value, unsigned> &numbers) {
  unsigned number = kernels.size();
  kernels.push_back(&op);
  before.emplace_back();
  after.emplace_back();
  buffersOf.emplace_back();
  unsigned largest = bounds.getSamples().size() - 1;
  SmallVector<Value> reads, writes;
  collectAccesses(op, reads, writes);
  for (Value operand : llvm::concat<Value>(reads, writes)) {
    Value root = getBufferRoot(operand);
    if (!root.getDefiningOp<BufferOp>())
      continue;
    auto [found, isNew] = numbers.try_emplace(root, buffers.size());
    if (isNew)
      buffers.push_back(
          {bounds
               .evaluate(getAlignedBytes(cast<MemRefType>(root.getType())),
                         largest)
               .value_or(0),
           {}});
    Buffer &buffer = buffers[found->second];
    if (buffer.users.empty() || buffer.users.back() != number) {
      buffer.users.push_back(number);
      buffersOf[number].push_back(found->second);
    }
  }
}

void KernelGraph::addDependences(unsigned number, AccessMap &accesses) {
  SmallVector<Value> reads, writes;
  collectAccesses(*kernels[number], reads, writes);
  for (Value in : reads) {
    Accesses &access = accesses[getBufferRoot(in)];
    if (access.writer)
      addDependence(*access.writer, number);
    access.readers.push_back(number);
  }
  for (Value out : writes) {
    Accesses &access = accesses[getBufferRoot(out)];
    if (access.writer)
      addDependence(*access.writer, number);
    for (unsigned reader : access.readers)
      addDependence(reader, number);
    access.writer = number;
    access.readers.clear();
  }
}

KernelGraph::KernelGraph(func::FuncOp function) {
  SizeBounds bounds(function);
  AccessMap accesses;
  llvm::DenseMap<Value, unsigned> numbers;
  for (Operation &op : function.front())
    if (isa<KernelOp, IfOp, WhileOp>(op)) {
      addKernel(op, bounds, numbers);
      addDependences(kernels.size() - 1, accesses);
    }
}

int64_t KernelGraph::getPeak(const Order &order) const {
  SmallVector<int64_t> steps(order.size());
  for (auto [step, kernel] : llvm::enumerate(order))
    steps[kernel] = step;
  std::vector<MemoryBlock> blocks;
  for (const Buffer &buffer : buffers) {
    MemoryBlock block{buffer.bytes, int64_t(order.size()), -1};
    for (unsigned user : buffer.users) {
      block.first = std::min(block.first, steps[user]);
      block.last = std::max(block.last, steps[user]);
    }
    blocks.push_back(block);
  }
  return getPeakBytes(blocks);
}

/// Bytes taken after `kernel` less those before it.
int64_t KernelGraph::getGrowth(unsigned kernel, ArrayRef<bool> made,
                               ArrayRef<unsigned> usersLeft) const {
  int64_t growth = 0;
  for (unsigned buffer : buffersOf[kernel]) {
    if (!made[buffer])
      growth += buffers[buffer].bytes;
    if (usersLeft[buffer] == 1)
      growth -= buffers[buffer].bytes;
  }
  return growth;
}

KernelGraph::Order KernelGraph::getGreedy() const {
  SmallVector<bool> made(buffers.size(), false);
  SmallVector<unsigned> usersLeft, waitingFor;
  for (const Buffer &buffer : buffers)
    usersLeft.push_back(buffer.users.size());
  std::set<unsigned> ready;
  for (unsigned kernel = 0; kernel < kernels.size(); ++kernel) {
    waitingFor.push_back(before[kernel].size());
    if (before[kernel].empty())
      ready.insert(kernel);
  }
  Order order;
  while (!ready.empty()) {
    unsigned best = *ready.begin();
    int64_t bestGrowth = getGrowth(best, made, usersLeft);
    for (unsigned kernel : ready)
      if (int64_t growth = getGrowth(kernel, made, usersLeft);
          growth < bestGrowth) {
        best = kernel;
        bestGrowth = growth;
      }
    ready.erase(best);
    order.push_back(best);
    for (unsigned buffer : buffersOf[best]) {
      made[buffer] = true;
      --usersLeft[buffer];
    }
    for (unsigned next : after[best])
      if (--waitingFor[next] == 0)
        ready.insert(next);
  }
  return order;
}

void KernelGraph::visit(unsigned kernel, SmallVectorImpl<bool> &visited,
                        Order &order) const {
  // Depth first without recursion: graphs are as deep as models are.
  SmallVector<std::pair<unsigned, unsigned>> stack{{kernel, 0}};
  visited[kernel] = true;
  while (!stack.empty()) {
    auto &[current, next] = stack.back();
    if (next == before[current].size()) {
      order.push_back(current);
      stack.pop_back();
      continue;
    }
    unsigned needed = before[current][next++];
    if (!visited[needed]) {
      visited[needed] = true;
      stack.push_back({needed, 0});
    }
  }
}

KernelGraph::Order KernelGraph::getLatest() const {
  SmallVector<bool> visited(kernels.size(), false);
  Order order;
  for (unsigned kernel = 0; kernel < kernels.size(); ++kernel)
    if (after[kernel].empty())
      visit(kernel, visited, order);
  return order;
}

/// Kernels go to the end of the function, after all buffers and views.
void KernelGraph::apply(const Order &order) {
  for (unsigned kernel : order)
    kernels[kernel]->moveBefore(kernels[kernel]->getBlock()->getTerminator());
}

namespace {
class PlanKernelOrderPass
    : public tc::impl::TCPlanKernelOrderPassBase<PlanKernelOrderPass> {
public:
  using TCPlanKernelOrderPassBase::TCPlanKernelOrderPassBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (function.isDeclaration() ||
        !function.front().getOps<SizeFromOp>().empty())
      return;
    KernelGraph graph(function);
    KernelGraph::Order original = graph.getOriginal(), best = original;
    int64_t before = graph.getPeak(original), peak = before;
    for (const KernelGraph::Order &order :
         {graph.getLatest(), graph.getGreedy()})
      if (int64_t reached = graph.getPeak(order); reached < peak) {
        best = order;
        peak = reached;
      }
    // The order as written keeps what is read soon after it is made in cache.
    if (peak >= before - before / 64)
      return;
    graph.apply(best);
    remark::passed(function.getLoc(), remark::RemarkOpts::name("reordered")
                                          .category("tc-plan-kernel-order")
                                          .function(function.getName()))
        << remark::metric("PeakBefore", before) << remark::metric("Peak", peak);
  }
};
} // namespace
