//===- ProducerFusion.h - Producers in their consumers ----------*- C++ -*-===//

#ifndef TC_TRANSFORMS_FUSE_PRODUCERFUSION_H
#define TC_TRANSFORMS_FUSE_PRODUCERFUSION_H

#include "TC/Dialect/TC/IR/TCOps.h"

namespace tc {

/// How far `fuseProducers` goes.
enum class ProducerFusionKind {
  /// Producers all of whose consumers are pointwise.
  Elementwise,
  /// Producers of any kernel.
  Prologue
};

/// Puts pointwise producers into their consumers wherever that saves time by
/// the cost model; producers without users are erased. Remarks carry the name
/// `pass`. Returns the number of results that were fused.
unsigned fuseProducers(mlir::Operation *root, ProducerFusionKind kind,
                       llvm::StringRef pass);

} // namespace tc

#endif // TC_TRANSFORMS_FUSE_PRODUCERFUSION_H
