//===- KernelReport.cpp - What --print-kernels and --explain print --------===//

#include "KernelReport.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;

/// An expression, shortened with a unit when it is a number.
static std::string withUnit(SizeExpr count) {
  std::optional<int64_t> value = count.getConstant();
  if (!value)
    return count.str();
  double scaled = *value;
  const char *unit = "";
  for (const char *next : {"K", "M", "G", "T"}) {
    if (scaled < 10000)
      break;
    scaled /= 1000;
    unit = next;
  }
  std::string text;
  llvm::raw_string_ostream(text)
      << llvm::format(*unit ? "%.1f%s" : "%.0f%s", scaled, unit);
  return text;
}

static std::string describeSchedule(KernelOp kernel) {
  Attribute schedule = kernel.getScheduleAttr();
  if (!schedule)
    return "-";
  std::string text;
  llvm::raw_string_ostream(text) << schedule;
  // #tc.loop_schedule<vector_dim = 1, ...>: loop<vector_dim=1,...>.
  auto [name, fields] = StringRef(text).split('<');
  name.consume_front("#tc.");
  name.consume_back("_schedule");
  std::string compact = (name + "<").str();
  for (char c : fields)
    if (c != ' ')
      compact += c;
  return compact;
}

int64_t KernelReport::countOperations(
    StringRef function,
    llvm::function_ref<std::optional<int64_t>(StringRef)> size) const {
  int64_t total = 0;
  for (const auto &[owner, count] : operations)
    if (owner == function)
      if (std::optional<int64_t> value = count.evaluate(size))
        total += *value;
  return total;
}

void KernelReport::addKernels(ModuleOp module) {
  kernels.clear();
  operations.clear();
  MLIRContext *context = module.getContext();
  auto add = [&](KernelOp kernel, const std::string &number) {
    if (auto function = kernel->getParentOfType<func::FuncOp>())
      operations.emplace_back(function.getName().str(),
                              countKernelOperations(kernel));
    kernels.push_back(
        {number, kernel.getName().str(),
         stringifyKernelClass(kernel.getKernelClass()).str(),
         describeDims(kernel), describeSchedule(kernel),
         withUnit(countBytes(kernel.getIns(), context)
                      .add(countBytes(kernel.getOuts(), context))),
         withUnit(countKernelOperations(kernel))});
  };
  auto isOfCalls = [](func::FuncOp function) {
    return function.getSymName() != kPrepareFunction;
  };
  for (auto function : module.getOps<func::FuncOp>())
    if (isOfCalls(function))
      function.walk([&](KernelOp kernel) {
        add(kernel, std::to_string(kernels.size()));
      });
  for (auto function : module.getOps<func::FuncOp>())
    if (!isOfCalls(function))
      function.walk([&](KernelOp kernel) { add(kernel, "once"); });
}

void KernelReport::addMemoryPlan(ModuleOp module) {
  plan.clear();
  module.walk([&](Operation *op) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto arena = dyn_cast<ArenaOp>(op))
      os << "arena of " << withUnit(arena.getBytes()) << " bytes";
    else if (auto view = dyn_cast<ArenaViewOp>(op))
      os << "  at " << view.getOffset().str() << ": " << view.getType();
    else if (auto output = dyn_cast<OutputBufferOp>(op))
      os << "output " << output.getIndex()
         << (output.getOver() ? " over an input: " : ": ") << output.getType();
    if (!text.empty())
      plan.push_back(text);
  });
}

void KernelReport::afterPhase(const PhaseInfo &phase, ModuleOp module) {
  if (!options.printKernels && !options.explain && !options.check &&
      !options.benchmark)
    return;
  if (phase.phase <= Phase::Specialize)
    guards = describeGuards(module);
  if (phase.phase == Phase::Fuse || phase.phase == Phase::Bufferize)
    addKernels(module);
  if (phase.phase == Phase::Bufferize || phase.phase == Phase::Generate)
    addMemoryPlan(module);
}

/// Prints rows with columns as wide as their widest cell.
void runner::printTable(llvm::raw_ostream &os,
                        ArrayRef<std::vector<std::string>> rows) {
  SmallVector<size_t> widths;
  for (const auto &row : rows)
    for (auto [column, cell] : llvm::enumerate(row)) {
      if (column >= widths.size())
        widths.push_back(0);
      widths[column] = std::max(widths[column], cell.size());
    }
  for (const auto &row : rows) {
    std::string line;
    for (auto [column, cell] : llvm::enumerate(row))
      line += cell + std::string(widths[column] - cell.size() + 2, ' ');
    os << StringRef(line).rtrim() << "\n";
  }
}

void KernelReport::print(llvm::raw_ostream &os) const {
  if (!options.printKernels && !options.explain && !options.check)
    return;
  if (kernels.empty()) {
    os << "no kernels are known: the module is past phase fuse or "
          "computes nothing\n";
  } else {
    std::vector<std::vector<std::string>> rows{
        {"#", "kernel", "class", "dims", "schedule", "bytes", "operations"}};
    rows.insert(rows.end(), kernels.begin(), kernels.end());
    printTable(os, rows);
  }
  if (!options.explain)
    return;
  auto printList = [&](StringRef title, ArrayRef<std::string> lines) {
    os << "\n" << title << "\n";
    if (lines.empty())
      os << "  none\n";
    for (const std::string &line : lines)
      os << "  " << line << "\n";
  };
  printList("decisions:", remarks);
  printList("memory plan:", plan);
  printList("guards:", guards);
}

void KernelReport::addRemark(const RemarkLine &remark) {
  if (!options.explain)
    return;
  std::string line = remark.pass + ": " + remark.text;
  if (!remark.file.empty())
    line += " (" + remark.file + ":" + std::to_string(remark.line) + ")";
  // A pass that repeats until nothing changes repeats its refusals.
  if (!llvm::is_contained(remarks, line))
    remarks.push_back(std::move(line));
}
