//===- Calls.cpp - Calls of compiled functions from Python ----------------===//

#include "Array.h"
#include "Errors.h"
#include "Exchange.h"
#include "Program.h"
#include "TC/Runtime/DLPack.h"
#include <array>
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

namespace {
/// What exchange functions tell of the inputs of a call.
class DescribedInputs {
public:
  /// Describes `inputs`, all of which must be tensors in host memory of one
  /// library with exchange functions. False, with no exception set, where they
  /// are not.
  bool describe(nb::handle inputs, size_t count);

  const tc_tensor *data() const { return tensors.data(); }
  const ExchangeAPI &library() const { return *exchange; }

private:
  const ExchangeAPI *exchange = nullptr;
  std::vector<tc_tensor> tensors;
  std::vector<std::array<int64_t, TC_MAX_RANK>> rowMajor;
};
} // namespace

/// Whether `tensor` has a method called `name`, without arguments, that says
/// yes.
static bool says(PyObject *tensor, PyObject *name) {
  nb::object answer = nb::steal(PyObject_VectorcallMethod(
      name, &tensor, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
  if (!answer.is_valid())
    PyErr_Clear();
  return answer.is_valid() && answer.is(nb::handle(Py_True));
}

/// Whether a tensor of PyTorch's stands for other numbers than its memory has:
/// their negations or conjugates. DLPack does not tell.
static bool isLazy(PyObject *tensor, tc::runtime::DLDataType type) {
  static PyObject *isNegated = PyUnicode_InternFromString("is_neg");
  static PyObject *isConjugate = PyUnicode_InternFromString("is_conj");
  return says(tensor, isNegated) ||
         (type.code == tc::runtime::DLTypeComplex && says(tensor, isConjugate));
}

bool DescribedInputs::describe(nb::handle inputs, size_t count) {
  tensors.resize(count);
  rowMajor.resize(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject *input = PyTuple_GetItem(inputs.ptr(), Py_ssize_t(i));
    const ExchangeAPI *own =
        findExchange(reinterpret_cast<PyObject *>(Py_TYPE(input)));
    if (!own || !own->describe || (exchange && own != exchange))
      return false;
    exchange = own;
    tc::runtime::DLTensor described;
    if (own->describe(input, &described) != 0) {
      PyErr_Clear(); // the general way says why
      return false;
    }
    if (described.device.type != tc::runtime::DLDeviceCPU ||
        isLazy(input, described.dtype))
      return false;
    check(tc_tensor_from_dlpack(&described, rowMajor[i].data(), &tensors[i]));
  }
  return exchange != nullptr;
}

/// Calls a function that mutates nothing with tensors of one library in host
/// memory, and gives its results as that library's: one, a tuple of several, or
/// None. NotImplemented where the inputs are something else.
static nb::object callTensors(const Program &program, int64_t function,
                              nb::tuple inputs) {
  DescribedInputs described;
  if (!described.describe(inputs, inputs.size()))
    return nb::borrow(Py_NotImplemented);
  const tc_function_info *info = tc_program_function(program.get(), function);
  std::vector<tc_array *> outputs(size_t(info->output_count));
  tc_error *error;
  {
    nb::gil_scoped_release release;
    error = tc_program_call_raw(program.get(), function, described.data(),
                                int64_t(inputs.size()), outputs.data(),
                                int64_t(outputs.size()));
  }
  check(error);
  std::vector<Array> arrays;
  for (tc_array *output : outputs)
    arrays.emplace_back(output);
  nb::object results = nb::steal(PyTuple_New(Py_ssize_t(arrays.size())));
  for (size_t i = 0; i < arrays.size(); ++i) {
    DLManagedTensorVersioned *managed = tc_array_to_dlpack(arrays[i].get());
    void *object = nullptr;
    if (described.library().toObject(managed, &object) != 0) {
      tc_dlpack_release(managed);
      throw nb::python_error();
    }
    if (arrays.size() == 1)
      return nb::steal(static_cast<PyObject *>(object));
    PyTuple_SetItem(results.ptr(), Py_ssize_t(i),
                    static_cast<PyObject *>(object));
  }
  return arrays.empty() ? nb::none() : results;
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

void tc::python::addCalls(nb::class_<Program> &programs) {
  programs.def("call_tensors", callTensors, "function"_a, "inputs"_a)
      .def("call", callArrays, "function"_a, "inputs"_a, "stream"_a)
      .def("expected_strides", getExpectedStrides, "function"_a, "inputs"_a,
           "input"_a)
      .def("explain", explain, "function"_a, "inputs"_a)
      .def("set_parameter", setParameter, "name"_a, "value"_a);
}
