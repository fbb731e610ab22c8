//===- Fission.td - Kernels that become several ------------*- tablegen -*-===//
//
// What one kernel would compute with too few blocks is done by several.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_FISSION
#define TC_TRANSFORMS_FISSION

include "mlir/Pass/PassBase.td"

def TCSplitFoldsPass : Pass<"tc-split-folds", "::mlir::ModuleOp"> {
  let summary = "split kernels whose blocks cannot share the folds of few columns";
  let description = [{
    Blocks of a GPU share the folds of columns where a kernel does nothing else. A
    kernel that folds again what depends on a fold, or writes at the points that it
    folds, has a block for 64 columns as a whole: the batch normalization of
    256 channels in training, which is a mean, a variance and a value for each
    point, would have work for 4 blocks. Its first folds become a kernel of
    their own, then those that need only these, and the rest reads what they give
    (loop fission). It is done where the kernels are estimated to take less time.

    #### Input
    Kernels in normal form, with their final layouts.

    #### Output
    The same; more kernels.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%x: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
        %e = tc.empty : tensor<65536x64xf32>
        %0 = tc.kernel "center" column_reduction dims [#tc.dim<"i", parallel, 65536>, #tc.dim<"j", parallel, 64>] ins(%a = %x : tensor<65536x64xf32>) outs(%o = %e : tensor<65536x64xf32>) {
          %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<65536x64xf32> -> f32
          %s = tc.reduce_stage max %v over [0] : f32 -> f32
          %c = tc.sub %v, %s : f32
          tc.write %c, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<65536x64xf32>
        }
        return %0 : tensor<65536x64xf32>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1) -> (d0, d1)>
    #map1 = affine_map<(d0, d1) -> (d1)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%arg0: tensor<65536x64xf32>) -> tensor<65536x64xf32> {
        %0 = tc.empty : tensor<65536x64xf32>
        %1 = tc.empty : tensor<64xf32>
        %2 = tc.kernel "center" column_reduction dims [#tc.dim<"i", reduced, 65536>, #tc.dim<"j", parallel, 64>] ins(%arg1 = %arg0 : tensor<65536x64xf32>) outs(%arg2 = %1 : tensor<64xf32>) {
          %4 = tc.read %arg1[#map] : tensor<65536x64xf32> -> f32
          %5 = tc.reduce_stage max %4 over [0] : f32 -> f32
          tc.write %5, %arg2[#map1] : f32, tensor<64xf32>
        }
        %3 = tc.kernel "center" pointwise dims [#tc.dim<"i", parallel, 65536>, #tc.dim<"j", parallel, 64>] ins(%arg1 = %2 : tensor<64xf32>, %arg2 = %arg0 : tensor<65536x64xf32>) outs(%arg3 = %0 : tensor<65536x64xf32>) {
          %4 = tc.read %arg1[#map1] : tensor<64xf32> -> f32
          %5 = tc.read %arg2[#map] : tensor<65536x64xf32> -> f32
          %6 = tc.sub %5, %4 : f32
          tc.write %6, %arg3[#map] : f32, tensor<65536x64xf32>
        }
        return %3 : tensor<65536x64xf32>
      }
    }
    ```

    #### Limits
    A kernel with a contraction, a scan, a sort or a scatter stays as it is, and so
    does one whose first folds are along different dimensions.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numSplit", "split", "kernels whose first folds were split off">];
}

#endif // TC_TRANSFORMS_FISSION
