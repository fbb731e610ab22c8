//===- UniformDivision.h - Vectors divided by one number --------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H
#define TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H

#include "KernelFrame.h"

namespace tc {

/// `dividend`, a vector of f32, divided by a scalar; nothing for other types,
/// which a division serves best.
mlir::Value emitUniformDivision(KernelFrame &frame, mlir::Value dividend,
                                mlir::Value divisor);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H
