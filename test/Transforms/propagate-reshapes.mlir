// RUN: tc-opt %s --tc-propagate-reshapes | FileCheck %s

// The views around a linear layer's bias cancel.
// CHECK-LABEL: func @linear_bias
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<32x8xf32>, %[[Y:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[Y]] dims [1] : tensor<8xf32> -> tensor<32x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[X]], %[[V0]] : tensor<32x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<32x8xf32>
func.func @linear_bias(%x: tensor<32x8xf32>, %b: tensor<8xf32>) -> tensor<32x8xf32> {
  %0 = tc.reshape %x : tensor<32x8xf32> -> tensor<4x8x8xf32>
  %1 = tc.broadcast %b dims [2] : tensor<8xf32> -> tensor<4x8x8xf32>
  %2 = tc.add %0, %1 : tensor<4x8x8xf32>
  %3 = tc.reshape %2 : tensor<4x8x8xf32> -> tensor<32x8xf32>
  return %3 : tensor<32x8xf32>
}

// Symbolic sizes, two reshapes alike, a constant.
// CHECK-LABEL: func @symbolic
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>, %[[Y:[a-z0-9]+]]: tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>, %[[Z:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.mul %[[X]], %[[Y]] : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[Z]] dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V0]], %[[V1]] : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V4:.*]] = tc.lt %[[V2]], %[[V3]] : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V5:.*]] = tc.reshape %[[V4]] : tensor<?x8xi1, #tc.sizes<[s0 * 4, 8]>> -> tensor<?x4x8xi1, #tc.sizes<[s0, 4, 8]>>
// CHECK-NEXT: return %[[V5]] : tensor<?x4x8xi1, #tc.sizes<[s0, 4, 8]>>
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>, %y: tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>, %b: tensor<8xf32>) -> tensor<?x4x8xi1, #tc.sizes<[s0, 4, 8]>> {
  %0 = tc.reshape %x : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>> -> tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %1 = tc.reshape %y : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>> -> tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %2 = tc.mul %0, %1 : tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %3 = tc.broadcast %b dims [2] : tensor<8xf32> -> tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %4 = tc.add %2, %3 : tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %one = tc.full 1.0 : f32 -> tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  %5 = tc.lt %4, %one : tensor<?x4x8xf32, #tc.sizes<[s0, 4, 8]>>
  return %5 : tensor<?x4x8xi1, #tc.sizes<[s0, 4, 8]>>
}

// A vector along a dimension that the reshape splits stays above.
// CHECK-LABEL: func @split_broadcast
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<4x8xf32> -> tensor<4x2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[Y]] dims [1] : tensor<2xf32> -> tensor<4x2x4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V0]], %[[V1]] : tensor<4x2x4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x2x4xf32>
func.func @split_broadcast(%x: tensor<4x8xf32>, %b: tensor<2xf32>) -> tensor<4x2x4xf32> {
  %0 = tc.reshape %x : tensor<4x8xf32> -> tensor<4x2x4xf32>
  %1 = tc.broadcast %b dims [1] : tensor<2xf32> -> tensor<4x2x4xf32>
  %2 = tc.add %0, %1 : tensor<4x2x4xf32>
  return %2 : tensor<4x2x4xf32>
}

// Kept dimensions of a reduction: added, then repeated.
// CHECK-LABEL: func @kept_dims
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[X]] dims [1] : tensor<4xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4x8xf32>
func.func @kept_dims(%x: tensor<4xf32>) -> tensor<2x4x8xf32> {
  %0 = tc.reshape %x : tensor<4xf32> -> tensor<1x4x1xf32>
  %1 = tc.broadcast %0 dims [0, 1, 2] : tensor<1x4x1xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Repeated dimensions are merged by repeating more.
// CHECK-LABEL: func @merged_repeats
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[X]] dims [1] : tensor<8xf32> -> tensor<12x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<12x8xf32>
func.func @merged_repeats(%x: tensor<8xf32>) -> tensor<12x8xf32> {
  %0 = tc.broadcast %x dims [2] : tensor<8xf32> -> tensor<3x4x8xf32>
  %1 = tc.reshape %0 : tensor<3x4x8xf32> -> tensor<12x8xf32>
  return %1 : tensor<12x8xf32>
}

// A repeated dimension merged with one that is not stays.
// CHECK-LABEL: func @merged_with_other
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[X]] dims [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[V0]] : tensor<4x8xf32> -> tensor<32xf32>
// CHECK-NEXT: return %[[V1]] : tensor<32xf32>
func.func @merged_with_other(%x: tensor<8xf32>) -> tensor<32xf32> {
  %0 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = tc.reshape %0 : tensor<4x8xf32> -> tensor<32xf32>
  return %1 : tensor<32xf32>
}
