//===- CPUTarget.h - Which CPU code is generated for ------------*- C++ -*-===//

#ifndef TC_TARGET_CPU_CPUTARGET_H
#define TC_TARGET_CPU_CPUTARGET_H

#include "TC/Dialect/TC/IR/TCDialect.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <vector>

namespace llvm {
class TargetMachine;
}

namespace tc {

/// A CPU as LLVM names it.
struct CPUTarget {
  std::string triple;
  std::string chip;     ///< such as znver4 or x86-64-v3
  std::string features; ///< what differs from the chip: "+avx512bf16,-sse4a"

  /// The CPU this process runs on.
  static CPUTarget host();
  /// Reads "cpu", "cpu:NAME" or "cpu:NAME:+feature,-feature". "cpu" and
  /// "cpu:host" are host(). Fails on a name that LLVM does not know.
  static llvm::Expected<CPUTarget> parse(llvm::StringRef text);
  /// From `#tc.target<"cpu", ...>`; an empty chip is the host's.
  static CPUTarget fromAttribute(TargetAttr attribute);
  TargetAttr toAttribute(mlir::MLIRContext *context) const;

  /// Whether code for this CPU may use the feature, such as "avx512bf16".
  bool hasFeature(llvm::StringRef feature) const;
  /// Bits of the widest vector register.
  unsigned vectorBits() const;
  /// Features that this CPU has and the host has not: its code cannot run here
  /// when there is one.
  std::vector<std::string> featuresMissingOnHost() const;
};

/// Makes LLVM's code generators for this process's architecture known. Cheap
/// when done before.
void initializeNativeTarget();

/// How much time LLVM spends on a piece of code.
enum class CodeQuality {
  Fast, ///< host functions: run once a call
  Best, ///< kernels
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CPUTarget &target, CodeQuality quality);

} // namespace tc

#endif // TC_TARGET_CPU_CPUTARGET_H
