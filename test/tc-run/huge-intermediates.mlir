// RUN: tc-run %s --target=cpu:x86-64-v3 --random-inputs=1 --size=s0=2 --check
// RUN: not tc-run %s --target=cpu:x86-64-v3 --random-inputs=1 --size=s0=1024 2>&1 | FileCheck %s

// The memory of a function is planned for all sizes that its symbols allow. Of
// those whose bytes exceed 64 bits there is no plan to verify: a call that has
// them is refused.
// CHECK: 'main' computes the bytes of {{.*}} beyond 64 bits where s0 is 1024
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1099511627776>]} {
  %0 = tc.broadcast %x dims [6] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?x?x?x?x?x?x?xf32, #tc.sizes<[s0, s0 + 1, s0 + 2, s0 + 3, s0 + 4, s0 + 5, s0]>>
  %values, %indices = tc.sort %0 dim 6 : tensor<?x?x?x?x?x?x?xf32, #tc.sizes<[s0, s0 + 1, s0 + 2, s0 + 3, s0 + 4, s0 + 5, s0]>> -> tensor<?x?x?x?x?x?x?xf32, #tc.sizes<[s0, s0 + 1, s0 + 2, s0 + 3, s0 + 4, s0 + 5, s0]>>, tensor<?x?x?x?x?x?x?xi64, #tc.sizes<[s0, s0 + 1, s0 + 2, s0 + 3, s0 + 4, s0 + 5, s0]>>
  %1 = tc.reduce sum %values dims [0, 1, 2, 3, 4, 5, 6] : tensor<?x?x?x?x?x?x?xf32, #tc.sizes<[s0, s0 + 1, s0 + 2, s0 + 3, s0 + 4, s0 + 5, s0]>> -> tensor<f32>
  return %1 : tensor<f32>
}
