//===- Attention.td - Passes that make attention -----------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_ATTENTION
#define TC_TRANSFORMS_ATTENTION

include "mlir/Pass/PassBase.td"

def TCFuseAttentionPass : Pass<"tc-fuse-attention", "::mlir::ModuleOp"> {
  let summary = "make attention that is written out one kernel for tensor cores";
  let description = [{
    A contraction of queries and keys with any pointwise epilogue, such as a scale,
    a bias and a mask, a softmax of its rows and a contraction of that with values
    become one kernel where the tensor cores of the target compute it block by block
    of keys (FlashAttention: Dao et al., 2022), and nothing else needs the scores or
    the weights. Neither is in memory then. The sums are divided by the sum of the
    exponentials instead of the weights.

    #### Input
    Kernels in normal form.

    #### Output
    The same, fewer.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%q: tensor<2x128x64xbf16>, %k: tensor<2x256x64xbf16>, %v: tensor<2x256x64xbf16>) -> tensor<2x128x64xbf16> {
        %e = tc.empty : tensor<2x128x256xbf16>
        %0 = tc.kernel "scores" contraction dims [#tc.dim<"b", parallel, 2>, #tc.dim<"m", parallel, 128>, #tc.dim<"n", parallel, 256>, #tc.dim<"k", reduced, 64>] ins(%a = %q : tensor<2x128x64xbf16>, %c = %k : tensor<2x256x64xbf16>) outs(%o = %e : tensor<2x128x256xbf16>) {
          %x = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>] : tensor<2x128x64xbf16> -> bf16
          %y = tc.read %c[affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>] : tensor<2x256x64xbf16> -> bf16
          %s = tc.contract_stage %x, %y over [3] : bf16, bf16 -> f32
          %w = tc.cast %s : f32 to bf16
          tc.write %w, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] : bf16, tensor<2x128x256xbf16>
        }
        %1 = tc.kernel "softmax" row_reduction dims [#tc.dim<"b", parallel, 2>, #tc.dim<"m", parallel, 128>, #tc.dim<"n", parallel, 256>] ins(%a = %0 : tensor<2x128x256xbf16>) outs(%o = %e : tensor<2x128x256xbf16>) {
          %x = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<2x128x256xbf16> -> bf16
          %y = tc.cast %x : bf16 to f32
          %m = tc.reduce_stage max %y over [2] : f32 -> f32
          %d = tc.sub %y, %m : f32
          %p = tc.exp %d : f32
          %s = tc.reduce_stage sum %p over [2] : f32 -> f32
          %z = tc.div %p, %s : f32
          %w = tc.cast %z : f32 to bf16
          tc.write %w, %o[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : bf16, tensor<2x128x256xbf16>
        }
        %h = tc.empty : tensor<2x128x64xbf16>
        %2 = tc.kernel "sums" contraction dims [#tc.dim<"b", parallel, 2>, #tc.dim<"m", parallel, 128>, #tc.dim<"c", parallel, 64>, #tc.dim<"n", reduced, 256>] ins(%a = %1 : tensor<2x128x256xbf16>, %c = %v : tensor<2x256x64xbf16>) outs(%o = %h : tensor<2x128x64xbf16>) {
          %x = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>] : tensor<2x128x256xbf16> -> bf16
          %y = tc.read %c[affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>] : tensor<2x256x64xbf16> -> bf16
          %s = tc.contract_stage %x, %y over [3] : bf16, bf16 -> f32
          %w = tc.cast %s : f32 to bf16
          tc.write %w, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] : bf16, tensor<2x128x64xbf16>
        }
        return %2 : tensor<2x128x64xbf16>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
    #map1 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%arg0: tensor<2x128x64xbf16>, %arg1: tensor<2x256x64xbf16>, %arg2: tensor<2x256x64xbf16>) -> tensor<2x128x64xbf16> {
        %0 = tc.empty : tensor<2x128x256xbf16>
        %1 = tc.empty : tensor<2x128x64xbf16>
        %2 = tc.kernel "scores_softmax_sums" attention dims [#tc.dim<"b", parallel, 2>, #tc.dim<"m", parallel, 128>, #tc.dim<"c", parallel, 64>, #tc.dim<"n", reduced, 256>] ins(%arg3 = %arg0 : tensor<2x128x64xbf16>, %arg4 = %arg1 : tensor<2x256x64xbf16>, %arg5 = %arg2 : tensor<2x256x64xbf16>) outs(%arg6 = %1 : tensor<2x128x64xbf16>) {
          %3 = tc.read %arg3[#map] : tensor<2x128x64xbf16> -> bf16
          %4 = tc.read %arg4[#map1] : tensor<2x256x64xbf16> -> bf16
          %5 = tc.contract_stage %3, %4 over [2] : bf16, bf16 -> f32
          %6 = tc.reduce_stage max %5 over [3] : f32 -> f32
          %7 = tc.sub %5, %6 : f32
          %8 = tc.exp %7 : f32
          %9 = tc.reduce_stage sum %8 over [3] : f32 -> f32
          %10 = tc.read %arg5[#map1] : tensor<2x256x64xbf16> -> bf16
          %11 = tc.cast %8 : f32 to bf16
          %12 = tc.contract_stage %11, %10 over [3] : bf16, bf16 -> f32
          %13 = tc.div %12, %9 : f32
          %14 = tc.cast %13 : f32 to bf16
          tc.write %14, %arg6[#map] : bf16, tensor<2x128x64xbf16>
        }
        return %2 : tensor<2x128x64xbf16>
      }
    }
    ```

    #### Limits
    Targets with products of warp groups (sm_90a), and what
    `#tc.gpu_attention_schedule` takes.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numFused", "fused", "attentions that became one kernel">];
}

#endif // TC_TRANSFORMS_ATTENTION
