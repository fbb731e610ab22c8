//===- KernelWrites.h - Every write of a kernel -----------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_KERNELWRITES_H
#define TC_CONVERSION_KERNELEMISSION_KERNELWRITES_H

#include "PointEmitter.h"

namespace tc {

/// Emits every write of the kernel at the points that `scope` leaves open.
void emitWrites(PointEmitter &emitter, Scope &scope);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_KERNELWRITES_H
