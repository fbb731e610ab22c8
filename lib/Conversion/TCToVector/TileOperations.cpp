//===- TileOperations.cpp - Multiply-adds of tiles ------------------------===//

#include "TileOperations.h"
#include "MatrixTiles.h"
#include "VectorTiles.h"

using namespace mlir;
using namespace tc;

void tc::emitMultiplyAdds(KernelFrame &frame, const TileLayout &layout,
                          TileAddresses addresses, Value points,
                          Value isFirst) {
  (layout.usesAMX ? emitMatrixTile : emitVectorTile)(frame, layout, addresses,
                                                     points, isFirst);
}
