//===- CUDATarget.h - Which GPU code is generated for -----------*- C++ -*-===//

#ifndef TC_TARGET_CUDA_CUDATARGET_H
#define TC_TARGET_CUDA_CUDATARGET_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>

namespace llvm {
class TargetMachine;
}

namespace tc {

/// An NVIDIA GPU, as LLVM's NVPTX back end names it.
struct CUDATarget {
  static constexpr llvm::StringLiteral kTriple = "nvptx64-nvidia-cuda";

  std::string chip;     ///< "sm_90a"
  std::string features; ///< "+ptx86": the version of PTX that is written

  /// Whether `text` of a --target names a GPU.
  static bool isCUDA(llvm::StringRef text);
  /// Reads "cuda:CHIP" or "cuda:CHIP:+ptxNN". Fails on a chip that LLVM does
  /// not know, and on one older than sm_80.
  static llvm::Expected<CUDATarget> parse(llvm::StringRef text);
  /// The same from a `#tc.target` of kind cuda.
  static llvm::Expected<CUDATarget> fromAttribute(TargetAttr attribute);
  TargetAttr toAttribute(mlir::MLIRContext *context) const;
};

/// LLVM's code generator for `target`; multiplications and additions may
/// become fused ones, nothing else of the arithmetic changes.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(const CUDATarget &target);

} // namespace tc

#endif // TC_TARGET_CUDA_CUDATARGET_H
