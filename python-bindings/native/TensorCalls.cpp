//===- TensorCalls.cpp - Calls with tensors of one library ----------------===//

#include "TensorCalls.h"
#include "Errors.h"
#include "TC/Runtime/DLPack.h"

namespace nb = nanobind;
namespace runtime = tc::runtime;
using namespace tc::python;

Place Place::of(int32_t cudaDevice) {
  return cudaDevice < 0 ? Place{runtime::DLDeviceCPU, 0}
                        : Place{runtime::DLDeviceCUDA, cudaDevice};
}

/// Whether `method` of a tensor's type, without arguments, says yes.
static bool says(PyObject *tensor, PyObject *method) {
  if (!method)
    return false;
  nb::object answer =
      nb::steal(PyObject_Vectorcall(method, &tensor, 1, nullptr));
  if (!answer.is_valid())
    PyErr_Clear();
  return answer.is_valid() && answer.is(nb::handle(Py_True));
}

/// Whether a tensor of PyTorch's stands for other numbers than its memory has:
/// their negations or conjugates. DLPack does not tell.
static bool isLazy(PyObject *tensor, const TensorType &type,
                   runtime::DLDataType element) {
  return says(tensor, type.isNegated) ||
         (element.code == runtime::DLTypeComplex &&
          says(tensor, type.isConjugate));
}

bool DescribedTensors::add(PyObject *tensor) {
  const TensorType type =
      TensorType::get(reinterpret_cast<PyObject *>(Py_TYPE(tensor)));
  const ExchangeAPI *own = type.exchange;
  if (!own || !own->describe || (exchange && own != exchange))
    return false;
  exchange = own;
  runtime::DLTensor described;
  if (own->describe(tensor, &described) != 0) {
    PyErr_Clear(); // the general way says why
    return false;
  }
  if ((described.device.type != runtime::DLDeviceCPU &&
       described.device.type != runtime::DLDeviceCUDA) ||
      isLazy(tensor, type, described.dtype))
    return false;
  check(tc_tensor_from_dlpack(&described, rowMajor[count].data(),
                              &tensors[count]));
  ++count;
  return true;
}

bool DescribedTensors::addPart(PyObject *packed, const MemoryView &view) {
  if (packed != lastPacked) {
    if (!add(packed))
      return false;
    lastBytes = tensors[--count];
    if (lastBytes.dtype != TC_DTYPE_U8 || lastBytes.rank != 1 ||
        lastBytes.sizes[0] < view.bytes)
      throw nb::type_error(
          ("what a forward graph has saved for its backward graph is another "
           "tensor now, expected one dimension of uint8, of " +
           std::to_string(view.bytes) +
           "; hooks of saved tensors must give back what they got")
              .c_str());
    lastPacked = packed;
  }
  tc_tensor &part = tensors[count++];
  part = lastBytes;
  part.data = static_cast<char *>(lastBytes.data) + view.offset;
  part.dtype = view.dtype;
  part.rank = int32_t(view.sizes.size());
  part.sizes = const_cast<int64_t *>(view.sizes.data());
  part.strides = const_cast<int64_t *>(view.strides.data());
  return true;
}

bool DescribedTensors::isLastAt(Place place) const {
  const tc_tensor &last = tensors[count - 1];
  return place.type == runtime::DLDeviceCPU
             ? last.device_kind == TC_DEVICE_CPU
             : last.device_kind == TC_DEVICE_CUDA &&
                   last.device_index == place.index;
}

namespace {
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

  tc_array *makeDeviceBytes(int64_t bytes);
  void makeJoint(JointMemory &joint);
};
} // namespace

/// Bytes of the host, from TC's pool: PyTorch's allocator gives so much back to
/// the system, which clears it page by page when it is written again.
static tc_array *makeHostBytes(int64_t bytes) {
  tc_array *all = nullptr;
  check(tc_array_create(TC_DTYPE_U8, 1, &bytes, &all));
  return all;
}

/// Bytes of the device; null where there are not enough.
tc_array *LibraryMemory::makeDeviceBytes(int64_t bytes) {
  int64_t one = 1;
  void *owner = nullptr, *data = allocate(this, size_t(bytes), &owner);
  if (!data)
    return nullptr;
  const tc_tensor described = {data,        &bytes,         &one,        1,
                               TC_DTYPE_U8, TC_DEVICE_CUDA, device.index};
  tc_array *all = nullptr;
  check(tc_array_wrap(&described, release, owner, &all));
  return all;
}

/// Makes the memory, if there is enough.
void LibraryMemory::makeJoint(JointMemory &joint) {
  const JointResults &layout = *joint.layout;
  int64_t one = 1;
  tc_array *all = device.type == runtime::DLDeviceCPU
                      ? makeHostBytes(layout.bytes)
                      : makeDeviceBytes(layout.bytes),
           *part = nullptr;
  if (!all)
    return;
  joint.all.emplace(all);
  joint.results.reserve(layout.numbers.size());
  for (size_t i = 0; i < layout.numbers.size(); ++i) {
    check(tc_array_view(all, 1, &layout.sizes[i], &one, layout.offsets[i],
                        &part));
    joint.results.emplace_back(part);
  }
}

bool JointMemory::holdsAll(const std::vector<Array> &given) const {
  if (!all || given.empty())
    return false;
  for (size_t i = 0; i < results.size(); ++i)
    if (tc_array_descriptor(given[size_t(layout->numbers[i])].get()).data !=
        tc_array_descriptor(results[i].get()).data)
      return false;
  return true;
}

nb::object tc::python::giveOutput(const Array &array,
                                  const ExchangeAPI &library) {
  DLManagedTensorVersioned *managed = tc_array_to_dlpack(array.get());
  void *object = nullptr;
  if (library.toObject(managed, &object) != 0) {
    tc_dlpack_release(managed);
    throw nb::python_error();
  }
  return nb::steal(static_cast<PyObject *>(object));
}

static std::vector<nb::object> giveOutputs(const std::vector<Array> &arrays,
                                           const ExchangeAPI &library) {
  std::vector<nb::object> objects;
  objects.reserve(arrays.size());
  for (const Array &array : arrays)
    objects.push_back(giveOutput(array, library));
  return objects;
}

nb::object tc::python::makeTuple(std::vector<nb::object> results) {
  nb::object tuple = nb::steal(PyTuple_New(Py_ssize_t(results.size())));
  for (size_t i = 0; i < results.size(); ++i)
    PyTuple_SetItem(tuple.ptr(), Py_ssize_t(i), results[i].release().ptr());
  return tuple;
}

std::vector<PyObject *> tc::python::itemsOf(nb::handle tuple) {
  std::vector<PyObject *> items(size_t(PyTuple_Size(tuple.ptr())));
  for (size_t i = 0; i < items.size(); ++i)
    items[i] = PyTuple_GetItem(tuple.ptr(), Py_ssize_t(i));
  return items;
}

TensorFunction::TensorFunction(const Program &program, int64_t function,
                               int32_t cudaDevice)
    : program(&program), function(function), place(Place::of(cudaDevice)),
      outputCount(
          size_t(tc_program_function(program.get(), function)->output_count)) {}

std::optional<std::vector<Array>>
TensorFunction::callForArrays(std::span<const tc_tensor> descriptions,
                              const ExchangeAPI &library, JointMemory *joint,
                              std::span<const tc_output_memory> targets) const {
  const bool isOnDevice = place.type != runtime::DLDeviceCPU;
  void *stream = nullptr;
  if (isOnDevice) {
    if (!library.allocate || !library.currentStream)
      return std::nullopt;
    if (library.currentStream(place.type, place.index, &stream) != 0)
      throw nb::python_error();
  }
  LibraryMemory memory{library, {place.type, place.index}};
  const tc_allocator allocator = {&memory, LibraryMemory::allocate,
                                  LibraryMemory::release};
  std::vector<tc_array *> outputs(outputCount);
  std::vector<tc_output_memory> memories(targets.begin(), targets.end());
  if (joint && library.allocate) {
    memory.makeJoint(*joint);
    for (size_t i = 0; i < joint->results.size(); ++i)
      memories.push_back(
          {joint->layout->numbers[i], joint->results[i].get(), 0});
  }
  tc_error *error;
  {
    nb::gil_scoped_release release;
    error = tc_program_call_raw_on_stream(
        program->get(), function, stream, isOnDevice ? &allocator : nullptr,
        memories.data(), int64_t(memories.size()), descriptions.data(),
        int64_t(descriptions.size()), outputs.data(), int64_t(outputCount));
  }
  if (error && tc_error_code(error) == TC_ERROR_NOT_IN_PLACE) {
    tc_error_free(error);
    return std::nullopt;
  }
  check(error);
  std::vector<Array> arrays; // frees all of them where one cannot be given
  arrays.reserve(outputs.size());
  for (tc_array *output : outputs)
    arrays.emplace_back(output);
  return arrays;
}

std::optional<std::vector<nb::object>>
TensorFunction::call(std::span<const tc_tensor> descriptions,
                     const ExchangeAPI &library) const {
  auto arrays = callForArrays(descriptions, library);
  return arrays ? std::optional(giveOutputs(*arrays, library)) : std::nullopt;
}

std::optional<std::vector<nb::object>>
TensorFunction::call(std::span<PyObject *const> inputs) const {
  DescribedTensors described(inputs.size());
  for (PyObject *input : inputs)
    if (!described.add(input) || !described.isLastAt(place))
      return std::nullopt;
  const ExchangeAPI *library = described.library();
  return library ? call(described.get(), *library) : std::nullopt;
}
