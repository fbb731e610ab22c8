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

/// The features of a CPU that decide the shape of code, from LLVM's subtarget
/// of the chip and the features together.
struct CPUCapabilities {
  unsigned vectorBits = 128; ///< of the widest vector register
  unsigned vectorRegisters = 16;
  bool hasFMA = false;
  /// Instructions between f16 and f32.
  bool hasF16Conversion = false;
  /// AVX-512 F, VL, DQ and BW.
  bool hasAvx512 = false;
  /// AVX512-BF16: dot products of pairs of bf16, accumulated in f32.
  bool hasBF16Dot = false;
  /// AMX-BF16: dot products in tiles of 16 by 16 accumulators.
  bool hasBF16Tiles = false;
};

/// A CPU as LLVM names it.
struct CPUTarget {
  std::string triple;
  std::string chip;     ///< such as znver4 or x86-64-v3
  std::string features; ///< what differs from the chip: "+avx512bf16,-sse4a"

  /// The CPU this process runs on.
  static CPUTarget host();
  /// Reads "cpu", "cpu:NAME" or "cpu:NAME:+feature,-feature"; "cpu" and
  /// "cpu:host" are host(). A chip of another architecture comes after its
  /// name, which is x86_64 or aarch64: "cpu:aarch64:cortex-a76". Fails where
  /// check() does.
  static llvm::Expected<CPUTarget> parse(llvm::StringRef text);
  /// Whether the text means this machine's CPU, perhaps with some features
  /// more or less: "cpu", "cpu:host", "cpu:host:-avx512f".
  static bool isHost(llvm::StringRef text);
  /// Whether this process could run some code for the architecture.
  bool hasHostArchitecture() const;
  /// From `#tc.target<"cpu", ...>`; an empty chip is the host's. A chip without
  /// an architecture is of x86_64, wherever the module is read.
  static CPUTarget fromAttribute(TargetAttr attribute);
  TargetAttr toAttribute(mlir::MLIRContext *context) const;

  /// Fails on a name of a chip or a feature that LLVM does not know, naming the
  /// nearest ones, and on a chip without what the architecture's code needs.
  llvm::Error check() const;

  /// Whether code for this CPU may use the feature, such as "avx512bf16".
  bool hasFeature(llvm::StringRef feature) const;
  CPUCapabilities capabilities() const;
  /// Features with instructions that code for this CPU may have, sorted; none
  /// for another architecture than the host's.
  std::vector<std::string> instructionFeatures() const;
  /// Features that this CPU has and the host has not, of those that generated
  /// code can make use of: its code cannot run here when there is one. The name
  /// of the architecture if that is another.
  std::vector<std::string> featuresMissingOnHost() const;

private:
  llvm::Error checkFeatures() const;
};

/// Makes LLVM's code generators for CPUs known. Cheap when done before.
void initializeCPUTargets();

/// How much time LLVM spends on a function's code.
enum class CodeQuality {
  Fast, ///< host functions: run once a call
  Best, ///< kernels
};

llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CPUTarget &target, CodeQuality quality);

} // namespace tc

#endif // TC_TARGET_CPU_CPUTARGET_H
