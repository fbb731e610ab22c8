//===- ShapeOps.td - Constants, shapes and views --------*- tablegen -*-===//

#ifndef TC_SHAPE_OPS
#define TC_SHAPE_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

include "mlir/IR/BuiltinAttributeInterfaces.td"

def TC_ConstantOp : TC_Op<"constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let summary = "a tensor of given elements";
  let description = [{
    For small tensors; weights are `tc.parameter`s. A splat of symbolic sizes
    is a `tc.full`.

    Example: `%r = tc.constant dense<[1.0, 2.0]> : tensor<2xf32>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_FullOp : TC_Op<"full", [Pure]> {
  let summary = "a tensor of one value";
  let description = [{
    The value is a float, integer or complex attribute of the element type.
    PyTorch: `torch.full`, and every scalar operand.

    Example: `%r = tc.full 1.0 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>`
  }];
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

def TC_SizeValueOp : TC_Op<"size_value", [Pure]> {
  let summary = "the value of a size expression, as a 0-d tensor";
  let description = [{
    PyTorch: `sym_size`, and arithmetic on sizes that reaches a tensor. The
    value of a symbol that a `tc.size_from` defines folds to the tensor that it
    is read from.

    Example: `%r = tc.size_value <s0 * 4> : tensor<i64>`
  }];
  let arguments = (ins TC_SizeExprAttr:$size);
  let results = (outs 0DTensorOf<[I64]>:$result);
  let assemblyFormat = "$size attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_SizeFromOp : TC_Op<"size_from"> {
  let summary = "give a symbol its value, which a tensor holds";
  let description = [{
    Defines the data-dependent symbol `symbol`: from here on it is the element
    of `value`, and types, offsets and bounds may name it. Its name is u and a
    number, its range and divisor are in the function's `tc.symbols`; a call
    whose value is out of that range fails, with an error that names symbol,
    value and range. The op is in the function's body; its symbol is declared
    there, defined once and named by nothing before it. PyTorch: `item` used as
    a size, and what makes an unbacked symbol: `nonzero`, an index by a mask.

    Example:
    ```mlir
    func.func @first(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?xf32, #tc.sizes<[u0]>>
        attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
      tc.size_from "u0" = %n : tensor<i64>
      %r = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
      return %r : tensor<?xf32, #tc.sizes<[u0]>>
    }
    ```
  }];
  let arguments = (ins StrAttr:$symbol, AnyTypeOf<[0DTensorOf<[I64]>, MemRefRankOf<[I64], [0]>]>:$value);
  let assemblyFormat = "$symbol `=` $value attr-dict `:` type($value)";
  let hasVerifier = 1;
}

def TC_IotaOp : TC_Op<"iota", [Pure]> {
  let summary = "start, start + step, ... along a dimension";
  let description = [{
    Element i along `dim` is `start + i * step`, the same in all other
    dimensions. PyTorch: `torch.arange` of integers.

    Example: `%r = tc.iota dim 0 start 0 step 1 : tensor<8xi64>`
  }];
  let arguments = (ins I64Attr:$dim, I64Attr:$start, I64Attr:$step);
  let results = (outs TC_IndexTensor:$result);
  let assemblyFormat = "`dim` $dim `start` $start `step` $step attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TC_EmptyOp : TC_Op<"empty", [Pure]> {
  let summary = "a tensor of unspecified elements";
  let description = [{
    The destination of a `tc.kernel`.

    Example: `%r = tc.empty : tensor<4x8xf32>`
  }];
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def TC_BroadcastOp : TC_Op<"broadcast", [Pure]> {
  let summary = "repeat a tensor along new or unit dimensions";
  let description = [{
    Dimension i of x becomes dimension `dims[i]` of the result (increasing); it
    has that size or 1. PyTorch: `expand` and implicit broadcasting.

    Example: `%r = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>`
  }];
  let arguments = (ins TC_Tensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$x `dims` $dims attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_TransposeOp : TC_InferredOp<"transpose"> {
  let summary = "permute dimensions";
  let description = [{
    Dimension i of the result is dimension `permutation[i]` of x.
    PyTorch: `permute`, `transpose`, `t`.

    Example: `%r = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>`
  }];
  let arguments = (ins TC_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$x $permutation attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_ReshapeOp : TC_Op<"reshape", [Pure, TC_SizePreconditions]> {
  let summary = "the same elements, in row-major order, with other sizes";
  let description = [{
    PyTorch: `view`, `reshape`, `squeeze`, `unsqueeze`, `flatten`.

    Example: `%r = tc.reshape %x : tensor<4x8xf32> -> tensor<2x16xf32>`
  }];
  let arguments = (ins TC_Tensor:$x);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_SliceOp : TC_Op<"slice", [Pure, TC_SizePreconditions]> {
  let summary = "a rectangular part, with strides";
  let description = [{
    Element i of a dimension of the result is element `offset + i * stride` of
    x. A stride may be negative (`flip`). PyTorch: `slice`, `select`, `narrow`,
    `split`, `unbind`, `flip`.

    Example: `%r = tc.slice %x offsets <[0, 4]> strides [1, 2] : tensor<4x8xf32> -> tensor<4x2xf32>`
  }];
  let arguments = (ins TC_Tensor:$x, TC_SizesAttr:$offsets, DenseI64ArrayAttr:$strides);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$x `offsets` $offsets `strides` $strides attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def TC_PadOp : TC_InferredOp<"pad", [TC_SizePreconditions]> {
  let summary = "elements added before and after each dimension";
  let description = [{
    `low` and `high` elements are added (removed, where negative) at the two
    ends of each dimension. `value` fills them in mode `constant`; `reflect`
    mirrors without repeating the edge. As in PyTorch, no more is removed than
    there is, `reflect` adds less than the dimension's size to each end,
    `circular` at most its size, and `replicate` needs an element. PyTorch: `constant_pad_nd`,
    `reflection_pad*`, `replication_pad*`, circular `pad`.

    Example: `%r = tc.pad constant %x low [0, 1] high [0, 1] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>`
  }];
  let arguments = (ins TC_PadModeAttr:$mode, TC_Tensor:$x, DenseI64ArrayAttr:$low,
                       DenseI64ArrayAttr:$high, OptionalAttr<TypedAttrInterface>:$value);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = [{
    ``$mode $x `low` $low `high` $high (`value` $value^)? attr-dict `:` type($x) `->` type($result)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TC_ConcatOp : TC_InferredOp<"concat"> {
  let summary = "tensors one after another along a dimension";
  let description = [{
    All other sizes are equal. PyTorch: `cat`; `stack` is reshapes before.

    Example: `%r = tc.concat %x, %y dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>`
  }];
  let arguments = (ins Variadic<TC_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$inputs `dim` $dim attr-dict `:` type($inputs) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

#endif // TC_SHAPE_OPS
