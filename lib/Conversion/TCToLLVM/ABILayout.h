//===- ABILayout.h - TC's C ABI in LLVM types -------------------*- C++ -*-===//
//
// The structs of TC/Runtime/ABI.h as LLVM types, with their fields by name.
// Static assertions in the .cpp file compare the two.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_ABILAYOUT_H
#define TC_LIB_CONVERSION_TCTOLLVM_ABILAYOUT_H

#include "TC/Runtime/ABI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include <optional>

namespace tc::abi {

/// Fields of tc_tensor, in order.
enum class TensorField {
  Data,
  Sizes,
  Strides,
  Rank,
  DType,
  DeviceKind,
  DeviceIndex
};

/// Fields of tc_call, in order.
enum class CallField {
  Size,
  Version,
  InputCount,
  OutputCount,
  ParameterCount,
  API,
  RuntimeState,
  Inputs,
  Outputs,
  Parameters,
  Arena,
  ArenaBytes,
  Stream
};

/// Fields of tc_runtime_api, in order.
enum class APIField {
  Size,
  ParallelFor,
  AllocateOutput,
  AllocateArena,
  ReportError,
  ProfileBegin,
  ProfileEnd,
  ReportMismatch,
  LaunchKernel,
  KernelStatus,
  ReadKernelStatus,
  DeviceConstant,
  RunRoutine,
  AllocateHost,
  CopyToHost,
  CopyToDevice,
  AllocateCounters,
  MultiplyMatrices,
  KernelFailures,
  Convolve,
  AlignInputs
};

/// Fields of tc_kernel, in order.
enum class KernelField {
  Size,
  Name,
  Image,
  ImageBytes,
  Handles,
  List,
  TensorMaps,
  TensorMapCount,
  ArgumentBytes,
  Threads,
  Cluster,
  DynamicSharedBytes,
  Flags
};

mlir::LLVM::LLVMStructType getKernelStruct(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType getFailuresStruct(mlir::MLIRContext *context);
/// tc_matrix_product.
mlir::LLVM::LLVMStructType getProductStruct(mlir::MLIRContext *context);
/// tc_convolution.
mlir::LLVM::LLVMStructType getConvolutionStruct(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType getKernelListStruct(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType getTensorStruct(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType getCallStruct(mlir::MLIRContext *context);
mlir::LLVM::LLVMStructType getAPIStruct(mlir::MLIRContext *context);

/// The tc_dtype of an element type; nothing when the ABI has none for it.
std::optional<tc_dtype> getDType(mlir::Type elementType);

} // namespace tc::abi

#endif // TC_LIB_CONVERSION_TCTOLLVM_ABILAYOUT_H
