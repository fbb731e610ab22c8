// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// The two forms of gelu.
// CHECK-LABEL: func.func @gelu(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.gelu %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @gelu(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.gelu.default"(%x0) {self = #tc.operand<0>, approximate = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The gradient of the exact form.
// CHECK-LABEL: func.func @gelu_backward(
// CHECK-SAME: %[[G:.*]]: tensor<4xbf16>, %[[X:.*]]: tensor<4xbf16>
// CHECK-NEXT: %[[V0:.*]] = tc.gelu_grad %[[G]], %[[X]] : tensor<4xbf16>
// CHECK-NEXT: return %[[V0]]
func.func @gelu_backward(%g: tensor<4xbf16>, %x: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = tc.aten "aten.gelu_backward.default"(%g, %x) {grad_output = #tc.operand<0>, self = #tc.operand<1>, approximate = "none"} : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// The approximation by tanh.
// CHECK-LABEL: func.func @gelu_tanh(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.gelu_tanh %[[ARG0]] : tensor<4xbf16>
// CHECK-NEXT: return %[[V0]] : tensor<4xbf16>
func.func @gelu_tanh(%x0: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = tc.aten "aten.gelu.default"(%x0) {self = #tc.operand<0>, approximate = "tanh"} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// hardtanh is a clamp; its bounds have defaults.
// CHECK-LABEL: func.func @hardtanh(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.full -1.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.maximum %[[ARG0]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 6.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.minimum %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4xf32>
func.func @hardtanh(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.hardtanh.default"(%x0) {self = #tc.operand<0>, max_val = 6 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// leaky_relu of bf16 is computed in f32 and rounded once.
// CHECK-LABEL: func.func @leaky_relu(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.gt %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1.000000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.mul %[[V0]], %[[V3]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.select %[[V2]], %[[V0]], %[[V4]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.cast %[[V5]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V6]] : tensor<4xbf16>
func.func @leaky_relu(%x0: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = tc.aten "aten.leaky_relu.default"(%x0) {self = #tc.operand<0>, negative_slope = 0.1 : f64} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// glu splits a dimension in two.
// CHECK-LABEL: func.func @glu(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[0, 4]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.sigmoid %[[V1]] : tensor<4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[V0]], %[[V2]] : tensor<4x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x4xf32>
func.func @glu(%x0: tensor<4x8xf32>) -> tensor<4x4xf32> {
  %r = tc.aten "aten.glu.default"(%x0) {self = #tc.operand<0>} : (tensor<4x8xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
