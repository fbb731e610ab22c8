// RUN: tc-opt %s "--pass-pipeline=builtin.module(tc.dispatch(tc-fold-guards))" --split-input-file --verify-diagnostics

// A case that the common guards exclude.
func.func @v(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.version_of = @main} {
  return
}
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard size_multiple(%x) {dim = 0 : i64, divisor = 16 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
  // expected-note @+1 {{version @v can never run}}
  tc.case @v {
    // expected-error @+1 {{'tc.guard' op can never hold: s0 is in [16, 64], a multiple of 16, expected 8 (from specialisation v)}}
    tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>, origin = "specialisation v"} : tensor<?xf32, #tc.sizes<[s0]>>
  }
  tc.otherwise @v
}

// -----

// A guard of all versions against the declared range.
func.func @v(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.version_of = @main} {
  return
}
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // expected-error @+1 {{'tc.guard' op can never hold: s0 * 2 is in [4, 128], a multiple of 2, expected at least 200}}
  tc.guard scalar() {expr = #tc.expr<s0 * 2>, min = 200 : i64}
  tc.otherwise @v
}

// -----

// A guard against the type.
func.func @v(%x: tensor<4xf32>) attributes {tc.version_of = @main} {
  return
}
tc.dispatch @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.guard' op can never hold: it is f32, expected bf16 (from the caller)}}
  tc.guard dtype(%x) {value = bf16, origin = "the caller"} : tensor<4xf32>
  tc.otherwise @v
}
