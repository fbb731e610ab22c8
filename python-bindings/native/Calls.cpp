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
namespace runtime = tc::runtime;
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
/// Where the tensors of a call are.
struct Place {
  runtime::DLDeviceType type;
  int32_t index;
};

/// What exchange functions tell of the inputs of a call.
class DescribedInputs {
public:
  /// Describes `inputs`, all of which must be tensors at `place` of one library
  /// with exchange functions. False, with no exception set, where they are not.
  bool describe(nb::handle inputs, size_t count, Place place);

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
static bool isLazy(PyObject *tensor, runtime::DLDataType type) {
  static PyObject *isNegated = PyUnicode_InternFromString("is_neg");
  static PyObject *isConjugate = PyUnicode_InternFromString("is_conj");
  return says(tensor, isNegated) ||
         (type.code == runtime::DLTypeComplex && says(tensor, isConjugate));
}

bool DescribedInputs::describe(nb::handle inputs, size_t count, Place place) {
  tensors.resize(count);
  rowMajor.resize(count);
  for (size_t i = 0; i < count; ++i) {
    PyObject *input = PyTuple_GetItem(inputs.ptr(), Py_ssize_t(i));
    const ExchangeAPI *own =
        findExchange(reinterpret_cast<PyObject *>(Py_TYPE(input)));
    if (!own || !own->describe || (exchange && own != exchange))
      return false;
    exchange = own;
    runtime::DLTensor described;
    if (own->describe(input, &described) != 0) {
      PyErr_Clear(); // the general way says why
      return false;
    }
    if (described.device.type != place.type ||
        (place.type != runtime::DLDeviceCPU &&
         described.device.index != place.index) ||
        isLazy(input, described.dtype))
      return false;
    check(tc_tensor_from_dlpack(&described, rowMajor[i].data(), &tensors[i]));
  }
  return exchange != nullptr;
}

/// Memory of a device from the allocator of the library whose tensors are the
/// inputs, on its current stream.
struct LibraryMemory {
  const ExchangeAPI &library;
  runtime::DLDevice device;

  static void *allocate(void *context, size_t bytes, void **owner) {
    const auto &self = *static_cast<const LibraryMemory *>(context);
    int64_t size = int64_t(bytes);
    runtime::DLTensor prototype = {};
    prototype.device = self.device;
    prototype.ndim = 1;
    prototype.dtype = {runtime::DLTypeUInt, 8, 1};
    prototype.shape = &size;
    DLManagedTensorVersioned *managed = nullptr;
    auto ignore = [](void *, const char *, const char *) {};
    if (self.library.allocate(&prototype, &managed, nullptr, ignore) != 0)
      return nullptr;
    *owner = managed;
    const auto &tensor =
        reinterpret_cast<runtime::DLManagedTensorVersioned *>(managed)->tensor;
    return static_cast<char *>(tensor.data) + tensor.byteOffset;
  }
  static void release(void *owner) {
    tc_dlpack_release(static_cast<DLManagedTensorVersioned *>(owner));
  }
};

/// Gives outputs as the library's: one, a tuple of several, or None.
static nb::object giveOutputs(const std::vector<Array> &arrays,
                              const ExchangeAPI &library) {
  nb::object results = nb::steal(PyTuple_New(Py_ssize_t(arrays.size())));
  for (size_t i = 0; i < arrays.size(); ++i) {
    DLManagedTensorVersioned *managed = tc_array_to_dlpack(arrays[i].get());
    void *object = nullptr;
    if (library.toObject(managed, &object) != 0) {
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

/// Calls a program of the host.
static tc_error *callOnHost(const Program &program, int64_t function,
                            const DescribedInputs &inputs, size_t count,
                            std::vector<tc_array *> &outputs) {
  nb::gil_scoped_release release;
  return tc_program_call_raw(program.get(), function, inputs.data(),
                             int64_t(count), outputs.data(),
                             int64_t(outputs.size()));
}

/// Calls a program of a CUDA device on the library's current stream, with its
/// memory. Fails, without an error in `error`, where the library has not all of
/// these functions or the inputs are not read where they are.
static bool callOnDevice(const Program &program, int64_t function,
                         const DescribedInputs &inputs, size_t count,
                         Place place, std::vector<tc_array *> &outputs,
                         tc_error *&error) {
  const ExchangeAPI &library = inputs.library();
  void *stream = nullptr;
  if (!library.allocate || !library.currentStream ||
      !tc_program_reads_in_place(program.get(), function, inputs.data(),
                                 int64_t(count)))
    return false;
  if (library.currentStream(place.type, place.index, &stream) != 0)
    throw nb::python_error();
  LibraryMemory memory{library, {place.type, place.index}};
  const tc_allocator allocator = {&memory, LibraryMemory::allocate,
                                  LibraryMemory::release};
  nb::gil_scoped_release release;
  error = tc_program_call_raw_on_stream(
      program.get(), function, stream, &allocator, inputs.data(),
      int64_t(count), outputs.data(), int64_t(outputs.size()));
  return true;
}

/// Calls a function that mutates nothing with tensors of one library, on a CUDA
/// device unless that is -1, and gives its results as that library's.
/// NotImplemented where the inputs are something else.
static nb::object callTensors(const Program &program, int64_t function,
                              nb::tuple inputs, int32_t cudaDevice) {
  const Place place = cudaDevice < 0 ? Place{runtime::DLDeviceCPU, 0}
                                     : Place{runtime::DLDeviceCUDA, cudaDevice};
  DescribedInputs described;
  if (!described.describe(inputs, inputs.size(), place))
    return nb::borrow(Py_NotImplemented);
  const tc_function_info *info = tc_program_function(program.get(), function);
  std::vector<tc_array *> outputs(size_t(info->output_count));
  tc_error *error = nullptr;
  if (cudaDevice < 0)
    error = callOnHost(program, function, described, inputs.size(), outputs);
  else if (!callOnDevice(program, function, described, inputs.size(), place,
                         outputs, error))
    return nb::borrow(Py_NotImplemented);
  check(error);
  std::vector<Array> arrays;
  for (tc_array *output : outputs)
    arrays.emplace_back(output);
  return giveOutputs(arrays, described.library());
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
  programs
      .def("call_tensors", callTensors, "function"_a, "inputs"_a,
           "cuda_device"_a)
      .def("call", callArrays, "function"_a, "inputs"_a, "stream"_a)
      .def("expected_strides", getExpectedStrides, "function"_a, "inputs"_a,
           "input"_a)
      .def("explain", explain, "function"_a, "inputs"_a)
      .def("set_parameter", setParameter, "name"_a, "value"_a);
}
