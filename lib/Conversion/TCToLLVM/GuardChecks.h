//===- GuardChecks.h - Guards as conditions ---------------------*- C++ -*-===//

#ifndef TC_LIB_CONVERSION_TCTOLLVM_GUARDCHECKS_H
#define TC_LIB_CONVERSION_TCTOLLVM_GUARDCHECKS_H

#include "HostBuilder.h"
#include "SizeValues.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace tc {

/// One input of a call.
struct CheckedInput {
  std::string label; ///< "input 1 (y)"
  mlir::ShapedType type;
  Sizes sizes;
  mlir::ArrayAttr expectedStrides; ///< tc.strides; null for row-major memory
  mlir::Value tensor;              ///< address of its tc_tensor
  llvm::SmallVector<mlir::Value> actual;  ///< its sizes in this call
  llvm::SmallVector<mlir::Value> strides; ///< its strides in this call
};

/// Makes the conditions of a function's guards, over inputs whose sizes are
/// read and symbols that are bound.
class GuardChecks {
public:
  /// The condition of a guard, and the report where it does not hold.
  struct Condition {
    mlir::Value holds;
    HostBuilder::Report report;
  };
  using Conditions = llvm::SmallVector<Condition, 2>;

  GuardChecks(mlir::FunctionOpInterface function, HostBuilder &host,
              SizeValues &sizes,
              const llvm::SmallVectorImpl<CheckedInput> &inputs)
      : function(function), host(host), sizes(sizes), inputs(inputs) {}

  /// The conditions that hold where the guard does; none of a guard that the
  /// checks of inputs cover, or that code cannot check.
  Conditions conditionsOf(GuardOp guard);

  /// One i1: whether all guards of `block` hold; null when there are none.
  /// Fails, with a diagnostic, when code cannot check one.
  mlir::FailureOr<mlir::Value> predicate(mlir::Block &block);

private:
  Conditions conditionsOfExpression(GuardOp guard);
  Conditions conditionsOfInput(GuardOp guard, const CheckedInput &input);
  Conditions conditionsOfScalar(GuardOp guard, const CheckedInput &input);
  Condition noOverlap(GuardOp guard, const CheckedInput &lhs,
                      const CheckedInput &rhs);
  mlir::Value byteCount(const CheckedInput &input);
  const CheckedInput *inputOf(mlir::Value value);

  mlir::FunctionOpInterface function;
  HostBuilder &host;
  SizeValues &sizes;
  const llvm::SmallVectorImpl<CheckedInput> &inputs;
};

} // namespace tc

#endif // TC_LIB_CONVERSION_TCTOLLVM_GUARDCHECKS_H
