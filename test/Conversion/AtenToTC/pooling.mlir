// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// An empty stride is the kernel size.
// CHECK-LABEL: func.func @max_pool(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x8x8xf32>)
// CHECK-NEXT: %result, %indices = tc.max_pool %[[ARG0]] kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>
// CHECK-NEXT: return %result : tensor<1x4x4x4xf32>
func.func @max_pool(%x0: tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32> {
  %r = tc.aten "aten.max_pool2d.default"(%x0) {self = #tc.operand<0>, kernel_size = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// Both results of the form with indices.
// CHECK-LABEL: func.func @max_pool_with_indices(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x8x8xf32>)
// CHECK-NEXT: %result, %indices = tc.max_pool %[[ARG0]] kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x4x8x8xf32> -> tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>
// CHECK-NEXT: return %result, %indices : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>
func.func @max_pool_with_indices(%x0: tensor<1x4x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>) {
  %r:2 = tc.aten "aten.max_pool2d_with_indices.default"(%x0) {self = #tc.operand<0>, kernel_size = [3, 3], stride = [2, 2], padding = [1, 1]} : (tensor<1x4x8x8xf32>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>)
  return %r#0, %r#1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xi64>
}

// Padding is not counted on demand.
// CHECK-LABEL: func.func @avg_pool(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<4x8x8xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.avg_pool %[[V0]] kernel [2, 2] stride [2, 2] padding [1, 1] {exclude_padding} : tensor<1x4x8x8xf32> -> tensor<1x4x5x5xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<1x4x5x5xf32> -> tensor<4x5x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x5x5xf32>
func.func @avg_pool(%x0: tensor<4x8x8xf32>) -> tensor<4x5x5xf32> {
  %r = tc.aten "aten.avg_pool2d.default"(%x0) {self = #tc.operand<0>, kernel_size = 2 : i64, padding = 1 : i64, count_include_pad = false} : (tensor<4x8x8xf32>) -> tensor<4x5x5xf32>
  return %r : tensor<4x5x5xf32>
}

// The result has the sizes.
// CHECK-LABEL: func.func @adaptive_avg_pool(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x7x7xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.adaptive_avg_pool %[[ARG0]] : tensor<1x4x7x7xf32> -> tensor<1x4x1x1xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x4x1x1xf32>
func.func @adaptive_avg_pool(%x0: tensor<1x4x7x7xf32>) -> tensor<1x4x1x1xf32> {
  %r = tc.aten "aten.adaptive_avg_pool2d.default"(%x0) {self = #tc.operand<0>, output_size = [1, 1]} : (tensor<1x4x7x7xf32>) -> tensor<1x4x1x1xf32>
  return %r : tensor<1x4x1x1xf32>
}

// Factors are inverse scales.
// CHECK-LABEL: func.func @upsample(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x4x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.resample  linear %[[ARG0]] {scales = array<f64: 5.000000e-01, 5.000000e-01>} : tensor<1x4x4x4xf32> -> tensor<1x4x8x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x4x8x8xf32>
func.func @upsample(%x0: tensor<1x4x4x4xf32>) -> tensor<1x4x8x8xf32> {
  %r = tc.aten "aten.upsample_bilinear2d.vec"(%x0) {input = #tc.operand<0>, output_size, align_corners = false, scale_factors = [2.0, 2.0]} : (tensor<1x4x4x4xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// Four elements along the columns, then four along the rows.
// CHECK-LABEL: func.func @bicubic(
// CHECK-COUNT-4: tc.index_tensors %{{.*}} dims [3] : tensor<1x2x3x4xf32>, tensor<8xi64> -> tensor<1x2x3x8xf32>
// CHECK-COUNT-4: tc.index_tensors %{{.*}} dims [2] : tensor<1x2x3x8xf32>, tensor<6xi64> -> tensor<1x2x6x8xf32>
// CHECK-NOT: tc.index_tensors
func.func @bicubic(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32> {
  %r = tc.aten "aten.upsample_bicubic2d.default"(%x) {self = #tc.operand<0>, output_size = [6, 8], align_corners = false} : (tensor<1x2x3x4xf32>) -> tensor<1x2x6x8xf32>
  return %r : tensor<1x2x6x8xf32>
}

// A filter three times as wide where there are a third as many elements: the
// weights of the columns of the result, then those of its rows.
// CHECK-LABEL: func.func @antialiased(
// CHECK: tc.contract "nchi,oi->ncho" %arg0, %{{.*}} : tensor<1x2x6x9xf32>, tensor<3x9xf32> -> tensor<1x2x6x3xf32>
// CHECK: tc.contract "nciw,oi->ncow" %{{.*}}, %{{.*}} : tensor<1x2x6x3xf32>, tensor<2x6xf32> -> tensor<1x2x2x3xf32>
func.func @antialiased(%x: tensor<1x2x6x9xf32>) -> tensor<1x2x2x3xf32> {
  %r = tc.aten "aten._upsample_bilinear2d_aa.default"(%x) {self = #tc.operand<0>, output_size = [2, 3], align_corners = false} : (tensor<1x2x6x9xf32>) -> tensor<1x2x2x3xf32>
  return %r : tensor<1x2x2x3xf32>
}
