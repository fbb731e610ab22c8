// RUN: tc-opt %s --convert-tc-to-kernel | FileCheck %s

// Rows of random bits are those of queries, which begin at a multiple of 16 for each head; the sum is of all weights.
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> ((d0 * 3 + d1) * 32 + d2)>
// CHECK: #[[KEY:.*]] = affine_map<(d0, d1, d2, d3, d4, d5) -> (d4)>
// CHECK-LABEL: func.func @forward
// CHECK: tc.kernel "attention" attention
// CHECK: %[[WEIGHT:.*]] = tc.exp
// CHECK: tc.reduce_stage sum %[[WEIGHT]]
// CHECK: %[[ROWS:.*]] = tc.index #[[ROW]]
// CHECK: %[[STEP:.*]] = tc.scalar 4294967296 : i64
// CHECK: %[[FIRST:.*]] = tc.mul %[[ROWS]], %[[STEP]] : i64
// CHECK: %[[COLUMN:.*]] = tc.index #[[KEY]]
// CHECK: %[[POSITION:.*]] = tc.add %[[FIRST]], %[[COLUMN]] : i64
// CHECK: %[[BITS:.*]] = tc.dropout_bits %{{.*}}, %{{.*}}, %[[POSITION]] : i64
// CHECK: %[[KEPT:.*]] = tc.lt %[[BITS]]
// CHECK: tc.select %[[KEPT]], %[[WEIGHT]]
// CHECK: tc.contract_stage
// CHECK: tc.div
// CHECK: tc.scalar 2.000000e+00 : f32
// CHECK: tc.mul
func.func @forward(%q: tensor<2x3x17x8xf32>, %s: tensor<i64>, %o: tensor<i64>) -> tensor<2x3x17x8xf32> {
  %r = tc.attention %q, %q, %q dropout 0.5 seed %s offset %o : tensor<i64>, tensor<i64> scale 0.5 : tensor<2x3x17x8xf32>, tensor<2x3x17x8xf32>, tensor<2x3x17x8xf32> -> tensor<2x3x17x8xf32>
  return %r : tensor<2x3x17x8xf32>
}
