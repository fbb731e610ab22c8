// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=generate | FileCheck %s

// More rows than coordinates of 32 bits hold are computed point by point.
// CHECK: scf.if
// CHECK: block.pipeline at 0 consumers
// CHECK: } else {
// CHECK: scf.for
// CHECK: gpu.return
func.func @any_rows(%x: tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, %w: tensor<4096x1024xbf16>) -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4000000000>]} {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, tensor<4096x1024xbf16> -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  return %c : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
}
