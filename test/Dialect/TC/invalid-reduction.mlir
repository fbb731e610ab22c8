// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the reductions.

// A dimension of a reduce is one of the operand.
func.func @dimension_reduce_one_operand(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects entries of 'dims' in [0, 2), but entry 1 is 2}}
  %0 = tc.reduce sum %x dims [0, 2] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// Dimensions of a reduce increase.
func.func @dimensions_reduce_increase(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects 'dims' in increasing order, but 0 follows 1}}
  %0 = tc.reduce sum %x dims [1, 0] : tensor<4x8xf32> -> tensor<f32>
  return
}

// -----

// The result type of a reduce is the operand without the dimensions.
func.func @result_type_reduce_operand_without(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects result 0 of type 'tensor<4xf32>', but it is 'tensor<8xf32>'}}
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// A symbolic result size must be the same expression.
func.func @symbolic_result_size_same_expression(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // expected-error @+1 {{'tc.reduce' op expects result 0 of type 'tensor<?xf32, #tc.sizes<[s0]>>', but it is 'tensor<?xf32, #tc.sizes<[s1]>>'}}
  %0 = tc.reduce sum %x dims [1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s1]>>
  return
}

// -----

// Sums are of numbers.
func.func @sums_numbers(%x: tensor<4xi1>) {
  // expected-error @+1 {{'tc.reduce' op expects numbers for 'sum', but the element type is 'i1'; use 'any', 'all' or a tc.cast before}}
  %0 = tc.reduce sum %x dims [0] : tensor<4xi1> -> tensor<i1>
  return
}

// -----

// All and any are of bools.
func.func @all_any_bools(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects element type 'i1' for 'all', but it is 'f32'}}
  %0 = tc.reduce all %x dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// No elements have no maximum.
func.func @no_elements_no_maximum(%x: tensor<4x0xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects size 1 of 'x', which 'max' folds, of at least 1, but it is 0}}
  %0 = tc.reduce max %x dims [1] : tensor<4x0xf32> -> tensor<4xf32>
  return
}

// -----

// A reduce has one of its own kinds.
func.func @reduce_one_its_own_kinds(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reduce' op expects 'kind' to be one of sum, prod, max, min, all, any, but it is argmax}}
  %0 = tc.reduce argmax %x dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// The dimension of an arg_reduce is one of the operand.
func.func @dimension_argreduce_one_operand(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.arg_reduce' op expects 'dim' in [0, 2), but it is 2}}
  %0 = tc.arg_reduce argmax %x dim 2 : tensor<4x8xf32> -> tensor<4xi64>
  return
}

// -----

// An arg_reduce has one of its own kinds.
func.func @argreduce_one_its_own_kinds(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.arg_reduce' op expects 'kind' to be argmax or argmin, but it is sum}}
  %0 = tc.arg_reduce sum %x dim 1 : tensor<4x8xf32> -> tensor<4xi64>
  return
}

// -----

// No elements have no extreme.
func.func @no_elements_no_extreme(%x: tensor<0x4xf32>) {
  // expected-error @+1 {{'tc.arg_reduce' op expects size 0 of 'x', which 'argmin' folds, of at least 1, but it is 0}}
  %0 = tc.arg_reduce argmin %x dim 0 : tensor<0x4xf32> -> tensor<4xi64>
  return
}

// -----

// A dimension of a variance is one of the operand.
func.func @dimension_variance_one_operand(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.variance' op expects entries of 'dims' in [0, 2), but entry 0 is -1}}
  %0 = tc.variance %x dims [-1] correction 1.0 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// The correction of a variance is a number.
func.func @correction_variance_infinite(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.variance' op expects a finite 'correction', but it is INF}}
  %0 = tc.variance %x dims [1] correction 0x7FF0000000000000 : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// Variances are of floats.
func.func @variances_floats(%x: tensor<4xi32>) {
  // expected-error @+1 {{'tc.variance' op operand #0 must be tensor of float (f64, f32, f16, bf16) with every '?' named in #tc.sizes, but got 'tensor<4xi32>'}}
  %0 = tc.variance %x dims [0] correction 1.0 : tensor<4xi32> -> tensor<i32>
  return
}
