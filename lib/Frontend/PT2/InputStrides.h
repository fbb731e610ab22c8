//===- InputStrides.h - the strides of a program's inputs -------*- C++ -*-===//

#ifndef TC_LIB_FRONTEND_PT2_INPUTSTRIDES_H
#define TC_LIB_FRONTEND_PT2_INPUTSTRIDES_H

#include "TC/Frontend/PT2/ExportedProgram.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace tc::pt2 {

/// Sets `tc.strides` of the arguments of `function`, which `inputs` describe in
/// order. The step between neighbouring elements of an input is part of its
/// layout, not one of its sizes: a symbol that is such a step, and that nothing
/// is computed from, becomes its value in the example.
void setInputStrides(mlir::func::FuncOp function, const Graph &graph,
                     llvm::ArrayRef<const TensorMeta *> inputs);

/// What symbols that are strides of inputs are at least: no other stride of an
/// input is below the step between its elements, where that is a constant.
llvm::StringMap<int64_t>
getLeastStrides(mlir::func::FuncOp function,
                llvm::ArrayRef<const TensorMeta *> inputs);

} // namespace tc::pt2

#endif // TC_LIB_FRONTEND_PT2_INPUTSTRIDES_H
