//===- IndexOps.td - Indexing, gather and scatter --------*- tablegen -*-===//

#ifndef TC_INDEX_OPS
#define TC_INDEX_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_GatherOp : TC_InferredOp<"gather", [TC_SizePreconditions]> {
  let summary = "elements picked along a dimension, one index an element";
  let description = [{
    `result[i][j][k] = x[index[i][j][k]][j][k]` for dim 0. The result has the
    sizes of `index`. A negative or too large index is an error at run time.
    PyTorch: `torch.gather`.

    Example: `%r = tc.gather %x[%i] dim 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>`
  }];
  let arguments = (ins TC_Tensor:$x, TC_IndexTensor:$index, I64Attr:$dim);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = "$x `[` $index `]` `dim` $dim attr-dict `:` type($x) `,` type($index) `->` type($result)";
  let hasVerifier = 1;
}

def TC_IndexOp : TC_InferredOp<"index_tensors"> {
  let summary = "advanced indexing with integer tensors";
  let description = [{
    x is indexed along `dims` (increasing) by index tensors of one shape;
    dimension `dims[0]` of x is replaced by that shape in the result, the other
    indexed dimensions vanish. Negative indices count from the end, but where
    all are to be `non_negative`; out of range is an error at run time.
    `embedding` and `index_select` are the case of one index that is not
    negative. PyTorch: `index.Tensor`, `embedding`, `index_select`.

    Example: `%r = tc.index_tensors %x[%i] dims [0] : tensor<100x8xf32>, tensor<4x2xi64> -> tensor<4x2x8xf32>`
  }];
  let arguments = (ins TC_Tensor:$x, Variadic<TC_IndexTensor>:$indices, DenseI64ArrayAttr:$dims,
                       UnitAttr:$non_negative);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = [{
    $x `[` $indices `]` `dims` $dims (`non_negative` $non_negative^)? attr-dict `:` type($x) `,` type($indices) `->`
    type($result)
  }];
  let hasVerifier = 1;
}

def TC_NonzeroOp : TC_Op<"nonzero", [Pure]> {
  let summary = "where a tensor is true";
  let description = [{
    Row i of the result is the index of the i-th element of x that is true, in
    row-major order: [count, rank of x] of i64. The count is the
    result's first size, most often a symbol that a `tc.size_from` has defined
    from the sum of x; any other number is an error of the interpreter and
    gives rows of zeros or an index out of range in compiled code.
    PyTorch: `nonzero`, and what an index by a mask picks.

    Example: `%r = tc.nonzero %m : tensor<4x8xi1> -> tensor<?x2xi64, #tc.sizes<[s0, 2]>>`
  }];
  let arguments = (ins TC_BoolTensor:$x);
  let results = (outs TC_TensorOf<I<64>>:$result);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def TC_ScatterOp : TC_InferredOp<"scatter", [TC_SizePreconditions]> {
  let summary = "elements put along a dimension, one index an element";
  let description = [{
    x with `x[index[i][j]][j] = updates[i][j]` for dim 0, or combined with what
    is there by `combine`. The index may be smaller than x in any dimension.
    With `replace` and equal indices the last update in row-major order wins.
    float8 and complex elements are replaced only, bools replaced
    or folded with `max` (or) and `min` (and).
    PyTorch: `scatter`, `scatter_add`, `scatter_reduce(include_self=True)`.

    Example: `%r = tc.scatter sum %x[%i] = %u dim 0 : tensor<8x4xf32>, tensor<2x4xi64>, tensor<2x4xf32>`
  }];
  let arguments = (ins TC_CombineKindAttr:$combine, TC_Tensor:$x, TC_IndexTensor:$index,
                       TC_Tensor:$updates, I64Attr:$dim);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = [{
    ``$combine $x `[` $index `]` `=` $updates `dim` $dim attr-dict `:` type($x) `,` type($index) `,` type($updates)
  }];
  let hasVerifier = 1;
}

def TC_IndexPutOp : TC_InferredOp<"index_put"> {
  let summary = "advanced indexing, assigned to";
  let description = [{
    x with the elements that `tc.index_tensors` would pick replaced by, or
    combined with, `values`, which has that result's sizes; which elements are
    combined how is as for `tc.scatter`.
    PyTorch: `index_put(accumulate)`, and where indices are `non_negative`
    `index_add`, `index_copy`.

    Example: `%r = tc.index_put sum %x[%i] = %v dims [0] : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi64>`
  }];
  let arguments = (ins TC_CombineKindAttr:$combine, TC_Tensor:$x, Variadic<TC_IndexTensor>:$indices,
                       TC_Tensor:$values, DenseI64ArrayAttr:$dims, UnitAttr:$non_negative);
  let results = (outs TC_Tensor:$result);
  let assemblyFormat = [{
    ``$combine $x `[` $indices `]` `=` $values `dims` $dims (`non_negative` $non_negative^)? attr-dict `:` type($x) `,`
    type($values) `,` type($indices)
  }];
  let hasVerifier = 1;
}

#endif // TC_INDEX_OPS
