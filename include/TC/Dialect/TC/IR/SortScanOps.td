//===- SortScanOps.td - Sorting and scans --------*- tablegen -*-===//

#ifndef TC_SORT_SCAN_OPS
#define TC_SORT_SCAN_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_SortOp : TC_InferredOp<"sort"> {
  let summary = "elements in order along a dimension, and where they were";
  let description = [{
    Stable. NaN counts as larger than any number. PyTorch: `sort`, `argsort`.

    Example: `%v, %i = tc.sort %x dim 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>`
  }];
  let arguments = (ins TC_ComputableTensor:$x, I64Attr:$dim, UnitAttr:$descending);
  let results = (outs TC_ComputableTensor:$values, TC_TensorOf<I<64>>:$indices);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` type($x) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}

def TC_TopKOp : TC_InferredOp<"topk", [TC_SizePreconditions]> {
  let summary = "the k largest or smallest along a dimension, in order";
  let description = [{
    Largest first (smallest first with `smallest`); of equal elements the first
    comes first. NaN counts as largest. PyTorch: `topk`; the order that its CPU
    kernel leaves equal elements in is that of `tc.routine largest`.

    Example: `%v, %i = tc.topk %x dim 1 k 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>`
  }];
  let arguments = (ins TC_ComputableTensor:$x, I64Attr:$dim, I64Attr:$k, UnitAttr:$smallest);
  let results = (outs TC_ComputableTensor:$values, TC_TensorOf<I<64>>:$indices);
  let assemblyFormat = "$x `dim` $dim `k` $k attr-dict `:` type($x) `->` type($values) `,` type($indices)";
  let hasVerifier = 1;
}

def TC_ScanOp : TC_Op<"scan", [Pure, SameOperandsAndResultType]> {
  let summary = "running fold along a dimension";
  let description = [{
    Element i of the result folds elements 0 to i of x with `kind` (`sum`,
    `prod`, `max`, `min`). bf16 and f16 accumulate in f32.
    PyTorch: `cumsum`, `cumprod`, values of `cummax`, `cummin`.

    Example: `%r = tc.scan sum %x dim 1 : tensor<4x8xf32>`
  }];
  let arguments = (ins TC_ReductionKindAttr:$kind, TC_NumericTensor:$x, I64Attr:$dim);
  let results = (outs TC_NumericTensor:$result);
  let assemblyFormat = "``$kind $x `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}

#endif // TC_SORT_SCAN_OPS
