//===- Remarks.cpp - Decisions of the compiler, for --explain -------------===//

#include "mlir/IR/Remarks.h"
#include "KernelReport.h"
#include "Support.h"

using namespace mlir;
using namespace tc::runner;

namespace {
/// Hands each remark on as a line of text. Passes on functions remark from
/// several threads.
class RemarkLines : public remark::detail::MLIRRemarkStreamerBase {
public:
  explicit RemarkLines(std::function<void(std::string)> add)
      : add(std::move(add)) {}

  void streamOptimizationRemark(const remark::detail::Remark &remark) override {
    std::string line;
    llvm::raw_string_ostream os(line);
    os << remark.getRemarkName() << ": ";
    for (const remark::detail::Remark::Arg &arg : remark.getArgs()) {
      // What is no text of the remark's own is a named figure.
      if (arg.key != "Remark")
        os << " " << arg.key << " = ";
      os << arg.val;
    }
    if (auto file = remark.getLocation()->findInstanceOf<FileLineColLoc>())
      os << " (" << file.getFilename().getValue() << ":" << file.getLine()
         << ")";
    std::lock_guard lock(mutex);
    add(std::move(line));
  }

private:
  std::mutex mutex;
  std::function<void(std::string)> add;
};
} // namespace

void KernelReport::collectRemarks(MLIRContext &context) {
  if (!options.explain)
    return;
  remark::RemarkCategories categories;
  categories.passed = categories.missed = categories.analysis =
      categories.failed = ".*";
  (void)remark::enableOptimizationRemarks(
      context, std::make_unique<RemarkLines>([this](std::string line) {
        // A pass that repeats until nothing changes repeats its refusals.
        if (!llvm::is_contained(remarks, line))
          remarks.push_back(std::move(line));
      }),
      std::make_unique<remark::RemarkEmittingPolicyAll>(), categories);
}
