//===- ContractionProducer.h - What fills the stages ------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONPRODUCER_H
#define TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONPRODUCER_H

#include "ContractionTiles.h"

namespace tc {

/// What the first warp group does: it fills the stages with the operands of
/// each tile of `scope`'s kernel. One thread starts copies; all compute and
/// store the elements of operands that are not copied.
void emitProducer(ContractionTiles &tiles, mlir::Value pipeline, Scope &scope);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_CONTRACTIONPRODUCER_H
