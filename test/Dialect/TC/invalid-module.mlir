// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of parameters and control flow.

// A source has constant sizes.
// expected-error @+1 {{'tc.parameter_source' op expects a tensor type of constant sizes, but it is 'tensor<?xf32, #tc.sizes<[s0]>>'}}
tc.parameter_source @w : tensor<?xf32, #tc.sizes<[s0]>> {file = "m.pt2", offset = 0 : i64, role = "parameter"}

// -----

// An offset is in the file.
// expected-error @+1 {{'tc.parameter_source' op expects 'offset' of at least 0, but it is -4}}
tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = -4 : i64, role = "parameter"}

// -----

// A stride a dimension.
// expected-error @+1 {{'tc.parameter_source' op expects 'strides' to have 1 entries, but it has 2}}
tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter", strides = array<i64: 4, 1>}

// -----

// Strides are not negative.
// expected-error @+1 {{'tc.parameter_source' op expects entries of 'strides' of at least 0, but one is -1}}
tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter", strides = array<i64: -1>}

// -----

// Roles are three.
// expected-error @+1 {{'tc.parameter_source' op expects 'role' to be parameter, buffer or constant, but it is "weight"}}
tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "weight"}

// -----

// A parameter has a source.
func.func @parameter_without_source() {
  // expected-error @+1 {{'tc.parameter' op expects a tc.parameter_source or tc.prepared named @w in the module}}
  %0 = tc.parameter @w : tensor<4xf32>
  return
}

// -----

// A parameter has the type of its source.
// expected-note @+1 {{the source is declared here}}
tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
func.func @parameter_of_other_type() {
  // expected-error @+1 {{'tc.parameter' op expects the type of its source, 'tensor<4xf32>', but it is 'tensor<5xf32>'}}
  %0 = tc.parameter @w : tensor<5xf32>
  return
}

// -----

// Both regions yield the results.
func.func @if_yields(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @+1 {{'tc.if' op expects the else region to yield ('tensor<4xf32>'), but it yields ('tensor<5xf32>')}}
  %0 = tc.if %c : tensor<i1> -> tensor<4xf32> {
    tc.yield %x : tensor<4xf32>
  } else {
    // expected-note @+1 {{yielded here}}
    tc.yield %y : tensor<5xf32>
  }
  return
}

// -----

func.func @if_on_buffers(%c: memref<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'tc.if' op has a condition on a buffer and 1 results; expected none}}
  %0 = tc.if %c : memref<i1> -> tensor<4xf32> {
    tc.yield %x : tensor<4xf32>
  } else {
    tc.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @while_names(%x: tensor<4xf32>, %c: tensor<i1>) {
  %0 = tc.while carry(%v = %x : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  // expected-error @+1 {{expected 1 names of carried values after 'do', but found 2}}
  } do(%v, %w) {
    tc.yield %v : tensor<4xf32>
  }
  return
}

// -----

func.func @while_condition(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.while' op expects the condition region to yield one i1 without dimensions, but it yields ('tensor<4xf32>')}}
  %0 = tc.while carry(%v = %x : tensor<4xf32>) {
    // expected-note @+1 {{yielded here}}
    tc.yield %v : tensor<4xf32>
  } do(%v) {
    tc.yield %v : tensor<4xf32>
  }
  return
}

// -----

func.func @while_body(%x: tensor<4xf32>, %y: tensor<5xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{'tc.while' op expects the body region to yield ('tensor<4xf32>'), but it yields ('tensor<5xf32>')}}
  %0 = tc.while carry(%v = %x : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  } do(%v) {
    // expected-note @+1 {{yielded here}}
    tc.yield %y : tensor<5xf32>
  }
  return
}

// -----

func.func @while_results(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{'tc.while' op carries ('tensor<4xf32>'), but has results of type ('tensor<5xf32>')}}
  %0 = "tc.while"(%x) ({
  ^bb0(%v: tensor<4xf32>):
    "tc.yield"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<4xf32>):
    "tc.yield"(%v) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @while_arguments(%x: tensor<4xf32>, %c: tensor<i1>) {
  // expected-error @+1 {{'tc.while' op expects the condition region to have arguments of type ('tensor<4xf32>'), but it has ()}}
  %0 = "tc.while"(%x) ({
    "tc.yield"(%c) : (tensor<i1>) -> ()
  }, {
  ^bb0(%v: tensor<4xf32>):
    "tc.yield"(%v) : (tensor<4xf32>) -> ()
  }) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @while_on_buffers(%x: tensor<4xf32>, %c: memref<i1>) {
  // expected-error @+1 {{'tc.while' op has a condition on a buffer and carries 1 values; expected none}}
  %0 = tc.while carry(%v = %x : tensor<4xf32>) {
    tc.yield %c : memref<i1>
  } do(%v) {
    tc.yield %v : tensor<4xf32>
  }
  return
}

// -----

// An argument names an operand of the call.
func.func @aten_operand(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.aten' op names operand 1 in its arguments; expected one of its 1 operands}}
  %0 = tc.aten "aten.add.Tensor"(%x) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// So does an entry of a list.
func.func @aten_list(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.aten' op names operand -1 in its arguments; expected one of its 1 operands}}
  %0 = tc.aten "aten.cat.default"(%x) {tensors = [#tc.operand<0>, #tc.operand<-1>], dim = 0 : i64} : (tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

// A Python number is an operand.
func.func @aten_number(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.aten' op lists operand 1 in 'numbers'; expected one of its 1 operands}}
  %0 = tc.aten "aten.neg.default"(%x) {self = #tc.operand<0>} {numbers = array<i64: 1>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A Python number has no dimensions.
func.func @aten_number_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.aten' op lists operand 0 of type 'tensor<4xf32>' in 'numbers'; expected a tensor without dimensions}}
  %0 = tc.aten "aten.neg.default"(%x) {self = #tc.operand<0>} {numbers = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
