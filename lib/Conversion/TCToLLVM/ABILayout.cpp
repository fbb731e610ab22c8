//===- ABILayout.cpp - TC's C ABI in LLVM types ---------------------------===//

#include "ABILayout.h"
#include "mlir/IR/Builders.h"
#include <cstddef>

using namespace mlir;
using namespace tc;
using namespace tc::abi;

// A layout that differs from the header's would read the wrong fields.
static_assert(TC_ABI_VERSION == 8, "write the new layout out below");
static_assert(offsetof(tc_tensor, strides) == 16 &&
              offsetof(tc_tensor, rank) == 24 &&
              offsetof(tc_tensor, device_index) == 36);
static_assert(offsetof(tc_call, version) == 8 &&
              offsetof(tc_call, input_count) == 12 &&
              offsetof(tc_call, api) == 24 && offsetof(tc_call, inputs) == 40 &&
              offsetof(tc_call, parameters) == 56 &&
              offsetof(tc_call, stream) == 80);
static_assert(offsetof(tc_runtime_api, report_mismatch) ==
                  8 * static_cast<size_t>(APIField::ReportMismatch) &&
              offsetof(tc_runtime_api, run_routine) ==
                  8 * static_cast<size_t>(APIField::RunRoutine) &&
              offsetof(tc_runtime_api, allocate_counters) ==
                  8 * static_cast<size_t>(APIField::AllocateCounters) &&
              offsetof(tc_runtime_api, kernel_failures) ==
                  8 * static_cast<size_t>(APIField::KernelFailures) &&
              offsetof(tc_runtime_api, align_inputs) ==
                  8 * static_cast<size_t>(APIField::AlignInputs));
static_assert(offsetof(tc_matrix_product, library) == 24 &&
              offsetof(tc_matrix_product, scale) == 40 &&
              sizeof(tc_matrix_product) == 48 &&
              offsetof(tc_matrices, batches) == 40 &&
              sizeof(tc_matrices) == 120);
static_assert(offsetof(tc_convolution, library) == 24 &&
              offsetof(tc_convolution, scale) == 36 &&
              offsetof(tc_convolution, groups) == 48 &&
              sizeof(tc_convolution) == 128 &&
              offsetof(tc_convolution_operands, batches) == 48 &&
              sizeof(tc_convolution_operands) == 144);

static_assert(offsetof(tc_kernel, image) ==
                  8 * static_cast<size_t>(KernelField::Image) &&
              offsetof(tc_kernel, tensor_maps) ==
                  8 * static_cast<size_t>(KernelField::TensorMaps) &&
              offsetof(tc_kernel, argument_bytes) == 60 &&
              offsetof(tc_kernel, flags) == 76 && sizeof(tc_kernel) == 80);
static_assert(offsetof(tc_kernel_list, kernels) == 8);
static_assert(offsetof(tc_kernel_failures, message) == 24 &&
              sizeof(tc_kernel_failures) == 48);

LLVM::LLVMStructType abi::getKernelStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context, {i64, pointer, pointer, i64, pointer, pointer, pointer, i32, i32,
                i32, i32, i32, i32});
}

LLVM::LLVMStructType abi::getFailuresStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context, {i64, pointer, i64, pointer, pointer, pointer});
}

LLVM::LLVMStructType abi::getProductStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context,
      {i64, pointer, i64, i32, i32, i32, i32, Float32Type::get(context), i32});
}

LLVM::LLVMStructType abi::getConvolutionStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);
  SmallVector<Type> fields{
      i64, pointer, i64, i32, i32, i32, Float32Type::get(context),
      i32, i32,     i64};
  constexpr size_t kArrays = 3; // of the stride, the padding and the dilation
  fields.append(kArrays * TC_MAX_SPATIAL, i64);
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

LLVM::LLVMStructType abi::getKernelListStruct(MLIRContext *context) {
  return LLVM::LLVMStructType::getLiteral(
      context,
      {IntegerType::get(context, 64), LLVM::LLVMPointerType::get(context)});
}

LLVM::LLVMStructType abi::getTensorStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  return LLVM::LLVMStructType::getLiteral(
      context, {pointer, pointer, pointer, i32, i32, i32, i32});
}

LLVM::LLVMStructType abi::getCallStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  Type i32 = IntegerType::get(context, 32);
  Type i64 = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(
      context, {i64, i32, i32, i32, i32, pointer, pointer, pointer, pointer,
                pointer, pointer, i64, pointer});
}

LLVM::LLVMStructType abi::getAPIStruct(MLIRContext *context) {
  Type pointer = LLVM::LLVMPointerType::get(context);
  SmallVector<Type> fields(static_cast<size_t>(APIField::AlignInputs) + 1,
                           pointer);
  fields.front() = IntegerType::get(context, 64);
  return LLVM::LLVMStructType::getLiteral(context, fields);
}

static std::optional<tc_dtype> getIntegerDType(IntegerType type) {
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return TC_DTYPE_BOOL;
  case 8:
    return isUnsigned ? TC_DTYPE_U8 : TC_DTYPE_I8;
  case 16:
    return isUnsigned ? TC_DTYPE_U16 : TC_DTYPE_I16;
  case 32:
    return isUnsigned ? TC_DTYPE_U32 : TC_DTYPE_I32;
  case 64:
    return isUnsigned ? TC_DTYPE_U64 : TC_DTYPE_I64;
  default:
    return std::nullopt;
  }
}

std::optional<tc_dtype> abi::getDType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return getIntegerDType(integer);
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32())
      return TC_DTYPE_C64;
    if (complex.getElementType().isF64())
      return TC_DTYPE_C128;
    return std::nullopt;
  }
  if (type.isF64())
    return TC_DTYPE_F64;
  if (type.isF32())
    return TC_DTYPE_F32;
  if (type.isF16())
    return TC_DTYPE_F16;
  if (type.isBF16())
    return TC_DTYPE_BF16;
  if (isa<Float8E4M3FNType>(type))
    return TC_DTYPE_F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return TC_DTYPE_F8E5M2;
  return std::nullopt;
}
