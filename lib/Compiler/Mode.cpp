//===- Mode.cpp - What calls are tuned for --------------------------------===//

#include "TC/Compiler/Mode.h"
#include "TC/Compiler/NearestName.h"
#include "TC/Dialect/TC/IR/DataDependentSizes.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"
#include "TC/Dialect/TC/IR/PreparationOps.h"
#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

static constexpr std::pair<StringLiteral, Mode> kModes[] = {
    {"default", Mode::Default}, {"reduce-overhead", Mode::ReduceOverhead}};

llvm::Expected<Mode> tc::parseMode(StringRef name) {
  if (name.empty())
    return Mode::Default;
  llvm::SmallVector<StringRef> names;
  for (auto [known, mode] : kModes) {
    if (name == known)
      return mode;
    names.push_back(known);
  }
  return llvm::createStringError("the mode is '" + name +
                                 "', expected default or reduce-overhead" +
                                 suggestName(name, names));
}

static void remarkGraphs(Location loc, const Twine &text) {
  remark::analysis(loc, remark::RemarkOpts::name("mode").category("graph"))
      << text.str();
}

/// What comes between the launches of two CUDA graphs at an op: what the host
/// does once the kernels before have ended, or a library launches; empty for
/// other ops.
static std::string getWorkBetween(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](IfOp) { return "the host reads the condition of a branch"; })
      .Case([](WhileOp) { return "the host reads the condition of a loop"; })
      .Case([](SizeFromOp) { return "the host reads a size"; })
      .Case([](LaunchOp launch) {
        return launch.getOnHost()
                   ? ("the host computes '" + launch.getKernel() + "'").str()
                   : std::string();
      })
      .Case([](LibraryCallOp call) {
        return ("cuBLASLt computes '" + call.getKernel() + "'").str();
      })
      .Case([](LibraryConvolutionOp call) {
        return ("cuDNN computes '" + call.getKernel() + "'").str();
      })
      .Default([](Operation *) { return std::string(); });
}

void tc::remarkMode(ModuleOp module, Mode mode, bool isForGPU) {
  if (mode == Mode::Default)
    return;
  if (!isForGPU)
    return remarkGraphs(
        module.getLoc(),
        "the mode reduce-overhead changes nothing: code for a CPU "
        "has no CUDA graphs");
  for (auto function : module.getOps<func::FuncOp>()) {
    // What is prepared is computed once.
    if (function.getSymName() == kPrepareFunction)
      continue;
    function.walk<WalkOrder::PreOrder>([](Operation *op) {
      if (std::string work = getWorkBetween(op); !work.empty())
        remarkGraphs(op->getLoc(), "a CUDA graph ends where " + work);
    });
  }
}
