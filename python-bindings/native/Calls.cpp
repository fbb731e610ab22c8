//===- Calls.cpp - Calls of compiled functions from Python ----------------===//

#include "Array.h"
#include "Errors.h"
#include "Program.h"
#include "TensorCalls.h"
#include <memory>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

static std::vector<tc_array *> getHandles(const nb::list &arrays) {
  std::vector<tc_array *> handles;
  for (nb::handle array : arrays)
    handles.push_back(nb::cast<Array &>(array).get());
  return handles;
}

/// Calls a function with arrays of TC's and gives all its outputs.
static nb::list callArrays(const Program &program, int64_t function,
                           const nb::list &inputs, uintptr_t stream) {
  std::vector<tc_array *> given = getHandles(inputs);
  const tc_function_info *info = tc_program_function(program.get(), function);
  std::vector<tc_array *> outputs(info ? size_t(info->output_count) : 0);
  tc_error *error;
  {
    nb::gil_scoped_release release;
    error = tc_program_call_on_stream(
        program.get(), function, reinterpret_cast<void *>(stream), given.data(),
        int64_t(given.size()), outputs.data(), int64_t(outputs.size()));
  }
  check(error);
  nb::list results;
  for (tc_array *output : outputs)
    results.append(nb::cast(Array(output, stream)));
  return results;
}

//===----------------------------------------------------------------------===//
// Compiled functions that Python calls
//===----------------------------------------------------------------------===//

static PyObject *callCallable(PyObject *self, PyObject *args,
                              PyObject *keywords) {
  return catchExceptions([&]() -> nb::object {
    const Callable &callable = *nb::inst_ptr<Callable>(nb::handle(self));
    if (keywords && PyDict_Size(keywords) != 0)
      throw nb::type_error("a compiled function takes its inputs by position");
    if (callable.takesTensors)
      if (auto results = callable.function.call(itemsOf(args)))
        return results->empty()       ? nb::none()
               : results->size() == 1 ? std::move((*results)[0])
                                      : makeTuple(std::move(*results));
    return nb::handle(self).attr("call_general")(*nb::handle(args));
  });
}

static PyType_Slot callableSlots[] = {
    {Py_tp_call, reinterpret_cast<void *>(callCallable)}, {0, nullptr}};

static void initializeCallable(Callable *self, nb::object program,
                               int64_t function, int32_t cudaDevice,
                               bool takesTensors) {
  const auto &handle = nb::cast<const Program &>(program);
  new (self) Callable{program, TensorFunction(handle, function, cudaDevice),
                      takesTensors};
}

static nb::tuple getExpectedStrides(const Program &program, int64_t function,
                                    const nb::list &inputs, int64_t input) {
  std::vector<tc_array *> given = getHandles(inputs);
  int64_t strides[TC_MAX_RANK] = {};
  check(tc_program_expected_strides(program.get(), function, given.data(),
                                    int64_t(given.size()), input, strides));
  nb::list result;
  for (int32_t i = 0, e = tc_array_descriptor(given[size_t(input)]).rank; i < e;
       ++i)
    result.append(strides[i]);
  return nb::tuple(result);
}

static std::string explain(const Program &program, int64_t function,
                           const nb::list &inputs) {
  std::vector<tc_array *> given = getHandles(inputs);
  char *text = nullptr;
  check(tc_program_explain(program.get(), function, given.data(),
                           int64_t(given.size()), &text));
  std::unique_ptr<char, decltype(&tc_string_free)> owned(text, tc_string_free);
  return text;
}

static void setParameter(const Program &program, const std::string &name,
                         const Array &value) {
  check(tc_program_set_parameter(program.get(), name.c_str(), value.get()));
}

void tc::python::addCalls(nb::module_ &module, nb::class_<Program> &programs) {
  programs.def("call", callArrays, "function"_a, "inputs"_a, "stream"_a)
      .def("expected_strides", getExpectedStrides, "function"_a, "inputs"_a,
           "input"_a)
      .def("explain", explain, "function"_a, "inputs"_a)
      .def("set_parameter", setParameter, "name"_a, "value"_a);
  nb::class_<Callable>(module, "Callable", nb::type_slots(callableSlots))
      .def("__init__", initializeCallable, "program"_a, "function"_a,
           "cuda_device"_a, "takes_tensors"_a);
}
