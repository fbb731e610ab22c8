// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | FileCheck %s

// A mask of positions and documents is computed in the kernel of the gradients: no mask is in memory.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tc.kernel {{.*}} pointwise
// CHECK: tc.kernel {{.*}} custom {{.*}} #tc.gpu_attention_backward_schedule
// CHECK: %[[BEFORE:.*]] = tc.within
// CHECK: %[[SAME:.*]] = tc.eq
// CHECK: %[[INNER:.*]] = tc.select %[[SAME]]
// CHECK: %[[ADDED:.*]] = tc.select %[[BEFORE]], %[[INNER]]
// CHECK: tc.attention_backward_stage {{.*}} added %[[ADDED]]
func.func @main(%g: tensor<2x200x64xbf16>, %q: tensor<2x200x64xbf16>, %k: tensor<2x200x64xbf16>, %v: tensor<2x200x64xbf16>, %l: tensor<2x200xf32>, %p: tensor<2x200xf32>, %n: tensor<200xi64>) -> (tensor<2x200x64xf32>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16>) {
  %dq = tc.broadcast %n dims [0] : tensor<200xi64> -> tensor<200x200xi64>
  %dk = tc.broadcast %n dims [1] : tensor<200xi64> -> tensor<200x200xi64>
  %row = tc.iota dim 0 start 0 step 1 : tensor<200x200xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<200x200xi64>
  %before = tc.le %column, %row : tensor<200x200xi64>
  %same = tc.eq %dq, %dk : tensor<200x200xi64>
  %both = tc.bitwise_and %before, %same : tensor<200x200xi1>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %both : tensor<200x200xi1> scale 0.125 : tensor<2x200x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16>, tensor<2x200xf32>, tensor<2x200xf32> -> tensor<2x200x64xf32>
  return %gq, %gk, %gv : tensor<2x200x64xf32>, tensor<2x200x64xbf16>, tensor<2x200x64xbf16>
}
