//===- KernelFigures.cpp - What reports say of kernels --------------------===//

#include "KernelFigures.h"
#include "TC/Dialect/TC/IR/KernelDims.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringExtras.h"
#include <mutex>

using namespace mlir;
using namespace tc;
using namespace tc::runner;

SizeExpr runner::countBytes(ValueRange values, MLIRContext *context) {
  SizeExpr total = SizeExpr::constant(context, 0);
  for (Value value : values)
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && type.hasRank())
      total = total.add(getElementCount(getSizes(type), context)
                            .mul(getElementBytes(type.getElementType())));
  return total;
}

SizeExpr runner::countKernelOperations(KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  KernelDims dims(kernel);
  SizeExpr total = SizeExpr::constant(context, 0);
  for (Operation &op : kernel.getBodyBlock()) {
    bool computes = op.getNumResults() > 0 && op.getNumOperands() > 0 &&
                    !isa<ReadOp, DimIndexOp, WithinOp>(op);
    if (!computes)
      continue;
    // A reduction works at the points of its operand.
    DimSet points = dims.of(op.getResult(0));
    for (Value operand : op.getOperands())
      points |= dims.of(operand);
    SizeExpr count =
        SizeExpr::constant(context, isa<ContractStageOp>(op) ? 2 : 1);
    for (unsigned dim : points.set_bits())
      count = count.mul(kernel.getDimSize(dim));
    total = total.add(count);
  }
  return total;
}

std::string runner::describeDims(KernelOp kernel) {
  SmallVector<std::string> dims;
  for (unsigned i = 0; i < kernel.getNumDims(); ++i) {
    DimAttr dim = kernel.getDim(i);
    dims.push_back((dim.getName() + "=" + dim.getSize().str() +
                    (dim.getIterator() == IteratorKind::Reduced ? "r" : ""))
                       .str());
  }
  return llvm::join(dims, " ");
}

std::vector<std::string> runner::describeGuards(ModuleOp module) {
  std::vector<std::string> guards;
  for (auto function : module.getOps<func::FuncOp>())
    if (auto symbols = function->getAttrOfType<ArrayAttr>(kSymbolsAttr))
      for (auto symbol : symbols.getAsRange<tc::SymbolAttr>()) {
        std::string text;
        llvm::raw_string_ostream os(text);
        os << symbol.getName() << " >= " << symbol.getMin();
        if (symbol.getMax() != INT64_MAX)
          os << ", <= " << symbol.getMax();
        if (symbol.getDivisor() > 1)
          os << ", a multiple of " << symbol.getDivisor();
        guards.push_back(text);
      }
  module.walk([&](GuardOp guard) {
    std::string text;
    llvm::raw_string_ostream(text) << *guard;
    guards.push_back(text);
  });
  module.walk([&](SizeGuardOp guard) {
    guards.push_back("'" + guard.getUser().str() + "' " +
                     guard.getPrecondition().describe());
  });
  return guards;
}

//===----------------------------------------------------------------------===//
// Remarks
//===----------------------------------------------------------------------===//

static StringRef nameKind(llvm::remarks::Type type) {
  switch (type) {
  case llvm::remarks::Type::Passed:
    return "passed";
  case llvm::remarks::Type::Missed:
    return "missed";
  case llvm::remarks::Type::Failure:
    return "failed";
  default:
    return "analysis";
  }
}

namespace {
/// Hands each remark on as text. Passes on functions remark from several
/// threads.
class RemarkLines : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkLines(std::function<void(const RemarkLine &)> add)
      : add(std::move(add)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    RemarkLine line;
    line.pass = remark.getRemarkName().str();
    line.kind = nameKind(remark.getRemarkType()).str();
    llvm::raw_string_ostream os(line.text);
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      // Arguments other than the remark's own text are named figures.
      if (arg.key != "Remark")
        os << " " << arg.key << " = ";
      os << arg.val;
    }
    if (auto file = remark.getLocation()->findInstanceOf<FileLineColLoc>()) {
      line.file = file.getFilename().str();
      line.line = file.getLine();
    }
    std::lock_guard lock(mutex);
    add(line);
  }

private:
  std::mutex mutex;
  std::function<void(const RemarkLine &)> add;
};
} // namespace

void runner::collectRemarks(MLIRContext &context,
                            std::function<void(const RemarkLine &)> add) {
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkLines>(std::move(add)),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}

void runner::stopRemarks(MLIRContext &context) {
  context.setRemarkEngine(nullptr);
}
