//===- AttentionConsumer.h - What multiplies --------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONCONSUMER_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONCONSUMER_H

#include "AttentionTiles.h"

namespace tc {

/// What the other warp groups do.
void emitAttentionConsumer(AttentionTiles &tiles, mlir::Value queries,
                           mlir::Value keys, mlir::Value values, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONCONSUMER_H
