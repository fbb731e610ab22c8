// What was fused and what was not, with the reasons, and which source a schedule has.
// RUN: tc-run %s --random-inputs=1 --explain --output= | FileCheck %s

// CHECK: decisions:
// CHECK-DAG: tc-fuse-elementwise: fused 'add' into 'mul' ({{.*}}explain.mlir:[[# @LINE + 8]])
// CHECK-DAG: tc-fuse-epilogue: did not fuse
// CHECK-DAG: tc-assign-schedules: schedule of '{{.*}}' from the model, its key contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d2,d1], 64x64xf32[d0,d1]){contract over [2]}#{{[0-9a-f]+}}@cpu
// CHECK: memory plan:
// CHECK: output 0: memref<64x64xf32>
// CHECK: guards:

func.func @main(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %s = tc.add %x, %y : tensor<64x64xf32>
  %m = tc.mul %s, %s : tensor<64x64xf32>
  %p = tc.contract "ij,jk->ik" %m, %y : tensor<64x64xf32>, tensor<64x64xf32> -> tensor<64x64xf32>
  %r = tc.softmax %p dim 1 : tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
