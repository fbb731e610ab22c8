//===- RandomOps.td - Random numbers with an explicit state --------*- tablegen -*-===//

#ifndef TC_RANDOM_OPS
#define TC_RANDOM_OPS

include "TC/Dialect/TC/IR/TCAttributes.td"
include "TC/Dialect/TC/IR/TCInterfaces.td"

def TC_RandomOp : TC_Op<"random", [Pure]> {
  let summary = "random elements from a seed and an offset";
  let description = [{
    Element i (row-major) of a `uniform` result on [0, 1) or a standard `normal`
    one, from the words of `tc.philox` with `seed` and `offset`, both 0-d: equal
    state, equal elements, at any thread count. Uniform: the high d bits of word
    i over 2^d, where d is 24 (f16: 11, bf16: 8). Normal, by Box-Muller:
    `sqrt(-2 log u) * cos(2 pi v)` with u = (a + 1) / 2^24 and v = b / 2^24,
    where a and b are the high 24 bits of words 2i and 2i + 1.
    With `each_iteration` the op is in a `tc.while` and gets another seed in
    each of its iterations; phase import computes that seed and takes the mark
    away. PyTorch: `rand`, `randn`, with its own stream of bits.

    Example: `%r = tc.random uniform %seed, %offset : tensor<i64>, tensor<i64> -> tensor<4x8xf32>`
  }];
  let arguments = (ins TC_DistributionKindAttr:$distribution, 0DTensorOf<[I64]>:$seed, 0DTensorOf<[I64]>:$offset,
                       UnitAttr:$each_iteration);
  let results = (outs TC_FloatTensor:$result);
  let assemblyFormat = "``$distribution $seed `,` $offset attr-dict `:` type($seed) `,` type($offset) `->` type($result)";
  let hasVerifier = 1;
}

#endif // TC_RANDOM_OPS
