//===- NNOps.td - Composites of neural networks --------*- tablegen -*-===//

#ifndef TC_NN_OPS
#define TC_NN_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

class TC_SoftmaxBase<string mnemonic, string what> : TC_Op<mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = what # " along a dimension";
  let description = what # [{ along `dim`, shifted by the maximum; f32 inside for bf16 and f16.
    A row of minus infinity gives NaN. PyTorch: `torch.}] # mnemonic # [{`.

    Example: `%r = tc.}] # mnemonic # [{ %x dim 1 : tensor<4x8xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, I64Attr:$dim);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "$x `dim` $dim attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def TC_SoftmaxOp : TC_SoftmaxBase<"softmax", "softmax">;
def TC_LogSoftmaxOp : TC_SoftmaxBase<"log_softmax", "logarithm of the softmax">;

def TC_LayerNormOp : TC_Op<"layer_norm", [Pure, AttrSizedOperandSegments, AllTypesMatch<["x", "result"]>]> {
  let summary = "rows shifted to mean 0 and scaled to variance 1";
  let description = [{
    Over the last `rank` dimensions: `(x - mean) / sqrt(var + eps)`, times
    `weight`, plus `bias` (both of those last sizes); the variance is the
    biased one; f32 inside for bf16 and f16. PyTorch: `layer_norm`.

    Example: `%r = tc.layer_norm %x weight %w : tensor<8xf32> bias %b : tensor<8xf32> rank 1 eps 1.0e-5 : tensor<4x8xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, Optional<TC_FloatTensor>:$weight, Optional<TC_FloatTensor>:$bias,
                       I64Attr:$rank, F64Attr:$eps);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))? `rank` $rank `eps` $eps
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TC_RmsNormOp : TC_Op<"rms_norm", [Pure, AllTypesMatch<["x", "result"]>]> {
  let summary = "rows scaled to a mean square of 1";
  let description = [{
    Over the last `rank` dimensions: `x / sqrt(mean(x * x) + eps)`, times
    `weight`; f32 inside for bf16 and f16. PyTorch: `rms_norm`.

    Example: `%r = tc.rms_norm %x weight %w : tensor<8xf32> rank 1 eps 1.0e-6 : tensor<4x8xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, Optional<TC_FloatTensor>:$weight, I64Attr:$rank, F64Attr:$eps);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "$x (`weight` $weight^ `:` type($weight))? `rank` $rank `eps` $eps attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def TC_GroupNormOp : TC_Op<"group_norm", [Pure, AttrSizedOperandSegments, AllTypesMatch<["x", "result"]>,
                                          TC_SizePreconditions]> {
  let summary = "groups of channels shifted to mean 0 and scaled to variance 1";
  let description = [{
    x is [batch, channels, spatial...]; `groups` divides the channels; weight
    and bias are of the channels. f32 inside for bf16 and f16.
    PyTorch: `group_norm`; with one channel a group `instance_norm`.

    Example: `%r = tc.group_norm %x groups 2 eps 1.0e-5 : tensor<1x8x4x4xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, Optional<TC_FloatTensor>:$weight, Optional<TC_FloatTensor>:$bias,
                       I64Attr:$groups, F64Attr:$eps);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = [{
    $x (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))? `groups` $groups `eps` $eps
    attr-dict `:` type($result)
  }];
  let hasVerifier = 1;
}

def TC_BatchNormOp : TC_Op<"batch_norm", [Pure, AttrSizedOperandSegments, AllTypesMatch<["x", "result"]>]> {
  let summary = "channels shifted and scaled by running statistics (inference)";
  let description = [{
    x is [batch, channels, ...]: `(x - mean) / sqrt(variance + eps)`, times
    `weight`, plus `bias`, all of the channels. PyTorch: `batch_norm` with
    training=False.

    Example: `%r = tc.batch_norm %x mean %m variance %v eps 1.0e-5 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$x, TC_FloatTensor:$mean, TC_FloatTensor:$variance,
                       Optional<TC_FloatTensor>:$weight, Optional<TC_FloatTensor>:$bias, F64Attr:$eps);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = [{
    $x `mean` $mean `variance` $variance (`weight` $weight^ `:` type($weight))? (`bias` $bias^ `:` type($bias))?
    `eps` $eps attr-dict `:` type($result) `,` type($mean) `,` type($variance)
  }];
  let hasVerifier = 1;
}

def TC_AttentionOp : TC_Op<"attention", [Pure, AttrSizedOperandSegments]> {
  let summary = "softmax(q k^T * scale + mask) v";
  let description = [{
    q is [batch..., queries, depth], k [batch..., keys, depth], v [batch...,
    keys, value depth]; batches are equal, except that the last batch dimension
    (heads) of q may be a multiple of k's and v's (grouped queries: head h of q
    uses head h / ratio). `causal` masks key j > query i. `mask` broadcasts to
    [batch..., queries, keys]: i1 keeps where true, float is added. A row whose
    scores are all minus infinity, by whatever mask, gives 0. f32 inside for
    bf16 and f16.
    PyTorch: `scaled_dot_product_attention`.

    `logsumexp`, where it is a result, is [batch..., queries]: the natural
    logarithm of the sum of the exponentials of a row's scores, scaled and
    masked; minus infinity where no key counts. It is f32, or f64 of f64.

    With `dropout` p each weight of the softmax is kept with probability 1 - p, in
    steps of 2^-16, and divided by 1 - p; others are 0, as all are of p = 1. Of
    query i of batch point b (row-major over the batch) and key j,
    `tc.dropout_bits` of row `b * ceil(queries / 16) * 16 + i` and column j, with
    `seed` and `offset`, are below 2^16 * (1 - p) where the weight is kept. That is
    no matter of `logsumexp`.

    Example: `%r = tc.attention %q, %k, %v scale 0.125 {causal} : tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32> -> tensor<2x8x16x64xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$q, TC_FloatTensor:$k, TC_FloatTensor:$v,
                       Optional<TC_TensorOf<AnyTypeOf<[TC_Float, TC_Bool]>>>:$mask,
                       Optional<0DTensorOf<[I64]>>:$seed, Optional<0DTensorOf<[I64]>>:$offset,
                       OptionalAttr<F64Attr>:$dropout, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs TC_FloatTensor:$result, Optional<TC_FloatTensor>:$logsumexp);
  let assemblyFormat = [{
    $q `,` $k `,` $v (`mask` $mask^ `:` type($mask))?
    (`dropout` $dropout^ `seed` $seed `offset` $offset `:` type($seed) `,` type($offset))? `scale` $scale attr-dict
    `:` type($q) `,` type($k) `,` type($v) `->` type($result) (`,` type($logsumexp)^)?
  }];
  let hasVerifier = 1;
}

def TC_AttentionBackwardOp : TC_Op<"attention_backward", [Pure, AttrSizedOperandSegments, AllTypesMatch<["k", "grad_k"]>, AllTypesMatch<["v", "grad_v"]>]> {
  let summary = "gradients of q, k and v of tc.attention";
  let description = [{
    `logsumexp` is the second result of `tc.attention` of `q`, `k`, `v`, `mask`,
    `scale` and `causal`, `grad` is the gradient of the first one, and `products`
    is, of the type of `logsumexp`, the sum of each row of `grad` times that first
    result. With the weights P = exp(q k^T * scale + mask - logsumexp), which are 0
    where a key does not count, and S = P * (grad v^T - products):

    - grad_v = P^T grad (of `dropout`: of P * D)
    - grad_q = S k * scale
    - grad_k = S^T q * scale

    of all heads that share keys and values. With `dropout`, `seed` and `offset` as
    `tc.attention` has them, D is 1 / (1 - p) where a weight was kept and 0
    elsewhere, and S = P * (D * (grad v^T) - products). f32 inside for bf16 and f16, and
    `grad_q` is f32 then, as sums over the keys are; what is multiplied by a second
    matrix may be rounded to the type of that (algorithm 2 of FlashAttention-2: Dao,
    2023). PyTorch: `aten._scaled_dot_product_flash_attention_backward`.

    Example: `%gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16xf32>, tensor<2x8x16xf32> -> tensor<2x8x16x64xf32>`
  }];
  let arguments = (ins TC_FloatTensor:$grad, TC_FloatTensor:$q, TC_FloatTensor:$k, TC_FloatTensor:$v,
                       TC_FloatTensor:$logsumexp, TC_FloatTensor:$products,
                       Optional<TC_TensorOf<AnyTypeOf<[TC_Float, TC_Bool]>>>:$mask,
                       Optional<0DTensorOf<[I64]>>:$seed, Optional<0DTensorOf<[I64]>>:$offset,
                       OptionalAttr<F64Attr>:$dropout, F64Attr:$scale, UnitAttr:$causal);
  let results = (outs TC_FloatTensor:$grad_q, TC_FloatTensor:$grad_k, TC_FloatTensor:$grad_v);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `,` $logsumexp `,` $products (`mask` $mask^ `:` type($mask))?
    (`dropout` $dropout^ `seed` $seed `offset` $offset `:` type($seed) `,` type($offset))? `scale` $scale attr-dict
    `:` type($grad) `,` type($q) `,` type($k) `,` type($v) `,` type($logsumexp) `,` type($products) `->` type($grad_q)
  }];
  let hasVerifier = 1;
}

def TC_AttentionBackwardStageOp : TC_Op<"attention_backward_stage", [Pure, AttrSizedOperandSegments, HasParent<"KernelOp">,
    AllTypesMatch<["q", "k", "v", "grad", "grad_k", "grad_v"]>]> {
  let summary = "tc.attention_backward on the values over some dimensions of the domain";
  let description = [{
    Inside of a kernel. `kept`, which there is with `dropout`, says over group, query
    and key which weights are kept. `added`, over the same, is what is added to the
    scaled scores: minus infinity where a key does not count, as masks and `causal`
    say. Of `dims`, which are distinct: group, query, key, depth and column. `grad` is the values over group, query and column, `q`
    over group, query and depth, `k` over key and depth, `v` over key and column,
    `logsumexp` and `products` over group and query; `grad_q`, of f32, `grad_k` and
    `grad_v` are over the dimensions of `q`, `k` and `v`. Heads of one group share
    keys and values. Over other dimensions there is one such computation a point.

    Example: `%gq, %gk, %gv = tc.attention_backward_stage %g, %q, %k, %v, %l, %p added %a dims [1, 2, 3, 4, 5] scale 0.125 : bf16`
  }];
  let arguments = (ins TC_Element:$grad, TC_Element:$q, TC_Element:$k, TC_Element:$v,
                       F32:$logsumexp, F32:$products, Optional<I1>:$kept, Optional<F32>:$added,
                       OptionalAttr<F64Attr>:$dropout, DenseI64ArrayAttr:$dims, F64Attr:$scale);
  let results = (outs F32:$grad_q, TC_Element:$grad_k, TC_Element:$grad_v);
  let assemblyFormat = [{
    $grad `,` $q `,` $k `,` $v `,` $logsumexp `,` $products (`kept` $kept^ `dropout` $dropout)?
    (`added` $added^)? `dims` $dims `scale` $scale attr-dict `:` type($q)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    int64_t getGroupDim() { return getDims()[0]; }
    int64_t getQueryDim() { return getDims()[1]; }
    int64_t getKeyDim() { return getDims()[2]; }
    int64_t getDepthDim() { return getDims()[3]; }
    int64_t getColumnDim() { return getDims()[4]; }
    /// Operands that are matrices, or sums of their rows, in memory: the first
    /// ones.
    static constexpr unsigned kMatrices = 6;
    /// The dimensions that operand or result `index` is values over.
    ::llvm::SmallVector<int64_t> getOverDims(unsigned index);
    ::llvm::SmallVector<int64_t> getToDims(unsigned index);
  }];
}

#endif // TC_NN_OPS
