//===- Dispatcher.h - Functions with guards in Python -----------*- C++ -*-===//

#ifndef TC_PYTHON_DISPATCHER_H
#define TC_PYTHON_DISPATCHER_H

#include <nanobind/nanobind.h>

namespace tc::python {

/// Adds the class that a captured function's is derived from.
void addDispatcher(nanobind::module_ &module);

} // namespace tc::python

#endif // TC_PYTHON_DISPATCHER_H
