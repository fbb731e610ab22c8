//===- TileOperations.cpp - Multiply-adds of tiles ------------------------===//

#include "TileOperations.h"
#include "MatrixTiles.h"
#include "VectorTiles.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;

void tc::emitFetch(KernelFrame &frame, const TileLayout &layout, Value next,
                   Value point, int64_t steps) {
  constexpr int64_t kLineBytes = 64;
  constexpr unsigned kCoreCache = 2, kData = 1; // as LLVM numbers them
  auto &builder = frame.builder;
  Type byte = builder.getI8Type();
  Value first = LLVM::GEPOp::create(
      builder, frame.loc, next.getType(), byte, next,
      ValueRange{frame.mul(point, frame.constant(layout.fetchedBytes))});
  for (int64_t at = 0; at < steps * layout.fetchedBytes; at += kLineBytes) {
    Value line =
        LLVM::GEPOp::create(builder, frame.loc, next.getType(), byte, first,
                            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(at)});
    LLVM::Prefetch::create(builder, frame.loc, line, /*rw=*/0, kCoreCache,
                           kData);
  }
}

void tc::emitMultiplyAdds(KernelFrame &frame, const TileLayout &layout,
                          TileAddresses addresses, Value points,
                          Value isFirst) {
  (layout.usesAMX ? emitMatrixTile : emitVectorTile)(frame, layout, addresses,
                                                     points, isFirst);
}
