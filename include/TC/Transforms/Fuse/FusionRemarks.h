//===- FusionRemarks.h - What fused, and why something did not --*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_FUSIONREMARKS_H
#define TC_TRANSFORMS_FUSE_FUSIONREMARKS_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Error.h"

namespace tc {

/// The category of all remarks of the phase `fuse`, for `--remark-filter`.
inline constexpr llvm::StringLiteral kFusionCategory = "tc-fuse";

/// The reason that two kernels do not fuse, for `remarkRefused`.
inline llvm::Error refuse(const llvm::Twine &reason) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), reason);
}

/// "fused 'exp' into 'sum'" from the pass `pass`.
inline void remarkFused(llvm::StringRef pass, KernelOp producer,
                        llvm::StringRef consumer) {
  mlir::remark::passed(
      producer.getLoc(),
      mlir::remark::RemarkOpts::name(pass).category(kFusionCategory))
      << "fused '" << producer.getName() << "' into '" << consumer << "'";
}

/// "did not fuse 'exp' into 'sum': reason".
inline void remarkRefused(llvm::StringRef pass, KernelOp producer,
                          llvm::StringRef consumer, llvm::StringRef reason) {
  mlir::remark::missed(
      producer.getLoc(),
      mlir::remark::RemarkOpts::name(pass).category(kFusionCategory))
      << "did not fuse '" << producer.getName() << "' into '" << consumer
      << "': " << reason;
}

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_FUSIONREMARKS_H
