// RUN: tc-opt %s --tc-verify-specialize --split-input-file --verify-diagnostics

// A version that is not marked.
// expected-error @+2 {{'tc.dispatch' op runs @main.general, which is not marked tc.version_of @main}}
// expected-note @+1 {{tc-plan-dispatch marks versions}}
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.otherwise @main.general
}
func.func @main.general(%x: tensor<4xf32>) {
  return
}

// -----

// A version that nothing runs.
// expected-error @+2 {{'func.func' op is marked tc.version_of @main, but no tc.dispatch of that name runs it}}
// expected-note @+1 {{tc-plan-dispatch makes dispatches}}
func.func @main.s0_8(%x: tensor<8xf32>) attributes {tc.version_of = @main} {
  return
}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) {
  return
}

// -----

// A guard that the dispatch has checked already.
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.otherwise @main.general
}
func.func @main.general(%x: tensor<4xf32>) attributes {tc.version_of = @main} {
  // expected-error @+2 {{'tc.guard' op is left in a version of @main}}
  // expected-note @+1 {{tc-plan-dispatch moves guards to the dispatch}}
  tc.guard contiguous(%x) : tensor<4xf32>
  return
}

// -----

// A request that was not met.
// expected-error @+2 {{'func.func' op still has tc.specializations}}
// expected-note @+1 {{tc-specialize-sizes makes the versions}}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}
