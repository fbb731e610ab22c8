// RUN: tc-opt %s --split-input-file --verify-diagnostics

// A version that is missing.
tc.dispatch @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.otherwise' op runs @main.general, which is not in the module}}
  tc.otherwise @main.general
}

// -----

// A version of other sizes than the dispatch can hand over.
// expected-note @+1 {{the version is here}}
func.func @main.general(%x: tensor<8xf32>) {
  return
}
tc.dispatch @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.otherwise' op runs @main.general of type '(tensor<8xf32>) -> ()', expected a version of '(tensor<4xf32>) -> ()'}}
  tc.otherwise @main.general
}

// -----

// A version with another number of results.
// expected-note @+1 {{the version is here}}
func.func @main.s0_4(%x: tensor<4xf32>) {
  return
}
func.func @main.general(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> {
  return %x : tensor<?xf32, #tc.sizes<[s0]>>
}
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> {
  // expected-error @+1 {{'tc.case' op runs @main.s0_4 of type '(tensor<4xf32>) -> ()', expected a version of '(tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>>'}}
  tc.case @main.s0_4 {
  }
  tc.otherwise @main.general
}

// -----

// A dispatch computes nothing.
// expected-error @+1 {{'tc.dispatch' op expects nothing but tc.guard, tc.case and tc.otherwise}}
tc.dispatch @main(%x: tensor<4xf32>) {
  // expected-note @+1 {{it has 'tc.neg'}}
  %0 = tc.neg %x : tensor<4xf32>
  tc.otherwise @main
}

// -----

// A dispatch without a version for all inputs.
// expected-error @+1 {{'tc.dispatch' op expects to end in tc.otherwise}}
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.yield
}

// -----

// A case holds guards.
tc.dispatch @main(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.case' op expects nothing but tc.guard}}
  tc.case @main {
    // expected-note @+1 {{it has 'tc.neg'}}
    %0 = tc.neg %x : tensor<4xf32>
  }
  tc.otherwise @main
}

// -----

// A case outside of a dispatch.
// expected-error @+1 {{'tc.case' op expects parent op 'tc.dispatch'}}
tc.case @main {
}

// -----

// Requested specialisations are lists of symbols.
// expected-error @+1 {{attribute 'tc.specializations' is ["s0"]; expected an array of arrays of #tc.symbol}}
func.func @f() attributes {tc.specializations = ["s0"]} {
  return
}

// -----

// A version is one of a function.
// expected-error @+1 {{attribute 'tc.version_of' is "main"; expected a symbol}}
func.func @f() attributes {tc.version_of = "main"} {
  return
}
