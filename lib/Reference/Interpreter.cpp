//===- Interpreter.cpp - Functions of a module ----------------------------===//

#include "TC/Reference/Interpreter.h"
#include "ControlFlow.h"

using namespace mlir;

namespace tc::reference {

FailureOr<SmallVector<Tensor>>
evaluateFunction(func::FuncOp function, MutableArrayRef<Tensor> arguments,
                 const Options &options) {
  return evaluateCall(function, function, arguments, options, /*depth=*/0);
}

} // namespace tc::reference
