// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=generate | FileCheck %s

// A tile is multiplied once for each matrix that its rows have. The copy engine stores the results of a warp whose rows all have one, behind the first products of what is multiplied next; threads store those of others before.
// SCHEDULE: #tc.gpu_contraction_schedule<{{.*}}async_store = true
// CHECK: gpu.module @minimum_index_contract_lt_broadcast_select_1
// CHECK: block.role registers = 40
// CHECK: nvvm.redux.sync  umin
// CHECK: scf.while
// CHECK: block.copy_in
// CHECK: nvvm.redux.sync  umin
// CHECK: block.role registers = 232 more
// CHECK: nvvm.redux.sync  umin
// CHECK: scf.while (%{{arg[0-9]+}} = %{{[0-9]+}}, %[[IS_STORED:arg[0-9]+]] = %arg9,
// CHECK: block.mma
// CHECK: block.copy_out {{.*}} if %[[IS_STORED]] words
// CHECK: block.mma_wait
// CHECK: %[[LEAST:.*]] = nvvm.redux.sync  umin
// CHECK: %[[WHOLE:.*]] = arith.cmpi ne, %[[LEAST]]
// CHECK: %[[PARTLY:.*]] = arith.xori %[[WHOLE]]
// CHECK: scf.if %[[PARTLY]] {
// CHECK: llvm.store {{.*}} vector<2xi16>
// CHECK: scf.yield {{.*}}, %[[WHOLE]],
func.func @grouped(%x: tensor<4096x512xbf16>, %w: tensor<8x512x1024xbf16>, %o: tensor<8xi32>) -> tensor<4096x1024xbf16> {
  %r = tc.aten "aten._grouped_mm.default"(%x, %w, %o) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<4096x512xbf16>, tensor<8x512x1024xbf16>, tensor<8xi32>) -> tensor<4096x1024xbf16>
  return %r : tensor<4096x1024xbf16>
}
