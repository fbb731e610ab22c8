// RUN: tc-opt --convert-aten-to-tc --split-input-file --verify-diagnostics %s | FileCheck %s

// One product for all steps of the input, and one a step for the state.
// CHECK-LABEL: func.func @gru(
// CHECK: tc.contract "abk,nk->abn" %{{.*}} : tensor<2x1x3xf32>, tensor<12x3xf32> -> tensor<2x1x12xf32>
// CHECK: tc.contract "bk,nk->bn" %{{.*}} : tensor<1x4xf32>, tensor<12x4xf32> -> tensor<1x12xf32>
// CHECK: tc.tanh
// CHECK: tc.contract "bk,nk->bn"
// CHECK-NOT: tc.contract
// CHECK: %[[STEPS:.*]] = tc.concat
// CHECK: return %[[STEPS]]
func.func @gru(%x: tensor<2x1x3xf32>, %h: tensor<1x1x4xf32>, %wi: tensor<12x3xf32>, %wh: tensor<12x4xf32>) -> (tensor<2x1x4xf32>, tensor<1x1x4xf32>) {
  %r:2 = tc.aten "aten.gru.input"(%x, %h, %wi, %wh) {input = #tc.operand<0>, hx = #tc.operand<1>, params = [#tc.operand<2>, #tc.operand<3>], has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<2x1x3xf32>, tensor<1x1x4xf32>, tensor<12x3xf32>, tensor<12x4xf32>) -> (tensor<2x1x4xf32>, tensor<1x1x4xf32>)
  return %r#0, %r#1 : tensor<2x1x4xf32>, tensor<1x1x4xf32>
}

// CHECK-LABEL: func.func @rnn_relu_cell(
// CHECK: tc.contract "bk,nk->bn"
// CHECK: tc.contract "bk,nk->bn"
// CHECK: tc.add
// CHECK: tc.relu
func.func @rnn_relu_cell(%x: tensor<2x3xf32>, %h: tensor<2x4xf32>, %wi: tensor<4x3xf32>, %wh: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %r = tc.aten "aten.rnn_relu_cell.default"(%x, %h, %wi, %wh) {input = #tc.operand<0>, hx = #tc.operand<1>, w_ih = #tc.operand<2>, w_hh = #tc.operand<3>} : (tensor<2x3xf32>, tensor<2x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

func.func @steps(%x: tensor<?x1x3xf32, #tc.sizes<[s0, 1, 3]>>, %h: tensor<1x1x4xf32>, %wi: tensor<4x3xf32>, %wh: tensor<4x4xf32>) -> tensor<1x1x4xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @+1 {{'aten.rnn_tanh.input' is not supported with a number of steps that is symbolic, zero or over 1024; cut the sequence, or export it with one length}}
  %r:2 = tc.aten "aten.rnn_tanh.input"(%x, %h, %wi, %wh) {input = #tc.operand<0>, hx = #tc.operand<1>, params = [#tc.operand<2>, #tc.operand<3>], has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<?x1x3xf32, #tc.sizes<[s0, 1, 3]>>, tensor<1x1x4xf32>, tensor<4x3xf32>, tensor<4x4xf32>) -> (tensor<?x1x4xf32, #tc.sizes<[s0, 1, 4]>>, tensor<1x1x4xf32>)
  return %r#1 : tensor<1x1x4xf32>
}
