//===- AttentionPartProducer.h - What threads copy for attention *- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPARTPRODUCER_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPARTPRODUCER_H

#include "AttentionTiles.h"

namespace tc {

/// What the first warp group does where warps multiply: all of its threads copy
/// the queries of the tile, and then its blocks of keys and of values in turns.
void emitAttentionPartProducer(AttentionTiles &tiles, mlir::Value queries,
                               mlir::Value keys, mlir::Value values);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONPARTPRODUCER_H
