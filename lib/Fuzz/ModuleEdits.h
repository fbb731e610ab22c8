//===- ModuleEdits.h - What a person may do between phases ------*- C++ -*-===//

#ifndef TC_LIB_FUZZ_MODULEEDITS_H
#define TC_LIB_FUZZ_MODULEEDITS_H

#include "TC/Fuzz/Sampler.h"

namespace tc::fuzz {

/// The module printed and read again, with functions in another order; null
/// where what is printed cannot be read.
mlir::OwningOpRef<mlir::ModuleOp> printAndParse(mlir::ModuleOp module,
                                                Random &random);

/// Gives `percent` of the kernels random schedules of those that the verifier
/// accepts; returns the errors of others that name neither a schedule nor a
/// field.
std::vector<std::string> replaceSchedules(mlir::ModuleOp module, Random &random,
                                          int64_t percent);

} // namespace tc::fuzz

#endif // TC_LIB_FUZZ_MODULEEDITS_H
