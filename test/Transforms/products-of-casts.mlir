// RUN: tc-opt %s '--tc-pipeline=to=fuse target=cuda:sm_90a' | FileCheck %s
// RUN: tc-opt %s '--tc-pipeline=to=fuse target=cpu:x86-64-v3' | FileCheck %s --check-prefix=CPU

// What is cast from bf16 as it is read is multiplied as it is on tensor cores,
// whose products of it are exact; elsewhere it is multiplied in f32.

// CHECK-LABEL: func.func @main(
// CHECK: tc.kernel {{.*}} contraction {{.*}} schedule #tc.gpu_contraction_schedule<
// CHECK: %[[X:.*]] = tc.read {{.*}} -> bf16
// CHECK: %[[Y:.*]] = tc.read {{.*}} -> bf16
// CHECK: tc.contract_stage %[[X]], %[[Y]] over [2] : bf16, bf16 -> f32
// CPU: tc.contract_stage {{.*}} : f32, f32 -> f32
func.func @main(%x: tensor<256x128xbf16>, %y: tensor<128x256xbf16>) -> tensor<256x256xf32> {
  %a = tc.cast %x : tensor<256x128xbf16> to tensor<256x128xf32>
  %b = tc.cast %y : tensor<128x256xbf16> to tensor<128x256xf32>
  %r = tc.contract "mk,kn->mn" %a, %b : tensor<256x128xf32>, tensor<128x256xf32> -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
