// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Rows are added up into the bag that starts last before them.
// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[W:.*]]: tensor<6x4xf32>, %[[I:.*]]: tensor<7xi64>, %[[STARTS:.*]]: tensor<3xi64>)
// CHECK: %[[STARTED:.*]] = tc.reduce sum %{{.*}} dims [1] : tensor<7x3xi64> -> tensor<7xi64>
// CHECK: %[[BAG:.*]] = tc.sub %[[STARTED]], %{{.*}} : tensor<7xi64>
// CHECK: %[[ROWS:.*]] = tc.index_tensors %[[W]][%[[I]]] dims [0] non_negative : tensor<6x4xf32>, tensor<7xi64> -> tensor<7x4xf32>
// CHECK: tc.index_put sum %{{.*}}[%[[BAG]]] = %[[ROWS]] dims [0] non_negative : tensor<3x4xf32>, tensor<7x4xf32>, tensor<7xi64>
func.func @sums(%w: tensor<6x4xf32>, %i: tensor<7xi64>, %o: tensor<3xi64>) -> tensor<3x4xf32> {
  %r:4 = tc.aten "aten._embedding_bag.default"(%w, %i, %o) {weight = #tc.operand<0>, indices = #tc.operand<1>, offsets = #tc.operand<2>} : (tensor<6x4xf32>, tensor<7xi64>, tensor<3xi64>) -> (tensor<3x4xf32>, tensor<7xi64>, tensor<3xi64>, tensor<3xi64>)
  return %r#0 : tensor<3x4xf32>
}
