//===- DecomposeAttention.td - Passes that decompose attention -*- tablegen -*-===//

#ifndef TC_TRANSFORMS_DECOMPOSE_ATTENTION
#define TC_TRANSFORMS_DECOMPOSE_ATTENTION

include "mlir/Pass/PassBase.td"

def TCDecomposeAttentionPass : Pass<"tc-decompose-attention", "::mlir::func::FuncOp"> {
  let summary = "decompose attention with dropout into products";
  let description = [{
    Scores, their softmax, what dropout keeps of it and the product with the
    values are ops of their own: which weights are kept is a function of their
    positions (`tc.dropout_bits`), so that no mask is in memory. Attention
    without dropout stays whole, as does that of bf16 or f16 where the target
    has tensor cores that compute it tile by tile.

    #### Input
    Any function of a module with `tc.target`.

    #### Output
    No `tc.attention` with `dropout`, but those that tensor cores compute.

    #### Before
    ```mlir
    func.func @f(%q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>, %s: tensor<i64>, %o: tensor<i64>) -> tensor<3x4xf32> {
      %r = tc.attention %q, %k, %v dropout 0.25 seed %s offset %o : tensor<i64>, tensor<i64> scale 0.5 : tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
      return %r : tensor<3x4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5x4xf32>, %arg3: tensor<i64>, %arg4: tensor<i64>) -> tensor<3x4xf32> {
      %0 = tc.contract "qd,kd->qk" %arg0, %arg1 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
      %1 = tc.full 5.000000e-01 : f32 -> tensor<3x5xf32>
      %2 = tc.mul %0, %1 : tensor<3x5xf32>
      %3 = tc.reduce max %2 dims [1] {allow_empty} : tensor<3x5xf32> -> tensor<3xf32>
      %4 = tc.full 0xFF800000 : f32 -> tensor<3xf32>
      %5 = tc.eq %3, %4 : tensor<3xf32>
      %6 = tc.full 0.000000e+00 : f32 -> tensor<3xf32>
      %7 = tc.select %5, %6, %3 : tensor<3xi1>, tensor<3xf32>
      %8 = tc.broadcast %7 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
      %9 = tc.sub %2, %8 : tensor<3x5xf32>
      %10 = tc.exp %9 : tensor<3x5xf32>
      %11 = tc.reduce sum %10 dims [1] : tensor<3x5xf32> -> tensor<3xf32>
      %12 = tc.full 0.000000e+00 : f32 -> tensor<3xf32>
      %13 = tc.eq %11, %12 : tensor<3xf32>
      %14 = tc.full 1.000000e+00 : f32 -> tensor<3xf32>
      %15 = tc.select %13, %14, %11 : tensor<3xi1>, tensor<3xf32>
      %16 = tc.broadcast %15 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
      %17 = tc.div %10, %16 : tensor<3x5xf32>
      %18 = tc.iota dim 0 start 0 step 1 : tensor<3x5xi64>
      %19 = tc.full 4294967296 : i64 -> tensor<3x5xi64>
      %20 = tc.mul %18, %19 : tensor<3x5xi64>
      %21 = tc.iota dim 1 start 0 step 1 : tensor<3x5xi64>
      %22 = tc.add %20, %21 : tensor<3x5xi64>
      %23 = tc.broadcast %arg3 dims [] : tensor<i64> -> tensor<3x5xi64>
      %24 = tc.broadcast %arg4 dims [] : tensor<i64> -> tensor<3x5xi64>
      %25 = tc.dropout_bits %23, %24, %22 : tensor<3x5xi64>
      %26 = tc.full 49152 : i64 -> tensor<3x5xi64>
      %27 = tc.lt %25, %26 : tensor<3x5xi64>
      %28 = tc.full 1.33333337 : f32 -> tensor<3x5xf32>
      %29 = tc.mul %17, %28 : tensor<3x5xf32>
      %30 = tc.full 0.000000e+00 : f32 -> tensor<3x5xf32>
      %31 = tc.select %27, %29, %30 : tensor<3x5xi1>, tensor<3x5xf32>
      %32 = tc.contract "qk,kv->qv" %31, %arg2 : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
      return %32 : tensor<3x4xf32>
    }
    ```

    #### Limits
    bf16 and f16 compute in f32 and round once, at the end.
  }];
}

def TCDecomposeAttentionBackwardPass : Pass<"tc-decompose-attention-backward", "::mlir::func::FuncOp"> {
  let summary = "decompose gradients of attention into products";
  let description = [{
    The weights of attention are computed once more, from the scores and the
    logarithms of their sums, and multiplied as matrices, which are in memory
    then. Where the target has tensor cores that compute the gradients tile by
    tile, of bf16 or f16, they stay whole.

    #### Input
    Any function of a module with `tc.target`.

    #### Output
    No `tc.attention_backward`, but those that `convert-tc-to-kernel` converts.

    #### Before
    ```mlir
    func.func @f(%g: tensor<3x4xf32>, %q: tensor<3x4xf32>, %k: tensor<5x4xf32>, %v: tensor<5x4xf32>, %l: tensor<3xf32>, %p: tensor<3xf32>) -> tensor<5x4xf32> {
      %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.5 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<5x4xf32>, tensor<5x4xf32>, tensor<3xf32>, tensor<3xf32> -> tensor<3x4xf32>
      return %gv : tensor<5x4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<5x4xf32>, %arg3: tensor<5x4xf32>, %arg4: tensor<3xf32>, %arg5: tensor<3xf32>) -> tensor<5x4xf32> {
      %0 = tc.contract "qd,kd->qk" %arg1, %arg2 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
      %1 = tc.full 5.000000e-01 : f32 -> tensor<3x5xf32>
      %2 = tc.mul %0, %1 : tensor<3x5xf32>
      %3 = tc.full 0xFF800000 : f32 -> tensor<3xf32>
      %4 = tc.eq %arg4, %3 : tensor<3xf32>
      %5 = tc.full 0.000000e+00 : f32 -> tensor<3xf32>
      %6 = tc.select %4, %5, %arg4 : tensor<3xi1>, tensor<3xf32>
      %7 = tc.broadcast %6 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
      %8 = tc.sub %2, %7 : tensor<3x5xf32>
      %9 = tc.exp %8 : tensor<3x5xf32>
      %10 = tc.contract "qv,kv->qk" %arg0, %arg3 : tensor<3x4xf32>, tensor<5x4xf32> -> tensor<3x5xf32>
      %11 = tc.broadcast %arg5 dims [0] : tensor<3xf32> -> tensor<3x5xf32>
      %12 = tc.sub %10, %11 : tensor<3x5xf32>
      %13 = tc.mul %9, %12 : tensor<3x5xf32>
      %14 = tc.contract "qk,kd->qd" %13, %arg2 : tensor<3x5xf32>, tensor<5x4xf32> -> tensor<3x4xf32>
      %15 = tc.full 5.000000e-01 : f32 -> tensor<3x4xf32>
      %16 = tc.mul %14, %15 : tensor<3x4xf32>
      %17 = tc.contract "qk,qd->kd" %13, %arg1 : tensor<3x5xf32>, tensor<3x4xf32> -> tensor<5x4xf32>
      %18 = tc.full 5.000000e-01 : f32 -> tensor<5x4xf32>
      %19 = tc.mul %17, %18 : tensor<5x4xf32>
      %20 = tc.contract "qk,qv->kv" %9, %arg0 : tensor<3x5xf32>, tensor<3x4xf32> -> tensor<5x4xf32>
      return %20 : tensor<5x4xf32>
    }
    ```

    #### Limits
    bf16 and f16 compute in f32 and round once, at the end.
  }];
}

#endif // TC_TRANSFORMS_DECOMPOSE_ATTENTION
