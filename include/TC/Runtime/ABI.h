//===- ABI.h - The C ABI of compiled functions ------------------*- C -*-===//
//
// A compiled public function is `int32_t f(tc_call *)`. Emitted code uses no
// symbol of the process: whatever it needs of the runtime it finds in the
// table of functions that the call carries. This header is plain C, and the
// layout below is what the emit phase writes out field by field: change both,
// and raise TC_ABI_VERSION.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_ABI_H
#define TC_RUNTIME_ABI_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TC_ABI_VERSION 8

/// Largest rank of a tensor that crosses the ABI.
#define TC_MAX_RANK 16

/// Counters of a call on a CUDA device; see tc_runtime_api::allocate_counters.
#define TC_COUNTERS 65536

/// Element types, numbered for the ABI (not torch's or DLPack's numbers).
typedef enum tc_dtype {
  TC_DTYPE_F64 = 0,
  TC_DTYPE_F32 = 1,
  TC_DTYPE_F16 = 2,
  TC_DTYPE_BF16 = 3,
  TC_DTYPE_I64 = 4,
  TC_DTYPE_I32 = 5,
  TC_DTYPE_I16 = 6,
  TC_DTYPE_I8 = 7,
  TC_DTYPE_U64 = 8,
  TC_DTYPE_U32 = 9,
  TC_DTYPE_U16 = 10,
  TC_DTYPE_U8 = 11,
  TC_DTYPE_BOOL = 12, ///< one byte, 0 or 1
  TC_DTYPE_F8E4M3FN = 13,
  TC_DTYPE_F8E5M2 = 14,
  TC_DTYPE_C64 = 15,  ///< two f32
  TC_DTYPE_C128 = 16, ///< two f64
} tc_dtype;

typedef enum tc_device_kind {
  TC_DEVICE_CPU = 0,
  TC_DEVICE_CUDA = 1
} tc_device_kind;

/// What a compiled function returns. Details are in the message that was
/// passed to tc_runtime_api::report_error.
typedef enum tc_status {
  TC_STATUS_OK = 0,
  TC_STATUS_GUARD_FAILED = 1, ///< no specialisation accepts the inputs
  TC_STATUS_INDEX_OUT_OF_RANGE = 2,
  TC_STATUS_OUT_OF_MEMORY = 3,
  TC_STATUS_INVALID_ARGUMENT = 4, ///< wrong count, rank or dtype
  TC_STATUS_INTERNAL = 5,
} tc_status;

/// One tensor. Strides are in elements. The descriptor borrows everything it
/// points to.
typedef struct tc_tensor {
  void *data;
  int64_t *sizes;
  int64_t *strides;
  int32_t rank;
  int32_t dtype;       ///< tc_dtype
  int32_t device_kind; ///< tc_device_kind
  int32_t device_index;
} tc_tensor;

struct tc_call;

/// Most CUDA devices of a process: what emitted code keeps of the runtime's for
/// each device is an array of as many addresses.
#define TC_MAX_DEVICES 64

/// A tensor map (CUtensorMap) among a GPU kernel's arguments, which the runtime
/// makes before the launch, of a box of a row-major tensor in shared memory.
/// Dimensions are numbered from the innermost.
typedef struct tc_tensor_map {
  uint32_t parameter; ///< offset of its 128 bytes in the argument block; of 64
  /// Offset, in the argument block, of int64_t values: the tensor's address,
  /// the sizes of its dimensions, the strides of all but the innermost in
  /// bytes.
  uint32_t source;
  int32_t dtype;          ///< tc_dtype
  int32_t rank;           ///< from 1 to 5
  uint32_t box[5];        ///< sizes of the box
  uint32_t swizzle_bytes; ///< 0, 32, 64 or 128
  uint32_t flags;         ///< of tc_tensor_map_flags
  /// With TC_TENSOR_MAP_WINDOW, for each dimension of pixels: the first place
  /// of the window's first point, from the first pixel, and the last one, from
  /// the last pixel, and pixels from one place to the next.
  int32_t lower[3], upper[3];
  uint32_t steps[3];
} tc_tensor_map;

typedef enum tc_tensor_map_flags {
  /// The address or strides may be no multiples of 16 bytes: the launch works
  /// on a copy of the tensor then of which they are.
  TC_TENSOR_MAP_REALIGNS = 1,
  /// The kernel writes the tensor.
  TC_TENSOR_MAP_WRITTEN = 2,
  /// Images, of which a copy takes the pixels under one point of a window
  /// (im2col): the box is of channels and of places of the window.
  TC_TENSOR_MAP_WINDOW = 4,
} tc_tensor_map_flags;

/// Bits of tc_kernel::flags.
typedef enum tc_kernel_flags {
  /// The kernel may start while the one before it on the stream still runs, and
  /// waits for it itself (programmatic dependent launch).
  TC_KERNEL_PROGRAMMATIC = 1,
} tc_kernel_flags;

struct tc_kernel;

/// The kernels of a module, which the runtime loads at the same time.
typedef struct tc_kernel_list {
  uint64_t count;
  const struct tc_kernel *const *kernels;
} tc_kernel_list;

/// A kernel of a GPU and how it is launched: constant data of emitted code.
typedef struct tc_kernel {
  uint64_t size;        ///< sizeof(tc_kernel) of the compiler
  const char *name;     ///< of its entry in the image
  const char *image;    ///< PTX with a zero behind it, or a cubin
  uint64_t image_bytes; ///< without the zero
  void **handles;       ///< TC_MAX_DEVICES of the runtime's; null at first
  const tc_kernel_list *list; ///< the module's, with this one; may be null
  const tc_tensor_map *tensor_maps;
  uint32_t tensor_map_count;
  uint32_t argument_bytes; ///< of the block that the kernel is given
  uint32_t threads;        ///< of a block, along x
  uint32_t cluster;        ///< blocks of a cluster, along x; 0 or 1 for none
  uint32_t dynamic_shared_bytes; ///< of a block
  uint32_t flags;                ///< tc_kernel_flags
} tc_kernel;

/// What the kernels of a function report, perhaps after its call has returned:
/// constant data of emitted code. Each launch that may fail has an int64_t of
/// the runtime's, which the kernel sets to another value than 0 where an index
/// is out of range.
typedef struct tc_kernel_failures {
  uint64_t size;       ///< sizeof(tc_kernel_failures) of the compiler
  void **handles;      ///< TC_MAX_DEVICES of the runtime's; null at first
  uint64_t count;      ///< of launches that may fail
  const char *message; ///< what is reported
  const char *const *kernels;   ///< the name of each launch's kernel
  const char *const *locations; ///< where each is in the user's program
} tc_kernel_failures;

/// Libraries that emitted code has products of matrices, and convolutions,
/// computed by.
typedef enum tc_library {
  TC_LIBRARY_CUBLASLT = 0,
  TC_LIBRARY_CUDNN = 1,
} tc_library;

/// Bits of tc_matrix_product::flags.
typedef enum tc_product_flags {
  TC_PRODUCT_TRANSPOSE_A = 1,
  TC_PRODUCT_TRANSPOSE_B = 2,
  TC_PRODUCT_RELU = 4,
  TC_PRODUCT_GELU_TANH = 8,
} tc_product_flags;

/// A product of matrices, D = activation(scale * A * B + bias), accumulated in
/// f32: constant data of emitted code. Matrices are column-major.
typedef struct tc_matrix_product {
  uint64_t size;    ///< sizeof(tc_matrix_product) of the compiler
  const char *name; ///< of the kernel
  uint64_t workspace_bytes;
  int32_t library;       ///< tc_library
  int32_t operand_dtype; ///< tc_dtype of A and B: f32, bf16 or f16
  int32_t result_dtype;  ///< of D and the bias
  uint32_t flags;        ///< tc_product_flags
  float scale;
  uint32_t reserved;
} tc_matrix_product;

/// The matrices of one call. D has `rows` rows, as A does, and `columns`
/// columns, as B does, before these are transposed; pitches, from a column to
/// the next in memory, and strides, from a matrix of the batch to the next, are
/// in elements. D shares no memory with the others.
typedef struct tc_matrices {
  const void *a, *b;
  const void *bias; ///< a number for each row; null for none
  void *d;
  void *workspace; ///< null for none
  int64_t batches, rows, columns, reduced;
  int64_t pitch_a, stride_a, pitch_b, stride_b, pitch_d, stride_d;
} tc_matrices;

/// Most spatial dimensions of a convolution.
#define TC_MAX_SPATIAL 3

/// Bits of tc_convolution::flags.
typedef enum tc_convolution_flags {
  TC_CONVOLUTION_RELU = 1,
  TC_CONVOLUTION_CHANNELS_LAST = 2,
} tc_convolution_flags;

/// A convolution, result = relu(scale * convolution(images, filters) + addend +
/// bias), accumulated in f32: constant data of emitted code. The entries of
/// dimensions from `rank` on count for nothing.
typedef struct tc_convolution {
  uint64_t size;    ///< sizeof(tc_convolution) of the compiler
  const char *name; ///< of the kernel
  uint64_t workspace_bytes;
  int32_t library; ///< tc_library
  int32_t dtype;   ///< tc_dtype of all operands: f32, bf16 or f16
  uint32_t flags;  ///< tc_convolution_flags
  float scale;
  int32_t rank; ///< spatial dimensions, from 1 to TC_MAX_SPATIAL
  uint32_t reserved;
  int64_t groups;
  int64_t stride[TC_MAX_SPATIAL], padding[TC_MAX_SPATIAL],
      dilation[TC_MAX_SPATIAL];
} tc_convolution;

/// The operands of one call, row-major: images of `batches`, `channels` and
/// `image_sizes`, filters of `filter_count`, channels / groups and `window`,
/// results, and an addend, of `batches`, `filter_count` and `result_sizes`;
/// with TC_CONVOLUTION_CHANNELS_LAST the second of these comes last. The result
/// shares no memory with the others.
typedef struct tc_convolution_operands {
  const void *images, *filters;
  const void *bias;   ///< a number for each filter; null for none
  const void *addend; ///< null for none
  void *result;
  void *workspace; ///< null for none
  int64_t batches, channels, filter_count;
  int64_t image_sizes[TC_MAX_SPATIAL], window[TC_MAX_SPATIAL],
      result_sizes[TC_MAX_SPATIAL];
} tc_convolution_operands;

/// The body of a task: iterations [begin, end) of a kernel's outermost range.
typedef void (*tc_range_body)(void *context, int64_t begin, int64_t end);

/// The runtime's functions for emitted code. Later versions append fields.
typedef struct tc_runtime_api {
  uint64_t size; ///< sizeof(tc_runtime_api) of the runtime

  /// Runs body over [0, count) in tasks of at least `grain` iterations, on
  /// the calling thread and the pool's. Tasks are contiguous and disjoint;
  /// returns when all are done. A body must not depend on how the range is cut.
  /// Long tasks begin at multiples of 64 iterations, and may be shorter by up
  /// to 63 for it. A grain below 1 counts as 1; a call from inside a body runs
  /// inline.
  void (*parallel_for)(struct tc_call *call, tc_range_body body, void *context,
                       int64_t count, int64_t grain);

  /// Gives output `index` its storage: contiguous, 64-byte aligned, of the
  /// given sizes (borrowed for the call only). Fills call->outputs[index];
  /// keeps storage the caller already put there when it is large enough.
  /// Returns a tc_status; a failure is already reported. Thread-safe for
  /// distinct indices.
  int32_t (*allocate_output)(struct tc_call *call, int32_t index, int32_t dtype,
                             int32_t rank, const int64_t *sizes);

  /// Memory for the intermediates of this call, 64-byte aligned, returned to
  /// the pool when the call ends; null when there is none, and then the failure
  /// is already reported. Also sets call->arena and call->arena_bytes. Each
  /// call gives further memory. Not thread-safe: use it outside parallel_for.
  void *(*allocate_arena)(struct tc_call *call, uint64_t bytes);

  /// Records a failure: a tc_status, a message (copied) and where in the
  /// user's program it comes from (copied, may be null). Thread-safe; the
  /// first failure of a call is kept. Returns `status`.
  int32_t (*report_error)(struct tc_call *call, int32_t status,
                          const char *message, const char *location);

  /// Marks the begin of a kernel for the profiler. Returns what profile_end of
  /// the same kernel must be given: 0 when the profiler is off.
  uint64_t (*profile_begin)(struct tc_call *call, const char *kernel);

  /// Records that `kernel` (copied) ran from `begin` until now on the calling
  /// thread. Does nothing when `begin` is 0.
  void (*profile_end)(struct tc_call *call, const char *kernel, uint64_t begin);

  /// report_error for a check that failed: in `format`, `{0}` and `{1}` stand
  /// for `first` and `second`; `{0:input}` and `{0:strides}` for the element
  /// type and sizes, and for the strides, of the input with that number.
  int32_t (*report_mismatch)(struct tc_call *call, int32_t status,
                             const char *format, int64_t first, int64_t second,
                             const char *location);

  /// Starts `blocks` blocks of a GPU kernel on the call's stream; nothing
  /// happens when there are none. Up to 2^31 - 1 are along x; more are rows of
  /// that many along y, of which the last may be partly beyond `blocks`: a
  /// block's number is y * (blocks along x) + x, and a kernel does nothing from
  /// `blocks` on. `arguments` is the block of kernel->argument_bytes bytes that
  /// the kernel is given, aligned to 8 bytes, to 64 with tensor maps, which are
  /// written into it. Returns a tc_status; a failure is already reported.
  int32_t (*launch_kernel)(struct tc_call *call, const tc_kernel *kernel,
                           int64_t blocks, void *arguments);

  /// The address of 8 int64_t that kernels of this call may set, each 0 at
  /// first: what failed, in an order that the caller chooses. For calls that
  /// read them on the way, see read_kernel_status; others use kernel_failures.
  /// Device and host see it. Null when there is none, and then the failure is
  /// already reported.
  void *(*kernel_status)(struct tc_call *call);

  /// Waits for the kernels started so far and gives the first of the values at
  /// kernel_status that is not 0, plus 256 times its number; 0 when all are 0.
  /// When a kernel broke off the failure is reported and the result is
  /// negative.
  int64_t (*read_kernel_status)(struct tc_call *call);

  /// The address, on the call's device, of a copy of `bytes` bytes at `data`.
  /// `handles` are TC_MAX_DEVICES addresses that belong to the data: null at
  /// first, and then the runtime's. Null when there is no memory, and then the
  /// failure is already reported.
  void *(*device_constant)(struct tc_call *call, const void *data,
                           uint64_t bytes, void **handles);

  /// A factorisation or a Fourier transform: `routine` is a tc::RoutineKind,
  /// m, n and k are its sizes (1 where it has none), `data` its operands,
  /// results and workspace, one after the other, row-major; see
  /// TC/Runtime/Routines.h. Returns 0, or the number of the pivot, from 1, that
  /// failed. Thread-safe. What runs it is a kernel, so it takes no call.
  int64_t (*run_routine)(int32_t routine, int64_t m, int64_t n, int64_t k,
                         double *data);

  /// Memory of the host for this call, 64-byte aligned, returned to the pool
  /// when the call ends; null when there is none, and then the failure is
  /// already reported.
  void *(*allocate_host)(struct tc_call *call, uint64_t bytes);

  /// Copies `bytes` bytes at `from`, memory of the call's device, to the host,
  /// once all work that the call's stream has so far is done. Returns a
  /// tc_status; a failure is already reported.
  int32_t (*copy_to_host)(struct tc_call *call, void *to, const void *from,
                          uint64_t bytes);

  /// Copies `bytes` bytes of the host to the call's device, before the work
  /// that its stream gets from now on. Returns a tc_status; a failure is
  /// already reported.
  int32_t (*copy_to_device)(struct tc_call *call, void *to, const void *from,
                            uint64_t bytes);

  /// The address, on the call's device, of TC_COUNTERS uint32_t that are 0, for
  /// kernels of this call that leave them 0. Null when there is no memory, and
  /// then the failure is already reported. Not thread-safe.
  void *(*allocate_counters)(struct tc_call *call);

  /// Has a library multiply matrices on the call's stream; nothing happens
  /// where D has no elements. Returns a tc_status; a failure, such as a library
  /// that is not there, is already reported.
  int32_t (*multiply_matrices)(struct tc_call *call,
                               const tc_matrix_product *product,
                               const tc_matrices *matrices);

  /// The address of failures->count int64_t, which device and host see, for the
  /// kernels of this function: always the same on one device. The runtime
  /// reports what they are set to, once, in a later call or synchronisation; in
  /// this call where the caller wants it to wait for its kernels. Null when
  /// there is no memory, and then the failure is already reported.
  void *(*kernel_failures)(struct tc_call *call,
                           const tc_kernel_failures *failures);

  /// Has a library convolve images on the call's stream; nothing happens where
  /// the result has no elements. Returns a tc_status; a failure, such as a
  /// library that is not there, is already reported.
  int32_t (*convolve)(struct tc_call *call, const tc_convolution *convolution,
                      const tc_convolution_operands *operands);

  /// Replaces data of call->inputs, for this call, by copies that begin at
  /// multiples of 16 bytes: that of inputs on a CUDA device that does not, of
  /// those whose bit is set in `wanted`. The bit of input i is number i % 64,
  /// from the lowest, of word i / 64. Returns a tc_status; a failure is already
  /// reported.
  int32_t (*align_inputs)(struct tc_call *call, const uint64_t *wanted);
} tc_runtime_api;

/// One call of a compiled function. `size` is sizeof(tc_call) of the caller.
typedef struct tc_call {
  uint64_t size;
  uint32_t version; ///< TC_ABI_VERSION
  int32_t input_count;
  int32_t output_count;
  int32_t parameter_count;
  const tc_runtime_api *api;
  void *runtime_state; ///< the runtime's own
  const tc_tensor *inputs;
  /// Each output's `sizes` and `strides` point to room for TC_MAX_RANK values.
  /// An output that is a view is not allocated: the function writes the
  /// descriptor itself, with `data` inside the storage of an input.
  tc_tensor *outputs;
  void *const *parameters; ///< storage of parameters, in the manifest's order
  void *arena;             ///< set by the runtime through allocate_arena
  uint64_t arena_bytes;
  void *stream; ///< CUDA stream, null on CPU
} tc_call;

typedef int32_t (*tc_function)(tc_call *);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // TC_RUNTIME_ABI_H
