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

// -----

// Three rows would run the version for 4000.
tc.dispatch @main(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>]} {
  // expected-error @+1 {{'tc.case' op runs @main.s0_4000, which takes size 4000 in dimension 0 of input 0, but the guards let other values of s0 through; add a guard, or change the version's type}}
  tc.case @main.s0_4000 {
    tc.guard size_range(%x) {dim = 0 : i64, min = 3 : i64, max = 4000 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  }
  tc.otherwise @main.general
}
func.func @main.s0_4000(%x: tensor<4000x8xf32>) attributes {tc.version_of = @main} {
  return
}
func.func @main.general(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>], tc.version_of = @main} {
  return
}

// -----

// A symbol of the version is in a range that no guard says.
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // expected-error @+1 {{'tc.case' op runs @main.few, whose symbol s0 is in [2, 64], a multiple of 8, but by the guards s0 is in [2, 64]; add a guard, or change the version's tc.symbols}}
  tc.case @main.few {
  }
  tc.otherwise @main.general
}
func.func @main.few(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64, divisor = 8>], tc.version_of = @main} {
  return
}
func.func @main.general(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main} {
  return
}

// -----

// The version for all inputs takes those of one size.
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  // expected-error @+1 {{'tc.otherwise' op runs @main.general, which takes size s0 in dimension 0 of input 1, but the guards let other values of s1 through; add a guard, or change the version's type}}
  tc.otherwise @main.general
}
func.func @main.general(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main} {
  return
}

// -----

// A version is run by its dispatch alone.
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.otherwise @main.general
}
func.func @main.general(%x: tensor<4xf32>) attributes {tc.version_of = @main} {
  return
}
func.func @caller(%x: tensor<4xf32>) {
  // expected-error @+1 {{'func.call' op calls @main.general, a version of @main; expected a call of the dispatch, which checks the guards}}
  func.call @main.general(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// What is at the strides of an argument is known to its memory only.
func.func @reads_row_major(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x72xf32> {
  // expected-error @+2 {{'tc.relu' op uses argument 0 of @reads_row_major, which has tc.strides; expected tc.input_storage}}
  // expected-note @+1 {{tc-decompose-strided-inputs makes it}}
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// -----

// A version reads inputs as its dispatch checks them.
// expected-note @+1 {{the dispatch is here}}
tc.dispatch @main(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) {
  tc.otherwise @main.general
}
// expected-error @+1 {{'func.func' op has no tc.strides on argument 0, but its dispatch has some; expected the same memory of both}}
func.func @main.general(%x: tensor<8x72xf32>) attributes {tc.version_of = @main} {
  return
}
