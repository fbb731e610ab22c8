//===- ScheduleKey.cpp - Which kernels share a schedule -------------------===//

#include "ScheduleKey.h"
#include "TC/Dialect/TC/IR/KernelAccess.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace tc;

static void printSizes(raw_ostream &os, ArrayRef<SizeExpr> sizes,
                       llvm::function_ref<bool(unsigned)> isReduced) {
  for (auto [index, size] : llvm::enumerate(sizes)) {
    os << (index ? "x" : "");
    size.printExpression(os);
    os << (isReduced(index) ? "r" : "");
  }
}

/// The sizes and element type of a buffer, then the maps of its accesses.
static void printBuffer(raw_ostream &os, KernelOp kernel,
                        BlockArgument buffer) {
  auto type = cast<ShapedType>(buffer.getType());
  Sizes sizes = getSizes(type);
  printSizes(os, sizes, [](unsigned) { return false; });
  os << (sizes.empty() ? "" : "x") << type.getElementType();
  for (Operation &op : kernel.getBodyBlock()) {
    std::optional<KernelAccess> access = getAccess(op);
    if (!access || access->buffer != buffer)
      continue;
    os << "[";
    llvm::interleave(access->map.getResults(), os, ",");
    os << "]";
  }
}

/// The stages of the body: reductions, scans, sorts, contractions and routines.
static void printStages(raw_ostream &os, KernelOp kernel) {
  bool isFirst = true;
  auto print = [&](StringRef stage, ArrayRef<int64_t> over = {}) {
    os << (isFirst ? "" : "; ") << stage;
    isFirst = false;
    if (over.empty())
      return;
    os << " over [";
    llvm::interleave(over, os, ",");
    os << "]";
  };
  for (Operation &op : kernel.getBodyBlock()) {
    if (auto fold = dyn_cast<ReduceStageOp>(op))
      print(stringifyReductionKind(fold.getKind()), fold.getOver());
    else if (auto contract = dyn_cast<ContractStageOp>(op))
      print("contract", contract.getOver());
    else if (isa<ScanStageOp>(op) || isWholeStage(&op))
      print(op.getName().stripDialect());
  }
}

/// Hashes the ops of the body in order: names, operands by number, attributes
/// and types.
static std::string describeBody(KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::DenseMap<Value, unsigned> numbers;
  for (Value argument : kernel.getBodyBlock().getArguments())
    numbers.try_emplace(argument, numbers.size());
  for (Operation &op : kernel.getBodyBlock()) {
    os << op.getName() << op.getAttrDictionary();
    for (Value operand : op.getOperands())
      os << " " << numbers.lookup(operand);
    for (Value result : op.getResults()) {
      numbers.try_emplace(result, numbers.size());
      os << " " << result.getType();
    }
    os << "\n";
  }
  return text;
}

std::string tc::getScheduleKey(KernelOp kernel, StringRef target) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << stringifyKernelClass(kernel.getKernelClass()) << "[";
  SmallVector<SizeExpr> sizes;
  for (unsigned dim = 0; dim < kernel.getNumDims(); ++dim)
    sizes.push_back(kernel.getDimSize(dim));
  printSizes(os, sizes, [&](unsigned dim) {
    return kernel.getDim(dim).getIterator() == IteratorKind::Reduced;
  });
  os << "](";
  llvm::interleaveComma(
      kernel.getBodyBlock().getArguments(), os,
      [&](BlockArgument buffer) { printBuffer(os, kernel, buffer); });
  os << "){";
  printStages(os, kernel);
  auto hash = static_cast<uint32_t>(llvm::xxh3_64bits(describeBody(kernel)));
  os << "}#" << llvm::format_hex_no_prefix(hash, 8) << "@" << target;
  return key;
}
