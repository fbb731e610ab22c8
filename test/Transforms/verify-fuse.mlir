// RUN: tc-opt %s --tc-verify-fuse | FileCheck %s

// A function without ops is fine.
// CHECK-LABEL: func @f
// CHECK: return
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
