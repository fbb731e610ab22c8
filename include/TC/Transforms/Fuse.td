//===- Fuse.td - Passes of the phase fuse ------------------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_FUSE
#define TC_TRANSFORMS_FUSE

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
    the consumer, stay. So do those that read a contraction's result and have
    several consumers, or one that only moves elements: they belong on the
    contraction's tile (`tc-fuse-epilogue`).
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
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1) -> (d0)>
    module {
      func.func @f(%arg0: tensor<4x8xf32>) -> tensor<4xf32> {
        %0 = tc.empty : tensor<4x8xf32>
        %1 = tc.empty : tensor<4xf32>
        %2 = tc.kernel "neg_sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%arg1 = %arg0 : tensor<4x8xf32>) outs(%arg2 = %1 : tensor<4xf32>) {
          %3 = tc.read %arg1[#map] : tensor<4x8xf32> -> f32
          %4 = tc.neg %3 : f32
          %5 = tc.reduce_stage  sum %4 over [1] : f32 -> f32
          tc.write %5, %arg2[#map1] : f32, tensor<4xf32>
        }
        return %2 : tensor<4xf32>
      }
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
    the intermediate give equations between their dimensions (numbers of several
    digits are equal where their digits are), and a dimension that one of them
    folds is the other's where both read the same row. The
    stages of both then make one kernel, and what the consumer read of the
    intermediate is a value of the body. So a bias, an activation or a residual
    becomes part of a contraction, and softmax, layer norm or an entropy written
    as single ops become one kernel that reads its row once.

    Of two products of the same rows, for tensor cores, one may be what the other
    one's epilogue needs, as the gate of an MLP: both are one kernel then, whose
    tiles have half of their lanes of each.

    A merge is taken when one launch takes no longer than two by the cost model:
    it saves bytes and may lose parallelism. What folds alone need of results
    that stay in memory is left to them, a cast of a product to a wider type to
    what reads it. No fold is computed again for each of many points of another.

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
    #map = affine_map<(d0, d1) -> (d0, d1)>
    module {
      func.func @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %0 = tc.empty : tensor<4xf32>
        %1 = tc.empty : tensor<4x8xf32>
        %2 = tc.kernel "sum_div" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%arg1 = %arg0 : tensor<4x8xf32>) outs(%arg2 = %1 : tensor<4x8xf32>) {
          %3 = tc.read %arg1[#map] : tensor<4x8xf32> -> f32
          %4 = tc.reduce_stage  sum %3 over [1] : f32 -> f32
          %5 = tc.div %3, %4 : f32
          tc.write %5, %arg2[#map] : f32, tensor<4x8xf32>
        }
        return %2 : tensor<4x8xf32>
      }
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

def TCEliminateDeadOutputsPass : Pass<"tc-eliminate-dead-outputs", "::mlir::ModuleOp"> {
  let summary = "remove kernel results that nothing reads, and kernels without any";
  let description = [{
    Fusion leaves results whose only reader is now part of the kernel. They, the
    stages that only they need, and ops without users go.

    #### Input
    Kernels in normal form.

    #### Output
    The same, each result of which has a user.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tc.empty : tensor<8xf32>
      %0:2 = tc.kernel "neg_exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>, %p = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
        %w = tc.exp %v : f32
        tc.write %w, %p[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0#1 : tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tc.empty : tensor<8xf32>
      %0 = tc.kernel "neg_exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0 : tensor<8xf32>
    }
    ```

    #### Limits
    A result that a caller of the function ignores stays.
  }];
  let dependentDialects = ["::tc::TCDialect"];
}

def TCFuseReshapesPass : Pass<"tc-fuse-reshapes", "::mlir::ModuleOp"> {
  let summary = "let kernels read through reshapes";
  let description = [{
    A read of a reshape's result becomes a read of its operand: the index map is
    composed with the reshape's, group of dimensions by group, and simplified by
    the dimensions' sizes. So no reshape is left between kernels that could
    fuse. Where a dimension would have to be divided, it is done for the
    result of a kernel (`tc-split-dimensions` follows) but not for a
    contraction, whose operand the reshape then keeps contiguous.

    #### Input
    Kernels in normal form and reshapes.

    #### Output
    The same; reshapes that remain cost nothing on contiguous memory.

    #### Before
    ```mlir
    func.func @f(%x: tensor<32xf32>) -> tensor<4x8xf32> {
      %r = tc.reshape %x : tensor<32xf32> -> tensor<4x8xf32>
      %e = tc.empty : tensor<4x8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %r : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<32xf32>) -> tensor<4x8xf32> {
      %e = tc.empty : tensor<4x8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<32xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0 * 8 + d1)>] : tensor<32xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %0 : tensor<4x8xf32>
    }
    ```

    #### Limits
    Inside a group, all sizes but the first must be constants.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "reshapes that became part of an index map">];
}

def TCSplitDimensionsPass : Pass<"tc-split-dimensions", "::mlir::ModuleOp"> {
  let summary = "split dimensions that index maps divide";
  let description = [{
    A dimension c with `c floordiv n` or `c mod n` in an index map, n a divisor
    of its size, becomes two, c = c0 * n + c1. The maps are then affine without
    divisions, so that fusion and vectorisation see contiguous dimensions.

    #### Input
    Kernels in normal form.

    #### Output
    The same; a division is left only where it does not divide the size.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<32xf32> {
      %e = tc.empty : tensor<32xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<32xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0 floordiv 8, d0 mod 8)>] : tensor<4x8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<32xf32>
      }
      return %0 : tensor<32xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<32xf32> {
      %e = tc.empty : tensor<32xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"i0", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<32xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0, d1) -> (d0 * 8 + d1)>] : f32, tensor<32xf32>
      }
      return %0 : tensor<32xf32>
    }
    ```

    #### Limits
    Contractions and attention keep their dimensions.
  }];
  let dependentDialects = ["::tc::TCDialect"];
}

def TCCollapseDimensionsPass : Pass<"tc-collapse-dimensions", "::mlir::ModuleOp"> {
  let summary = "make neighbouring dimensions one where every buffer has them side by side";
  let description = [{
    Two dimensions that are next to each other in each index map that has one
    of them, and cover their buffers, are one longer dimension; the buffers are
    reshaped, which costs nothing. So an elementwise kernel is one long loop,
    and a linear layer on [batch, tokens, features] one matrix product. Dimensions
    of size one are dropped, those of the buffers too, and inputs are in the
    order in which they are read: kernels that differ in nothing else are equal,
    and their code is generated once.

    On a GPU, rows of a constant length that are no whole vectors of 16 bytes are
    one dimension with those before them also where a buffer has a part of the
    outer one, as in a concatenation: its bounds become bounds of points.

    #### Input
    Kernels in normal form on tensors.

    #### Output
    The same over fewer dimensions.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %e = tc.empty : tensor<4x8xf32>
      %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
        %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
        %n = tc.neg %v : f32
        tc.write %n, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
      }
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0) -> (d0)>
    module {
      func.func @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
        %0 = tc.empty : tensor<4x8xf32>
        %1 = tc.reshape %arg0 : tensor<4x8xf32> -> tensor<32xf32>
        %2 = tc.empty : tensor<32xf32>
        %3 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%arg1 = %1 : tensor<32xf32>) outs(%arg2 = %2 : tensor<32xf32>) {
          %5 = tc.read %arg1[#map] : tensor<32xf32> -> f32
          %6 = tc.neg %5 : f32
          tc.write %6, %arg2[#map] : f32, tensor<32xf32>
        }
        %4 = tc.reshape %3 : tensor<32xf32> -> tensor<4x8xf32>
        return %4 : tensor<4x8xf32>
      }
    }
    ```

    #### Limits
    Dimensions that a `tc.index` or a set uses stay.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numCollapsed", "collapsed", "pairs of dimensions that became one">];
}

#endif // TC_TRANSFORMS_FUSE
