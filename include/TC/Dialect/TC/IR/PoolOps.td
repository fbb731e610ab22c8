//===- PoolOps.td - Pooling and resampling --------*- tablegen -*-===//

#ifndef TC_POOL_OPS
#define TC_POOL_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

class TC_Pool<string mnemonic> : TC_InferredOp<mnemonic, [TC_SizePreconditions]> {
  let hasVerifier = 1;
}

def TC_MaxPoolOp : TC_Pool<"max_pool"> {
  let summary = "largest element of each window, and where it is";
  let description = [{
    x is [batch, channels, spatial...]. Padding never wins; NaN does. The
    second result is the index within the flattened spatial dimensions of x:
    of equal numbers the first one's, of several NaN the last one's.
    PyTorch: `max_pool{1,2,3}d_with_indices`.

    Example: `%r, %i = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x64x112x112xf32> -> tensor<1x64x56x56xf32>, tensor<1x64x56x56xi64>`
  }];
  let arguments = (ins TC_NumericTensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation, UnitAttr:$ceil_mode);
  let results = (outs TC_NumericTensor:$result, TC_TensorOf<I<64>>:$indices);
  let assemblyFormat = [{
    $x `kernel` $kernel `stride` $stride `padding` $padding `dilation` $dilation attr-dict
    `:` type($x) `->` type($result) `,` type($indices)
  }];
}

def TC_AvgPoolOp : TC_Pool<"avg_pool"> {
  let summary = "mean of each window";
  let description = [{
    x is [batch, channels, spatial...]. Divides by the window's size, padding
    counted or not, or by `divisor`. PyTorch: `avg_pool{1,2,3}d`.

    Example: `%r = tc.avg_pool %x kernel [2, 2] stride [2, 2] padding [0, 0] : tensor<1x8x4x4xf32> -> tensor<1x8x2x2xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, UnitAttr:$ceil_mode, UnitAttr:$exclude_padding,
                       OptionalAttr<I64Attr>:$divisor);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = [{
    $x `kernel` $kernel `stride` $stride `padding` $padding attr-dict `:` type($x) `->` type($result)
  }];
}

def TC_AdaptiveAvgPoolOp : TC_Op<"adaptive_avg_pool", [Pure, TC_SizePreconditions]> {
  let summary = "mean of windows that cut the input into a given number";
  let description = [{
    Window i of n over size s is [floor(i * s / n), ceil((i + 1) * s / n)).
    PyTorch: `adaptive_avg_pool{1,2,3}d`.

    Example: `%r = tc.adaptive_avg_pool %x : tensor<1x8x7x7xf32> -> tensor<1x8x1x1xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def TC_ResampleOp : TC_Op<"resample", [Pure, TC_SizePreconditions]> {
  let summary = "the input at other spatial sizes";
  let description = [{
    x is [batch, channels, spatial...]. Source coordinates are
    `(i + 0.5) * scale - 0.5`, or `i * (in - 1) / (out - 1)` with
    `align_corners`; nearest takes `floor(i * scale)`. `scales` are in / out
    unless given. PyTorch: `upsample_nearest{1,2,3}d`, `upsample_bilinear2d`.

    Example: `%r = tc.resample nearest %x : tensor<1x8x4x4xf32> -> tensor<1x8x8x8xf32>`
  }];
  let arguments = (ins TC_ResampleModeAttr:$mode, TC_FloatTensor:$x, UnitAttr:$align_corners,
                       OptionalAttr<DenseF64ArrayAttr>:$scales);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "``$mode $x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TC_POOL_OPS
