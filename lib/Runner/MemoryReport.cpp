//===- MemoryReport.cpp - What a call allocates ---------------------------===//

#include "MemoryReport.h"
#include "TC/Dialect/TC/IR/Dispatch.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "TC/Runner/OpByOpMemory.h"
#include "TC/Runtime/ThreadPool.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

/// The symbol in a size that is one, or a multiple of one.
static std::pair<StringRef, int64_t> getScaledSymbol(SizeExpr size) {
  int64_t scale = 1;
  if (size.getKind() == SizeExprKind::Product &&
      size.getOperands().size() == 1) {
    scale = size.getValue();
    size = cast<SizeExpr>(size.getOperands().front());
  }
  StringRef name;
  if (size.getKind() == SizeExprKind::Symbol)
    size.walkSymbols([&](StringRef symbol) { name = symbol; });
  return {name, scale};
}

void MemoryReport::setCall(ModuleOp module, const Entry &entry,
                           const Tensors &inputs) {
  function = entry.name;
  for (auto [type, input] : llvm::zip(entry.inputTypes, inputs)) {
    if (type.getRank() != input.rank())
      continue; // the call says so
    for (auto [dim, size] : llvm::enumerate(getSizes(type)))
      if (auto [name, scale] = getScaledSymbol(size); !name.empty())
        symbols[name] = input.size(dim) / scale;
  }
  auto captured = dyn_cast<func::FuncOp>(entry.op);
  FailureOr<Phase> next = getNextPhase(module);
  if (!captured || captured.isExternal() || failed(next))
    return;
  if (*next == Phase::Emit)
    addVersions(module);
  if (*next > Phase::Simplify)
    return;
  OpByOpMemory memory(captured.front());
  auto value = [&](StringRef name) { return getSymbol(name); };
  opByOpBytes = memory.getPeakBytes(value, OpByOpMemory::Results::Counted);
  opByOpIntermediateBytes =
      memory.getPeakBytes(value, OpByOpMemory::Results::NotCounted);
}

std::optional<int64_t> MemoryReport::getSymbol(StringRef name) const {
  auto found = symbols.find(name);
  if (found == symbols.end())
    return std::nullopt;
  return found->second;
}

int64_t MemoryReport::evaluate(SizeExpr expr) const {
  return expr.evaluate([&](StringRef name) { return getSymbol(name); })
      .value_or(0);
}

/// Bytes that a generated kernel takes of each thread's stack, without spills.
int64_t MemoryReport::getStackBytes(func::FuncOp kernel) const {
  DataLayout layout = DataLayout::closest(kernel);
  int64_t bytes = 0;
  kernel.walk([&](LLVM::AllocaOp room) {
    APInt constant;
    int64_t count = 0;
    if (auto elements = room->getAttrOfType<SizeExpr>(kScratchElementsAttr))
      count = evaluate(elements);
    else if (matchPattern(room.getArraySize(), m_ConstantInt(&constant)))
      count = constant.getSExtValue();
    bytes += count * int64_t(layout.getTypeSize(room.getElemType()));
  });
  return bytes;
}

void MemoryReport::addFunction(ModuleOp module, func::FuncOp version) {
  int64_t arena = 0, results = 0, workspaces = 0;
  int64_t threads = runtime::ThreadPool::global().threadCount();
  for (Operation &op : version.front()) {
    if (auto whole = dyn_cast<ArenaOp>(op))
      arena += evaluate(whole.getBytes());
    if (auto output = dyn_cast<OutputBufferOp>(op);
        output && !output.getOver()) {
      auto type = cast<MemRefType>(output.getType());
      results += evaluate(getElementCount(getSizes(type), type.getContext())) *
                 getElementBytes(type.getElementType());
    }
    auto launch = dyn_cast<LaunchOp>(op);
    auto kernel = launch ? module.lookupSymbol<func::FuncOp>(launch.getKernel())
                         : nullptr;
    if (!kernel)
      continue;
    int64_t grain = std::max<int64_t>(evaluate(launch.getGrain()), 1);
    int64_t count = evaluate(launch.getCount());
    if (count <= 0)
      continue;
    // A task has at least the grain, as in ThreadPool::parallelFor.
    int64_t tasks = std::clamp<int64_t>(count / grain, 1, threads);
    workspaces = std::max(workspaces, tasks * getStackBytes(kernel));
  }
  arenaBytes = std::max(arenaBytes, arena);
  resultBytes = std::max(resultBytes, results);
  workspaceBytes = std::max(workspaceBytes, workspaces);
}

void MemoryReport::afterPhase(const PhaseInfo &phase, ModuleOp module) {
  if (phase.phase == Phase::Generate)
    addVersions(module);
}

void MemoryReport::addVersions(ModuleOp module) {
  isPlanKnown = true;
  // Of several versions the largest counts: a call may choose any of them.
  for (auto version : module.getOps<func::FuncOp>()) {
    auto of = version->getAttrOfType<FlatSymbolRefAttr>(kVersionOfAttr);
    if (!version.isExternal() &&
        (version.getName() == function || (of && of.getValue() == function)))
      addFunction(module, version);
  }
}

static std::string formatBytes(int64_t bytes) {
  double scaled = bytes;
  const char *unit = "B";
  for (const char *next : {"KB", "MB", "GB"}) {
    if (scaled < 1000)
      break;
    scaled /= 1000;
    unit = next;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(scaled < 10 && bytes >= 1000 ? "%.1f " : "%.0f ", scaled)
      << unit;
  return text;
}

std::string MemoryReport::str() const {
  if (!isPlanKnown)
    return "not known of a module that is code already";
  std::string text = "arena " + formatBytes(arenaBytes) + ", workspaces " +
                     formatBytes(workspaceBytes) + ", results " +
                     formatBytes(resultBytes);
  if (opByOpBytes)
    text += "; op by op " + formatBytes(*opByOpBytes) + ", without results " +
            formatBytes(*opByOpIntermediateBytes);
  return text;
}
