//===- HostSignature.h - What callers see of host functions -----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_HOSTSIGNATURE_H
#define TC_LIB_CONVERSION_TCTOLLVM_HOSTSIGNATURE_H

#include "TC/Dialect/TC/IR/TCOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tc {

/// The number of outputs of a host function: one more than the largest index
/// of its `tc.output_buffer`s.
int64_t getOutputCount(mlir::func::FuncOp function);

/// `tc.signature` of a host function with what its emitted form no longer
/// shows: types, parameters, launches and the bytes of its arenas.
mlir::DictionaryAttr getEmittedSignature(mlir::func::FuncOp function);

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_HOSTSIGNATURE_H
