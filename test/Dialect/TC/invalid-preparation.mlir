// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of values that are prepared ahead of the calls.

// Sizes are constants.
func.func @tc.prepare() { return }
// expected-error @+1 {{'tc.prepared' op expects a tensor type of constant sizes, but it is 'tensor<?xf32>'}}
tc.prepared @w : tensor<?xf32> {result = 0 : i64}

// -----

// Results are counted from 0.
func.func @tc.prepare() { return }
// expected-error @+1 {{'tc.prepared' op expects 'result' of at least 0, but it is -1}}
tc.prepared @w : tensor<4xf32> {result = -1 : i64}

// -----

// Something computes it.
// expected-error @+1 {{'tc.prepared' op expects a function @tc.prepare in the module}}
tc.prepared @w : tensor<4xf32> {result = 0 : i64}

// -----

// The function has that many results.
// expected-error @+1 {{'tc.prepared' op expects result 1 of @tc.prepare to be 'tensor<4xf32>', but it has 1 results}}
tc.prepared @w : tensor<4xf32> {result = 1 : i64}
// expected-note @+1 {{the function is here}}
func.func @tc.prepare() -> tensor<4xf32> {
  %0 = tc.full 1.0 : f32 -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The result has that type.
// expected-error @+1 {{'tc.prepared' op expects result 0 of @tc.prepare to be 'tensor<4xf16>', but it is 'tensor<4xf32>'}}
tc.prepared @w : tensor<4xf16> {result = 0 : i64}
// expected-note @+1 {{the function is here}}
func.func @tc.prepare() -> tensor<4xf32> {
  %0 = tc.full 1.0 : f32 -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// @tc.prepare does not read the values that it computes.
tc.prepared @w : tensor<4xf32> {result = 0 : i64}
func.func @tc.prepare() -> tensor<4xf32> {
  // expected-error @+1 {{'tc.parameter' op reads @w in @tc.prepare, which computes it; expected a tc.parameter_source}}
  %0 = tc.parameter @w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
