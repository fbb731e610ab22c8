//===- Errors.cpp - Failures of the C API as exceptions -------------------===//

#include "Errors.h"
#include <memory>
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void tc::python::check(tc_error *error) {
  if (!error)
    return;
  std::unique_ptr<tc_error, decltype(&tc_error_free)> owned(error,
                                                            tc_error_free);
  nb::object exception =
      nb::module_::import_("tc.errors")
          .attr("make_error")(tc_error_code(error), tc_error_message(error),
                              tc_error_location(error));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(exception.ptr())),
                  exception.ptr());
  throw nb::python_error();
}

void tc::python::setException() {
  try {
    throw;
  } catch (nb::python_error &error) {
    error.restore();
  } catch (nb::builtin_exception &error) {
    PyErr_SetString(error.type() == nb::exception_type::type_error
                        ? PyExc_TypeError
                        : PyExc_ValueError,
                    error.what());
  } catch (const std::exception &error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
}
