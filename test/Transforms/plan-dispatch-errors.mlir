// RUN: tc-opt %s --tc-plan-dispatch --split-input-file --verify-diagnostics

// The name of the general version is taken.
// expected-error @+1 {{function 'main' has versions, but the name 'main.general' is taken}}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}
func.func @main.general(%x: tensor<8xf32>) attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.version_of = @main} {
  return
}

// -----

// A version that does not say what for.
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}
// expected-error @+1 {{function 'main.a' is a version of 'main' without tc.specialization, which says when it runs}}
func.func @main.a(%x: tensor<8xf32>) attributes {tc.version_of = @main} {
  return
}
