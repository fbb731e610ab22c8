//===- Convolution.td - Convolutions on tensor cores -------*- tablegen -*-===//

#ifndef TC_TRANSFORMS_CONVOLUTION
#define TC_TRANSFORMS_CONVOLUTION

include "mlir/Pass/PassBase.td"

def TCDecomposeTransposedConvolutionPass : Pass<"tc-decompose-transposed-convolution", "::mlir::ModuleOp"> {
  let summary = "compute the phases of a transposed convolution with a stride one by one";
  let description = [{
    Between the elements of its input, a transposed convolution with a stride, as
    the gradient of a strided convolution's input is one, reads zeros: of a stride
    of two along two dimensions, three products in four are with a zero. Which
    taps of the window meet an element depends on the rest that a point leaves
    when it is divided by the stride, its phase. So one kernel for each phase
    computes the points of this phase, and sums over their taps alone; the kernels
    write one tensor in turn. The prologue and the epilogue go with each of them. A
    phase without taps, as of a window that is smaller than the stride, sums nothing.
    (Shi et al., Is the deconvolution layer the same as a convolutional layer?,
    arXiv:1609.07009.)

    #### Input
    Kernels in normal form on tensors, of a module with a `tc.target`.

    #### Output
    The same; no read of a sum is made where a stride divides a sum of a point and
    a tap.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
      func.func @f(%x: tensor<4x5xf32>, %w: tensor<4x2x3xf32>) -> tensor<2x10xf32> {
        %e = tc.empty : tensor<2x10xf32>
        %0 = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 10>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<4x5xf32>, %b = %w : tensor<4x2x3xf32>) outs(%r = %e : tensor<2x10xf32>) {
          %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d2, (d1 - d3 + 1) floordiv 2)>] within affine_set<(d0, d1, d2, d3) : ((d1 - d3 + 1) mod 2 == 0, d1 - d3 + 1 >= 0, -d1 + d3 + 8 >= 0)> : tensor<4x5xf32> -> f32
          %q = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>] : tensor<4x2x3xf32> -> f32
          %s = tc.contract_stage %p, %q over [2, 3] : f32, f32 -> f32
          tc.write %s, %r[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, tensor<2x10xf32>
        }
        return %0 : tensor<2x10xf32>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2, d3) -> (d2, d1)>
    #map1 = affine_map<(d0, d1, d2, d3) -> (d2, d0, 1)>
    #map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2)>
    #map3 = affine_map<(d0, d1, d2, d3) -> (d2, d1 - d3 + 1)>
    #map4 = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3 * 2)>
    #map5 = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + 1)>
    #set = affine_set<(d0, d1, d2, d3) : (d1 * -2 + d3 * 2 + 7 >= 0)>
    module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
      func.func @f(%arg0: tensor<4x5xf32>, %arg1: tensor<4x2x3xf32>) -> tensor<2x10xf32> {
        %0 = tc.empty : tensor<2x10xf32>
        %1 = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 5>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 1>] ins(%arg2 = %arg0 : tensor<4x5xf32>, %arg3 = %arg1 : tensor<4x2x3xf32>) outs(%arg4 = %0 : tensor<2x10xf32>) {
          %3 = tc.read %arg2[#map] : tensor<4x5xf32> -> f32
          %4 = tc.read %arg3[#map1] : tensor<4x2x3xf32> -> f32
          %5 = tc.contract_stage %3, %4 over [2, 3] : f32, f32 -> f32
          tc.write %5, %arg4[#map2] : f32, tensor<2x10xf32>
        }
        %2 = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 5>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 2>] ins(%arg2 = %arg0 : tensor<4x5xf32>, %arg3 = %arg1 : tensor<4x2x3xf32>) outs(%arg4 = %1 : tensor<2x10xf32>) {
          %3 = tc.read %arg2[#map3] within #set : tensor<4x5xf32> -> f32
          %4 = tc.read %arg3[#map4] : tensor<4x2x3xf32> -> f32
          %5 = tc.contract_stage %3, %4 over [2, 3] : f32, f32 -> f32
          tc.write %5, %arg4[#map5] : f32, tensor<2x10xf32>
        }
        return %2 : tensor<2x10xf32>
      }
    }
    ```

    #### Limits
    A kernel has one sum and at most 16 phases; what it sums are the elements that
    it reads or products with them, so that it is zero between them. Its taps are
    of a constant number and not dilated, and its writes replace elements. On a
    GPU, where each phase is a launch, only contractions of at least 2^27 products
    are decomposed.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numDecomposed", "decomposed", "kernels that became one for each phase">];
}

def TCAssignChannelsLastPass : Pass<"tc-assign-channels-last", "::mlir::ModuleOp"> {
  let summary = "store the images between the convolutions of a GPU with their channels last";
  let description = [{
    Tensor cores multiply rows of neighbouring channels, and the copy engine
    copies them as they are; in the order of PyTorch, images are apart by
    whole planes. So on a GPU, a tensor of bf16 or f16 that a convolution reads
    or writes, and that only kernels use, has its channels as the last index in
    memory: the indices of its accesses are reordered, and the kernels that
    write it walk their points in that order. What kernels read or write point
    for point next to such a tensor (a residual, the input of a pooling, the
    result of a convolution of single points) follows. No transpose is computed,
    but where a convolution reads an argument, or what else keeps its order: it
    reads a copy, if it multiplies each element 32 times or more.

    #### Input
    Kernels in normal form on tensors, of a module with a `tc.target`.

    #### Output
    The same kernels; the types of tensors between them are permuted.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%x: tensor<2x8x6xbf16>, %w: tensor<16x8x3xbf16>) -> tensor<2x16x4xbf16> {
        %e = tc.empty : tensor<2x16x4xbf16>
        %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"i", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<2x8x6xbf16>, %b = %w : tensor<16x8x3xbf16>) outs(%r = %e : tensor<2x16x4xbf16>) {
          %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>] : tensor<2x8x6xbf16> -> bf16
          %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
          %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
          %t = tc.cast %s : f32 to bf16
          tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x16x4xbf16>
        }
        %f = tc.empty : tensor<2x16x4xbf16>
        %1 = tc.kernel "relu" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"i", parallel, 4>] ins(%a = %0 : tensor<2x16x4xbf16>) outs(%r = %f : tensor<2x16x4xbf16>) {
          %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<2x16x4xbf16> -> bf16
          %q = tc.relu %p : bf16
          tc.write %q, %r[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : bf16, tensor<2x16x4xbf16>
        }
        return %1 : tensor<2x16x4xbf16>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d3)>
    #map3 = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>
    #map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%arg0: tensor<2x8x6xbf16>, %arg1: tensor<16x8x3xbf16>) -> tensor<2x16x4xbf16> {
        %0 = tc.empty : tensor<2x16x4xbf16>
        %1 = tc.empty : tensor<2x8x6xbf16>
        %2 = tc.empty : tensor<2x6x8xbf16>
        %3 = tc.kernel "reorder" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"k", parallel, 6>, #tc.dim<"j", parallel, 8>] ins(%arg2 = %arg0 : tensor<2x8x6xbf16>) outs(%arg3 = %2 : tensor<2x6x8xbf16>) {
          %8 = tc.read %arg2[#map] : tensor<2x8x6xbf16> -> bf16
          tc.write %8, %arg3[#map1] : bf16, tensor<2x6x8xbf16>
        }
        %4 = tc.empty : tensor<2x4x16xbf16>
        %5 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"i", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 8>, #tc.dim<"k", reduced, 3>] ins(%arg2 = %3 : tensor<2x6x8xbf16>, %arg3 = %arg1 : tensor<16x8x3xbf16>) outs(%arg4 = %4 : tensor<2x4x16xbf16>) {
          %8 = tc.read %arg2[#map2] : tensor<2x6x8xbf16> -> bf16
          %9 = tc.read %arg3[#map3] : tensor<16x8x3xbf16> -> bf16
          %10 = tc.contract_stage %8, %9 over [3, 4] : bf16, bf16 -> f32
          %11 = tc.cast %10 : f32 to bf16
          tc.write %11, %arg4[#map4] : bf16, tensor<2x4x16xbf16>
        }
        %6 = tc.empty : tensor<2x16x4xbf16>
        %7 = tc.kernel "relu" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"i", parallel, 4>, #tc.dim<"o", parallel, 16>] ins(%arg2 = %5 : tensor<2x4x16xbf16>) outs(%arg3 = %6 : tensor<2x16x4xbf16>) {
          %8 = tc.read %arg2[#map1] : tensor<2x4x16xbf16> -> bf16
          %9 = tc.relu %8 : bf16
          tc.write %9, %arg3[#map] : bf16, tensor<2x16x4xbf16>
        }
        return %7 : tensor<2x16x4xbf16>
      }
    }
    ```

    #### Limits
    Arguments and results of functions keep their order. A convolution is a
    `tc.contract_stage` of two reads, one of which slides a window.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numStored", "stored", "tensors that have their channels last">];
}

def TCPackFiltersPass : Pass<"tc-pack-filters", "::mlir::ModuleOp"> {
  let summary = "store the filters of a GPU's convolutions in the order in which their images are summed";
  let description = [{
    A convolution of bf16 or f16 on a GPU whose images have their channels last
    sums over the rows of its window, the points of a row and their channels, in
    this order. Its filters are stored alike, so that each is one row of a
    matrix: in `@tc.prepare` if they are of parameters, else by a kernel before
    the convolution.

    #### Input
    Kernels in normal form on tensors, of a module with a `tc.target`.

    #### Output
    The same; filters are one row each.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%x: tensor<2x6x8xbf16>, %w: tensor<16x8x3xbf16>) -> tensor<2x4x16xbf16> {
        %e = tc.empty : tensor<2x4x16xbf16>
        %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"i", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 8>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<2x6x8xbf16>, %b = %w : tensor<16x8x3xbf16>) outs(%r = %e : tensor<2x4x16xbf16>) {
          %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d4, d3)>] : tensor<2x6x8xbf16> -> bf16
          %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
          %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
          %t = tc.cast %s : f32 to bf16
          tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x4x16xbf16>
        }
        return %0 : tensor<2x4x16xbf16>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d0, d2, d1)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
    #map3 = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>
    #map4 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%arg0: tensor<2x6x8xbf16>, %arg1: tensor<16x8x3xbf16>) -> tensor<2x4x16xbf16> {
        %0 = tc.empty : tensor<2x4x16xbf16>
        %1 = tc.empty : tensor<16x3x8xbf16>
        %2 = tc.kernel "reorder" transpose dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 3>, #tc.dim<"k", parallel, 8>] ins(%arg2 = %arg1 : tensor<16x8x3xbf16>) outs(%arg3 = %1 : tensor<16x3x8xbf16>) {
          %4 = tc.read %arg2[#map] : tensor<16x8x3xbf16> -> bf16
          tc.write %4, %arg3[#map1] : bf16, tensor<16x3x8xbf16>
        }
        %3 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"i", parallel, 4>, #tc.dim<"o", parallel, 16>, #tc.dim<"k", reduced, 3>, #tc.dim<"c", reduced, 8>] ins(%arg2 = %arg0 : tensor<2x6x8xbf16>, %arg3 = %2 : tensor<16x3x8xbf16>) outs(%arg4 = %0 : tensor<2x4x16xbf16>) {
          %4 = tc.read %arg2[#map2] : tensor<2x6x8xbf16> -> bf16
          %5 = tc.read %arg3[#map3] : tensor<16x3x8xbf16> -> bf16
          %6 = tc.contract_stage %4, %5 over [4, 3] : bf16, bf16 -> f32
          %7 = tc.cast %6 : f32 to bf16
          tc.write %7, %arg4[#map4] : bf16, tensor<2x4x16xbf16>
        }
        return %3 : tensor<2x4x16xbf16>
      }
    }

    ```

    #### Limits
    Images whose channels are not the last index keep the order of their sums.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numReordered", "reordered", "convolutions with reordered filters">];
}

def TCDecomposeConvolutionPass : Pass<"tc-decompose-convolution", "::mlir::ModuleOp"> {
  let summary = "write what a GPU's convolution of few channels sums over as rows of a matrix";
  let description = [{
    Pixels of one or three channels are no units of 16 bytes, of which tensor cores
    and the copy engine have rows: threads would load element by element, for every
    tile of filters again. A convolution of bf16 or f16 whose channels are no multiple
    of 8 reads a matrix instead, which a kernel of its own writes: a row for each
    place of the window, with what is summed over as one dimension, filled up with
    zeros to a multiple of 8. Where the columns of a window and their channels are
    next to each other in memory, those of each of its rows are filled up for
    themselves, so that a vector is of neighbours. The filters are rows like these: in `@tc.prepare` if
    they are of parameters, else by a kernel before the convolution.

    #### Input
    Kernels in normal form on tensors, of a module with a `tc.target`.

    #### Output
    The same; such convolutions are products of two matrices.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%x: tensor<16x3x16386xbf16>, %w: tensor<64x3x3xbf16>) -> tensor<16x16384x64xbf16> {
        %e = tc.empty : tensor<16x16384x64xbf16>
        %0 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 16>, #tc.dim<"i", parallel, 16384>, #tc.dim<"o", parallel, 64>, #tc.dim<"c", reduced, 3>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<16x3x16386xbf16>, %b = %w : tensor<64x3x3xbf16>) outs(%r = %e : tensor<16x16384x64xbf16>) {
          %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d1 + d4)>] : tensor<16x3x16386xbf16> -> bf16
          %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>] : tensor<64x3x3xbf16> -> bf16
          %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
          %t = tc.cast %s : f32 to bf16
          tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<16x16384x64xbf16>
        }
        return %0 : tensor<16x16384x64xbf16>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 3, d1 + d2 mod 3)>
    #map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
    #map2 = affine_map<(d0, d1) -> (d0, d1 floordiv 3, d1 mod 3)>
    #map3 = affine_map<(d0, d1) -> (d0, d1)>
    #map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
    #map5 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
    #map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
    #set = affine_set<(d0, d1, d2) : (-d2 + 8 >= 0)>
    #set1 = affine_set<(d0, d1) : (-d1 + 8 >= 0)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
      func.func @f(%arg0: tensor<16x3x16386xbf16>, %arg1: tensor<64x3x3xbf16>) -> tensor<16x16384x64xbf16> {
        %0 = tc.empty : tensor<16x16384x64xbf16>
        %1 = tc.empty : tensor<16x16384x16xbf16>
        %2 = tc.kernel "unfold" transpose dims [#tc.dim<"i", parallel, 16>, #tc.dim<"j", parallel, 16384>, #tc.dim<"k", parallel, 16>] ins(%arg2 = %arg0 : tensor<16x3x16386xbf16>) outs(%arg3 = %1 : tensor<16x16384x16xbf16>) {
          %6 = tc.read %arg2[#map] within #set : tensor<16x3x16386xbf16> -> bf16
          tc.write %6, %arg3[#map1] : bf16, tensor<16x16384x16xbf16>
        }
        %3 = tc.empty : tensor<64x16xbf16>
        %4 = tc.kernel "unfold" pointwise dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 16>] ins(%arg2 = %arg1 : tensor<64x3x3xbf16>) outs(%arg3 = %3 : tensor<64x16xbf16>) {
          %6 = tc.read %arg2[#map2] within #set1 : tensor<64x3x3xbf16> -> bf16
          tc.write %6, %arg3[#map3] : bf16, tensor<64x16xbf16>
        }
        %5 = tc.kernel "conv" contraction dims [#tc.dim<"n", parallel, 16>, #tc.dim<"i", parallel, 16384>, #tc.dim<"o", parallel, 64>, #tc.dim<"c", reduced, 16>] ins(%arg2 = %2 : tensor<16x16384x16xbf16>, %arg3 = %4 : tensor<64x16xbf16>) outs(%arg4 = %0 : tensor<16x16384x64xbf16>) {
          %6 = tc.read %arg2[#map4] : tensor<16x16384x16xbf16> -> bf16
          %7 = tc.read %arg3[#map5] : tensor<64x16xbf16> -> bf16
          %8 = tc.contract_stage %6, %7 over [3] : bf16, bf16 -> f32
          %9 = tc.cast %8 : f32 to bf16
          tc.write %9, %arg4[#map6] : bf16, tensor<16x16384x64xbf16>
        }
        return %5 : tensor<16x16384x64xbf16>
      }
    }

    ```

    #### Limits
    A convolution has at least `min-multiplications` multiplications, a number of
    points of the window and of channels that is known, and at least two of both.
    Its matrix has at most `max-growth` times the bytes of its images.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let options = [
    Option<"minMultiplications", "min-multiplications", "int64_t", "1 << 26", "fewest that a matrix is worth">,
    Option<"maxGrowth", "max-growth", "int64_t", "64", "most bytes of the matrix for a byte of the images">,
  ];
  let statistics = [Statistic<"numUnfolded", "unfolded", "convolutions that read a matrix">];
}

def TCDecomposeColumnProductsPass : Pass<"tc-decompose-column-products", "::mlir::ModuleOp"> {
  let summary = "make products of columns by columns sums of products";
  let description = [{
    The gradient of a depthwise convolution's weight multiplies each channel of
    the image by the same channel of the results' gradient: a contraction that is
    no matrix product, of columns with many points. As a fold of products, blocks
    of a GPU share its points. Products are computed and added up in the
    contraction's type.

    #### Input
    Kernels in normal form, with their final layouts.

    #### Output
    The same; `tc.contract_stage` of such columns is `tc.mul` and
    `tc.reduce_stage`.

    #### Before
    ```mlir
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%x: tensor<4096x64xbf16>, %y: tensor<4096x64xbf16>) -> tensor<64xf32> {
        %e = tc.empty : tensor<64xf32>
        %0 = tc.kernel "dots" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"c", reduced, 4096>] ins(%a = %x : tensor<4096x64xbf16>, %b = %y : tensor<4096x64xbf16>) outs(%o = %e : tensor<64xf32>) {
          %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<4096x64xbf16> -> bf16
          %w = tc.read %b[affine_map<(d0, d1) -> (d1, d0)>] : tensor<4096x64xbf16> -> bf16
          %s = tc.contract_stage %v, %w over [1] : bf16, bf16 -> f32
          tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
        }
        return %0 : tensor<64xf32>
      }
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0, d1) -> (d1, d0)>
    #map1 = affine_map<(d0, d1) -> (d0)>
    module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
      func.func @f(%arg0: tensor<4096x64xbf16>, %arg1: tensor<4096x64xbf16>) -> tensor<64xf32> {
        %0 = tc.empty : tensor<64xf32>
        %1 = tc.kernel "dots" column_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"c", reduced, 4096>] ins(%arg2 = %arg0 : tensor<4096x64xbf16>, %arg3 = %arg1 : tensor<4096x64xbf16>) outs(%arg4 = %0 : tensor<64xf32>) {
          %2 = tc.read %arg2[#map] : tensor<4096x64xbf16> -> bf16
          %3 = tc.read %arg3[#map] : tensor<4096x64xbf16> -> bf16
          %4 = tc.cast %2 : bf16 to f32
          %5 = tc.cast %3 : bf16 to f32
          %6 = tc.mul %4, %5 : f32
          %7 = tc.reduce_stage sum %6 over [1] : f32 -> f32
          tc.write %7, %arg4[#map1] : f32, tensor<64xf32>
        }
        return %1 : tensor<64xf32>
      }
    }
    ```

    #### Limits
    On a GPU, for sums of more than 32 products.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numDecomposed", "decomposed", "kernels whose contractions became folds">];
}

#endif // TC_TRANSFORMS_CONVOLUTION
