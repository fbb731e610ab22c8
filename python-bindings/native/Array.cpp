//===- Array.cpp - Arrays of TC's in Python -------------------------------===//

#include "Array.h"
#include "Errors.h"
#include <nanobind/stl/vector.h>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;
using namespace tc::python;

static constexpr const char *versioned = "dltensor_versioned";
static constexpr const char *usedVersioned = "used_dltensor_versioned";
static constexpr const char *unversioned = "dltensor";
static constexpr const char *usedUnversioned = "used_dltensor";

static Array wrapHandle(tc_error *error, tc_array *handle) {
  check(error);
  return Array(handle);
}

static nb::tuple getShape(const Array &array) {
  tc_tensor tensor = tc_array_descriptor(array.get());
  nb::list sizes;
  for (int32_t i = 0; i < tensor.rank; ++i)
    sizes.append(tensor.sizes[i]);
  return nb::tuple(sizes);
}

/// Where the array is, as tc_device_kind and number of the device.
static nb::tuple getDevice(const Array &array) {
  tc_tensor tensor = tc_array_descriptor(array.get());
  return nb::make_tuple(tensor.device_kind, tensor.device_index);
}

/// A capsule that nobody has taken lets the tensor go.
static void releaseCapsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, versioned))
    tc_dlpack_release(static_cast<DLManagedTensorVersioned *>(
        PyCapsule_GetPointer(capsule, versioned)));
  else if (PyCapsule_IsValid(capsule, unversioned))
    tc_dlpack_release_unversioned(static_cast<DLManagedTensor *>(
        PyCapsule_GetPointer(capsule, unversioned)));
}

static nb::object makeCapsule(const Array &array, bool withVersion) {
  void *tensor =
      withVersion
          ? static_cast<void *>(tc_array_to_dlpack(array.get()))
          : static_cast<void *>(tc_array_to_dlpack_unversioned(array.get()));
  return nb::steal(PyCapsule_New(tensor, withVersion ? versioned : unversioned,
                                 releaseCapsule));
}

/// Takes over the tensor of a capsule, which is then marked as used.
static Array takeCapsule(nb::handle capsule) {
  tc_array *handle = nullptr;
  if (PyCapsule_IsValid(capsule.ptr(), versioned)) {
    check(tc_array_from_dlpack(
        static_cast<DLManagedTensorVersioned *>(
            PyCapsule_GetPointer(capsule.ptr(), versioned)),
        &handle));
    PyCapsule_SetName(capsule.ptr(), usedVersioned);
    return Array(handle);
  }
  if (!PyCapsule_IsValid(capsule.ptr(), unversioned))
    throw nb::type_error(
        "expected a capsule of DLPack's that nobody has taken");
  check(tc_array_from_dlpack_unversioned(
      static_cast<DLManagedTensor *>(
          PyCapsule_GetPointer(capsule.ptr(), unversioned)),
      &handle));
  PyCapsule_SetName(capsule.ptr(), usedUnversioned);
  return Array(handle);
}

static void releaseOwner(void *owner) {
  if (!nb::is_alive())
    return;
  nb::gil_scoped_acquire gil;
  Py_DECREF(static_cast<PyObject *>(owner));
}

/// An array of the memory of `owner`, which lives until the last holder lets
/// go.
static Array wrapMemory(uintptr_t data, const std::vector<int64_t> &sizes,
                        const std::vector<int64_t> &strides, int32_t dtype,
                        nb::handle owner, int32_t deviceKind,
                        int32_t deviceIndex) {
  tc_tensor descriptor = {};
  descriptor.data = reinterpret_cast<void *>(data);
  descriptor.sizes = const_cast<int64_t *>(sizes.data());
  descriptor.strides = const_cast<int64_t *>(strides.data());
  descriptor.rank = int32_t(sizes.size());
  descriptor.dtype = dtype;
  descriptor.device_kind = deviceKind;
  descriptor.device_index = deviceIndex;
  tc_array *handle = nullptr;
  check(tc_array_wrap(&descriptor, releaseOwner, owner.ptr(), &handle));
  owner.inc_ref();
  return Array(handle);
}

void tc::python::addArrays(nb::module_ &module) {
  nb::class_<Array>(module, "Array", nb::is_weak_referenceable())
      .def_prop_ro("shape", getShape)
      .def_prop_ro("device", getDevice)
      .def_prop_ro("dtype_number",
                   [](const Array &array) {
                     return tc_array_descriptor(array.get()).dtype;
                   })
      .def_prop_ro("data_address",
                   [](const Array &array) {
                     return reinterpret_cast<uintptr_t>(
                         tc_array_descriptor(array.get()).data);
                   })
      .def_prop_ro("stream", &Array::getStream)
      .def("to_capsule", makeCapsule, "with_version"_a)
      .def("check_writable",
           [](const Array &array) {
             check(tc_array_check_writable(array.get()));
           })
      .def("assign",
           [](const Array &target, const Array &source) {
             check(tc_array_assign(target.get(), source.get()));
           })
      .def("assign_on_stream",
           [](const Array &target, const Array &source, uintptr_t stream) {
             check(tc_array_assign_on_stream(target.get(), source.get(),
                                             reinterpret_cast<void *>(stream)));
           })
      .def("share_with_stream",
           [](const Array &array, uintptr_t producer, uintptr_t consumer) {
             check(tc_array_share_with_stream(
                 array.get(), reinterpret_cast<void *>(producer),
                 reinterpret_cast<void *>(consumer)));
           })
      .def("copy_to_host", [](const Array &array) {
        tc_array *host = nullptr;
        tc_error *error;
        {
          nb::gil_scoped_release release;
          error = tc_array_copy_to_host(array.get(), &host);
        }
        return wrapHandle(error, host);
      });
  module.def("take_capsule", takeCapsule, "capsule"_a);
  module.def("wrap_memory", wrapMemory, "data"_a, "sizes"_a, "strides"_a,
             "dtype"_a, "owner"_a.none(), "device_kind"_a, "device_index"_a);
}
