//===- CompiledFunction.h - One emitted function, compiled ------*- C++ -*-===//

#ifndef TC_UNITTESTS_CONVERSION_VECTORMATH_COMPILEDFUNCTION_H
#define TC_UNITTESTS_CONVERSION_VECTORMATH_COMPILEDFUNCTION_H

#include "TC/Conversion/VectorMath/VectorMath.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir {
class ExecutionEngine;
}

namespace tc::test {

/// An elementwise function over arrays: what to emit, and on which types.
struct FunctionSpec {
  std::string name;
  /// Element types of the op; unsigned ones are written ui8 and so on.
  std::vector<mlir::Type> operands;
  mlir::Type result;
  /// Name of the op, e.g. "tc.exp".
  std::string op;
  /// Elements a step; 0 for scalars.
  int lanes = 0;
  vectormath::VectorMathOptions options;
  /// Operands and results are held as f32 though the op is on bf16 or f16.
  bool holdsF32 = false;
};

/// Arrays of n elements each, n a multiple of the lanes. Results of i1 are
/// stored as bytes.
using CompiledFunction = void (*)(const void *x, const void *y, const void *z,
                                  void *result, int64_t n);

/// Compiles all of them into one module for this machine. Fails the running
/// test if that does not work.
class CompiledFunctions {
public:
  CompiledFunctions(mlir::MLIRContext &context,
                    const std::vector<FunctionSpec> &specs);
  ~CompiledFunctions();
  CompiledFunction get(const std::string &name) const;

private:
  void compile(mlir::MLIRContext &context,
               const std::vector<FunctionSpec> &specs);

  std::unique_ptr<mlir::ExecutionEngine> engine;
};

/// A context with every dialect that is needed.
std::unique_ptr<mlir::MLIRContext> createContext();

/// Whether this machine has what VectorMathOptions::hasAvx512 says.
bool machineHasAvx512();

} // namespace tc::test

#endif // TC_UNITTESTS_CONVERSION_VECTORMATH_COMPILEDFUNCTION_H
