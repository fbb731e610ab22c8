//===- BoxedCalls.h - Graphs of one program, as PyTorch calls them -*- C++ -*-//

#ifndef TC_PYTHON_BOXEDCALLS_H
#define TC_PYTHON_BOXEDCALLS_H

#include <nanobind/nanobind.h>

namespace tc::python {

/// Adds the class of callables that take a list of inputs.
void addBoxedCalls(nanobind::module_ &module);

} // namespace tc::python

#endif // TC_PYTHON_BOXEDCALLS_H
