// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=generate | FileCheck %s

// Rows of a number of elements that the call gives are copied where that is a multiple of 8.
// CHECK: block.role registers = 104
// CHECK: scf.if
// CHECK: block.acquire
// CHECK: block.copy_in %arg0[
// CHECK: block.copy_in %arg1[
// CHECK: } else {
// CHECK: block.await_empty
// CHECK-NOT: block.expect
// CHECK: block.store_in
// CHECK: block.store_in
// CHECK: block.publish
func.func @any_pitch(%x: tensor<4096x?xbf16, #tc.sizes<[4096, s0]>>, %w: tensor<1024x?xbf16, #tc.sizes<[1024, s0]>>) -> tensor<4096x1024xbf16> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 100000>]} {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<4096x?xbf16, #tc.sizes<[4096, s0]>>, tensor<1024x?xbf16, #tc.sizes<[1024, s0]>> -> tensor<4096x1024xbf16>
  return %c : tensor<4096x1024xbf16>
}
