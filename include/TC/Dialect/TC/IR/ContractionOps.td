//===- ContractionOps.td - Matrix products and convolution --------*- tablegen -*-===//

#ifndef TC_CONTRACTION_OPS
#define TC_CONTRACTION_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_ContractOp : TC_InferredOp<"contract"> {
  let summary = "sum of products over labelled dimensions (einsum)";
  let description = [{
    `spec` labels the dimensions of both operands and of the result with one
    letter each, as in `"bmk,bkn->bmn"`. A letter in both operands and in the
    result is a batch, in both operands only it is summed over, in one operand
    and the result it is free. A letter appears at most once in each part and
    has one size. Operands have one element type, which is that of the result, or
    are of f8E4M3FN or f8E5M2 each, with a result of f32. Accumulates in f32 for
    bf16, f16 and floats of 8 bits, in the type otherwise; with `fast`, sums of
    products of floats of 8 bits may have the fewer bits that tensor cores keep.
    PyTorch: `matmul`, `mm`, `bmm`, `linear`, `einsum`, `_scaled_mm`.

    Example: `%r = tc.contract "mk,nk->mn" %x, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>`
  }];
  let arguments = (ins StrAttr:$spec, TC_MultipliedTensor:$lhs, TC_MultipliedTensor:$rhs, UnitAttr:$fast);
  let results = (outs TC_NumericTensor:$result);
  let assemblyFormat = "$spec $lhs `,` $rhs (`fast` $fast^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The three parts of the spec; valid after verification.
    ::llvm::StringRef getLhsLabels();
    ::llvm::StringRef getRhsLabels();
    ::llvm::StringRef getResultLabels();
    /// The labels that are summed over, in the order of the left operand.
    std::string getContractedLabels();
  }];
}

def TC_ConvolutionOp : TC_InferredOp<"convolution", [TC_SizePreconditions]> {
  let summary = "convolution of 1 to 3 spatial dimensions";
  let description = [{
    Cross-correlation of x [batch, channels, spatial...] with weight
    [out channels, channels / groups, kernel...] (transposed: [channels,
    out channels / groups, kernel...]), without a bias. `stride`, `padding`,
    `dilation`, `output_padding` have one entry a spatial dimension. The
    padding around x, and between its elements where transposed, is zeros: a weight that is
    infinite or NaN makes NaN of them. Accumulates in f32 for bf16 and f16. PyTorch: `aten.convolution`.

    Example: `%r = tc.convolution %x, %w stride [2, 2] padding [3, 3] dilation [1, 1] : tensor<1x3x224x224xf32>, tensor<64x3x7x7xf32> -> tensor<1x64x112x112xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, TC_FloatTensor:$weight, DenseI64ArrayAttr:$stride,
                       DenseI64ArrayAttr:$padding, DenseI64ArrayAttr:$dilation,
                       DefaultValuedAttr<I64Attr, "1">:$groups, UnitAttr:$transposed,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$output_padding);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = [{
    $x `,` $weight `stride` $stride `padding` $padding `dilation` $dilation attr-dict
    `:` type($x) `,` type($weight) `->` type($result)
  }];
  let hasVerifier = 1;
}

#endif // TC_CONTRACTION_OPS
