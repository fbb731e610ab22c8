//===- LibraryCalls.h - Calls of libraries in host functions ----*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_LIBRARYCALLS_H
#define TC_LIB_CONVERSION_TCTOLLVM_LIBRARYCALLS_H

#include "HostBuilder.h"
#include "SizeValues.h"
#include "TC/Dialect/TC/IR/LibraryOps.h"

namespace tc {

/// Writes the calls of libraries of one host function.
class LibraryCalls {
public:
  LibraryCalls(HostBuilder &host, SizeValues &sizes, StringTable &strings)
      : host(host), sizes(sizes), strings(strings) {}

  /// Calls the runtime with the addresses that `pointers` has for the op's
  /// buffers. Fails, with a diagnostic, where a buffer has none, or a size is
  /// not known.
  mlir::LogicalResult
  emit(LibraryCallOp op,
       const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

  mlir::LogicalResult
  emit(LibraryConvolutionOp op,
       const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);

private:
  mlir::LogicalResult
  checkOperands(mlir::Operation *op, llvm::ArrayRef<SizeExprAttr> expressions,
                const llvm::DenseMap<mlir::Value, mlir::Value> &pointers);
  std::string makeDescriptor(LibraryCallOp op);
  std::string makeDescriptor(LibraryConvolutionOp op);
  void call(abi::APIField function, const std::string &descriptor,
            llvm::ArrayRef<mlir::Value> values);
  mlir::Value addressOf(mlir::Value pointer, mlir::Value buffer,
                        SizeExpr offset);

  HostBuilder &host;
  SizeValues &sizes;
  StringTable &strings;
  /// The tc_matrices or tc_convolution_operands of all calls.
  mlir::Value slots;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_LIBRARYCALLS_H
