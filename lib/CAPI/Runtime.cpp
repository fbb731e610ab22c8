//===- Runtime.cpp - The C API of libTCRuntime ----------------------------===//

#include "tc-c/Runtime.h"
#include "Handles.h"
#include "TC/Runtime/DLPack.h"
#include "TC/Runtime/Strides.h"
#include "TC/Runtime/ThreadPool.h"

#include <cstring>

using namespace tc;
using namespace tc::capi;
using namespace tc::runtime;

struct tc_error {
  int32_t code;
  std::string message, location;
};

static_assert(TC_ERROR_IO == int32_t(ErrorCode::IOError) &&
              TC_ERROR_CORRUPT_DATA == int32_t(ErrorCode::CorruptData) &&
              TC_ERROR_UNSUPPORTED == int32_t(ErrorCode::Unsupported));

//===----------------------------------------------------------------------===//
// Errors, versions and threads
//===----------------------------------------------------------------------===//

tc_error *tc_error_create(int32_t code, const char *message,
                          const char *location) {
  return new tc_error{code, message ? message : "", location ? location : ""};
}

int32_t tc_error_code(const tc_error *error) {
  return error ? error->code : TC_STATUS_OK;
}

const char *tc_error_code_name(const tc_error *error) {
  if (tc_error_code(error) == TC_ERROR_NOT_IN_PLACE)
    return "not in place";
  return errorCodeName(ErrorCode(tc_error_code(error)));
}

const char *tc_error_message(const tc_error *error) {
  return error ? error->message.c_str() : "";
}

const char *tc_error_location(const tc_error *error) {
  return error ? error->location.c_str() : "";
}

void tc_error_free(tc_error *error) { delete error; }

const char *tc_version(void) { return TC_VERSION; }

tc_error *tc_check_api_version(uint32_t version) {
  if (version == TC_C_API_VERSION)
    return nullptr;
  return tc_error_create(TC_ERROR_UNSUPPORTED,
                         ("the caller was built for version " +
                          std::to_string(version) +
                          " of TC's C API, TC " TC_VERSION " has version " +
                          std::to_string(TC_C_API_VERSION))
                             .c_str(),
                         nullptr);
}

uint32_t tc_get_thread_count(void) {
  return ThreadPool::global().threadCount();
}

tc_error *tc_set_thread_count(uint32_t count) {
  if (ThreadPool::global().setThreadCount(count))
    return nullptr;
  return invalidArgument(
      "the number of threads cannot change inside a kernel that is running");
}

tc_error *tc_set_host_team(void (*run)(void (*)(void *), void *, unsigned,
                                       unsigned),
                           int (*number)(void), int (*size)(void)) {
  for (auto [function, name] :
       {std::pair(number, "number"), std::pair(size, "size")})
    if (run)
      if (tc_error *error =
              checkGiven(reinterpret_cast<const void *>(function), name))
        return error;
  if (ThreadPool::global().setHostTeam({run, number, size}))
    return nullptr;
  return invalidArgument(
      "the threads cannot change inside a kernel that is running");
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

tc_error *tc_array_create(int32_t dtype, int32_t rank, const int64_t *sizes,
                          tc_array **result) {
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (tc_error *error = checkSizes(rank, sizes))
    return error;
  Expected<DType> type = readDType(dtype);
  if (!type.ok())
    return toError(type.error());
  return give(Tensor::empty(*type, Extents(sizes, size_t(rank))), result);
}

tc_error *tc_array_wrap(const tc_tensor *descriptor, void (*release)(void *),
                        void *context, tc_array **result) {
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (tc_error *error = checkDescriptor(descriptor))
    return error;
  const DType type = *dtypeFromABI(descriptor->dtype);
  const Extents sizes(descriptor->sizes, size_t(descriptor->rank));
  const Extents strides(descriptor->strides, size_t(descriptor->rank));
  const ByteRange range = *byteRange(type, sizes, strides);
  Tensor tensor = Tensor::viewUnchecked(
      wrapForeignMemory(static_cast<char *>(descriptor->data) + range.begin,
                        size_t(range.end - range.begin), release, context),
      descriptor->data, type, sizes, strides);
  tensor.setDevice(tc_device_kind(descriptor->device_kind),
                   descriptor->device_index);
  *result = new tc_array{std::move(tensor)};
  return nullptr;
}

tc_error *tc_array_from_dlpack(struct ::DLManagedTensorVersioned *tensor,
                               tc_array **result) {
  if (tc_error *error = checkGiven(tensor, "tensor"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  return give(
      importDLPack(
          reinterpret_cast<tc::runtime::DLManagedTensorVersioned *>(tensor)),
      result);
}

tc_error *tc_array_from_dlpack_unversioned(struct ::DLManagedTensor *tensor,
                                           tc_array **result) {
  if (tc_error *error = checkGiven(tensor, "tensor"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  return give(importDLPackUnversioned(
                  reinterpret_cast<tc::runtime::DLManagedTensor *>(tensor)),
              result);
}

tc_error *tc_tensor_from_dlpack(const void *tensor, int64_t *row_major,
                                tc_tensor *result) {
  if (tc_error *error = checkGiven(tensor, "tensor"))
    return error;
  if (tc_error *error = checkGiven(row_major, "row_major"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  Expected<tc_tensor> described =
      describeDLPack(*static_cast<const DLTensor *>(tensor),
                     std::span<int64_t, TC_MAX_RANK>(row_major, TC_MAX_RANK));
  if (!described.ok())
    return toError(described.error());
  *result = *described;
  return nullptr;
}

struct ::DLManagedTensorVersioned *tc_array_to_dlpack(const tc_array *array) {
  return array ? reinterpret_cast<::DLManagedTensorVersioned *>(
                     exportDLPack(array->tensor))
               : nullptr;
}

struct ::DLManagedTensor *
tc_array_to_dlpack_unversioned(const tc_array *array) {
  return array ? reinterpret_cast<::DLManagedTensor *>(
                     exportDLPackUnversioned(array->tensor))
               : nullptr;
}

template <typename Managed> static void releaseDLPack(Managed *tensor) {
  if (tensor && tensor->deleter)
    tensor->deleter(tensor);
}

void tc_dlpack_release(struct ::DLManagedTensorVersioned *tensor) {
  releaseDLPack(
      reinterpret_cast<tc::runtime::DLManagedTensorVersioned *>(tensor));
}

void tc_dlpack_release_unversioned(struct ::DLManagedTensor *tensor) {
  releaseDLPack(reinterpret_cast<tc::runtime::DLManagedTensor *>(tensor));
}

tc_tensor tc_array_descriptor(const tc_array *array) {
  return array ? array->tensor.descriptor() : tc_tensor();
}

tc_error *tc_array_check_writable(const tc_array *array) {
  if (tc_error *error = checkGiven(array, "array"))
    return error;
  const Tensor &tensor = array->tensor;
  if (tensor.storage() && tensor.storage()->readOnly)
    return invalidArgument("the array " + tensor.typeString() +
                           " is read-only and cannot be written");
  if (tensor.hasOverlap())
    return invalidArgument(
        "the array " + tensor.typeString() +
        " cannot be written: several of its elements are one place in memory, "
        "as after an expansion; give a copy of it");
  return nullptr;
}

tc_error *tc_array_assign(tc_array *target, const tc_array *source) {
  if (tc_error *error = checkAssign(target, source, TC_DEVICE_CPU))
    return error;
  // They may be in the same memory.
  Expected<Tensor> rowMajor = source->tensor.contiguous();
  if (!rowMajor.ok())
    return toError(rowMajor.error());
  copyElements(target->tensor, *rowMajor);
  return nullptr;
}

tc_array *tc_array_share(const tc_array *array) {
  return array ? new tc_array{array->tensor} : nullptr;
}

tc_error *tc_array_view(const tc_array *array, int32_t rank,
                        const int64_t *sizes, const int64_t *strides,
                        int64_t offset, tc_array **result) {
  if (tc_error *error = checkGiven(array, "array"))
    return error;
  if (tc_error *error = checkGiven(result, "result"))
    return error;
  if (tc_error *error = checkSizes(rank, sizes))
    return error;
  if (tc_error *error = checkList(strides, rank, "strides"))
    return error;
  const Tensor &tensor = array->tensor;
  const int64_t elementSize = int64_t(dtypeSize(tensor.dtype()));
  const int64_t before = tensor.storage()
                             ? static_cast<char *>(tensor.data()) -
                                   static_cast<char *>(tensor.storage()->data)
                             : 0;
  int64_t start;
  if (__builtin_mul_overflow(offset, elementSize, &start) ||
      __builtin_add_overflow(start, before, &start) || start < 0)
    return invalidArgument("the offset of a view is " + std::to_string(offset) +
                           " elements, expected one inside of the memory");
  Expected<Tensor> view = Tensor::view(
      tensor.storage(), tensor.dtype(), Extents(sizes, size_t(rank)),
      Extents(strides, size_t(rank)), uint64_t(start));
  if (view.ok())
    view->setDevice(tensor.deviceKind(), tensor.deviceIndex());
  return give(std::move(view), result);
}

void tc_array_free(tc_array *array) { delete array; }
