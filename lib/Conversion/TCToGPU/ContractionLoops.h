//===- ContractionLoops.h - Copies and products of tiles --------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H

#include "ContractionTiles.h"

namespace tc {

/// The registers of the threads of the warp group that fills stages, or of one
/// that multiplies. A single one that multiplies has enough as it is.
void emitRole(ContractionTiles &tiles, bool isProducer);

/// What the other warp groups do: multiply, and write what the kernel writes.
void emitConsumer(ContractionTiles &tiles, mlir::Value pipeline, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONLOOPS_H
