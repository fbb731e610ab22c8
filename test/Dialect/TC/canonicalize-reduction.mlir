// RUN: tc-opt %s --canonicalize | FileCheck %s

// A reduction over no dimension is its operand.
// CHECK-LABEL: func @reduce_nothing
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @reduce_nothing(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tc.reduce sum %x dims [] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
