// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=generate | FileCheck %s

// Rows of 4097 elements begin anywhere: threads load them, one of them starts the copies of the other operand.
// CHECK: tensor_maps [#tc.tensor_map<buffer = 1, {{[^>]*>[^>]*>[^>]*}}>, #tc.tensor_map<buffer = 2, {{[^>]*>[^>]*>[^>]*}}>]
// CHECK: block.role registers = 104
// CHECK: block.await_empty
// CHECK: block.expect {{.*}} bytes
// CHECK: block.copy_in %arg0[
// CHECK: llvm.load
// CHECK: block.store_in
// CHECK: block.publish
// CHECK-NOT: block.copy_in
// CHECK: block.role registers = 200 more
func.func @odd_pitch(%x: tensor<4096x4097xbf16>, %w: tensor<4097x1024xbf16>) -> tensor<4096x1024xbf16> {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<4096x4097xbf16>, tensor<4097x1024xbf16> -> tensor<4096x1024xbf16>
  return %c : tensor<4096x1024xbf16>
}
