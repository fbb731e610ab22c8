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

def TCSplitShortRowsPass : Pass<"tc-split-short-rows", "::mlir::ModuleOp"> {
  let summary = "fold many short rows column by column first, on a GPU";
  let description = [{
    The group normalization of an image with its channels last folds rows of the
    few channels of a group, one for each pixel. Threads share a row, and a row of
    8 channels is one vector: one thread would fold all pixels of a group. Such a
    fold becomes one of all rows, point by point, which is a fold of columns whose
    neighbours are next to each other in memory, and one of the row that is left.
    The rest reads what that gives.

    #### Input
    Kernels in normal form on tensors, of a module with a `tc.target`.

    #### Output
    The same; no kernel folds 256 or more rows of at most 32 points together,
    whose points are next to each other in memory and the rows are not, unless it
    needs another fold for that or has fewer than 65536 points.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%x: tensor<512x4x32xf32>) -> tensor<4xf32> {
        %e = tc.empty : tensor<4xf32>
        %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 512>, #tc.dim<"k", reduced, 32>] ins(%a = %x : tensor<512x4x32xf32>) outs(%r = %e : tensor<4xf32>) {
          %p = tc.read %a[affine_map<(d0, d1, d2) -> (d1, d0, d2)>] : tensor<512x4x32xf32> -> f32
          %s = tc.reduce_stage sum %p over [1, 2] : f32 -> f32
          tc.write %s, %r[affine_map<(d0, d1, d2) -> (d0)>] : f32, tensor<4xf32>
        }
        return %0 : tensor<4xf32>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
    #map2 = affine_map<(d0, d1) -> (d0, d1)>
    #map3 = affine_map<(d0, d1) -> (d0)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%arg0: tensor<512x4x32xf32>) -> tensor<4xf32> {
        %0 = tc.empty : tensor<4xf32>
        %1 = tc.empty : tensor<4x32xf32>
        %2 = tc.kernel "sum" column_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 512>, #tc.dim<"k", parallel, 32>] ins(%arg1 = %arg0 : tensor<512x4x32xf32>) outs(%arg2 = %1 : tensor<4x32xf32>) {
          %5 = tc.read %arg1[#map] : tensor<512x4x32xf32> -> f32
          %6 = tc.reduce_stage sum %5 over [1] : f32 -> f32
          tc.write %6, %arg2[#map1] : f32, tensor<4x32xf32>
        }
        %3 = tc.empty : tensor<4xf32>
        %4 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 32>] ins(%arg1 = %2 : tensor<4x32xf32>) outs(%arg2 = %3 : tensor<4xf32>) {
          %5 = tc.read %arg1[#map2] : tensor<4x32xf32> -> f32
          %6 = tc.reduce_stage sum %5 over [1] : f32 -> f32
          tc.write %6, %arg2[#map3] : f32, tensor<4xf32>
        }
        return %4 : tensor<4xf32>
      }
    }
    ```

    #### Limits
    What depends on another fold is split when that one is. Folds on a CPU, where a
    task has whole rows, stay.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numSplit", "split", "folds that are of columns and of rows now">];
}

def TCSplitOverwritesPass : Pass<"tc-split-overwrites", "::mlir::func::FuncOp"> {
  let summary = "compute an element that may be written over an argument behind all that reads the argument";
  let description = [{
    The step of an optimizer counts its calls, and each update of a parameter
    is computed of the count. Where a kernel of many points also gives the next
    count, that cannot be written over the one that its other points read. Such
    elements are computed by kernels of their own at the end of the function, where
    nothing reads the argument any more.

    #### Input
    Kernels in normal form on tensors.

    #### Output
    The same; what a function returns of one element, that may be written over an
    argument (`tc.may_overwrite`) and is computed of that argument alone, is
    computed at its end.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>, %n: tensor<f32>) -> (tensor<8xf32>, tensor<f32> {tc.may_overwrite = 1 : i64}) {
      %e = tc.empty : tensor<8xf32>
      %c = tc.empty : tensor<f32>
      %0:2 = tc.kernel "add_mul" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>, %b = %n : tensor<f32>) outs(%r = %e : tensor<8xf32>, %s = %c : tensor<f32>) {
        %p = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
        %one = tc.scalar 1.0 : f32
        %q = tc.add %p, %one : f32
        tc.write %q, %s[affine_map<(d0) -> ()>] : f32, tensor<f32>
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.mul %v, %q : f32
        tc.write %w, %r[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %0#0, %0#1 : tensor<8xf32>, tensor<f32>
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0) -> ()>
    #map1 = affine_map<(d0) -> (d0)>
    #map2 = affine_map<() -> ()>
    func.func @f(%arg0: tensor<8xf32>, %arg1: tensor<f32>) -> (tensor<8xf32>, tensor<f32> {tc.may_overwrite = 1 : i64}) {
      %0 = tc.empty : tensor<8xf32>
      %1 = tc.empty : tensor<f32>
      %2:2 = tc.kernel "add_mul" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%arg2 = %arg0 : tensor<8xf32>, %arg3 = %arg1 : tensor<f32>) outs(%arg4 = %0 : tensor<8xf32>, %arg5 = %1 : tensor<f32>) {
        %5 = tc.read %arg3[#map] : tensor<f32> -> f32
        %6 = tc.scalar 1.000000e+00 : f32
        %7 = tc.add %5, %6 : f32
        tc.write %7, %arg5[#map] : f32, tensor<f32>
        %8 = tc.read %arg2[#map1] : tensor<8xf32> -> f32
        %9 = tc.mul %8, %7 : f32
        tc.write %9, %arg4[#map1] : f32, tensor<8xf32>
      }
      %3 = tc.empty : tensor<f32>
      %4 = tc.kernel "overwrite" pointwise dims [] ins(%arg2 = %arg1 : tensor<f32>) outs(%arg3 = %3 : tensor<f32>) {
        %5 = tc.read %arg2[#map2] : tensor<f32> -> f32
        %6 = tc.scalar 1.000000e+00 : f32
        %7 = tc.add %5, %6 : f32
        tc.write %7, %arg3[#map2] : f32, tensor<f32>
      }
      return %2#0, %4 : tensor<8xf32>, tensor<f32>
    }
    ```

    #### Limits
    Elements that are folded, or of more than the argument that they go over,
    stay, and so do those that other kernels read.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numSplit", "split", "elements that were split off">];
}

#endif // TC_TRANSFORMS_FISSION
