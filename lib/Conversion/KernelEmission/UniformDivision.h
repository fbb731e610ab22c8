//===- UniformDivision.h - Vectors divided by one number --------*- C++ -*-===//

#ifndef TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H
#define TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H

#include "KernelFrame.h"

namespace tc {

/// `dividend`, a vector of f32 or on a GPU one, divided by what is the same for
/// all lanes, or for all points of a loop; nothing for other types, which a
/// division serves best. A divisor that `isModerate` is from 2^-64 to
/// 2^126, or NaN. Where `roundsTo16Bits`, an error of a unit in the last place
/// of f32 will do.
mlir::Value emitUniformDivision(KernelFrame &frame, mlir::Value dividend,
                                mlir::Value divisor, bool isModerate,
                                bool roundsTo16Bits);

} // namespace tc

#endif // TC_CONVERSION_KERNELEMISSION_UNIFORMDIVISION_H
