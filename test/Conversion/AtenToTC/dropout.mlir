// RUN: tc-opt %s --convert-aten-to-tc | FileCheck %s

// Elements are kept where random numbers are below the probability of that, and divided by it.
// CHECK-LABEL: func.func @training(
// CHECK: tc.random uniform
// CHECK: tc.lt
// CHECK: tc.mul
// CHECK-NOT: tc.aten
func.func @training(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.dropout.default"(%x0) {input = #tc.operand<0>, p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A channel is kept or not as a whole.
// CHECK-LABEL: func.func @channels(
// CHECK: tc.random uniform %{{.*}} -> tensor<2x3x1xf32>
func.func @channels(%x0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = tc.aten "aten.feature_dropout.default"(%x0) {input = #tc.operand<0>, p = 0.5 : f64, train = true} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// Where the mask is a result, dropout trains unless it is told not to.
// CHECK-LABEL: func.func @with_mask(
// CHECK: tc.random uniform
// CHECK: %[[KEPT:.*]] = tc.lt
// CHECK: return %{{.*}}, %[[KEPT]] : tensor<4xf32>, tensor<4xi1>
func.func @with_mask(%x0: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>) {
  %r:2 = tc.aten "aten.native_dropout.default"(%x0) {input = #tc.operand<0>, p = 0.5 : f64} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi1>)
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xi1>
}

// Attention has a stream of its own; its state is what the gradients need.
// CHECK-LABEL: func.func @attention(
// CHECK: %[[SEED:.*]] = tc.full 0 : i64 -> tensor<i64>
// CHECK: %[[OFFSET:.*]] = tc.full 0 : i64 -> tensor<i64>
// CHECK: tc.attention %{{.*}} dropout 1.000000e-01 seed %[[SEED]] offset %[[OFFSET]]
// CHECK: return %{{.*}}, %[[SEED]], %[[OFFSET]]
func.func @attention(%q: tensor<1x2x32x8xf32>) -> (tensor<1x2x32x8xf32>, tensor<i64>, tensor<i64>) {
  %r:4 = tc.aten "aten._scaled_dot_product_efficient_attention.default"(%q, %q, %q) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>, compute_log_sumexp = true, dropout_p = 0.1 : f64} : (tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32>) -> (tensor<1x2x32x8xf32>, tensor<1x2x32xf32>, tensor<i64>, tensor<i64>)
  return %r#0, %r#2, %r#3 : tensor<1x2x32x8xf32>, tensor<i64>, tensor<i64>
}

// Both numbers of the state are in one tensor.
// CHECK-LABEL: func.func @backward(
// CHECK: %[[OFFSET:.*]] = tc.reshape %{{.*}} : tensor<1xi64> -> tensor<i64>
// CHECK: %[[SEED:.*]] = tc.reshape %{{.*}} : tensor<1xi64> -> tensor<i64>
// CHECK: tc.attention_backward %{{.*}} dropout 1.000000e-01 seed %[[SEED]] offset %[[OFFSET]]
func.func @backward(%q: tensor<1x2x32x8xf32>, %l: tensor<1x2x32xf32>, %s: tensor<2xui64>, %u: tensor<ui64>) -> tensor<1x2x32x8xf32> {
  %r:3 = tc.aten "aten._scaled_dot_product_flash_attention_backward.default"(%q, %l, %s, %u) {grad_out = #tc.operand<0>, query = #tc.operand<0>, key = #tc.operand<0>, value = #tc.operand<0>, out = #tc.operand<0>, logsumexp = #tc.operand<1>, cum_seq_q = #tc.operand<3>, cum_seq_k = #tc.operand<3>, max_q = 32 : i64, max_k = 32 : i64, dropout_p = 0.1 : f64, is_causal = false, philox_seed = #tc.operand<2>, philox_offset = #tc.operand<3>} : (tensor<1x2x32x8xf32>, tensor<1x2x32xf32>, tensor<2xui64>, tensor<ui64>) -> (tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32>, tensor<1x2x32x8xf32>)
  return %r#0 : tensor<1x2x32x8xf32>
}
