/*===- Runtime.h - TC's C API: errors, versions and arrays --------*- C -*-===*\
|*                                                                            *|
|* The part of the C API that needs no compiler; in libTCRuntime.             *|
|*                                                                            *|
|* A function that can fail returns a `tc_error *`: null for success, else    *|
|* the failure, which the caller frees. Results come back through the last    *|
|* arguments, which a failure leaves untouched. Nothing throws, aborts or     *|
|* keeps state in the thread: an argument that is null, negative or out of    *|
|* range is an error that names it, and an object that is null has no         *|
|* content. All functions may be called from any thread, and on one handle at *|
|* the same time unless they say otherwise.                                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_RUNTIME_H
#define TC_C_RUNTIME_H

#include "TC/Runtime/ABI.h"

#include <stddef.h>
#include <stdint.h>

#define TC_CAPI __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/* The structs of DLPack; dlpack.h defines them. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/*===----------------------------------------------------------------------===*\
|* Errors
\*===----------------------------------------------------------------------===*/

/** A failure: a code, a message, and where in the user's program it is. */
typedef struct tc_error tc_error;

/** Codes beyond those of tc_status. */
typedef enum tc_error_kind {
  TC_ERROR_IO = 100, /**< the system refused to read or write a file */
  TC_ERROR_CORRUPT_DATA = 101, /**< a file contradicts its format */
  TC_ERROR_UNSUPPORTED = 102,  /**< valid, but not something TC handles */
  /** inputs that the program does not read where they are; give copies */
  TC_ERROR_NOT_IN_PLACE = 103
} tc_error_kind;

/** Makes an error; strings are copied, `location` may be null. */
TC_CAPI tc_error *tc_error_create(int32_t code, const char *message,
                                  const char *location);
/** A tc_status or a tc_error_kind. */
TC_CAPI int32_t tc_error_code(const tc_error *error);
/** "index out of range", for the code. */
TC_CAPI const char *tc_error_code_name(const tc_error *error);
/** One line or more, without a final line end; valid while the error lives. */
TC_CAPI const char *tc_error_message(const tc_error *error);
/** "file:line:column" in the user's program, or an empty string. */
TC_CAPI const char *tc_error_location(const tc_error *error);
/** Frees an error; null does nothing. */
TC_CAPI void tc_error_free(tc_error *error);

/*===----------------------------------------------------------------------===*\
|* Versions
\*===----------------------------------------------------------------------===*/

/** Raised when a function or a struct of this API changes what it means. */
#define TC_C_API_VERSION 4

/** The release, such as "0.1.0". */
TC_CAPI const char *tc_version(void);
/**
 * Fails, naming both versions, unless this library speaks `version` of the C
 * API: call it with TC_C_API_VERSION before anything else.
 */
TC_CAPI tc_error *tc_check_api_version(uint32_t version);

/*===----------------------------------------------------------------------===*\
|* Threads
\*===----------------------------------------------------------------------===*/

/** Threads that one call may run on, the caller's included. */
TC_CAPI uint32_t tc_get_thread_count(void);
/**
 * Sets them for the process; 0 means one for each core that the process may
 * use. Waits for a kernel in flight. Fails inside one.
 */
TC_CAPI tc_error *tc_set_thread_count(uint32_t count);

/**
 * Makes kernels run on threads of the program, and not on TC's own: `run` calls
 * `body(context)` on each thread of a team that the caller is one of, as
 * OpenMP's GOMP_parallel does; inside, `number` is which thread calls, from 0,
 * and `size` how many there are. As many of them as tc_get_thread_count() says
 * have work. A null `run` makes kernels run on TC's threads again. Waits for a
 * kernel in flight; fails inside one, and without `number` or `size`.
 */
TC_CAPI tc_error *tc_set_host_team(void (*run)(void (*body)(void *),
                                               void *context, unsigned threads,
                                               unsigned flags),
                                   int (*number)(void), int (*size)(void));

/*===----------------------------------------------------------------------===*\
|* Arrays
\*===----------------------------------------------------------------------===*/

/**
 * A tensor that shares its memory: with TC's pool, or with whoever it came
 * from. A handle belongs to one holder; the memory lives until the last of its
 * handles and DLPack tensors is gone.
 */
typedef struct tc_array tc_array;

/** A row-major array from the pool, its elements undefined; `dtype` is a
    tc_dtype. */
TC_CAPI tc_error *tc_array_create(int32_t dtype, int32_t rank,
                                  const int64_t *sizes, tc_array **result);
/**
 * An array of memory that the caller owns, strides in elements. `release`
 * runs with `context` when the last holder lets go; null for memory that
 * outlives every holder.
 */
TC_CAPI tc_error *tc_array_wrap(const tc_tensor *descriptor,
                                void (*release)(void *context), void *context,
                                tc_array **result);
/**
 * Takes a DLPack tensor over without copying: its deleter runs when the last
 * holder lets go. On failure it stays the caller's.
 */
TC_CAPI tc_error *tc_array_from_dlpack(struct DLManagedTensorVersioned *tensor,
                                       tc_array **result);
/** The same for the struct of DLPack before version 1. */
TC_CAPI tc_error *
tc_array_from_dlpack_unversioned(struct DLManagedTensor *tensor,
                                 tc_array **result);
/**
 * Describes the DLTensor at `tensor` without taking it over: the descriptor
 * borrows its memory, sizes and strides, which are in `row_major`, of
 * TC_MAX_RANK entries, for a tensor that has none.
 */
TC_CAPI tc_error *tc_tensor_from_dlpack(const void *tensor, int64_t *row_major,
                                        tc_tensor *result);
/** Hands the array out without copying. Its consumer calls the deleter. */
TC_CAPI struct DLManagedTensorVersioned *
tc_array_to_dlpack(const tc_array *array);
/** The same for the struct of DLPack before version 1. */
TC_CAPI struct DLManagedTensor *
tc_array_to_dlpack_unversioned(const tc_array *array);
/** Calls the deleter of a DLPack tensor that nobody consumed. */
TC_CAPI void tc_dlpack_release(struct DLManagedTensorVersioned *tensor);
TC_CAPI void tc_dlpack_release_unversioned(struct DLManagedTensor *tensor);
/** The descriptor; it borrows from the handle. */
TC_CAPI tc_tensor tc_array_descriptor(const tc_array *array);
/**
 * Fails unless the array can be written: it is not read-only, and no two of its
 * elements are one place in memory.
 */
TC_CAPI tc_error *tc_array_check_writable(const tc_array *array);
/**
 * Copies the elements of `source`, of equal dtype and sizes, to `target`, which
 * must be writable. Both are in host memory.
 */
TC_CAPI tc_error *tc_array_assign(tc_array *target, const tc_array *source);
/** Another handle of the same memory. */
TC_CAPI tc_array *tc_array_share(const tc_array *array);
/**
 * An array of other sizes and strides in the same memory, both of `rank`
 * entries and strides in elements: its first element is `offset` elements
 * behind that of `array`. Fails where an element would be outside of the
 * memory.
 */
TC_CAPI tc_error *tc_array_view(const tc_array *array, int32_t rank,
                                const int64_t *sizes, const int64_t *strides,
                                int64_t offset, tc_array **result);
/** Lets go of a handle; null does nothing. */
TC_CAPI void tc_array_free(tc_array *array);

/*===----------------------------------------------------------------------===*\
|* CUDA devices
|*
|* Arrays of a device come from DLPack tensors, from tc_array_wrap with a device
|* pointer, from a call, or from tc_array_copy_to_device. A stream is the
|* driver's CUstream or the runtime's cudaStream_t; null is the default stream
of
|* the device's primary context, in which everything is done.
\*===----------------------------------------------------------------------===*/

/** Fails, saying why, when there is no driver or no such device, or after a
    kernel there has failed. */
TC_CAPI tc_error *tc_cuda_check_device(int32_t device);
/** Waits until the device has done all work of a stream; a kernel of it that
    failed is the error, or one that has found an index out of range in a call
    on the device that has returned. */
TC_CAPI tc_error *tc_cuda_synchronize(int32_t device, void *stream);
/** Gives memory that TC keeps for later results back to the driver, once the
    device has done all its work. */
TC_CAPI tc_error *tc_cuda_release_cached_memory(int32_t device);
/** A row-major copy of an array in host memory on a device. */
TC_CAPI tc_error *tc_array_copy_to_device(const tc_array *array, int32_t device,
                                          tc_array **result);
/** A copy of a row-major array of a device in host memory, once the device has
    done all its work; fails as tc_cuda_synchronize does. */
TC_CAPI tc_error *tc_array_copy_to_host(const tc_array *array,
                                        tc_array **result);
/**
 * tc_array_assign for row-major arrays of one device, in the order of `stream`.
 */
TC_CAPI tc_error *tc_array_assign_on_stream(tc_array *target,
                                            const tc_array *source,
                                            void *stream);
/**
 * Lets later work of `consumer` use an array of a device that work of
 * `producer` so far makes: the consumer's waits for it. A handle or DLPack
 * tensor that is released last then waits for the device.
 */
TC_CAPI tc_error *tc_array_share_with_stream(tc_array *array, void *producer,
                                             void *consumer);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TC_C_RUNTIME_H */
