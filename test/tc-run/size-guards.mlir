// Conditions of ops on symbolic sizes, native, in the interpreter, and in the versions of a function.
// RUN: not tc-run %s --input=2xf32 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: not tc-run %s --input=2xf32 --device=reference 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: not tc-run %s --input=2xf32 --specialize=main:s0=8 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: not tc-run %s --input=2xf32 --specialize=main:s0=1..4 2>&1 | FileCheck %s --check-prefix=MISS
// MISS: :[[#]]:[[#]]: {{(error: )?}}'tc.topk' op expects 'k' of at most size 0 of 'x', s0 = 2, but it is 3

// RUN: tc-run %s --input=4xf32=1,4,2,3 --output=- | FileCheck %s --check-prefix=TAKEN
// RUN: tc-run %s --input=4xf32=1,4,2,3 --device=reference --output=- | FileCheck %s --check-prefix=TAKEN
// RUN: tc-run %s --input=4xf32=1,4,2,3 --specialize=main:s0=1..4 --output=- | FileCheck %s --check-prefix=TAKEN
// TAKEN: 3xf32=4 3 2

// RUN: tc-run %s --input=4xf32=1,4,2,3 --explain | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: guards:
// EXPLAIN: 'tc.topk' expects 'k' of at most size 0 of 'x', s0, but it is 3

// A version that can never run is refused when it is made.
// RUN: not tc-run %s --input=2xf32 --specialize=main:s0=1 2>&1 | FileCheck %s --check-prefix=NEVER
// NEVER: :[[#]]:[[#]]: {{(error: )?}}'tc.topk' op expects 'k' of at most size 0 of 'x', 1, but it is 3
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<3xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %v, %i = tc.topk %x dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
  return %v : tensor<3xf32>
}
