// RUN: tc-run %s --target=cuda:sm_90a --function=scaled --compile-to=generate | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_90a --function=scaled --print-assembly | FileCheck %s --check-prefix=PTX

// Floats of 8 bits: a step has 128 elements in rows of 128 bytes, and its sums are added to those of the thread. Of @across, below, one matrix has a tensor map.
// CHECK-LABEL: func.func @scaled
// CHECK: tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[8192, 8192]>, strides = <[8192, 1]>, box = [128, 128], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[8192, 8192]>, strides = <[8192, 1]>, box = [{{[0-9]+}}, 128], swizzle = 128, realigns = true>, #tc.tensor_map<{{.*}}box = [16, {{32|64}}], swizzle = {{64|128}}, realigns = true, written = true>]
// CHECK-LABEL: func.func @across
// CHECK: tensor_maps [#tc.tensor_map<buffer = 0, {{[^>]*>[^>]*>[^>]*}}>] {
// CHECK-LABEL: gpu.module @contract_broadcast_mul_cast_0
// CHECK: block.mma {{.*}} depth 128 type f8E4M3FN by f8E5M2 :
// CHECK: block.mma_wait %
// CHECK: scf.for
// CHECK: block.mma {{.*}} depth 128 type f8E4M3FN by f8E5M2 :
// CHECK-NEXT: block.next_slot
// CHECK-NEXT: %[[SUMS:.*]] = block.mma_wait %
// CHECK-NEXT: block.release
// CHECK-NEXT: arith.addf %{{.*}}, %[[SUMS]] : vector<{{[0-9]+}}xf32>
// PTX-LABEL: .entry contract_broadcast_mul_cast_0
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.f32.e4m3.e5m2
func.func @scaled(%x: tensor<8192x8192xf8E4M3FN>, %w: tensor<8192x8192xf8E5M2>, %s: tensor<f32>) -> tensor<8192x8192xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w : tensor<8192x8192xf8E4M3FN>, tensor<8192x8192xf8E5M2> -> tensor<8192x8192xf32>
  %t = tc.broadcast %s dims [] : tensor<f32> -> tensor<8192x8192xf32>
  %d = tc.mul %c, %t : tensor<8192x8192xf32>
  %r = tc.cast %d : tensor<8192x8192xf32> to tensor<8192x8192xbf16>
  return %r : tensor<8192x8192xbf16>
}

// The sums of the tensor cores alone.
// CHECK-LABEL: gpu.module @contract_cast_1
// CHECK: scf.for
// CHECK: block.mma {{.*}} depth 128 type f8E4M3FN accumulate %{{.*}} if %
// CHECK-NOT: arith.addf
func.func @fast(%x: tensor<8192x8192xf8E4M3FN>, %w: tensor<8192x8192xf8E4M3FN>) -> tensor<8192x8192xbf16> {
  %c = tc.contract "mk,nk->mn" %x, %w fast : tensor<8192x8192xf8E4M3FN>, tensor<8192x8192xf8E4M3FN> -> tensor<8192x8192xf32>
  %r = tc.cast %c : tensor<8192x8192xf32> to tensor<8192x8192xbf16>
  return %r : tensor<8192x8192xbf16>
}

// Integers are multiplied as they are before they are widened; sums of 32 bits are exact, and stored by the threads that have them.
// CHECK-LABEL: gpu.module @cast_cast_contract_2
// CHECK: block.copy_in
// CHECK: scf.for
// CHECK: block.mma {{.*}} depth 128 type i8 accumulate %{{.*}} if %
// CHECK: block.mma_wait %{{.*}} : <{{[0-9]+}}, i32> -> vector<{{[0-9]+}}xi32>
// CHECK: llvm.store {{.*}} : vector<2xi32>
// PTX-LABEL: .entry cast_cast_contract_2
// PTX-COUNT-4: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.s32.s8.s8
func.func @integers(%x: tensor<8192x8192xi8>, %w: tensor<8192x8192xi8>) -> tensor<8192x8192xi32> {
  %a = tc.cast %x : tensor<8192x8192xi8> to tensor<8192x8192xi32>
  %b = tc.cast %w : tensor<8192x8192xi8> to tensor<8192x8192xi32>
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<8192x8192xi32>, tensor<8192x8192xi32> -> tensor<8192x8192xi32>
  return %c : tensor<8192x8192xi32>
}

// Tensor cores take elements of 8 bits along the sum alone: threads load others.
// CHECK-LABEL: gpu.module @contract_3
// CHECK: block.store_in {{.*}} : vector<16xi8>
// CHECK: block.mma {{.*}} depth 128 type f8E4M3FN :
func.func @across(%x: tensor<1024x4096xf8E4M3FN>, %w: tensor<4096x1024xf8E4M3FN>) -> tensor<1024x1024xf32> {
  %c = tc.contract "mk,kn->mn" %x, %w : tensor<1024x4096xf8E4M3FN>, tensor<4096x1024xf8E4M3FN> -> tensor<1024x1024xf32>
  return %c : tensor<1024x1024xf32>
}
