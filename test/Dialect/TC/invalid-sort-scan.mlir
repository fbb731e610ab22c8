// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of sorts, scans and random numbers.

// The dimension of a sort is one of x.
func.func @dimension_sort_one_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.sort' op expects 'dim' in [0, 2), but it is 2}}
  %v, %i = tc.sort %x dim 2 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  return
}

// -----

// The results of a sort have the sizes of x.
func.func @results_sort_sizes_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.sort' op expects result 1 of type 'tensor<4x8xi64>', but it is 'tensor<4x4xi64>'}}
  %v, %i = tc.sort %x dim 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x4xi64>
  return
}

// -----

// The dimension of a topk is one of x.
func.func @dimension_topk_one_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.topk' op expects 'dim' in [0, 2), but it is -1}}
  %v, %i = tc.topk %x dim -1 k 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  return
}

// -----

// There are k elements.
func.func @there_k_elements(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.topk' op expects 'k' of at most size 1 of 'x', 8, but it is 9}}
  %v, %i = tc.topk %x dim 1 k 9 : tensor<4x8xf32> -> tensor<4x9xf32>, tensor<4x9xi64>
  return
}

// -----

// The k of a topk is not negative.
func.func @k_topk_negative(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // expected-error @+1 {{'tc.topk' op expects 'k' of at least 0, but it is -1}}
  %v, %i = tc.topk %x dim 0 k -1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<1x8xf32>, tensor<1x8xi64>
  return
}

// -----

// A scan has one of its own kinds.
func.func @scan_one_its_own_kinds(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.scan' op is of kind any; expected sum, prod, max or min}}
  %0 = tc.scan any %x dim 1 : tensor<4x8xf32>
  return
}

// -----

// The dimension of a scan is one of x.
func.func @dimension_scan_one_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.scan' op expects 'dim' in [0, 2), but it is 2}}
  %0 = tc.scan sum %x dim 2 : tensor<4x8xf32>
  return
}

// -----

// The seed is one number.
func.func @seed_one_number(%s: tensor<4xi64>, %o: tensor<i64>) {
  // expected-error @+1 {{'tc.random' op operand #0 must be 0D tensor of 64-bit signless integer values, but got 'tensor<4xi64>'}}
  %0 = tc.random uniform %s, %o : tensor<4xi64>, tensor<i64> -> tensor<4x8xf32>
  return
}
