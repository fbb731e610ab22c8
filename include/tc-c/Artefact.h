/*===- Artefact.h - TC's C API: compiled programs in files --------*- C -*-===*\
|*                                                                            *|
|* In libTCRuntime, which loads and calls what tc-compile or tc_program_save  *|
|* has written, without a compiler. Runtime.h says how errors and threads are *|
|* handled.                                                                   *|
|*                                                                            *|
|*   tc_artefact *artefact;                                                   *|
|*   tc_array *y;                                                             *|
|*   tc_error *error = tc_check_api_version(TC_C_API_VERSION);                *|
|*   if (!error)                                                              *|
|*     error = tc_artefact_load("model.tca", NULL, &artefact);                *|
|*   if (!error)                                                              *|
|*     error = tc_artefact_call(artefact, 0, &x, 1, &y, 1);                   *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_ARTEFACT_H
#define TC_C_ARTEFACT_H

#include "tc-c/Description.h"
#include "tc-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A program that an artefact holds, with its parameters in memory. */
typedef struct tc_artefact tc_artefact;

/**
 * How to load. Set `size` to sizeof(tc_artefact_options) and everything else to
 * zero for the defaults; strings are copied.
 */
typedef struct tc_artefact_options {
  uint64_t size;
  /** "cpu", "cuda" or "cuda:N"; null or "" for the CPU if the artefact has code
      for one, else the first CUDA device. */
  const char *device;
  /** Folder of relative file names of parameters; by default that of the
      artefact. */
  const char *directory;
  /** "[SCOPE=]FILE", files to take parameters from. */
  const char *const *parameters;
  int64_t parameter_count;
} tc_artefact_options;

/**
 * Loads the program for the target that fits this machine best. Fails when the
 * file is damaged or another version of TC has written it, naming both, when no
 * target fits, saying what each needs, and when a parameter's file is missing.
 */
TC_CAPI tc_error *tc_artefact_load(const char *path,
                                   const tc_artefact_options *options,
                                   tc_artefact **result);
/** The same of a file's bytes, which may go away afterwards; `name` is its name
    in messages. */
TC_CAPI tc_error *tc_artefact_load_buffer(const void *data, size_t bytes,
                                          const char *name,
                                          const tc_artefact_options *options,
                                          tc_artefact **result);
/** Calls in flight must have returned. Results of calls stay valid. */
TC_CAPI void tc_artefact_free(tc_artefact *artefact);

/** The target of the code that was loaded: "cpu:x86-64-v3". */
TC_CAPI const char *tc_artefact_target(const tc_artefact *artefact);
TC_CAPI int64_t tc_artefact_function_count(const tc_artefact *artefact);
TC_CAPI const tc_function_info *
tc_artefact_function(const tc_artefact *artefact, int64_t index);
/** The function called `name`; null or "" for the only one, or main. */
TC_CAPI tc_error *tc_artefact_find_function(const tc_artefact *artefact,
                                            const char *name, int64_t *index);
TC_CAPI int64_t tc_artefact_parameter_count(const tc_artefact *artefact);
TC_CAPI const tc_tensor_info *tc_artefact_parameter(const tc_artefact *artefact,
                                                    int64_t index);

/**
 * Calls a function. Outputs are new arrays, the caller's to free: the user's
 * first, then those that mutate, which the caller puts in their place. An input
 * in host memory that the function expects row-major is copied where it is not;
 * with strides of its own it must have those. On a CUDA device everything is
 * done in the order of the default stream. On failure there are no outputs.
 */
TC_CAPI tc_error *tc_artefact_call(const tc_artefact *artefact,
                                   int64_t function,
                                   const tc_array *const *inputs,
                                   int64_t input_count, tc_array **outputs,
                                   int64_t output_count);
/** The same in the order of `stream`, a CUstream or cudaStream_t, for an
   artefact on a CUDA device: returns before the device is done. */
TC_CAPI tc_error *tc_artefact_call_on_stream(const tc_artefact *artefact,
                                             int64_t function, void *stream,
                                             const tc_array *const *inputs,
                                             int64_t input_count,
                                             tc_array **outputs,
                                             int64_t output_count);
/** Puts a new value in the place of a parameter, for calls from now on. */
TC_CAPI tc_error *tc_artefact_set_parameter(tc_artefact *artefact,
                                            const char *name,
                                            const tc_array *value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TC_C_ARTEFACT_H */
