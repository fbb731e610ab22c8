//===- FusionRemarks.h - What fused, and why something did not --*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_FUSIONREMARKS_H
#define TC_TRANSFORMS_FUSE_FUSIONREMARKS_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Error.h"

namespace tc {

/// The category of all remarks of the phase `fuse`, for `--remark-filter`.
inline constexpr llvm::StringLiteral kFusionCategory = "tc-fuse";

/// The reason that two kernels do not fuse, for `remarkRefused`. Each has a
/// test that quotes it.
inline llvm::Error refuse(const llvm::Twine &reason) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), reason);
}

/// "fused 'exp' into 'sum'" from the pass `pass`; `location` and the first name
/// are those of the producer.
inline void remarkFused(llvm::StringRef pass, mlir::Location location,
                        llvm::StringRef producer, llvm::StringRef consumer) {
  mlir::remark::passed(
      location, mlir::remark::RemarkOpts::name(pass).category(kFusionCategory))
      << ("fused '" + producer + "' into '" + consumer + "'").str();
}
inline void remarkFused(llvm::StringRef pass, KernelOp producer,
                        llvm::StringRef consumer) {
  remarkFused(pass, producer.getLoc(), producer.getName(), consumer);
}

/// "did not fuse 'exp' into 'sum': reason".
inline void remarkRefused(llvm::StringRef pass, mlir::Location location,
                          llvm::StringRef producer, llvm::StringRef consumer,
                          llvm::StringRef reason) {
  mlir::remark::missed(
      location, mlir::remark::RemarkOpts::name(pass).category(kFusionCategory))
      << ("did not fuse '" + producer + "' into '" + consumer + "': " + reason)
             .str();
}
inline void remarkRefused(llvm::StringRef pass, KernelOp producer,
                          llvm::StringRef consumer, llvm::StringRef reason) {
  remarkRefused(pass, producer.getLoc(), producer.getName(), consumer, reason);
}

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_FUSIONREMARKS_H
