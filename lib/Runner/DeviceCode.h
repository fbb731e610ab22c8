//===- DeviceCode.h - PTX of kernels and what it takes ----------*- C++ -*-===//

#ifndef TC_LIB_RUNNER_DEVICECODE_H
#define TC_LIB_RUNNER_DEVICECODE_H

#include "TC/Runner/Runner.h"

namespace tc::runner {

/// The code of the kernels of a GPU, and what a thread and a block of them
/// take: from the device where the code runs there, else from ptxas where that
/// is on PATH.
class DeviceCode {
public:
  explicit DeviceCode(const RunOptions &options) : options(options) {}
  /// Takes the PTX of the module, of which phase emit makes some.
  void afterPhase(const PhaseInfo &phase, mlir::ModuleOp module);
  bool isEmpty() const { return kernels.empty(); }
  /// Writes KERNEL.ptx for each kernel, unless `directory` is empty.
  llvm::Error write(llvm::StringRef directory) const;
  /// Prints a table, and a remark for each kernel with values in local memory.
  void print(llvm::raw_ostream &os) const;

private:
  struct Kernel {
    std::string name, ptx;
  };
  const RunOptions &options;
  std::vector<Kernel> kernels;
};

} // namespace tc::runner

#endif // TC_LIB_RUNNER_DEVICECODE_H
