//===- Scatter.td - Scatters that need none ----------------*- tablegen -*-===//
//
// Elements whose places are known when compiling, or of which each row has one,
// are found by what reads the places.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_SCATTER
#define TC_TRANSFORMS_SCATTER

include "mlir/Pass/PassBase.td"

def TCDecomposeSingleScatterPass : Pass<"tc-decompose-single-scatter", "::mlir::func::FuncOp"> {
  let summary = "put one element into each row of a constant tensor by a choice of each point";
  let description = [{
    The gradient of a picked class puts one element into each row of zeros, and
    a one-hot encoding does. Here each point compares its position with the
    index of its row instead, which what reads the result does on the way: the
    zeros are not in memory. The index is looked up in the positions of a row,
    where one out of range is an error at run time as before. The sum of such a
    row of zeros is its element.

    #### Input
    Any function.

    #### Output
    No `tc.scatter replace` and no `tc.scatter sum` into a tensor with the same
    number everywhere and with one index for each of its rows.

    #### Before
    ```mlir
    func.func @f(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>) -> tensor<4x8xf32> {
      %x = tc.full 0.0 : f32 -> tensor<4x8xf32>
      %0 = tc.scatter replace %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4x1xi64>, %arg1: tensor<4x1xf32>) -> tensor<4x8xf32> {
      %0 = tc.full 0.000000e+00 : f32 -> tensor<4x8xf32>
      %1 = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
      %2 = tc.reshape %arg0 : tensor<4x1xi64> -> tensor<4xi64>
      %3 = tc.gather %1[%2] dim 0 : tensor<8xi64>, tensor<4xi64> -> tensor<4xi64>
      %4 = tc.broadcast %3 dims [0] : tensor<4xi64> -> tensor<4x8xi64>
      %5 = tc.iota dim 1 start 0 step 1 : tensor<4x8xi64>
      %6 = tc.eq %5, %4 : tensor<4x8xi64>
      %7 = tc.reshape %arg1 : tensor<4x1xf32> -> tensor<4xf32>
      %8 = tc.broadcast %7 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %9 = tc.select %6, %8, %0 : tensor<4x8xi1>, tensor<4x8xf32>
      return %9 : tensor<4x8xf32>
    }
    ```

    #### Limits
    One index a row in its type, along the dimension of the scatter and in all
    others as many as the tensor has. Few elements of a tensor in memory are
    replaced there, and stay a scatter.
  }];
}

def TCDecomposeStaticScatterPass : Pass<"tc-decompose-static-scatter", "::mlir::func::FuncOp"> {
  let summary = "compute sums into places that are known when compiling by a fold of each place";
  let description = [{
    The gradients of resampling, of average pooling and of overlapping windows
    add elements into zeros at places that follow from positions alone. Here
    the indices are evaluated, and each place sums the elements that go to it:
    no order between threads, no atomics, no zeros that are read and written
    again. Places with fewer elements than the fullest are padded.

    #### Input
    Any function.

    #### Output
    No `tc.index_put sum` into zeros whose indices are computed from positions
    and constants, each by its own dimensions, where the places read at most
    eight times as many elements as there are elements and places.

    #### Before
    ```mlir
    func.func @f(%v: tensor<2x3xf32>) -> tensor<2x2xf32> {
      %x = tc.full 0.0 : f32 -> tensor<2x2xf32>
      %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
      %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xi64>
      return %0 : tensor<2x2xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<2x3xf32>) -> tensor<2x2xf32> {
      %0 = tc.full 0.000000e+00 : f32 -> tensor<2x2xf32>
      %1 = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
      %2 = tc.constant dense<[[0, 0], [1, 2]]> : tensor<2x2xi32>
      %3 = tc.index_tensors %arg0[%2] dims [1] : tensor<2x3xf32>, tensor<2x2xi32> -> tensor<2x2x2xf32>
      %4 = tc.constant dense<[[true, false], [true, true]]> : tensor<2x2xi1>
      %5 = tc.broadcast %4 dims [1, 2] : tensor<2x2xi1> -> tensor<2x2x2xi1>
      %6 = tc.full 0.000000e+00 : f32 -> tensor<2x2x2xf32>
      %7 = tc.select %5, %3, %6 : tensor<2x2x2xi1>, tensor<2x2x2xf32>
      %8 = tc.reduce sum %7 dims [2] : tensor<2x2x2xf32> -> tensor<2x2xf32>
      return %8 : tensor<2x2xf32>
    }
    ```

    #### Limits
    Indices of up to 65536 elements, of static sizes, that are computed by
    elementwise ops, views and `tc.iota`. A `tc.scatter`, whose index has an
    element for each element, stays.
  }];
}

#endif // TC_TRANSFORMS_SCATTER
