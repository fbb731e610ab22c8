//===- ComplexPair.h - complex tensors as two of real numbers ---*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_ATENTOTC_COMPLEXPAIR_H
#define TC_LIB_CONVERSION_ATENTOTC_COMPLEXPAIR_H

#include "AtenCall.h"

namespace tc::aten {

/// The parts of a complex tensor, of its sizes. Complex arithmetic is
/// arithmetic of these; tc.complex and tc.real undo each other.
struct ComplexPair {
  mlir::Value real, imaginary;
};

/// The parts of `x`; a tensor of real numbers has an imaginary part of zero.
ComplexPair splitComplex(AtenCall &call, mlir::Value x);
mlir::Value joinComplex(AtenCall &call, const ComplexPair &x);
/// The parts in a new last dimension of size 2.
mlir::Value stackParts(AtenCall &call, const ComplexPair &x);

ComplexPair multiply(AtenCall &call, const ComplexPair &x,
                     const ComplexPair &y);
/// Both parts times a number.
ComplexPair scale(AtenCall &call, const ComplexPair &x, double factor);

} // namespace tc::aten

#endif // TC_LIB_CONVERSION_ATENTOTC_COMPLEXPAIR_H
