// RUN: tc-run %s --target=cuda:sm_90a --compile-to=generate | FileCheck %s

// A copy that bufferization makes has a schedule like any other kernel.
// CHECK-LABEL: func.func @main(
// CHECK: tc.launch @copy_0
// CHECK: gpu.func @copy_0
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  return %x : tensor<4x6xf32>
}
