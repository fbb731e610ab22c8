// RUN: tc-opt %s --split-input-file --tc-verify-import --verify-diagnostics

// Captured calls are converted.
func.func @aten(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tc.aten' op of 'aten.relu.default' is left after phase import; expected the tc ops that it means}}
  // expected-note @+1 {{convert-aten-to-tc should have converted it}}
  %0 = tc.aten "aten.relu.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// The seeds of loops are computed.
func.func @each_iteration(%c: tensor<i1>, %s: tensor<i64>) {
  tc.while {
    tc.yield %c : tensor<i1>
  } do {
    // expected-error @+2 {{'tc.random' op is left with 'each_iteration' after phase import; expected a seed that the loop computes}}
    // expected-note @+1 {{convert-aten-to-tc should have computed it}}
    %0 = tc.random uniform %s, %s {each_iteration} : tensor<i64>, tensor<i64> -> tensor<4xf32>
    tc.yield
  }
  return
}

// -----

// The ops of other dialects are later phases'.
func.func @dialect(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'arith.negf' op is in @dialect after phase import; expected tc ops on tensors, kernels, and ops of the func dialect}}
  %0 = arith.negf %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// So are buffers.
func.func @buffer() {
  // expected-error @+1 {{'tc.buffer' op is in @buffer after phase import; expected tc ops on tensors, kernels, and ops of the func dialect}}
  %0 = tc.buffer : memref<4xf32>
  return
}

// -----

// Arguments are tensors.
// expected-error @+1 {{'func.func' op has a value of type 'memref<4xf32>' after phase import; expected a tensor}}
func.func @memory(%x: memref<4xf32>) {
  return
}

// -----

// So are values.
func.func @scalar(%x: tensor<4xf32>) {
  // expected-error @+1 {{'func.call' op has a value of type 'f32' after phase import; expected a tensor}}
  %0 = func.call @other() : () -> f32
  return
}
func.func private @other() -> f32

// -----

// Every symbolic size has a name.
// expected-error @+1 {{'func.func' op has a value of type 'tensor<?xf32>' after phase import; expected every '?' named in #tc.sizes}}
func.func @unnamed(%x: tensor<?xf32>) {
  return
}

// -----

// Every symbol of an argument is declared.
// expected-error @+1 {{'func.func' op has a value of type 'tensor<?xf32, #tc.sizes<[s1]>>', but tc.symbols of @symbol declares no 's1'}}
func.func @symbol(%x: tensor<?xf32, #tc.sizes<[s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}

// -----

// Every symbol of a result is, too.
func.func @symbol_inside(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // expected-error @+1 {{'tc.full' op has a value of type 'tensor<?xf32, #tc.sizes<[s0 + s1]>>', but tc.symbols of @symbol_inside declares no 's1'}}
  %0 = tc.full 1.0 : f32 -> tensor<?xf32, #tc.sizes<[s0 + s1]>>
  return
}

// -----

// Guards are about what the caller gives.
func.func @guard(%x: tensor<4xf32>) {
  %0 = tc.exp %x : tensor<4xf32>
  // expected-error @+1 {{'tc.guard' op of kind contiguous is about a value that is computed; expected an argument of @guard}}
  tc.guard contiguous(%0) : tensor<4xf32>
  return
}

// -----

// A parameter that is replaced is one of the module.
// expected-error @+1 {{'func.func' op has tc.mutates = @w on result 0, but the module declares no parameter of that name}}
func.func @mutates(%x: tensor<4xf32>) -> (tensor<4xf32> {tc.mutates = @w}) {
  return %x : tensor<4xf32>
}

// -----

// So has what may be written over one.
// expected-error @+1 {{'func.func' op replaces 0 : i64 of type 'tensor<4xf32>' by result 0 of type 'tensor<2xf32>'; expected the same type}}
func.func @may_overwrite_type(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<2xf32> {tc.may_overwrite = 0 : i64}) {
  return %y : tensor<2xf32>
}

// -----

// What replaces an argument has its type.
// expected-error @+1 {{'func.func' op replaces 0 : i64 of type 'tensor<4xf32>' by result 0 of type 'tensor<4xi1>'; expected the same type}}
func.func @mutates_type(%x: tensor<4xf32>) -> (tensor<4xi1> {tc.mutates = 0 : i64}) {
  %0 = tc.isnan %x : tensor<4xf32>
  return %0 : tensor<4xi1>
}

// -----

// A module holds functions and declarations.
// expected-error @+1 {{'memref.global' op is in the module after phase import; expected func.func, tc.dispatch, tc.parameter_source and tc.prepared}}
memref.global "private" constant @c : memref<16xf32> = dense<1.0>
