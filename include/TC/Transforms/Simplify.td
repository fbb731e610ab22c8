//===- Simplify.td - Passes that leave less to compute -----*- tablegen -*-===//

#ifndef TC_TRANSFORMS_SIMPLIFY
#define TC_TRANSFORMS_SIMPLIFY

include "mlir/Pass/PassBase.td"

def TCFoldConstantsPass : Pass<"tc-fold-constants", "::mlir::func::FuncOp"> {
  let summary = "evaluate ops whose operands are constants";
  let description = [{
    Elementwise ops, views, concatenations, pads and reductions of small
    constants are replaced by what the reference interpreter gives for them.
    An elementwise op on tensors of one value each, of whatever sizes,
    becomes a `tc.full`, and so does an op whose result has no elements.

    #### Input
    Any function.

    #### Output
    No such op on constants of up to 1024 elements.

    #### Before
    ```mlir
    func.func @f() -> (tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<2xi64>) {
      %x = tc.full 2.0 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
      %0 = tc.mul %x, %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
      %y = tc.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
      %1 = tc.reduce sum %y dims [1] : tensor<2x2xi64> -> tensor<2xi64>
      return %0, %1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<2xi64>
    }
    ```

    #### After
    ```mlir
    func.func @f() -> (tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<2xi64>) {
      %0 = tc.full 2.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
      %1 = tc.full 4.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
      %2 = tc.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
      %3 = tc.constant dense<[3, 7]> : tensor<2xi64>
      return %1, %3 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<2xi64>
    }
    ```

    #### Limits
    Contractions, convolutions, sorts and gathers are not evaluated;
    parameters are no constants. Constants that nothing reads any more are
    left to the canonicaliser.
  }];
}

def TCFoldPositionsPass : Pass<"tc-fold-positions", "::mlir::func::FuncOp"> {
  let summary = "find integers that are linear in the index of their element";
  let description = [{
    Captured models compute position numbers and masks from `arange` by
    differences, comparisons, running sums and look-ups. What is linear in the
    index becomes a `tc.iota`, what is the same everywhere a `tc.full`, so that
    of a mask only the comparison of two positions is left, which costs no
    memory and no launch of its own. Where what is looked up is all of a tensor
    in its order, it is that tensor, transposed and broadcast.

    #### Input
    Any function.

    #### Output
    No op on 64-bit integers, other than a broadcast, whose result is a number
    or one position times a number plus a number; no comparison of such that
    comes out the same everywhere.

    #### Before
    ```mlir
    func.func @f() -> (tensor<8xi64>, tensor<8xi1>) {
      %p = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
      %before = tc.full -1 : i64 -> tensor<1xi64>
      %0 = tc.concat %before, %p dim 0 : tensor<1xi64>, tensor<8xi64> -> tensor<9xi64>
      %1 = tc.slice %0 offsets <[0]> strides [1] : tensor<9xi64> -> tensor<8xi64>
      %2 = tc.sub %p, %1 : tensor<8xi64>
      %3 = tc.scan sum %2 dim 0 : tensor<8xi64>
      %4 = tc.eq %2, %3 : tensor<8xi64>
      %5 = tc.gt %3, %1 : tensor<8xi64>
      return %3, %5 : tensor<8xi64>, tensor<8xi1>
    }
    ```

    #### After
    ```mlir
    func.func @f() -> (tensor<8xi64>, tensor<8xi1>) {
      %0 = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
      %1 = tc.full -1 : i64 -> tensor<1xi64>
      %2 = tc.iota dim 0 start -1 step 1 : tensor<9xi64>
      %3 = tc.iota dim 0 start -1 step 1 : tensor<8xi64>
      %4 = tc.full 1 : i64 -> tensor<8xi64>
      %5 = tc.iota dim 0 start 1 step 1 : tensor<8xi64>
      %6 = tc.eq %4, %5 : tensor<8xi64>
      %7 = tc.full true -> tensor<8xi1>
      return %5, %7 : tensor<8xi64>, tensor<8xi1>
    }
    ```

    #### Limits
    Integers of 64 bits, and numbers that are known: a start that depends on a
    size is not followed. A look-up is followed where its indices are proved to
    be in range.
  }];
}

def TCFoldAlgebraicIdentitiesPass : Pass<"tc-fold-algebraic-identities", "::mlir::func::FuncOp"> {
  let summary = "simplify arithmetic by identities that hold for every input";
  let description = [{
    Neutral elements, double negations, divisions by powers of two, and
    functions applied twice. Every identity gives the same bits for every
    input, signed zeros and infinities included: `x + 0.0` stays, because it
    turns -0.0 into 0.0, where `x + -0.0` and `x - 0.0` are x. Powers of 2,
    3, 0.5, -0.5, -1 and -2 become products, roots and reciprocals of the same
    zeros, infinities and NaN, and the reciprocal of a root is one function.

    #### Input
    Any function; tensors and the scalars in kernels alike.

    #### Output
    The function with fewer and cheaper ops.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %two = tc.full 2.0 : f32 -> tensor<4xf32>
      %0 = tc.pow %x, %two : tensor<4xf32>
      %1 = tc.div %0, %two : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4xf32>) -> tensor<4xf32> {
      %0 = tc.mul %arg0, %arg0 : tensor<4xf32>
      %1 = tc.full 5.000000e-01 : f32 -> tensor<4xf32>
      %2 = tc.mul %0, %1 : tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```

    #### Limits
    Nothing that reassociates, and nothing that holds for finite numbers
    alone, such as x * 0.0.
  }];
}

def TCPropagateTransposesPass : Pass<"tc-propagate-transposes", "::mlir::func::FuncOp"> {
  let summary = "move transposes to where they cancel or cost nothing";
  let description = [{
    A contraction takes its operands and gives its result in any order of
    dimensions: transposes around it become other labels. Those before an
    elementwise op, a reduction, a softmax, or a reshape that merges what are
    neighbours without them as well are moved below it, where they meet the
    next transpose or contraction; those of a broadcast are moved above it,
    onto fewer elements.

    #### Input
    Any function.

    #### Output
    Transposes at inputs and results of the function, and where their
    operands differ.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<16x4xf32> {
      %0 = tc.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
      %1 = tc.contract "mk,kn->mn" %x, %0 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
      %2 = tc.transpose %1 [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
      %3 = tc.relu %2 : tensor<16x4xf32>
      return %3 : tensor<16x4xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4x8xf32>, %arg1: tensor<16x8xf32>) -> tensor<16x4xf32> {
      %0 = tc.contract "mk,nk->nm" %arg0, %arg1 : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<16x4xf32>
      %1 = tc.relu %0 : tensor<16x4xf32>
      return %1 : tensor<16x4xf32>
    }
    ```

    #### Limits
    A transpose that several ops read stays above them.
  }];
}

def TCPropagateReshapesPass : Pass<"tc-propagate-reshapes", "::mlir::func::FuncOp"> {
  let summary = "move reshapes below ops that do without them, where they meet and merge";
  let description = [{
    The view before and after each linear layer of a captured model hides
    that the ops between have the sizes of the contractions around them. Moved
    below those ops, a reshape meets the next one and both merge, often to
    nothing. A computed tensor of rows decides: an elementwise op, a norm, a
    softmax or a reduction of its rows is done on it, not on a reshape that
    splits what counts the rows, and another operand is reshaped instead. So
    a residual stream has the sizes of the contractions that add to it, and can
    be their epilogue. A reshape that only adds dimensions of size 1 before
    a broadcast is left out, and one of repeated dimensions becomes another
    broadcast.

    #### Input
    Any function.

    #### Output
    Reshapes before ops that need their sizes.

    #### Before
    ```mlir
    func.func @f(%x: tensor<32x8xf32>, %b: tensor<8xf32>) -> tensor<32x8xf32> {
      %0 = tc.reshape %x : tensor<32x8xf32> -> tensor<4x8x8xf32>
      %1 = tc.broadcast %b dims [2] : tensor<8xf32> -> tensor<4x8x8xf32>
      %2 = tc.add %0, %1 : tensor<4x8x8xf32>
      %3 = tc.reshape %2 : tensor<4x8x8xf32> -> tensor<32x8xf32>
      return %3 : tensor<32x8xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<32x8xf32>, %arg1: tensor<8xf32>) -> tensor<32x8xf32> {
      %0 = tc.broadcast %arg1 dims [1] : tensor<8xf32> -> tensor<32x8xf32>
      %1 = tc.add %arg0, %0 : tensor<32x8xf32>
      return %1 : tensor<32x8xf32>
    }
    ```

    #### Limits
    Below a broadcast of its dimensions a reshape is not moved.
  }];
}

def TCFoldBatchNormPass : Pass<"tc-fold-batch-norm", "::mlir::func::FuncOp"> {
  let summary = "fold batch norms into the weights of the convolution before them";
  let description = [{
    A batch norm in inference scales and shifts each channel by constants of
    the model; the convolution before it can do both with other weights and
    a bias. The new weights are expressions of the parameters, which stay
    parameters: what is computed of parameters alone is computed once, at
    load.

    #### Input
    Any function, before `tc-decompose-batch-norm`.

    #### Output
    No `tc.batch_norm` on a `tc.convolution` (with or without a bias) of
    parameters that nothing else reads.

    #### Before
    ```mlir
    tc.parameter_source @w : tensor<4x3x1xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 64 : i64, role = "buffer"}
    func.func @f(%x: tensor<2x3x8xf32>) -> tensor<2x4x8xf32> {
      %w = tc.parameter @w : tensor<4x3x1xf32>
      %s = tc.parameter @s : tensor<4xf32>
      %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
      %1 = tc.batch_norm %0 mean %s variance %s eps 1.0e-5 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
      return %1 : tensor<2x4x8xf32>
    }
    ```

    #### After
    ```mlir
    tc.parameter_source @w : tensor<4x3x1xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 64 : i64, role = "buffer"}
    func.func @f(%arg0: tensor<2x3x8xf32>) -> tensor<2x4x8xf32> {
      %0 = tc.parameter @w : tensor<4x3x1xf32>
      %1 = tc.parameter @s : tensor<4xf32>
      %2 = tc.full 9.99999974E-6 : f32 -> tensor<4xf32>
      %3 = tc.add %1, %2 : tensor<4xf32>
      %4 = tc.sqrt %3 : tensor<4xf32>
      %5 = tc.full 1.000000e+00 : f32 -> tensor<4xf32>
      %6 = tc.div %5, %4 : tensor<4xf32>
      %7 = tc.neg %1 : tensor<4xf32>
      %8 = tc.mul %7, %6 : tensor<4xf32>
      %9 = tc.broadcast %6 dims [0] : tensor<4xf32> -> tensor<4x3x1xf32>
      %10 = tc.mul %0, %9 : tensor<4x3x1xf32>
      %11 = tc.convolution %arg0, %10 stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
      %12 = tc.broadcast %8 dims [1] : tensor<4xf32> -> tensor<2x4x8xf32>
      %13 = tc.add %11, %12 : tensor<2x4x8xf32>
      return %13 : tensor<2x4x8xf32>
    }
    ```

    #### Limits
    Not for bf16 and f16, whose folded weights would be rounded, nor for
    transposed convolutions in groups.
  }];
}

def TCFoldContractionDimsPass : Pass<"tc-fold-contraction-dims", "::mlir::func::FuncOp"> {
  let summary = "merge dimensions of contractions that are next to each other";
  let description = [{
    The batch and the sequence of a linear layer's input are one count of
    rows to the contraction, and an output projection contracts the heads
    and the depth as one dimension. Labels that are next to each other, in
    the same order, in every tensor that has them become one, with reshapes
    around: fewer loops, and tiles that cross the boundary. Runs after
    `tc-propagate-transposes`, which makes the labels those of memory, and
    before `tc-propagate-reshapes`, which moves the reshapes on.

    #### Input
    Any function.

    #### Output
    No such labels, but where an operand is a view whose reshape would be a
    copy.

    #### Before
    ```mlir
    func.func @f(%x: tensor<4x2x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x2x16xf32> {
      %0 = tc.contract "abk,nk->abn" %x, %w : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<4x2x16xf32>
      return %0 : tensor<4x2x16xf32>
    }
    ```

    #### After
    ```mlir
    func.func @f(%arg0: tensor<4x2x8xf32>, %arg1: tensor<16x8xf32>) -> tensor<4x2x16xf32> {
      %0 = tc.reshape %arg0 : tensor<4x2x8xf32> -> tensor<8x8xf32>
      %1 = tc.contract "ak,nk->an" %0, %arg1 : tensor<8x8xf32>, tensor<16x8xf32> -> tensor<8x16xf32>
      %2 = tc.reshape %1 : tensor<8x16xf32> -> tensor<4x2x16xf32>
      return %2 : tensor<4x2x16xf32>
    }
    ```

    #### Limits
    Operands are not transposed to bring labels together.
  }];
}

def TCFuseContractionsPass : Pass<"tc-fuse-contractions", "::mlir::ModuleOp"> {
  let summary = "make one contraction of those that multiply one activation with several weights";
  let description = [{
    The projections of an attention to queries, keys and values read the same
    rows. With few rows each of them has too few tiles for a GPU, and each is a
    launch. One contraction with the weights joined has the lanes of all, and
    what read one of the results reads a slice of it, at an offset. The weights
    depend on parameters alone, so that `tc-hoist-parameter-computations` joins
    them ahead of the calls. Biases that are added are joined as well, with -0.0
    where there is none, and stay the contraction's epilogue.

    A contraction that ends in another elementwise op is left alone: the op is
    computed on its tile, and would be a kernel of its own on a slice. Of the
    others the machine model says whether one takes less time than several.

    #### Input
    Functions of `tc` ops, after the passes that fold and propagate views, and
    common subexpressions merged.

    #### Output
    For a GPU with products of warp groups, no two such contractions of bf16 or
    f16 that would take less time as one.

    #### Before
    ```mlir always=true
    tc.parameter_source @q : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @k : tensor<2x8xf32> {file = "m.pt2", offset = 128 : i64, role = "parameter"}
    func.func @f(%x: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
      %q = tc.parameter @q : tensor<4x8xf32>
      %k = tc.parameter @k : tensor<2x8xf32>
      %0 = tc.contract "mk,nk->mn" %x, %q : tensor<3x8xf32>, tensor<4x8xf32> -> tensor<3x4xf32>
      %1 = tc.contract "mk,nk->mn" %x, %k : tensor<3x8xf32>, tensor<2x8xf32> -> tensor<3x2xf32>
      return %0, %1 : tensor<3x4xf32>, tensor<3x2xf32>
    }
    ```

    #### After
    ```mlir
    tc.parameter_source @q : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
    tc.parameter_source @k : tensor<2x8xf32> {file = "m.pt2", offset = 128 : i64, role = "parameter"}
    func.func @f(%arg0: tensor<3x8xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
      %0 = tc.parameter @q : tensor<4x8xf32>
      %1 = tc.parameter @k : tensor<2x8xf32>
      %2 = tc.concat %0, %1 dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
      %3 = tc.contract "mk,nk->mn" %arg0, %2 : tensor<3x8xf32>, tensor<6x8xf32> -> tensor<3x6xf32>
      %4 = tc.slice %3 offsets <[0, 0]> strides [1, 1] : tensor<3x6xf32> -> tensor<3x4xf32>
      %5 = tc.slice %3 offsets <[0, 4]> strides [1, 1] : tensor<3x6xf32> -> tensor<3x2xf32>
      return %4, %5 : tensor<3x4xf32>, tensor<3x2xf32>
    }
    ```

    #### Limits
    Contractions at the top of a function, of one dimension that the weight
    alone has, with the same labels and with weights of constant sizes, whose
    lanes are multiples of 16 bytes. For other machines and types the model has
    no time of a product; `always` leaves out these conditions and the model.
  }];
  let options = [
    Option<"always", "always", "bool", "false", "whatever the machine model says">];
  let statistics = [Statistic<"numFused", "fused", "contractions that became parts of one">];
  let dependentDialects = ["::tc::TCDialect"];
}

def TCPropagateCastsPass : Pass<"tc-propagate-casts", "::mlir::ModuleOp"> {
  let summary = "let what reads a widened result widen it";
  let description = [{
    Fusion puts casts to f32 behind kernels whose results are rounded to bf16, and
    what is stored then has twice the bytes that it needs. Here the narrow floats
    are stored, and each kernel that reads them widens them: no value changes.

    #### Input
    Kernels in normal form.

    #### Output
    No kernel widens a float and stores it for kernels alone that do not multiply
    matrices, scan or sort.

    #### Before
    ```mlir
    func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
      %e = tc.empty : tensor<8xf32>
      %0 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %n = tc.cast %v rounds : f32 to bf16
        %w = tc.cast %n : bf16 to f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
        %w = tc.exp %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
      }
      return %1 : tensor<8xf32>
    }
    ```

    #### After
    ```mlir
    #map = affine_map<(d0) -> (d0)>
    func.func @f(%arg0: tensor<8xf32>) -> tensor<8xf32> {
      %0 = tc.empty : tensor<8xf32>
      %1 = tc.empty : tensor<8xbf16>
      %2 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%arg1 = %arg0 : tensor<8xf32>) outs(%arg2 = %1 : tensor<8xbf16>) {
        %4 = tc.read %arg1[#map] : tensor<8xf32> -> f32
        %5 = tc.cast %4 rounds : f32 to bf16
        tc.write %5, %arg2[#map] : bf16, tensor<8xbf16>
      }
      %3 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%arg1 = %2 : tensor<8xbf16>) outs(%arg2 = %0 : tensor<8xf32>) {
        %4 = tc.read %arg1[#map] : tensor<8xbf16> -> bf16
        %5 = tc.cast %4 : bf16 to f32
        %6 = tc.exp %5 : f32
        tc.write %6, %arg2[#map] : f32, tensor<8xf32>
      }
      return %3 : tensor<8xf32>
    }
    ```

    #### Limits
    A result that the function gives, or that is read through another op than a
    kernel, stays as wide as it is.
  }];
  let dependentDialects = ["::tc::TCDialect"];
  let statistics = [Statistic<"numNarrowed", "narrowed", "results that are stored as narrower floats">];
}

#endif // TC_TRANSFORMS_SIMPLIFY
