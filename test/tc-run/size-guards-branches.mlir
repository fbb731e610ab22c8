// A branch checks what its ops need only where it is taken.
// RUN: not tc-run %s --input=0xf32 --input=i1=1 2>&1 | FileCheck %s --check-prefix=MISS
// RUN: not tc-run %s --input=0xf32 --input=i1=1 --device=reference 2>&1 | FileCheck %s --check-prefix=MISS
// MISS: :[[#]]:[[#]]: {{(error: )?}}'tc.reduce' op expects size 0 of 'x', which 'max' folds, of at least 1, but it is s0 = 0
// RUN: tc-run %s --input=0xf32 --input=i1=0 --output=- | FileCheck %s --check-prefix=TAKEN
// RUN: tc-run %s --input=0xf32 --input=i1=0 --device=reference --output=- | FileCheck %s --check-prefix=TAKEN
// TAKEN: f32=0
// RUN: tc-run %s --input=3xf32=1,5,2 --input=i1=1 --output=- | FileCheck %s --check-prefix=LARGEST
// LARGEST: f32=5
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>, %c: tensor<i1>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %r = tc.if %c : tensor<i1> -> tensor<f32> {
    %m = tc.reduce max %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    tc.yield %m : tensor<f32>
  } else {
    %s = tc.reduce sum %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    tc.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}
