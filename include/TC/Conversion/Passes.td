//===- Passes.td - Conversions between dialects -----------------*- tablegen -*-===//

#ifndef TC_CONVERSION_PASSES
#define TC_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

include "TC/Conversion/TCToKernel/Passes.td"

def ConvertTCToVectorPass : Pass<"convert-tc-to-vector", "::mlir::ModuleOp"> {
  let summary = "turn each tc.kernel into a function of vectorised loops";
  let description = [{
    The generate phase on a CPU. Every `tc.kernel` on memrefs becomes a private
    function `(%context: !llvm.ptr, %begin: i64, %end: i64)` of scf, arith,
    vector and llvm ops, and a `tc.launch` in its place; kernels that are equal
    but for their operands and names share one function. How the domain falls
    on iterations and vector lanes is the kernel's `#tc.schedule`.

    #### Input
    A bufferized module.

    #### Output
    No `tc.kernel` is left.

    #### Before
    ```mlir
    func.func @main(%x: memref<4xf32>) {
      %o = tc.output_buffer 0 : memref<4xf32>
      tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : memref<4xf32>) outs(%b = %o : memref<4xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %b[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
      }
      return
    }
    ```

    #### After
    ```mlir
    func.func @main(%arg0: memref<4xf32>) {
      %0 = tc.output_buffer 0 : memref<4xf32>
      tc.launch @neg_0 count <4> grain 16384(%arg0, %0) : memref<4xf32>, memref<4xf32>
      return
    }
    func.func private @neg_0(%arg0: !llvm.ptr, %arg1: i64, %arg2: i64) {
      %c0_i64 = arith.constant 0 : i64
      %c1_i64 = arith.constant 1 : i64
      %0 = llvm.getelementptr %arg0[0] : (!llvm.ptr) -> !llvm.ptr, i64
      %1 = llvm.load %0 invariant : !llvm.ptr -> !llvm.ptr
      %2 = llvm.getelementptr %arg0[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %3 = llvm.load %2 invariant : !llvm.ptr -> !llvm.ptr
      scf.for %arg3 = %arg1 to %arg2 step %c1_i64  : i64 {
        %4 = llvm.getelementptr %1[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        %5 = llvm.load %4 {alignment = 4 : i64} : !llvm.ptr -> f32
        %6 = arith.negf %5 : f32
        %7 = llvm.getelementptr %3[%arg3] : (!llvm.ptr, i64) -> !llvm.ptr, f32
        llvm.store %6, %7 {alignment = 4 : i64} : f32, !llvm.ptr
      }
      return
    }
    ```

    #### Limits
    Scans and sorts have emitters of their own.
  }];
  let options = [Option<"avx512", "avx512", "bool", "false",
                        "use the AVX-512 forms of elementwise functions">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::math::MathDialect", "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // TC_CONVERSION_PASSES
