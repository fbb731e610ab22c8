//===- InnerVectors.h - Vectors away from all ends --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_INNERVECTORS_H
#define TC_LIB_CONVERSION_TCTOGPU_INNERVECTORS_H

#include "GPUFrame.h"

namespace tc {

/// Whether (i1) the lanes of `scope`, which are all in their dimension where
/// `areThere` (i1; null where they are) holds, are inner ones: all or none of
/// them are in each part of a concatenation or padding, and the granules that
/// unaligned loads take of buffers are in these as a whole. Their code needs no
/// masks. Null where they always are; failure where it is not known in front of
/// that code.
mlir::FailureOr<mlir::Value> emitAreInner(PointEmitter &emitter, Scope &scope,
                                          mlir::Value areThere);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_INNERVECTORS_H
