// RUN: tc-run %s --target=cuda:sm_90a --compile-to=generate | FileCheck %s

// A product on tensor cores: its tensor maps, the producer and the consumers of a ring of stages, and other code where buffers are not aligned.
// CHECK: tc.launch @contract_relu_0 count <min(
// CHECK-SAME: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 4096]>, strides = <[4096, 1]>, box = [{{[0-9]+}}, 64], swizzle = 128, rounds_down = true>, #tc.tensor_map<buffer = 1, sizes = <[4096, 1024]>, strides = <[1024, 1]>, box = [64, 64], swizzle = 128, rounds_down = true>]
// CHECK: scf.if
// CHECK: block.pipeline at 0 consumers
// CHECK: block.acquire
// CHECK: block.copy_in %arg0[
// CHECK: block.copy_in %arg1[
// CHECK: } else {
// CHECK: block.wait_full
// CHECK: block.mma {{.*}} across depth 64 type bf16 :
// CHECK: block.mma {{.*}} accumulate
// CHECK: block.mma_wait_earlier
// CHECK: block.release
// CHECK: block.mma_wait %
// CHECK: llvm.store {{.*}} {alignment = 4 : i64} : vector<2xi16>
// CHECK: } else {
// CHECK-NOT: block.
// CHECK: gpu.return
func.func @main(%x: tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, %w: tensor<4096x1024xbf16>) -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100000>]} {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<?x4096xbf16, #tc.sizes<[s0, 4096]>>, tensor<4096x1024xbf16> -> tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  %r = tc.relu %c : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
  return %r : tensor<?x1024xbf16, #tc.sizes<[s0, 1024]>>
}
