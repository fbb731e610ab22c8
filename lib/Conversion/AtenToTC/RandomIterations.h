//===- RandomIterations.h - random numbers in loops -------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_RANDOMITERATIONS_H
#define TC_LIB_CONVERSION_ATENTOTC_RANDOMITERATIONS_H

#include "mlir/IR/Operation.h"

namespace tc::aten {

/// Gives the draws that are marked `each_iteration`, which are in loops,
/// seeds that differ from iteration to iteration.
void drawInEachIteration(mlir::Operation *module);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_RANDOMITERATIONS_H
