//===- MatrixProducts.cpp - Products that a library computes --------------===//

#include "MatrixProducts.h"
#include "CuBLASLt.h"
#include "LibraryCalls.h"
#include "TC/Runtime/DType.h"

#include <array>
#include <cstring>
#include <memory>

using namespace tc::runtime;

namespace {
// CUBLAS_COMPUTE_32F, CUDA_R_*, CUBLASLT_EPILOGUE_*
constexpr int compute32F = 68, realF32 = 0, realF16 = 2, realBF16 = 14;
constexpr uint32_t epilogueDefault = 1, epilogueRelu = 2, epilogueBias = 4,
                   epilogueGelu = 32;
// CUBLASLT_MATMUL_DESC_*
constexpr int descTransposeA = 3, descTransposeB = 4, descEpilogue = 7,
              descBiasPointer = 8;
// CUBLASLT_MATRIX_LAYOUT_*
constexpr int layoutBatchCount = 5, layoutBatchStride = 6;
// CUBLASLT_MATMUL_PREF_*, CUBLASLT_REDUCTION_SCHEME_*
constexpr int preferWorkspaceBytes = 1, preferReductionSchemes = 3,
              preferAlignmentA = 5, preferAlignmentB = 6, preferAlignmentC = 7,
              preferAlignmentD = 8;
/// Parts of a sum are added in f32, in the workspace.
constexpr uint32_t reductionInF32 = 2;

int typeOf(int32_t dtype) {
  return dtype == TC_DTYPE_BF16  ? realBF16
         : dtype == TC_DTYPE_F16 ? realF16
                                 : realF32;
}

/// The largest power of 2 that an address is a multiple of, up to 256, the most
/// that more alignment is worth to the library.
uint32_t alignmentOf(const void *address) {
  const auto bits = reinterpret_cast<uintptr_t>(address) | libraryAlignment;
  return uint32_t(bits & -bits);
}

using ProductKey = LibraryKey<14>;

ProductKey keyOf(const CUDADevice &device, const tc_matrix_product &product,
                 const tc_matrices &matrices) {
  return {{matrices.batches, matrices.rows, matrices.columns, matrices.reduced,
           matrices.pitch_a, matrices.stride_a, matrices.pitch_b,
           matrices.stride_b, matrices.pitch_d, matrices.stride_d,
           int64_t(product.workspace_bytes),
           int64_t(product.flags) << 32 | int64_t(product.operand_dtype) << 16 |
               int64_t(product.result_dtype) << 8 | device.index,
           int64_t(alignmentOf(matrices.a)) << 32 |
               int64_t(alignmentOf(matrices.b)),
           int64_t(alignmentOf(matrices.d)) << 32 |
               int64_t(matrices.bias ? alignmentOf(matrices.bias) : 0)}};
}

/// The library's descriptors of products with one key, and its algorithm.
class ProductPlan {
public:
  ProductPlan(const CuBLASLt &library, const ProductKey &key)
      : key(key), library(library) {}
  ~ProductPlan();
  ProductPlan(const ProductPlan &) = delete;
  ProductPlan &operator=(const ProductPlan &) = delete;

  /// Fails with the name of the function that failed.
  CublasStatus make(CublasLtHandle handle, const tc_matrix_product &product,
                    const tc_matrices &matrices, const char *&function);
  CublasStatus run(CublasLtHandle handle, CUstream stream,
                   const tc_matrix_product &product,
                   const tc_matrices &matrices);

  /// Reserves it for one thread, since the bias is a field of a descriptor.
  bool tryEnter() { return !isTaken.test_and_set(std::memory_order_acquire); }
  void leave() { isTaken.clear(std::memory_order_release); }

  const ProductKey key;
  ProductPlan *next = nullptr; ///< of the table's bucket

private:
  CublasStatus makeDesc(const tc_matrix_product &product,
                        const tc_matrices &matrices);
  CublasStatus makeLayout(CublasLtMatrixLayout &layout, int32_t dtype,
                          int64_t rows, int64_t columns, bool isTransposed,
                          int64_t pitch, int64_t batches, int64_t stride);
  CublasStatus choose(CublasLtHandle handle, const tc_matrix_product &product,
                      const tc_matrices &matrices);

  const CuBLASLt &library;
  CublasLtMatmulDesc desc = nullptr;
  CublasLtMatrixLayout a = nullptr, b = nullptr, d = nullptr;
  CublasLtMatmulHeuristic chosen{};
  const void *bias = nullptr; ///< that `desc` has
  std::atomic_flag isTaken = ATOMIC_FLAG_INIT;
};

ProductPlan::~ProductPlan() {
  for (CublasLtMatrixLayout layout : {a, b, d})
    if (layout)
      library.cublasLtMatrixLayoutDestroy(layout);
  if (desc)
    library.cublasLtMatmulDescDestroy(desc);
}

CublasStatus ProductPlan::makeDesc(const tc_matrix_product &product,
                                   const tc_matrices &matrices) {
  CublasStatus status =
      library.cublasLtMatmulDescCreate(&desc, compute32F, realF32);
  auto set = [&](int attribute, auto value) {
    if (status == 0)
      status = library.cublasLtMatmulDescSetAttribute(desc, attribute, &value,
                                                      sizeof(value));
  };
  uint32_t epilogue =
      (product.flags & TC_PRODUCT_RELU ? epilogueRelu : 0) |
      (product.flags & TC_PRODUCT_GELU_TANH ? epilogueGelu : 0) |
      (matrices.bias ? epilogueBias : 0);
  set(descTransposeA, int32_t((product.flags & TC_PRODUCT_TRANSPOSE_A) != 0));
  set(descTransposeB, int32_t((product.flags & TC_PRODUCT_TRANSPOSE_B) != 0));
  set(descEpilogue, epilogue ? epilogue : epilogueDefault);
  if (matrices.bias)
    set(descBiasPointer, bias = matrices.bias);
  return status;
}

CublasStatus ProductPlan::makeLayout(CublasLtMatrixLayout &layout,
                                     int32_t dtype, int64_t rows,
                                     int64_t columns, bool isTransposed,
                                     int64_t pitch, int64_t batches,
                                     int64_t stride) {
  if (isTransposed)
    std::swap(rows, columns);
  CublasStatus status = library.cublasLtMatrixLayoutCreate(
      &layout, typeOf(dtype), uint64_t(rows), uint64_t(columns), pitch);
  if (status != 0 || batches == 1)
    return status;
  const auto count = int32_t(batches);
  status = library.cublasLtMatrixLayoutSetAttribute(layout, layoutBatchCount,
                                                    &count, sizeof(count));
  if (status == 0)
    status = library.cublasLtMatrixLayoutSetAttribute(layout, layoutBatchStride,
                                                      &stride, sizeof(stride));
  return status;
}

CublasStatus ProductPlan::choose(CublasLtHandle handle,
                                 const tc_matrix_product &product,
                                 const tc_matrices &matrices) {
  CublasLtMatmulPreference preference = nullptr;
  CublasStatus status = library.cublasLtMatmulPreferenceCreate(&preference);
  if (status != 0)
    return status;
  auto set = [&](int attribute, auto value) {
    if (status == 0)
      status = library.cublasLtMatmulPreferenceSetAttribute(
          preference, attribute, &value, sizeof(value));
  };
  set(preferWorkspaceBytes, usableWorkspace(product.workspace_bytes));
  set(preferReductionSchemes, reductionInF32);
  set(preferAlignmentA, alignmentOf(matrices.a));
  set(preferAlignmentB, alignmentOf(matrices.b));
  set(preferAlignmentC, alignmentOf(matrices.d));
  set(preferAlignmentD, alignmentOf(matrices.d));
  int found = 0;
  if (status == 0)
    status = library.cublasLtMatmulAlgoGetHeuristic(
        handle, desc, a, b, d, d, preference, 1, &chosen, &found);
  library.cublasLtMatmulPreferenceDestroy(preference);
  constexpr CublasStatus notSupported = 15;
  if (status == 0)
    status = found == 0 ? notSupported : chosen.state;
  return status;
}

CublasStatus ProductPlan::make(CublasLtHandle handle,
                               const tc_matrix_product &product,
                               const tc_matrices &m, const char *&function) {
  function = "cublasLtMatmulDescCreate";
  CublasStatus status = makeDesc(product, m);
  if (status != 0)
    return status;
  function = "cublasLtMatrixLayoutCreate";
  status = makeLayout(a, product.operand_dtype, m.rows, m.reduced,
                      product.flags & TC_PRODUCT_TRANSPOSE_A, m.pitch_a,
                      m.batches, m.stride_a);
  if (status == 0)
    status = makeLayout(b, product.operand_dtype, m.reduced, m.columns,
                        product.flags & TC_PRODUCT_TRANSPOSE_B, m.pitch_b,
                        m.batches, m.stride_b);
  if (status == 0)
    status =
        makeLayout(d, product.result_dtype, m.rows, m.columns,
                   /*isTransposed=*/false, m.pitch_d, m.batches, m.stride_d);
  if (status != 0)
    return status;
  function = "cublasLtMatmulAlgoGetHeuristic";
  return choose(handle, product, m);
}

CublasStatus ProductPlan::run(CublasLtHandle handle, CUstream stream,
                              const tc_matrix_product &product,
                              const tc_matrices &matrices) {
  if (matrices.bias != bias) {
    if (CublasStatus status = library.cublasLtMatmulDescSetAttribute(
            desc, descBiasPointer, &matrices.bias, sizeof(matrices.bias)))
      return status;
    bias = matrices.bias;
  }
  const float beta = 0;
  return library.cublasLtMatmul(
      handle, desc, &product.scale, matrices.a, a, matrices.b, b, &beta,
      matrices.d, d, matrices.d, d, &chosen.algorithm,
      alignWorkspace(matrices.workspace),
      usableWorkspace(product.workspace_bytes), stream);
}

/// The plans of the process. They are never destroyed: a call may use them.
class ProductPlans {
public:
  ProductPlan *find(const ProductKey &key) const {
    ProductPlan *plan =
        buckets[key.hash() % bucketCount].load(std::memory_order_acquire);
    while (plan && !(plan->key == key))
      plan = plan->next;
    return plan;
  }

  /// Keeps a plan; gives it back where there are enough already, or one with
  /// its key.
  std::unique_ptr<ProductPlan> add(std::unique_ptr<ProductPlan> plan) {
    const std::lock_guard lock(mutex);
    if (count == mostPlans || find(plan->key))
      return plan;
    ++count;
    auto &bucket = buckets[plan->key.hash() % bucketCount];
    plan->next = bucket.load(std::memory_order_relaxed);
    bucket.store(plan.release(), std::memory_order_release);
    return nullptr;
  }

private:
  static constexpr size_t bucketCount = 1024, mostPlans = 16384;
  std::array<std::atomic<ProductPlan *>, bucketCount> buckets{};
  std::mutex mutex;
  size_t count = 0; ///< guarded by `mutex`
};

ProductPlans &plans() {
  static auto &all = *new ProductPlans();
  return all;
}

/// The library's handle of a device, made at its first use.
struct DeviceHandle {
  std::once_flag made;
  CublasLtHandle handle = nullptr;
  CublasStatus status = 0;
};

DeviceHandle &handleOf(const CuBLASLt &library, const CUDADevice &device) {
  static auto &handles = *new std::array<DeviceHandle, maxCUDADevices>();
  DeviceHandle &of = handles[size_t(device.index)];
  std::call_once(of.made,
                 [&] { of.status = library.cublasLtCreate(&of.handle); });
  return of;
}

/// "64x32 by 32x16 of bf16": row-major, as programs have matrices.
std::string describe(const tc_matrix_product &product, const tc_matrices &m) {
  auto by = [](int64_t rows, int64_t columns) {
    return std::to_string(rows) + "x" + std::to_string(columns);
  };
  std::string text = by(m.columns, m.reduced) + " by " + by(m.reduced, m.rows);
  if (const auto dtype = dtypeFromABI(product.operand_dtype))
    text += " of " + std::string(dtypeName(*dtype));
  if (m.batches != 1)
    text += ", " + std::to_string(m.batches) + " times";
  return text;
}

Status failure(CUDADevice &device, const CuBLASLt &library,
               const tc_matrix_product &product, const tc_matrices &matrices,
               const char *function, CublasStatus status) {
  if (!device.isUsable())
    return device.status();
  return Status(ErrorCode::Internal,
                std::string("cuBLASLt cannot compute '") + product.name +
                    "', " + describe(product, matrices) + ": " + function +
                    " gives " + library.describe(status) +
                    "; compiled with libraries=none the program does not "
                    "need it");
}
} // namespace

Status tc::runtime::multiplyMatrices(CUDADevice &device, CUstream stream,
                                     const tc_matrix_product &product,
                                     const tc_matrices &matrices) {
  if (matrices.batches <= 0 || matrices.rows <= 0 || matrices.columns <= 0)
    return Status::success();
  std::string reason;
  const CuBLASLt *library = CuBLASLt::get();
  if (!library) [[unlikely]] {
    CuBLASLt::get(&reason);
    return Status(ErrorCode::Unsupported,
                  std::string("the program has '") + product.name +
                      "' computed by cuBLASLt: " + reason +
                      "; put the library's folder into LD_LIBRARY_PATH, or "
                      "compile with libraries=none");
  }
  if (!device.isUsable()) [[unlikely]]
    return device.status();
  auto fail = [&](const char *function, CublasStatus status) {
    return failure(device, *library, product, matrices, function, status);
  };
  const DeviceHandle &handle = handleOf(*library, device);
  if (handle.status != 0) [[unlikely]]
    return fail("cublasLtCreate", handle.status);

  const ProductKey key = keyOf(device, product, matrices);
  ProductPlan *plan = plans().find(key);
  const bool isKept = plan && plan->tryEnter();
  std::unique_ptr<ProductPlan> own;
  if (!isKept) [[unlikely]] {
    own = std::make_unique<ProductPlan>(*library, key);
    const char *function = nullptr;
    if (CublasStatus status =
            own->make(handle.handle, product, matrices, function))
      return fail(function, status);
    device.nameKernel(own.get(), product.name);
  }
  ProductPlan &used = isKept ? *plan : *own;
  const LibraryLaunch launch(device, stream, product.name, &used);
  const CublasStatus status =
      used.run(handle.handle, stream, product, matrices);
  if (isKept)
    plan->leave();
  else if (status == 0 && !plan)
    own = plans().add(std::move(own));
  return status == 0 ? Status::success() : fail("cublasLtMatmul", status);
}
