/*===- Compiler.h - TC's C API: compiling and calling -------------*- C -*-===*\
|*                                                                            *|
|* In libTCCompiler; Runtime.h says how errors and threads are handled.       *|
|*                                                                            *|
|*   tc_session *session;                                                     *|
|*   tc_program *program;                                                     *|
|*   tc_array *y;                                                             *|
|*   tc_error *error = tc_session_create(TC_C_API_VERSION, &session);         *|
|*   if (!error)                                                              *|
|*     error = tc_compile_file(session, "model.pt2", NULL, &program);         *|
|*   if (!error)                                                              *|
|*     error = tc_program_call(program, 0, &x, 1, &y, 1);                     *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef TC_C_COMPILER_H
#define TC_C_COMPILER_H

#include "tc-c/Description.h"
#include "tc-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What compilations share. It must outlive the programs made with it. */
typedef struct tc_session tc_session;

/** A compiled module, with its parameters in memory. */
typedef struct tc_program tc_program;

/** Fails when this library does not speak `version` of the C API. */
TC_CAPI tc_error *tc_session_create(uint32_t version, tc_session **result);
TC_CAPI void tc_session_free(tc_session *session);
/** Whether calls of an ATen overload, such as "addmm.default", are imported;
    some of them may be refused for their arguments. */
TC_CAPI int32_t tc_session_supports_operator(const tc_session *session,
                                             const char *overload);

/*===----------------------------------------------------------------------===*\
|* Compiling
\*===----------------------------------------------------------------------===*/

/**
 * How to compile. Set `size` to sizeof(tc_compile_options) and everything else
 * to zero for the defaults; strings are copied.
 */
typedef struct tc_compile_options {
  uint64_t size;
  const char *target; /**< "cpu" (default), "cpu:NAME", "cpu:NAME:+feature" */
  /** "cpu" (default), "cuda" or "cuda:N", the device with that number, or
      "reference", the interpreter. The default of tc_program_load is the CPU if
      the file has code for one, else the first CUDA device. */
  const char *device;
  const char *schedules;  /**< file of a module with schedules of kernels */
  const char *compile_to; /**< last phase to run; no code is made then */
  /** "[SCOPE=]FILE", files to take parameters from. */
  const char *const *parameters;
  int64_t parameter_count;
  /** Folder of relative file names of parameters; by default that of the
      compiled file. */
  const char *directory;
  /** Threads of all calls of the process, as tc_set_thread_count; 0 leaves
      them as they are. */
  uint32_t threads;
  /** "FUNCTION:SYMBOL=VALUE", versions to make for sizes that are known; also
      SYMBOL=MIN..MAX and SYMBOL%DIVISOR, several after ":". */
  const char *const *specialize;
  int64_t specialize_count;
  /** "default", or "reduce-overhead": calls on a CUDA device whose inputs have
      the sizes of an earlier call, on the same stream, launch their kernels as
      CUDA graphs; on other devices nothing changes. */
  const char *mode;
  /** Libraries that code for a CUDA device may call: "none", "host" for those
      of this machine, or "cublaslt", "cudnn" or "cublaslt,cudnn" for code that
      runs where these are. Empty or null: those that the module lists, usually
      none. */
  const char *libraries;
  /** Not 0: a call on a CUDA device whose kernels may find an index out of
     range waits for them and fails, as with CUDA_LAUNCH_BLOCKING=1. Otherwise
     the first of tc_cuda_synchronize, tc_array_copy_to_host and the next call
     of any program on that device does. */
  uint32_t launch_blocking;
  /** Folder of compiled programs that processes share: code that is there is
      loaded instead of made, else it is stored. Null or "" for none. Code is
      stored for its module, target, options, this machine and the build of TC.
      A module with `compile_to`, a device "reference" and `libraries` "host"
     are not looked for. */
  const char *cache_directory;
  /** Bytes of that folder, of which those that are used least recently are
      removed; 0 for 1 GiB. */
  uint64_t cache_limit;
} tc_compile_options;

/** Compiles a file of MLIR text, of bytecode that tc-opt --emit-bytecode has
    written, or a .pt2 archive. */
TC_CAPI tc_error *tc_compile_file(tc_session *session, const char *path,
                                  const tc_compile_options *options,
                                  tc_program **result);
/** Compiles MLIR text or bytecode in memory, or the text of a graph that a .pt2
    archive has as models/NAME.json; `name` is its name in messages. */
TC_CAPI tc_error *tc_compile_buffer(tc_session *session, const char *data,
                                    size_t bytes, const char *name,
                                    const tc_compile_options *options,
                                    tc_program **result);
/** Loads an artefact (tc-c/Artefact.h) as a program, whose module is not known:
    tc_program_ir, _code, _report, _explain and _save fail. Of the options those
    count that say where calls run and where parameters are; others must not be
    given. */
TC_CAPI tc_error *tc_program_load(tc_session *session, const char *path,
                                  const tc_compile_options *options,
                                  tc_program **result);
/** Compiles the program for each of the targets, "cpu:x86-64-v3" or
    "cuda:sm_90a", or for its own when there are none, and writes the artefact
    `path`. Parameters stay in their files, which the artefact names. What is
    computed from them goes to the file `prepared_path`, which belongs beside
   the artefact, for the targets that this machine's CPU runs: for those after
   the first with their number behind the name. It is null for no such file:
   then the first call computes these values. */
TC_CAPI tc_error *tc_program_save(const tc_program *program, const char *path,
                                  const char *prepared_path,
                                  const char *const *targets,
                                  int64_t target_count);
/** JSON that artefacts of the program have beside it: which calls of a function
    of Python's its functions are for. Empty for a program that is no such
    function. */
TC_CAPI const char *tc_program_versions(const tc_program *program);
/** Sets that JSON for tc_program_save; no other call of the program is in
   flight meanwhile. */
TC_CAPI tc_error *tc_program_set_versions(tc_program *program,
                                          const char *versions);
/** Calls in flight must have returned. Results of calls stay valid. */
TC_CAPI void tc_program_free(tc_program *program);

/*===----------------------------------------------------------------------===*\
|* What a program holds. Strings and arrays live as long as it does.
\*===----------------------------------------------------------------------===*/

/** One launch of a kernel, in the order of the module. */
typedef struct tc_kernel_info {
  const char *function;
  const char *name;
  const char *kernel_class; /**< "pointwise", "contraction", ... */
  const char *schedule;     /**< as the attribute prints; empty for none */
} tc_kernel_info;

/** What a step of the compilation took. */
typedef struct tc_timing_info {
  const char *name;
  double seconds;
} tc_timing_info;

/** The number of the CUDA device that calls run on; -1 for the host. */
TC_CAPI int32_t tc_program_cuda_device(const tc_program *program);
TC_CAPI int64_t tc_program_function_count(const tc_program *program);
TC_CAPI const tc_function_info *tc_program_function(const tc_program *program,
                                                    int64_t index);
/** The function called `name`; null or "" for the only one, or main. */
TC_CAPI tc_error *tc_program_find_function(const tc_program *program,
                                           const char *name, int64_t *index);
TC_CAPI int64_t tc_program_parameter_count(const tc_program *program);
TC_CAPI const tc_tensor_info *tc_program_parameter(const tc_program *program,
                                                   int64_t index);
TC_CAPI int64_t tc_program_kernel_count(const tc_program *program);
TC_CAPI const tc_kernel_info *tc_program_kernel(const tc_program *program,
                                                int64_t index);
TC_CAPI int64_t tc_program_timing_count(const tc_program *program);
TC_CAPI const tc_timing_info *tc_program_timing(const tc_program *program,
                                                int64_t index);
/**
 * The module as text: after `phase`, or as it was read for null. Runs the
 * phases again. Free the text with tc_string_free.
 */
TC_CAPI tc_error *tc_program_ir(const tc_program *program, const char *phase,
                                char **text);
/**
 * What code generation makes of the module: for `kind` "llvm" the optimised
 * LLVM IR, for "assembly" that of the target, for a GPU its kernels' PTX.
 * Generates it again. Free the text with tc_string_free.
 */
TC_CAPI tc_error *tc_program_code(const tc_program *program, const char *kind,
                                  char **text);
/**
 * What the phases make of the module, as the text of a JSON object with lists:
 * `graphs`, for each function the bytes that its captured calls read and write
 * when each runs alone; `kernels`, for each the calls of the user's program in
 * it, the bytes that it reads and writes, and where that comes from;
 * `remarks`, what passes say of their decisions; `memory_plans`; `guards`.
 * Bytes are expressions in the function's symbols. Runs the phases again. Free
 * the text with tc_string_free.
 */
TC_CAPI tc_error *tc_program_report(const tc_program *program, char **text);
TC_CAPI void tc_string_free(char *text);

/** The names of the phases, in order: "import", "specialize", ... */
TC_CAPI int64_t tc_phase_count(void);
TC_CAPI const char *tc_phase_name(int64_t index);

/*===----------------------------------------------------------------------===*\
|* Calling
\*===----------------------------------------------------------------------===*/

/**
 * Calls a function. Inputs whose strides are not those that its description
 * says, row-major where it says none, are copied first. Outputs are
 * new arrays in the pool, the caller's to free: the user's first, then those
 * that mutate, which the caller puts in their place. On failure there are no
 * outputs.
 */
TC_CAPI tc_error *tc_program_call(const tc_program *program, int64_t function,
                                  const tc_array *const *inputs,
                                  int64_t input_count, tc_array **outputs,
                                  int64_t output_count);
/**
 * The same for a program of a CUDA device, whose inputs are arrays of that
 * device with these strides: everything is done in the order of `stream`, a
 * CUstream or cudaStream_t, and the call returns before the device is done,
 * unless a kernel may report a failure. Outputs may be used in that order, or
 * on another stream after tc_array_share_with_stream. The other functions use
 * the default stream.
 */
TC_CAPI tc_error *tc_program_call_on_stream(const tc_program *program,
                                            int64_t function, void *stream,
                                            const tc_array *const *inputs,
                                            int64_t input_count,
                                            tc_array **outputs,
                                            int64_t output_count);
/**
 * Memory for the outputs of calls and what is between their kernels, from the
 * caller. `allocate` gives at least `bytes` bytes, aligned to 64, and in
 * `owner` what `release` takes when nobody holds the memory any more; null
 * where there is no memory. For a program of a CUDA device it is memory of that
 * device, in the order of the call's stream. Both may be called on any thread.
 * In mode "reduce-overhead" what is between kernels is TC's, as CUDA graphs
 * keep it.
 */
typedef struct tc_allocator {
  void *context;
  void *(*allocate)(void *context, size_t bytes, void **owner);
  void (*release)(void *owner);
} tc_allocator;

/**
 * Memory of the caller's for output `output` of a call: that of `array`, which
 * is row-major, on the device of the program and aligned to 64. The output's
 * array holds the memory as well. An output that is no new tensor, such as a
 * view of an input, or that has more bytes is elsewhere. Where `array` is null,
 * the caller expects the output over input `input`, as `tc.may_overwrite`
 * allows: an output that begins where that does has no array, but null.
 */
typedef struct tc_output_memory {
  int64_t output;
  const tc_array *array;
  int64_t input;
} tc_output_memory;

/**
 * tc_program_call with inputs that are only descriptors. An output that is
 * written over an input, as `tc.may_overwrite` allows, is an array in memory
 * that the caller keeps.
 */
TC_CAPI tc_error *tc_program_call_raw(const tc_program *program,
                                      int64_t function, const tc_tensor *inputs,
                                      int64_t input_count, tc_array **outputs,
                                      int64_t output_count);
/**
 * tc_program_call_on_stream with inputs that are only descriptors, for a
 * program that is compiled, and memory from `allocator`, or from TC's pool
 * where that is null, but for the outputs that `memory` has memory for. Fails
 * with TC_ERROR_NOT_IN_PLACE unless tc_program_reads_in_place.
 */
TC_CAPI tc_error *tc_program_call_raw_on_stream(
    const tc_program *program, int64_t function, void *stream,
    const tc_allocator *allocator, const tc_output_memory *memory,
    int64_t memory_count, const tc_tensor *inputs, int64_t input_count,
    tc_array **outputs, int64_t output_count);
/**
 * Whether a program that is compiled reads all inputs of a call where they are,
 * as their strides say: 1 or 0.
 */
TC_CAPI int32_t tc_program_reads_in_place(const tc_program *program,
                                          int64_t function,
                                          const tc_tensor *inputs,
                                          int64_t input_count);
/**
 * Writes to `strides`, which has room for the rank of input `input`, the
 * strides with which a call with these inputs reads it where it is. Fails where
 * their ranks are not the function's.
 */
TC_CAPI tc_error *tc_program_expected_strides(const tc_program *program,
                                              int64_t function,
                                              const tc_array *const *inputs,
                                              int64_t input_count,
                                              int64_t input, int64_t *strides);
/**
 * Says as text which version of a function a call with these inputs runs and,
 * for each version before it, which guard misses: the expected and the actual
 * value, and where the guard comes from; nothing for a function without
 * versions. Then, in mode "reduce-overhead", the CUDA graphs that there are.
 * Free the text with tc_string_free.
 */
TC_CAPI tc_error *tc_program_explain(const tc_program *program,
                                     int64_t function,
                                     const tc_array *const *inputs,
                                     int64_t input_count, char **text);
/**
 * Puts a new value, of equal dtype and sizes, in the place of a parameter, for
 * calls that begin after it has returned. What is prepared from it is computed
 * again.
 */
TC_CAPI tc_error *tc_program_set_parameter(tc_program *program,
                                           const char *name,
                                           const tc_array *value);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TC_C_COMPILER_H */
