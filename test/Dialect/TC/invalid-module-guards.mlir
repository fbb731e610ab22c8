// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of guards; each kind by its label.

// guard_rank needs a value.
func.func @guardrank_needs_value(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'value' for kind rank}}
  tc.guard rank(%x) : tensor<4x8xf32>
  return
}

// -----

// guard_rank compares with an integer.
func.func @guardrank_compares_with_integer(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'value' to be an integer, but it is "2"}}
  tc.guard rank(%x) {value = "2"} : tensor<4x8xf32>
  return
}

// -----

// guard_rank is about one tensor.
func.func @guardrank_about_one_tensor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 1 operands for kind rank, but it has 2}}
  tc.guard rank(%x, %x) {value = 2 : i64} : tensor<4x8xf32>, tensor<4x8xf32>
  return
}

// -----

// guard_dtype compares with a type.
func.func @guarddtype_compares_with_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'value' to be a type, but it is 2 : i64}}
  tc.guard dtype(%x) {value = 2 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_device compares with a string.
func.func @guarddevice_compares_with_string(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'value' to be a string, but it is 0 : i64}}
  tc.guard device(%x) {value = 0 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_size_equal needs the expression.
func.func @guardsizeequal_needs_expression(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'expr' for kind size_equal}}
  tc.guard size_equal(%x) {dim = 0 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_size_equal is about a dimension of the tensor.
func.func @guardsizeequal_about_dimension_tensor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'dim' in [0, 2), but it is 2}}
  tc.guard size_equal(%x) {dim = 2 : i64, expr = #tc.expr<s0>} : tensor<4x8xf32>
  return
}

// -----

// guard_size_range needs both ends.
func.func @guardsizerange_needs_both_ends(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'max' for kind size_range}}
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_size_range is not empty.
func.func @guardsizerange_empty(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'min' of at most 'max', 2, but it is 3}}
  tc.guard size_range(%x) {dim = 0 : i64, min = 3 : i64, max = 2 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_size_multiple needs a divisor.
func.func @guardsizemultiple_needs_divisor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'divisor' for kind size_multiple}}
  tc.guard size_multiple(%x) {dim = 0 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_size_multiple has a positive divisor.
func.func @guardsizemultiple_positive_divisor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'divisor' of at least 1, but it is 0}}
  tc.guard size_multiple(%x) {dim = 0 : i64, divisor = 0 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_stride needs a dimension.
func.func @guardstride_needs_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'dim' for kind stride}}
  tc.guard stride(%x) {expr = #tc.expr<8>} : tensor<4x8xf32>
  return
}

// -----

// guard_contiguous is about one tensor.
func.func @guardcontiguous_about_one_tensor(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 1 operands for kind contiguous, but it has 0}}
  tc.guard contiguous()
  return
}

// -----

// guard_alignment is to a power of two.
func.func @guardalignment_power_two(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 'divisor' to be a power of two for kind alignment, but it is 48}}
  tc.guard alignment(%x) {divisor = 48 : i64} : tensor<4x8xf32>
  return
}

// -----

// guard_scalar needs something to compare with.
func.func @guardscalar_needs_something_compare_with(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects attribute 'value' or 'expr' for kind scalar}}
  tc.guard scalar()
  return
}

// -----

// guard_no_alias is about two tensors.
func.func @guardnoalias_about_two_tensors(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects 2 operands for kind no_alias, but it has 1}}
  tc.guard no_alias(%x) : tensor<4x8xf32>
  return
}

// -----

// guard_identity is about one object.
func.func @guardidentity_about_one_object(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.guard' op expects at most 1 operands for kind identity, but it has 2}}
  tc.guard identity(%x, %x) : tensor<4x8xf32>, tensor<4x8xf32>
  return
}
