// RUN: tc-opt --convert-aten-to-tc --split-input-file --verify-diagnostics %s | FileCheck %s

// '...' stands for dimensions that are aligned at the last.
// CHECK-LABEL: func.func @ellipsis(
// CHECK: tc.contract "yzij,zjk->yzik" %{{.*}} : tensor<2x3x4x5xf32>, tensor<3x5x6xf32> -> tensor<2x3x4x6xf32>
func.func @ellipsis(%x: tensor<2x3x4x5xf32>, %y: tensor<3x5x6xf32>) -> tensor<2x3x4x6xf32> {
  %r = tc.aten "aten.einsum.default"(%x, %y) {equation = "...ij,...jk->...ik", tensors = [#tc.operand<0>, #tc.operand<1>]} : (tensor<2x3x4x5xf32>, tensor<3x5x6xf32>) -> tensor<2x3x4x6xf32>
  return %r : tensor<2x3x4x6xf32>
}

// A label twice in an operand is its diagonal.
// CHECK-LABEL: func.func @trace(
// CHECK: %[[I:.*]] = tc.iota
// CHECK: %[[D:.*]] = tc.index_tensors %{{.*}}[%[[I]], %[[I]]] dims [0, 1] : tensor<4x4xf32>, tensor<4xi64>, tensor<4xi64> -> tensor<4xf32>
// CHECK: tc.reduce sum %[[D]]
func.func @trace(%x: tensor<4x4xf32>) -> tensor<f32> {
  %r = tc.aten "aten.einsum.default"(%x) {equation = "ii", tensors = [#tc.operand<0>]} : (tensor<4x4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// A dimension of 1 is repeated where the other operand has more.
// CHECK-LABEL: func.func @repeated(
// CHECK: tc.contract "ij,j->ij" %{{.*}} : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
func.func @repeated(%x: tensor<2x3xf32>, %y: tensor<1x3xf32>) -> tensor<2x3xf32> {
  %r = tc.aten "aten.einsum.default"(%x, %y) {equation = "ij,ij->ij", tensors = [#tc.operand<0>, #tc.operand<1>]} : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// -----

func.func @unknown(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  // expected-error @+1 {{'aten.einsum.default' is not supported with the equation 'ij->k'; expected a label for each dimension, and those of the result once, each in an operand}}
  %r = tc.aten "aten.einsum.default"(%x) {equation = "ij->k", tensors = [#tc.operand<0>]} : (tensor<2x3xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
