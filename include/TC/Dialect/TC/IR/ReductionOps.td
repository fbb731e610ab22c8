//===- ReductionOps.td - Reductions over dimensions --------*- tablegen -*-===//

#ifndef TC_REDUCTION_OPS
#define TC_REDUCTION_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_ReduceOp : TC_InferredOp<"reduce", [TC_SizePreconditions]> {
  let summary = "fold dimensions with a monoid";
  let description = [{
    Folds the dimensions `dims` (sorted, distinct; they vanish from the result)
    with `kind`: `sum` and `prod` on numbers, `max` and `min` on anything (NaN
    wins), `all` and `any` on i1. bf16 and f16 accumulate in f32. Over no
    elements: 0, 1, true or false; `max` and `min` need an element, unless
    `allow_empty` says that the lowest or largest value of the type is meant.
    Integers keep their type: PyTorch's promotion of sums to i64 is a
    `tc.cast` before. PyTorch: `sum`, `prod`, `amax`, `amin`, `all`, `any`.

    Example: `%r = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>`
  }];
  let arguments = (ins TC_ReductionKindAttr:$kind, TC_ComputableTensor:$x, DenseI64ArrayAttr:$dims,
                       UnitAttr:$allow_empty);
  let results = (outs TC_ComputableTensor:$result);
  let assemblyFormat = "``$kind $x `dims` $dims attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def TC_ArgReduceOp : TC_InferredOp<"arg_reduce", [TC_SizePreconditions]> {
  let summary = "index of the extreme element along a dimension";
  let description = [{
    `kind` is `argmax` or `argmin`. The first of equal elements; the first NaN
    if there is one. The dimension vanishes from the result.
    PyTorch: `argmax`, `argmin`.

    Example: `%r = tc.arg_reduce argmax %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>`
  }];
  let arguments = (ins TC_ReductionKindAttr:$kind, TC_ComputableTensor:$x, I64Attr:$dim);
  let results = (outs TC_TensorOf<I<64>>:$result);
  let assemblyFormat = "``$kind $x `dim` $dim attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

def TC_VarianceOp : TC_InferredOp<"variance"> {
  let summary = "variance over dimensions";
  let description = [{
    Sum of squared deviations from the mean over `dims`, divided by
    max(0, count - correction), where the correction is any number, also
    negative or a fraction: infinite or NaN where none are left. bf16 and f16 accumulate in f32.
    PyTorch: `torch.var(correction=...)`.

    Example: `%r = tc.variance %x dims [1] correction 1.0 : tensor<4x8xf32> -> tensor<4xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, DenseI64ArrayAttr:$dims, F64Attr:$correction);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "$x `dims` $dims `correction` $correction attr-dict `:` type($x) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TC_REDUCTION_OPS
