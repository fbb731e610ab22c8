// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of random numbers.

// Other elements are drawn in each iteration of a loop.
func.func @each_iteration(%s: tensor<i64>, %o: tensor<i64>) {
  // expected-error @+1 {{'tc.random' op has 'each_iteration' outside of a loop; expected it in a tc.while}}
  %0 = tc.random uniform %s, %o {each_iteration} : tensor<i64>, tensor<i64> -> tensor<4xf32>
  return
}
