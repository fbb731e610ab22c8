//===- Decompose.td - Passes that decompose composites -*- tablegen -*-===//

#ifndef TC_TRANSFORMS_DECOMPOSE
#define TC_TRANSFORMS_DECOMPOSE

include "mlir/Pass/PassBase.td"

def TCDecomposeBatchNormPass : Pass<"tc-decompose-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "decompose batch norms into a scale and a shift a channel";
  let description = [{
    Batch norm with running statistics is one multiplication and one
    addition an element. The scale and the shift are vectors of the
    channels; of parameters alone, they are computed once at load. Where a
    batch norm follows a convolution of parameters, `tc-fold-batch-norm`,
    which runs before, has removed it.

    #### Input
    Any function.

    #### Output
    No `tc.batch_norm`.

    #### Before
    ```mlir
    func.func @f(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x4xf32> {
      %0 = tc.batch_norm %x mean %m variance %v eps 1.0e-5 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
      return %0 : tensor<2x3x4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<2x3x4xf32> {
      %0 = tc.full 9.99999974E-6 : f32 -> tensor<3xf32>
      %1 = tc.add %arg2, %0 : tensor<3xf32>
      %2 = tc.rsqrt %1 : tensor<3xf32>
      %3 = tc.mul %arg1, %2 : tensor<3xf32>
      %4 = tc.neg %3 : tensor<3xf32>
      %5 = tc.broadcast %2 dims [1] : tensor<3xf32> -> tensor<2x3x4xf32>
      %6 = tc.mul %arg0, %5 : tensor<2x3x4xf32>
      %7 = tc.broadcast %4 dims [1] : tensor<3xf32> -> tensor<2x3x4xf32>
      %8 = tc.add %6, %7 : tensor<2x3x4xf32>
      return %8 : tensor<2x3x4xf32>
    }
    ```

    #### Limits
    bf16 and f16 compute in f32 and round once, at the end.
  }];
}

def TCDecomposeGroupNormPass : Pass<"tc-decompose-group-norm", "::mlir::func::FuncOp"> {
  let summary = "decompose group norms into layer norms of the groups";
  let description = [{
    A group of channels and all their positions are one row: the norm of
    rows is `tc.layer_norm`, which later phases keep whole, and the
    channels' weights and biases come after it.

    #### Input
    Any function.

    #### Output
    No `tc.group_norm`, but where the number of channels is a symbol.

    #### Before
    ```mlir
    func.func @f(%x: tensor<2x6x4x4xf32>, %w: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
      %0 = tc.group_norm %x weight %w : tensor<6xf32> groups 3 eps 1.0e-5 : tensor<2x6x4x4xf32>
      return %0 : tensor<2x6x4x4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<2x6x4x4xf32>, %arg1: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
      %0 = tc.reshape %arg0 : tensor<2x6x4x4xf32> -> tensor<2x3x32xf32>
      %1 = tc.layer_norm %0 rank 1 eps 1.000000e-05 : tensor<2x3x32xf32>
      %2 = tc.reshape %1 : tensor<2x3x32xf32> -> tensor<2x6x4x4xf32>
      %3 = tc.broadcast %arg1 dims [1] : tensor<6xf32> -> tensor<2x6x4x4xf32>
      %4 = tc.mul %2, %3 : tensor<2x6x4x4xf32>
      return %4 : tensor<2x6x4x4xf32>
    }
    ```

    #### Limits
    bf16 and f16 compute in f32 and round once, at the end.
  }];
}

def TCDecomposeLogSoftmaxPass : Pass<"tc-decompose-log-softmax", "::mlir::func::FuncOp"> {
  let summary = "decompose logarithms of softmaxes into reductions and differences";
  let description = [{
    The logarithm of a softmax is x less its maximum, less the logarithm of
    the sum of the exponentials of that. Written so, it fuses with the loss
    that usually follows and reads its row once.

    #### Input
    Any function.

    #### Output
    No `tc.log_softmax`.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tc.log_softmax %x dim 1 : tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4x8xf32>) -> tensor<4x8xf32> {
      %0 = tc.reduce max %arg0 dims [1] {allow_empty} : tensor<4x8xf32> -> tensor<4xf32>
      %1 = tc.broadcast %0 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %2 = tc.sub %arg0, %1 : tensor<4x8xf32>
      %3 = tc.exp %2 : tensor<4x8xf32>
      %4 = tc.reduce sum %3 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
      %5 = tc.log %4 : tensor<4xf32>
      %6 = tc.broadcast %5 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %7 = tc.sub %2, %6 : tensor<4x8xf32>
      return %7 : tensor<4x8xf32>
    }
    ```

    #### Limits
    bf16 and f16 compute in f32 and round once, at the end.
  }];
}

def TCDecomposeStridedInputsPass : Pass<"tc-decompose-strided-inputs", "::mlir::func::FuncOp"> {
  let summary = "decompose strided inputs into row-major memory and views of it";
  let description = [{
    An argument with `tc.strides` is read where the caller has it, not copied
    to row-major order first: `tc.input_storage` is its memory, whose sizes are
    the strides' ratios, with the dimension of the largest stride first and, of
    elements that are apart, the memory from one to the next as the last; a
    slice takes the input's elements, a transpose puts its dimensions in order.
    Kernels fuse these views into the index maps of their reads. The argument keeps its type and
    `tc.strides`, which the caller is told.

    #### Input
    Any function. It comes before versions are cloned: all have the same
    strides.

    #### Output
    No other op uses an argument with `tc.strides`, but guards.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}, %y: tensor<4x6xf32> {tc.strides = [#tc.expr<2>, #tc.expr<8>]}) -> (tensor<8x72xf32>, tensor<4x6xf32>) {
      %0 = tc.exp %x : tensor<8x72xf32>
      %1 = tc.exp %y : tensor<4x6xf32>
      return %0, %1 : tensor<8x72xf32>, tensor<4x6xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}, %arg1: tensor<4x6xf32> {tc.strides = [#tc.expr<2>, #tc.expr<8>]}) -> (tensor<8x72xf32>, tensor<4x6xf32>) {
      %0 = tc.input_storage %arg1 : tensor<4x6xf32> -> tensor<6x4x2xf32>
      %1 = tc.slice %0 offsets <[0, 0, 0]> strides [1, 1, 1] : tensor<6x4x2xf32> -> tensor<6x4x1xf32>
      %2 = tc.reshape %1 : tensor<6x4x1xf32> -> tensor<6x4xf32>
      %3 = tc.transpose %2 [1, 0] : tensor<6x4xf32> -> tensor<4x6xf32>
      %4 = tc.input_storage %arg0 : tensor<8x72xf32> -> tensor<8x96xf32>
      %5 = tc.slice %4 offsets <[0, 0]> strides [1, 1] : tensor<8x96xf32> -> tensor<8x72xf32>
      %6 = tc.exp %5 : tensor<8x72xf32>
      %7 = tc.exp %3 : tensor<4x6xf32>
      return %6, %7 : tensor<8x72xf32>, tensor<4x6xf32>
    }
    ```

    #### Limits
    Where the inner dimensions are not proved to fit between the elements of
    the outer ones (windows that overlap, repeated elements of stride 0), or a
    stride is no multiple of the inner ones, `tc.strides` goes, which a remark says: the input is expected
    in row-major order then.
  }];
}

def TCDecomposeVariancePass : Pass<"tc-decompose-variance", "::mlir::func::FuncOp"> {
  let summary = "decompose variances into a mean and a sum of squares";
  let description = [{
    The sum of squared deviations from the mean, divided by the count less
    the correction. The mean is computed first: the difference of two large
    sums would cancel. Fusion reads the row once for both sums.

    #### Input
    Any function.

    #### Output
    No `tc.variance`.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>) -> tensor<4xf32> {
      %0 = tc.variance %x dims [1] correction 1.0 : tensor<4x8xf32> -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4x8xf32>) -> tensor<4xf32> {
      %0 = tc.reduce  sum %arg0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
      %1 = tc.full 8.000000e+00 : f32 -> tensor<4xf32>
      %2 = tc.div %0, %1 : tensor<4xf32>
      %3 = tc.broadcast %2 dims [0] : tensor<4xf32> -> tensor<4x8xf32>
      %4 = tc.sub %arg0, %3 : tensor<4x8xf32>
      %5 = tc.mul %4, %4 : tensor<4x8xf32>
      %6 = tc.reduce  sum %5 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
      %7 = tc.full 7.000000e+00 : f32 -> tensor<4xf32>
      %8 = tc.div %6, %7 : tensor<4xf32>
      return %8 : tensor<4xf32>
    }
    ```

    #### Limits
    A row too long to stay on chip is read twice.
  }];
}

def TCDecomposeAdaptiveAvgPoolPass : Pass<"tc-decompose-adaptive-avg-pool", "::mlir::func::FuncOp"> {
  let summary = "decompose adaptive pools into means, pools or sums over windows";
  let description = [{
    Three cases, the cheapest that applies: one window a plane is a mean;
    windows of one size are a `tc.avg_pool`; else one dimension after
    the other is repeated for each window and summed where the element's index is
    within it, which holds for symbolic sizes too. Elements outside of a window have
    no influence, infinities included.

    #### Input
    Any function.

    #### Output
    No `tc.adaptive_avg_pool`.

    #### Before
    ```mlir
    func.func @f(%x: tensor<1x8x7x7xf32>) -> tensor<1x8x1x1xf32> {
      %0 = tc.adaptive_avg_pool %x : tensor<1x8x7x7xf32> -> tensor<1x8x1x1xf32>
      return %0 : tensor<1x8x1x1xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<1x8x7x7xf32>) -> tensor<1x8x1x1xf32> {
      %0 = tc.reduce  sum %arg0 dims [2, 3] : tensor<1x8x7x7xf32> -> tensor<1x8xf32>
      %1 = tc.full 4.900000e+01 : f32 -> tensor<1x8xf32>
      %2 = tc.div %0, %1 : tensor<1x8xf32>
      %3 = tc.reshape %2 : tensor<1x8xf32> -> tensor<1x8x1x1xf32>
      return %3 : tensor<1x8x1x1xf32>
    }
    ```

    #### Limits
    Windows of unequal sizes cost a sum over the whole dimension.
  }];
}

def TCDecomposeResamplePass : Pass<"tc-decompose-resample", "::mlir::func::FuncOp"> {
  let summary = "decompose resampling into repeating views or weighted gathers";
  let description = [{
    Nearest by a whole factor repeats elements: a broadcast between two
    reshapes, which later phases make an index map. Any other nearest is one
    `tc.index_tensors` with computed positions, and linear is a weighted sum
    of one for each combination of ends.

    #### Input
    Any function.

    #### Output
    No `tc.resample`.

    #### Before
    ```mlir
    func.func @f(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x8x12xf32> {
      %0 = tc.resample nearest %x : tensor<1x8x4x4xf32> -> tensor<1x8x8x12xf32>
      return %0 : tensor<1x8x8x12xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<1x8x4x4xf32>) -> tensor<1x8x8x12xf32> {
      %0 = tc.reshape %arg0 : tensor<1x8x4x4xf32> -> tensor<1x8x4x1x4x1xf32>
      %1 = tc.broadcast %0 dims [0, 1, 2, 3, 4, 5] : tensor<1x8x4x1x4x1xf32> -> tensor<1x8x4x2x4x3xf32>
      %2 = tc.reshape %1 : tensor<1x8x4x2x4x3xf32> -> tensor<1x8x8x12xf32>
      return %2 : tensor<1x8x8x12xf32>
    }
    ```

    #### Limits
    Positions of linear resampling are computed in f32 (f64 for f64), as
    PyTorch does; of nearest in f64.
  }];
}

def TCDecomposeRandomPass : Pass<"tc-decompose-random", "::mlir::func::FuncOp"> {
  let summary = "decompose random tensors into arithmetic on counters";
  let description = [{
    Element i of a `tc.random` is a function of the seed, the offset and i
    (`tc.philox`). As arithmetic on a `tc.iota` it fuses like any
    elementwise op: a dropout mask never reaches memory.

    #### Input
    Any function.

    #### Output
    No `tc.random`.

    #### Before
    ```mlir
    func.func @f(%s: tensor<i64>, %o: tensor<i64>) -> tensor<4x8xf32> {
      %0 = tc.random uniform %s, %o : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
      return %0 : tensor<4x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<i64>, %arg1: tensor<i64>) -> tensor<4x8xf32> {
      %0 = tc.iota dim 0 start 0 step 1 : tensor<32xi64>
      %1 = tc.broadcast %arg0 dims [] : tensor<i64> -> tensor<32xi64>
      %2 = tc.broadcast %arg1 dims [] : tensor<i64> -> tensor<32xi64>
      %3 = tc.philox %1, %2, %0 : tensor<32xi64>
      %4 = tc.full 8 : i64 -> tensor<32xi64>
      %5 = tc.shift_right %3, %4 : tensor<32xi64>
      %6 = tc.cast %5 : tensor<32xi64> to tensor<32xf32>
      %7 = tc.full 5.96046448E-8 : f32 -> tensor<32xf32>
      %8 = tc.mul %6, %7 : tensor<32xf32>
      %9 = tc.reshape %8 : tensor<32xf32> -> tensor<4x8xf32>
      return %9 : tensor<4x8xf32>
    }
    ```

    #### Limits
    Each normal element costs two words, a logarithm, a root and a cosine.
  }];
}

def TCDecomposeNonzeroPass : Pass<"tc-decompose-nonzero", "::mlir::func::FuncOp"> {
  let summary = "decompose tc.nonzero into a running count and a scatter";
  let description = [{
    Each true element is written to the place that the number of true elements
    before it gives, all others to one place after the last, which is cut off.

    #### Input
    Any function.

    #### Output
    No `tc.nonzero`.

    #### Before
    ```mlir
    func.func @f(%m: tensor<4xi1>, %n: tensor<i64>) -> tensor<?x1xi64, #tc.sizes<[u0, 1]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
      tc.size_from "u0" = %n : tensor<i64>
      %0 = tc.nonzero %m : tensor<4xi1> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
      return %0 : tensor<?x1xi64, #tc.sizes<[u0, 1]>>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4xi1>, %arg1: tensor<i64>) -> tensor<?x1xi64, #tc.sizes<[u0, 1]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
      tc.size_from "u0" = %arg1 : tensor<i64>
      %0 = tc.cast %arg0 : tensor<4xi1> to tensor<4xi64>
      %1 = tc.scan sum %0 dim 0 : tensor<4xi64>
      %2 = tc.full 1 : i64 -> tensor<4xi64>
      %3 = tc.sub %1, %2 : tensor<4xi64>
      %4 = tc.size_value <u0> : tensor<i64>
      %5 = tc.broadcast %4 dims [] : tensor<i64> -> tensor<4xi64>
      %6 = tc.select %arg0, %3, %5 : tensor<4xi1>, tensor<4xi64>
      %7 = tc.full 0 : i64 -> tensor<?xi64, #tc.sizes<[u0 + 1]>>
      %8 = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
      %9 = tc.scatter replace %7[%6] = %8 dim 0 : tensor<?xi64, #tc.sizes<[u0 + 1]>>, tensor<4xi64>, tensor<4xi64>
      %10 = tc.slice %9 offsets <[0]> strides [1] : tensor<?xi64, #tc.sizes<[u0 + 1]>> -> tensor<?xi64, #tc.sizes<[u0]>>
      %11 = tc.reshape %10 : tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
      return %11 : tensor<?x1xi64, #tc.sizes<[u0, 1]>>
    }
    ```

    #### Limits
    The running count is one row of all elements, which one thread folds.
  }];
}

def TCDecomposePadModesPass : Pass<"tc-decompose-pad-modes", "::mlir::func::FuncOp"> {
  let summary = "decompose reflecting, replicating and circular pads into concatenated slices";
  let description = [{
    What such a pad adds are slices of its operand: backwards from the edge,
    the edge repeated, or the other end. Later phases make concatenations
    and slices index maps, so nothing is copied.

    #### Input
    Any function.

    #### Output
    No `tc.pad` but constant ones.

    #### Before
    ```mlir
    func.func @f(%x: tensor<3x5xf32>) -> tensor<3x8xf32> {
      %0 = tc.pad reflect %x low [0, 2] high [0, 1] : tensor<3x5xf32> -> tensor<3x8xf32>
      return %0 : tensor<3x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<3x5xf32>) -> tensor<3x8xf32> {
      %0 = tc.slice %arg0 offsets <[0, 2]> strides [1, -1] : tensor<3x5xf32> -> tensor<3x2xf32>
      %1 = tc.slice %arg0 offsets <[0, 3]> strides [1, -1] : tensor<3x5xf32> -> tensor<3x1xf32>
      %2 = tc.concat %0, %arg0, %1 dim 1 : tensor<3x2xf32>, tensor<3x5xf32>, tensor<3x1xf32> -> tensor<3x8xf32>
      return %2 : tensor<3x8xf32>
    }
    ```

    #### Limits
    A pad that reaches beyond the other end, which PyTorch refuses, stays.
  }];
}

#endif // TC_TRANSFORMS_DECOMPOSE
