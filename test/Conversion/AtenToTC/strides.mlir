// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Strides of the row-major order are a reshape, whatever those of dimensions of
// 1 are.
// CHECK-LABEL: func.func @reshape(
// CHECK: tc.reshape %{{.*}} : tensor<2x12xf32> -> tensor<2x1x3x4xf32>
// CHECK-NOT: tc.index_tensors
func.func @reshape(%x: tensor<2x12xf32>) -> tensor<2x1x3x4xf32> {
  %r = tc.aten "aten.as_strided.default"(%x) {self = #tc.operand<0>, size = [2, 1, 3, 4], stride = [12, 7, 4, 1]} : (tensor<2x12xf32>) -> tensor<2x1x3x4xf32>
  return %r : tensor<2x1x3x4xf32>
}

// Others pick from the flat elements.
// CHECK-LABEL: func.func @overlapping(
// CHECK: %[[FLAT:.*]] = tc.reshape %{{.*}} : tensor<2x12xf32> -> tensor<24xf32>
// CHECK: tc.index_tensors %[[FLAT]][%{{.*}}] dims [0] : tensor<24xf32>, tensor<3x4xi64> -> tensor<3x4xf32>
func.func @overlapping(%x: tensor<2x12xf32>) -> tensor<3x4xf32> {
  %r = tc.aten "aten.as_strided.default"(%x) {self = #tc.operand<0>, size = [3, 4], stride = [2, 1], storage_offset = 5 : i64} : (tensor<2x12xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
