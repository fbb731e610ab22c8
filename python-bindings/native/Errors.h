//===- Errors.h - Failures of the C API as exceptions -----------*- C++ -*-===//

#ifndef TC_PYTHON_ERRORS_H
#define TC_PYTHON_ERRORS_H

#include "tc-c/Runtime.h"

namespace tc::python {

/// Frees `error` and raises the exception of tc/errors.py for its code. Null,
/// which is success, does nothing. The caller holds the GIL.
void check(tc_error *error);

} // namespace tc::python

#endif // TC_PYTHON_ERRORS_H
