//===- ModuleEdits.h - What a person may do between phases ------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_MODULEEDITS_H
#define TC_LIB_FUZZ_MODULEEDITS_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// The module printed and read again, with functions in another order; null
/// where what is printed cannot be read.
mlir::OwningOpRef<mlir::ModuleOp> printAndParse(mlir::ModuleOp module,
                                                Random &random);

/// Gives kernels random schedules of those that the verifier accepts.
void replaceSchedules(mlir::ModuleOp module, Random &random);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_MODULEEDITS_H
