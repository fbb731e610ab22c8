//===- UnboundDimsTest.cpp - Indices that an emitter has forgotten --------===//

#include "../../../lib/Conversion/KernelEmission/PointEmitter.h"
#include "CPUFrame.h"
#include "TC/Dialect/TC/IR/TCDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace tc;

static constexpr const char *kCopy = R"(
func.func @copy(%a: memref<4x8xf32>, %o: memref<4x8xf32>) {
  tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>]
      ins(%x = %a : memref<4x8xf32>) outs(%y = %o : memref<4x8xf32>) {
    %v = tc.read %x[affine_map<(i, j) -> (i, j)>] : memref<4x8xf32> -> f32
    tc.write %v, %y[affine_map<(i, j) -> (i, j)>] : f32, memref<4x8xf32>
  }
  return
})";

// A read over a dimension without an index is one error of the kernel, and
// nothing crashes.
TEST(UnboundDims, AreAnErrorOfTheKernel) {
  MLIRContext context;
  context.loadDialect<TCDialect, arith::ArithDialect, func::FuncDialect,
                      LLVM::LLVMDialect, vector::VectorDialect>();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kCopy, &context);
  ASSERT_TRUE(module);
  KernelOp kernel;
  module->walk([&](KernelOp found) { kernel = found; });
  CPUFrame frame(kernel, "copy_0", *module, {});
  std::vector<std::string> errors;
  ScopedDiagnosticHandler handler(
      &context, [&](Diagnostic &error) { errors.push_back(error.str()); });
  Value read = (*kernel.getBodyBlock().getOps<ReadOp>().begin()).getResult();
  PointEmitter emitter(frame, std::nullopt, 1);
  Scope bound(frame);
  bound.bind(0, frame.constant(0));
  bound.bind(1, frame.constant(0));
  emitter.emit(read, bound);
  EXPECT_FALSE(frame.hasUnboundDims());
  Scope partly(frame);
  partly.bind(0, frame.constant(0));
  emitter.emit(read, partly);
  EXPECT_TRUE(frame.hasUnboundDims());
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0],
            "'tc.kernel' op 'copy' is read or written over dimension 1 where "
            "the code for its schedule has no index for it; please report this "
            "module as a mistake of the compiler");
}
