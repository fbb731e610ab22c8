//===- FuseHorizontal.td - Fusion of kernels of one domain -*- tablegen -*-===//
//
// Kernels of which none uses another become one launch.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_FUSEHORIZONTAL
#define TC_TRANSFORMS_FUSEHORIZONTAL

include "mlir/Pass/PassBase.td"

def TCFuseSiblingsPass : Pass<"tc-fuse-siblings", "::mlir::ModuleOp"> {
  let summary = "merge kernels that read the same input over the same points";
  let description = [{
    Two kernels of which neither uses the other, with equal domains and inputs
    in common (a sum and a sum of squares, two functions of one tensor), become
    one kernel with both results: the input is read once.

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = tc.empty : tensor<8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = tc.empty : tensor<8xf32>
      %0:2 = tc.kernel "neg_exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>, %p = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
        %w = tc.exp %v : f32
        tc.write %w, %p[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    #### Limits
    Contractions stay alone: projections that share their left operand are not
    concatenated. Two kernels are not merged when others between them would run
    while the second's result occupies memory.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "kernels that were merged with a sibling">];
}

def TCFuseIndependentPass : Pass<"tc-fuse-independent", "::mlir::ModuleOp"> {
  let summary = "merge short pointwise kernels of one domain that have nothing in common";
  let description = [{
    Pointwise kernels of equal domains, of which none uses another, become one
    kernel with the results of all, where by the cost model each takes less time
    without its launch than a launch does: an optimizer updates the parameters of
    one size in a few launches (horizontal fusion, as of PyTorch's multi-tensor
    kernels).

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = tc.empty : tensor<8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %y : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0, %1 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8xf32>, %y: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
      %e = tc.empty : tensor<8xf32>
      %0:2 = tc.kernel "neg_exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>, %b = %y : tensor<8xf32>) outs(%o = %e : tensor<8xf32>, %p = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
        %u = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %u : f32
        tc.write %w, %p[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0#0, %0#1 : tensor<8xf32>, tensor<8xf32>
    }
    ```

    #### Limits
    A kernel has at most 64 buffers and as much code as fusion allows. Kernels
    whose domains differ stay apart, and so do those of which another one between
    them uses the first and feeds the second.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "kernels that were merged with an independent one">];
}

#endif // TC_TRANSFORMS_FUSEHORIZONTAL
