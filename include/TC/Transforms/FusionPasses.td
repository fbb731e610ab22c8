//===- FusionPasses.td - Passes of the phase fuse ----------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_FUSIONPASSES
#define TC_TRANSFORMS_FUSIONPASSES

include "mlir/Pass/PassBase.td"

def TCFuseElementwisePass : Pass<"tc-fuse-elementwise", "::mlir::ModuleOp"> {
  let summary = "put pointwise kernels into the pointwise kernels that read them";
  let description = [{
    A read of a pointwise kernel's result is replaced by that kernel's body at
    the read's index map, so a chain of elementwise ops, and the broadcasts,
    transposes, slices, pads and concatenations between them, is one kernel. It
    happens when all consumers are pointwise and the time saved (a launch and
    the bytes of the intermediate) exceeds the time to compute the value again
    in each of them. Fusions taken and refused are remarks of the category
    `tc-fuse`.

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer. Casts to bf16 or f16 and back inside a chain are gone.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tc.empty : tensor<8xf32>
      %0 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      %1 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.neg %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tc.empty : tensor<8xf32>
      %1 = tc.kernel "exp_neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        %z = tc.neg %w : f32
        tc.write %z, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```

    #### Limits
    Producers that scatter, or whose bounds would depend on an index computed in
    the consumer, stay.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "results that were fused into their consumers">];
}

def TCFuseProloguePass : Pass<"tc-fuse-prologue", "::mlir::ModuleOp"> {
  let summary = "put pointwise kernels into the reductions and contractions that read them";
  let description = [{
    As `tc-fuse-elementwise`, for consumers of every class. What is read once
    for every tile of a contraction must be a view (a slice, a transpose, a
    cast) or next to nothing to compute; what is expensive is not put where each
    element is read more than twice.

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %e = tc.empty : tensor<4x8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %w = tc.neg %v : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      %d = tc.empty : tensor<4xf32>
      %1 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %0 : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %w = tc.reduce_stage sum %v over [1] : f32 -> f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %d = tc.empty : tensor<4xf32>
      %1 = tc.kernel "neg_sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %n = tc.neg %v : f32
        %w = tc.reduce_stage sum %n over [1] : f32 -> f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
      }
      return %1 : tensor<4xf32>
    }
    ```

    #### Limits
    As for `tc-fuse-elementwise`.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "results that were fused into their consumers">];
}

def TCFuseEpiloguePass : Pass<"tc-fuse-epilogue", "::mlir::ModuleOp"> {
  let summary = "merge a kernel with a consumer that finds its elements at the same points";
  let description = [{
    The domains of a kernel and of one of its consumers are unified: elements of
    the intermediate give equations between their dimensions, and a dimension
    that one of them folds is the other's where both read the same row. The
    stages of both then make one kernel, and what the consumer read of the
    intermediate is a value of the body. So a bias, an activation or a residual
    becomes part of a contraction, and softmax, layer norm or an entropy written
    as single ops become one kernel that reads its row once.

    A merge is taken when one launch takes no longer than two by the cost model:
    it saves bytes and may lose parallelism.

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %d = tc.empty : tensor<4xf32>
      %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %w = tc.reduce_stage sum %v over [1] : f32 -> f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
      }
      %e = tc.empty : tensor<4x8xf32>
      %1 = tc.kernel "div" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>, %b = %0 : tensor<4xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %s = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<4xf32> -> f32
        %w = tc.div %v, %s : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %1 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %e = tc.empty : tensor<4x8xf32>
      %1 = tc.kernel "sum_div" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %s = tc.reduce_stage sum %v over [1] : f32 -> f32
        %w = tc.div %v, %s : f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %1 : tensor<4x8xf32>
    }
    ```

    #### Limits
    A contraction takes pointwise consumers of its tile only; nothing is merged
    into a contraction's operand.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "consumers that were merged into their producers">];
}

def TCClassifyKernelsPass : Pass<"tc-classify-kernels", "::mlir::ModuleOp"> {
  let summary = "settle each kernel's class and the order of its dimensions";
  let description = [{
    After fusion the body says what a kernel is: its class follows from its
    stages. Dimensions are sorted (parallel ones in the order of the largest
    result's indices, then reduced ones) and called parallel or reduced anew.

    #### Input
    Kernels in normal form.

    #### Output
    The same, with dimensions in order and the class of their body.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<4xf32> {
      %e = tc.empty : tensor<4xf32>
      %0 = tc.kernel "sum" pointwise dims [#tc.dim<"i", reduced, 8>, #tc.dim<"j", parallel, 4>] ins(%a = %x : tensor<8x4xf32>) outs(%o = %e : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<8x4xf32> -> f32
        %w = tc.reduce_stage sum %v over [0] : f32 -> f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d1)>] : f32, tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8x4xf32>) -> tensor<4xf32> {
      %e = tc.empty : tensor<4xf32>
      %0 = tc.kernel "sum" column_reduction dims [#tc.dim<"j", parallel, 4>, #tc.dim<"i", reduced, 8>] ins(%a = %x : tensor<8x4xf32>) outs(%o = %e : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<8x4xf32> -> f32
        %w = tc.reduce_stage sum %v over [1] : f32 -> f32
        tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
      }
      return %0 : tensor<4xf32>
    }
    ```

    #### Limits
    A kernel of class library_call or custom keeps it.
  }];
  let dependentDialects = ["::tc::TCDialect"];
}

#endif // TC_TRANSFORMS_FUSIONPASSES
