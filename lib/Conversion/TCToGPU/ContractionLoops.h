//===- ContractionLoops.h - Copies and products of tiles --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H

#include "ContractionTiles.h"

namespace tc {

/// What the first warp group does: one thread copies the operands of each tile.
void emitProducer(ContractionTiles &tiles, mlir::Value pipeline);

/// What the other warp groups do: multiply, and write what the kernel writes.
void emitConsumer(ContractionTiles &tiles, mlir::Value pipeline, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H
