// RUN: tc-opt %s --tc-verify-simplify | FileCheck %s

// Composites that have a kernel of their own pass as they are, and what stands next to kernels.
// CHECK: func.func @main
tc.parameter_source @w : tensor<8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
func.func @main(%x: tensor<4x8xf32>, %c: tensor<i1>) -> tensor<4x8xf32> {
  %w = tc.parameter @w : tensor<8xf32>
  %0 = tc.if %c : tensor<i1> -> tensor<4x8xf32> {
    %1 = tc.softmax %x dim 1 : tensor<4x8xf32>
    tc.yield %1 : tensor<4x8xf32>
  } else {
    %2 = tc.rms_norm %x weight %w : tensor<8xf32> rank 1 eps 1.0e-6 : tensor<4x8xf32>
    tc.yield %2 : tensor<4x8xf32>
  }
  %3 = tc.pad constant %0 low [0, 1] high [0, -1] value 0.0 : f32 : tensor<4x8xf32> -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}
