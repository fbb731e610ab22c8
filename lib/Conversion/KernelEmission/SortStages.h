//===- SortStages.h - What a kernel sorts -----------------------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_SORTSTAGES_H
#define TC_CONVERSION_KERNELEMISSION_SORTSTAGES_H

#include "KernelFrame.h"

namespace tc {

/// How many elements of a sorted row the kernel writes: all, or as many as the
/// buffers hold that the row is written to.
SizeExpr getWrittenLength(KernelOp kernel, unsigned along);

/// The kernel's sorts. Fails, with a diagnostic, unless all sort along one
/// dimension rows that are the iterations.
mlir::FailureOr<llvm::SmallVector<SortStageOp>>
getSortStages(const KernelFrame &frame);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_SORTSTAGES_H
