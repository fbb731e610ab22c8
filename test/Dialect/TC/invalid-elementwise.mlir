// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the elementwise ops.

// Operands have one type.
func.func @operands_one_type(%x: tensor<4xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'tc.add' op requires the same type for all operands and results}}
  %0 = "tc.add"(%x, %y) : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

// Operands of a comparison have one type.
func.func @operands_comparison_one_type(%x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tc.lt' op requires all operands to have the same type}}
  %0 = "tc.lt"(%x, %y) : (tensor<4xf32>, tensor<4xf64>) -> tensor<4xi1>
  return
}

// -----

// A comparison gives bools.
func.func @comparison_gives_bools(%x: tensor<4xf32>) {
  // expected-error @+2 {{'tc.lt' op inferred type(s) 'tensor<4xi1>' are incompatible with return type(s) of operation 'tensor<8xi1>'}}
  // expected-error @+1 {{'tc.lt' op failed to infer returned types}}
  %0 = "tc.lt"(%x, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xi1>
  return
}

// -----

// Functions of floats take floats.
func.func @functions_floats_take_floats(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tc.exp' op operand #0 must be float (f64, f32, f16, bf16), or tensor of it with every '?' named in #tc.sizes, but got 'tensor<4xi32>'}}
  %0 = tc.exp %x : tensor<4xi32>
  return
}

// -----

// Every '?' is named.
func.func @every_named(%x: tensor<?xf32>) {
  // expected-error @+1 {{'tc.exp' op operand #0 must be float (f64, f32, f16, bf16), or tensor of it with every '?' named in #tc.sizes, but got 'tensor<?xf32>'}}
  %0 = tc.exp %x : tensor<?xf32>
  return
}

// -----

// The condition has the sizes of the values.
func.func @condition_sizes_values(%c: tensor<i1>, %x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.select' op has a condition of type 'tensor<i1>' and values of type 'tensor<4xf32>'; expected the same sizes (broadcast with tc.broadcast)}}
  %0 = tc.select %c, %x, %x : tensor<i1>, tensor<4xf32>
  return
}

// -----

// Both values of a select have the type of the result.
func.func @both_values_select_type_result(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf64>) {
  // expected-error @+1 {{'tc.select' op failed to verify that all of {x, y, result} have same type}}
  %0 = "tc.select"(%c, %x, %y) : (tensor<4xi1>, tensor<4xf32>, tensor<4xf64>) -> tensor<4xf32>
  return
}

// -----

// A cast keeps the sizes.
func.func @cast_keeps_sizes(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.cast' op casts 'tensor<4xf32>' to 'tensor<8xf64>'; expected the same sizes}}
  %0 = tc.cast %x : tensor<4xf32> to tensor<8xf64>
  return
}

// -----

// A cast of a scalar gives a scalar.
func.func @cast_scalar_gives_scalar(%x: f32) {
  // expected-error @+1 {{'tc.cast' op casts 'f32' to 'tensor<f64>'; expected the same sizes}}
  %0 = tc.cast %x : f32 to tensor<f64>
  return
}

// -----

// Complex numbers are moved, not cast.
func.func @complex_numbers_cast(%x: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{'tc.cast' op operand #0 must be number, bool or float8, or tensor of it with every '?' named in #tc.sizes, but got 'tensor<4xcomplex<f32>>'}}
  %0 = tc.cast %x : tensor<4xcomplex<f32>> to tensor<4xf32>
  return
}
