//===- ProgramReport.cpp - What became of a program, as JSON --------------===//

#include "TC/Runner/ProgramReport.h"
#include "KernelFigures.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Runner/OpByOpMemory.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace tc;
using namespace tc::runner;
namespace json = llvm::json;

ProgramReport::ProgramReport(MLIRContext &context,
                             std::function<void(const RemarkLine &)> takeRemark)
    : context(context) {
  collectRemarks(context, [this, takeRemark](const RemarkLine &remark) {
    if (takeRemark)
      takeRemark(remark);
    json::Object one{{"pass", remark.pass},
                     {"kind", remark.kind},
                     {"text", remark.text},
                     {"file", remark.file},
                     {"line", remark.line}};
    // A pass that repeats until nothing changes repeats its refusals.
    if (json::Value value(std::move(one)); !llvm::is_contained(remarks, value))
      remarks.push_back(std::move(value));
  });
}

ProgramReport::~ProgramReport() { stopRemarks(context); }

void ProgramReport::addSource(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    OpByOpMemory memory(function.getBody().front());
    graphs.push_back(
        json::Object{{"function", function.getName()},
                     {"calls", memory.getOpCount()},
                     {"bytes_read", memory.getBytesRead().str()},
                     {"bytes_written", memory.getBytesWritten().str()}});
  }
}

/// Adds the calls of the user's program that a location names to `calls`, or
/// the lines, where it names no call.
static void addCalls(Location location,
                     llvm::SmallMapVector<Location, json::Value, 4> &calls) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      addCalls(part, calls);
    return;
  }
  auto name = dyn_cast<NameLoc>(location);
  auto file = location->findInstanceOf<FileLineColLoc>();
  if (!name && !file)
    return;
  calls.try_emplace(
      location,
      json::Object{{"name", name ? name.getName().str() : ""},
                   {"file", file ? file.getFilename().str() : ""},
                   {"line", file ? int64_t(file.getLine()) : int64_t(0)}});
}

static json::Array listCalls(KernelOp kernel) {
  llvm::SmallMapVector<Location, json::Value, 4> calls;
  for (Operation &op : kernel.getBodyBlock())
    if (!isa<ReadOp, WriteOp>(op))
      addCalls(op.getLoc(), calls);
  addCalls(kernel.getLoc(), calls);
  json::Array list;
  for (auto &[location, call] : calls)
    list.push_back(call);
  return list;
}

namespace {
/// Where the values of kernels come from.
class Sources {
public:
  /// Adds the sources of `value` to `list`: through ops that are no kernels,
  /// such as views.
  void add(Value value, SmallVectorImpl<std::string> &list) const {
    auto insert = [&](const std::string &source) {
      if (!llvm::is_contained(list, source))
        list.push_back(source);
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (isa<func::FuncOp>(argument.getOwner()->getParentOp()))
        insert("input " + std::to_string(argument.getArgNumber()));
      return;
    }
    Operation *op = value.getDefiningOp();
    if (auto found = numbers.find(op); found != numbers.end())
      return insert("kernel " + std::to_string(found->second));
    if (auto parameter = dyn_cast<ParameterOp>(op))
      return insert("parameter " + parameter.getSource().str());
    for (Value operand : op->getOperands())
      add(operand, list);
  }
  void addKernel(KernelOp kernel) {
    numbers.try_emplace(kernel, int64_t(numbers.size()));
  }

private:
  llvm::DenseMap<Operation *, int64_t> numbers;
};
} // namespace

static json::Array listSources(ValueRange values, const Sources &sources) {
  SmallVector<std::string> list;
  for (Value value : values)
    sources.add(value, list);
  return json::Array(list);
}

void ProgramReport::addKernels(ModuleOp module) {
  kernels.clear();
  Sources sources;
  module.walk([&](KernelOp kernel) {
    auto function = kernel->getParentOfType<func::FuncOp>();
    std::string schedule;
    if (Attribute given = kernel.getScheduleAttr())
      llvm::raw_string_ostream(schedule) << given;
    kernels.push_back(json::Object{
        {"function", function ? function.getName().str() : ""},
        {"is_run_once", function && function.getSymName() == kPrepareFunction},
        {"name", kernel.getName()},
        {"class", stringifyKernelClass(kernel.getKernelClass())},
        {"dims", describeDims(kernel)},
        {"schedule", schedule},
        {"bytes_read", countBytes(kernel.getIns(), &context).str()},
        {"bytes_written", countBytes(kernel.getOuts(), &context).str()},
        {"operations", countKernelOperations(kernel).str()},
        {"calls", listCalls(kernel)},
        {"sources", listSources(kernel.getIns(), sources)}});
    sources.addKernel(kernel);
  });
  for (auto function : module.getOps<func::FuncOp>())
    for (json::Value &graph : graphs)
      if (json::Object &object = *graph.getAsObject();
          object.getString("function") == function.getName() &&
          !function.isExternal())
        object["results"] = listSources(
            function.getBody().front().getTerminator()->getOperands(), sources);
}

static json::Object listSizes(DictionaryAttr sizes) {
  json::Object list;
  for (NamedAttribute size : sizes)
    if (auto value = dyn_cast<IntegerAttr>(size.getValue()))
      list[size.getName().strref()] = value.getInt();
  return list;
}

void ProgramReport::addMemoryPlans(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    auto plan = function->getAttrOfType<DictionaryAttr>(kMemoryPlanAttr);
    if (!plan)
      continue;
    json::Object one{{"function", function.getName()}};
    for (NamedAttribute figure : plan)
      if (auto value = dyn_cast<IntegerAttr>(figure.getValue()))
        one[figure.getName().strref()] = value.getInt();
      else if (auto sizes = dyn_cast<DictionaryAttr>(figure.getValue()))
        one[figure.getName().strref()] = listSizes(sizes);
    function.walk(
        [&](ArenaOp arena) { one["arena"] = arena.getBytes().str(); });
    plans.push_back(std::move(one));
  }
}

void ProgramReport::afterPhase(const PhaseInfo &phase, ModuleOp module) {
  if (phase.phase == Phase::Specialize) {
    guards.clear();
    for (const std::string &guard : describeGuards(module))
      guards.push_back(guard);
  }
  if (phase.phase == Phase::Fuse)
    addKernels(module);
  if (phase.phase == Phase::Bufferize)
    addMemoryPlans(module);
}

json::Object ProgramReport::object() const {
  return json::Object{{"graphs", json::Array(graphs)},
                      {"kernels", json::Array(kernels)},
                      {"remarks", json::Array(remarks)},
                      {"memory_plans", json::Array(plans)},
                      {"guards", json::Array(guards)}};
}

std::string ProgramReport::json() const {
  std::string text;
  llvm::raw_string_ostream(text) << json::Value(object());
  return text;
}
