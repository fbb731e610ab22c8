//===- AttentionBackwardConsumer.h - What multiplies ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDCONSUMER_H
#define TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDCONSUMER_H

#include "AttentionBackwardTiles.h"
#include "GPUFrame.h"

namespace tc {

/// What the two warp groups do that multiply.
void emitAttentionBackwardConsumer(AttentionBackwardTiles &tiles, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_ATTENTIONBACKWARDCONSUMER_H
