// RUN: tc-opt %s --split-input-file --tc-verify-simplify --verify-diagnostics

// Captured calls are converted.
func.func @aten(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.aten' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{convert-aten-to-tc should have replaced it}}
  %0 = tc.aten "aten.relu.default"(%x) {self = #tc.operand<0>} : (tensor<1x4x8xf32>) -> tensor<1x4x8xf32>
  return
}

// -----

// An adaptive pool is a mean or a sum of windows.
func.func @adaptive_avg_pool(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.adaptive_avg_pool' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-adaptive-avg-pool should have replaced it}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x4x8xf32> -> tensor<1x4x3xf32>
  return
}

// -----

// A batch norm is a scale and a shift.
func.func @batch_norm(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.batch_norm' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-batch-norm should have replaced it}}
  %0 = tc.batch_norm %x mean %m variance %m eps 1.0e-5 : tensor<1x4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// A group norm is a layer norm.
func.func @group_norm(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.group_norm' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-group-norm should have replaced it}}
  %0 = tc.group_norm %x groups 2 eps 1.0e-5 : tensor<1x4x8xf32>
  return
}

// -----

// The logarithm of a softmax is a difference.
func.func @log_softmax(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.log_softmax' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-log-softmax should have replaced it}}
  %0 = tc.log_softmax %x dim 1 : tensor<1x4x8xf32>
  return
}

// -----

// The indices of true elements are a scatter.
func.func @nonzero(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.nonzero' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-nonzero should have replaced it}}
  %0 = tc.nonzero %b : tensor<8xi1> -> tensor<8x1xi64>
  return
}

// -----

// A reflecting pad is a concatenation.
func.func @pad(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.pad' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-pad-modes should have replaced it}}
  %0 = tc.pad reflect %x low [0, 0, 1] high [0, 0, 1] : tensor<1x4x8xf32> -> tensor<1x4x10xf32>
  return
}

// -----

// Random elements are arithmetic on counters.
func.func @random(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.random' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-random should have replaced it}}
  %0 = tc.random uniform %s, %s : tensor<i64>, tensor<i64> -> tensor<4xf32>
  return
}

// -----

// A resampled tensor is a view or a gather.
func.func @resample(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.resample' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-resample should have replaced it}}
  %0 = tc.resample nearest %x : tensor<1x4x8xf32> -> tensor<1x4x16xf32>
  return
}

// -----

// A variance is a mean of squares.
func.func @variance(%x: tensor<1x4x8xf32>, %m: tensor<4xf32>, %b: tensor<8xi1>, %s: tensor<i64>) {
  // expected-error @+2 {{'tc.variance' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  // expected-note @+1 {{tc-decompose-variance should have replaced it}}
  %0 = tc.variance %x dims [1] correction 1.0 : tensor<1x4x8xf32> -> tensor<1x8xf32>
  return
}

// -----

// The ops of other dialects are later phases'.
func.func @dialect(%x: tensor<4xf32>) {
  // expected-error @+1 {{'arith.negf' op is left after phase simplify; expected ops that convert-tc-to-kernel converts to kernels, parameters, constants and control flow}}
  %0 = arith.negf %x : tensor<4xf32>
  return
}

// -----

// Scalars are in kernels.
func.func @scalar() {
  // expected-error @+1 {{'func.call' op has a result of type 'f32' after phase simplify; expected a tensor}}
  %0 = func.call @other() : () -> f32
  return
}
func.func private @other() -> f32
