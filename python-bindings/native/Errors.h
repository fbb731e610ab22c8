//===- Errors.h - Failures of the C API as exceptions -----------*- C++ -*-===//

#ifndef TC_PYTHON_ERRORS_H
#define TC_PYTHON_ERRORS_H

#include "tc-c/Runtime.h"
#include <nanobind/nanobind.h>

namespace tc::python {

/// Frees `error` and raises the exception of tc/errors.py for its code. Null,
/// which is success, does nothing. The caller holds the GIL.
void check(tc_error *error);

/// Sets Python's exception to what is being caught.
void setException();

/// What a slot of a type gives Python: the result of `function`, or null with
/// the exception set that it throws.
template <typename Function> PyObject *catchExceptions(Function function) {
  try {
    return function().release().ptr();
  } catch (...) {
    setException();
    return nullptr;
  }
}

} // namespace tc::python

#endif // TC_PYTHON_ERRORS_H
