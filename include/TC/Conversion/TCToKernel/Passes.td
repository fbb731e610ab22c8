//===- Passes.td - From tc ops to kernels ------------------*- tablegen -*-===//

#ifndef TC_CONVERSION_TCTOKERNEL_PASSES
#define TC_CONVERSION_TCTOKERNEL_PASSES

include "mlir/Pass/PassBase.td"

def ConvertTCToKernelPass : Pass<"convert-tc-to-kernel", "::mlir::ModuleOp"> {
  let summary = "every tc op becomes a kernel of its own, in normal form";
  let description = [{
    The first pass of the phase `fuse`. Each op of the simplified graph becomes
    a `tc.kernel` over its own iteration domain, with an index map for each
    operand, writing a new `tc.empty`. Nothing is fused here: that is left to
    passes which only have to compose maps. A composite (softmax, norms,
    attention) becomes one kernel of several stages.

    Elements of bf16 and f16 are cast to f32 after they are read and back
    before they are written, except as operands of contractions, so that a
    fused chain keeps f32 inside. Splats are `tc.scalar`s of the body.

    #### Input
    The ops that `simplify` ends with.

    #### Output
    `tc.kernel`, `tc.reshape`, `tc.constant`, `tc.parameter`, `tc.empty` and
    control flow.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %r = tc.exp %x : tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %e = tc.empty : tensor<4x8xf32>
      %r = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %r : tensor<4x8xf32>
    }
    ```

    #### Limits
    A minimum or maximum in a size that an index map needs is one of the
    kernel's affine symbols. A reshape stays: it is free on contiguous
    memory, and `tc-fuse-reshapes` takes it into maps where that helps.
  }];
  let dependentDialects = ["::tc::TCDialect"];
}

#endif // TC_CONVERSION_TCTOKERNEL_PASSES
