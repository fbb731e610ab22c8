//===- ScatterColumns.h - Columns written to computed places ----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOGPU_SCATTERCOLUMNS_H
#define TC_LIB_CONVERSION_TCTOGPU_SCATTERCOLUMNS_H

#include "GPUFrame.h"

namespace tc {

/// Emits a kernel whose points go to whole columns along the schedule's
/// `vector_dim`, such as the gradient of an embedding. A thread has a column.
/// Elements belong to strips by a hash of the number of their first column: a
/// block lists the points of its strip, chunk by chunk, in the order of the
/// domain, and all of its threads write them one after the other, with the
/// values of a few loaded before the first of these is written.
LaunchShape emitScatterColumns(GPUFrame &frame,
                               GPUScatterScheduleAttr schedule);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOGPU_SCATTERCOLUMNS_H
