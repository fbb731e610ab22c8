// RUN: tc-opt %s --tc-pipeline=to=fuse | grep -c tc.tanh | FileCheck %s

// 16 steps of an LSTM take 2 tanh each. A step is read by the next one and by
// its output; it is copied into both only while it is short, so that the work
// of a step does not grow with those before it.
// CHECK: {{^[3-7][0-9]$}}
func.func @lstm(%x: tensor<16x2x3xf32>, %h: tensor<1x2x4xf32>, %c: tensor<1x2x4xf32>, %wi: tensor<16x3xf32>, %wh: tensor<16x4xf32>) -> tensor<16x2x4xf32> {
  %r:3 = tc.aten "aten.lstm.input"(%x, %h, %c, %wi, %wh) {input = #tc.operand<0>, hx = [#tc.operand<1>, #tc.operand<2>], params = [#tc.operand<3>, #tc.operand<4>], has_biases = false, num_layers = 1 : i64, dropout = 0.0 : f64, train = false, bidirectional = false, batch_first = false} : (tensor<16x2x3xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>, tensor<16x3xf32>, tensor<16x4xf32>) -> (tensor<16x2x4xf32>, tensor<1x2x4xf32>, tensor<1x2x4xf32>)
  return %r#0 : tensor<16x2x4xf32>
}
