// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// The nearest element, or 0 outside.
// CHECK-LABEL: func.func @nearest(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x5x4xf32>, %[[GRID:.*]]: tensor<2x6x7x2xf32>)
// CHECK: tc.slice %[[GRID]] offsets <[0, 0, 0, 1]>
// CHECK: tc.slice %[[GRID]] offsets <[0, 0, 0, 0]>
// CHECK: tc.round
// CHECK: tc.round
// CHECK: %[[TAKEN:.*]] = tc.index_tensors %[[X]][%{{.*}}, %{{.*}}, %{{.*}}] dims [0, 2, 3] non_negative : tensor<2x3x5x4xf32>, tensor<2x6x7xi64>, tensor<2x6x7xi64>, tensor<2x6x7xi64> -> tensor<2x6x7x3xf32>
// CHECK: tc.select %{{.*}}, %[[TAKEN]], %{{.*}} : tensor<2x6x7x3xi1>, tensor<2x6x7x3xf32>
// CHECK: tc.transpose %{{.*}} [0, 3, 1, 2]
func.func @nearest(%x: tensor<2x3x5x4xf32>, %grid: tensor<2x6x7x2xf32>) -> tensor<2x3x6x7xf32> {
  %r = tc.aten "aten.grid_sampler_2d.default"(%x, %grid) {input = #tc.operand<0>, grid = #tc.operand<1>, interpolation_mode = 1 : i64, padding_mode = 0 : i64, align_corners = false} : (tensor<2x3x5x4xf32>, tensor<2x6x7x2xf32>) -> tensor<2x3x6x7xf32>
  return %r : tensor<2x3x6x7xf32>
}

// Two of three dimensions of theta are multiplied by positions, the third is added.
// CHECK-LABEL: func.func @affine(
// CHECK: tc.slice %{{.*}} offsets <[0, 0, 2]>
// CHECK: tc.iota dim 0 start 0 step 1 : tensor<5xi64>
// CHECK: tc.iota dim 0 start 0 step 1 : tensor<4xi64>
func.func @affine(%theta: tensor<2x2x3xf32>) -> tensor<2x4x5x2xf32> {
  %r = tc.aten "aten.affine_grid_generator.default"(%theta) {theta = #tc.operand<0>, size = [2, 3, 4, 5], align_corners = true} : (tensor<2x2x3xf32>) -> tensor<2x4x5x2xf32>
  return %r : tensor<2x4x5x2xf32>
}
