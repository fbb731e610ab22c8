//===- ColumnKernel.h - Columns that threads share --------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_COLUMNKERNEL_H
#define TC_LIB_CONVERSION_TCTOGPU_COLUMNKERNEL_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel of columns, the points of each of which `row_threads` threads
/// share.
LaunchShape emitColumnKernel(GPUFrame &frame, GPUColumnScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_COLUMNKERNEL_H
