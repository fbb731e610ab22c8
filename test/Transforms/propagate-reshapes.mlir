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

// A residual stream takes the sizes of the product that is added to it.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x16x8xf32>, %[[Y:[a-z0-9]+]]: tensor<32x4xf32>, %[[Z:[a-z0-9]+]]: tensor<8x4xf32>, %[[W:[a-z0-9]+]]: tensor<8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "mk,nk->mn" %[[Y]], %[[Z]] : tensor<32x4xf32>, tensor<8x4xf32> -> tensor<32x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[X]] : tensor<2x16x8xf32> -> tensor<32x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V1]], %[[V0]] : tensor<32x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<32x8xf32> -> tensor<2x16x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.layer_norm %[[V2]] weight %[[W]] : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<32x8xf32>
// CHECK-NEXT: return %[[V4]], %[[V3]] : tensor<32x8xf32>, tensor<2x16x8xf32>
func.func @residual(%x: tensor<2x16x8xf32>, %a: tensor<32x4xf32>, %w: tensor<8x4xf32>, %g: tensor<8xf32>) -> (tensor<32x8xf32>, tensor<2x16x8xf32>) {
  %0 = tc.contract "mk,nk->mn" %a, %w : tensor<32x4xf32>, tensor<8x4xf32> -> tensor<32x8xf32>
  %1 = tc.reshape %0 : tensor<32x8xf32> -> tensor<2x16x8xf32>
  %2 = tc.add %x, %1 : tensor<2x16x8xf32>
  %3 = tc.layer_norm %2 weight %g : tensor<8xf32> rank 1 eps 1.0e-5 : tensor<2x16x8xf32>
  %4 = tc.reshape %3 : tensor<2x16x8xf32> -> tensor<32x8xf32>
  return %4, %2 : tensor<32x8xf32>, tensor<2x16x8xf32>
}

// Softmax and reduction of rows; a reduction over what is split stays.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>, %[[Y:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "mk,nk->mn" %[[X]], %[[Y]] : tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>, tensor<8x4xf32> -> tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[V0]] : tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>> -> tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>
// CHECK-NEXT: %[[V2:.*]] = tc.softmax %[[V0]] dim 1 : tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>> -> tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>
// CHECK-NEXT: %[[V4:.*]] = tc.reduce max %[[V0]] dims [1] {allow_empty} : tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>> -> tensor<?xf32, #tc.sizes<[s0 * 2]>>
// CHECK-NEXT: %[[V5:.*]] = tc.reshape %[[V4]] : tensor<?xf32, #tc.sizes<[s0 * 2]>> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>
// CHECK-NEXT: %[[V6:.*]] = tc.reduce sum %[[V1]] dims [1] : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: return %[[V3]], %[[V5]], %[[V6]] : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>, tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
func.func @rows(%a: tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>, %w: tensor<8x4xf32>) -> (tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>, tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  %0 = tc.contract "mk,nk->mn" %a, %w : tensor<?x4xf32, #tc.sizes<[s0 * 2, 4]>>, tensor<8x4xf32> -> tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>>
  %1 = tc.reshape %0 : tensor<?x8xf32, #tc.sizes<[s0 * 2, 8]>> -> tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>
  %2 = tc.softmax %1 dim 2 : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>
  %3 = tc.reduce max %1 dims [2] {allow_empty} : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  %4 = tc.reduce sum %1 dims [1] : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %2, %3, %4 : tensor<?x2x8xf32, #tc.sizes<[s0, 2, 8]>>, tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}

// An argument is as good in either sizes: the reshape stays.
// CHECK-LABEL: func @argument
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<32x8xf32>, %[[Y:[a-z0-9]+]]: tensor<2x16x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<32x8xf32> -> tensor<2x16x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[V0]], %[[Y]] : tensor<2x16x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x16x8xf32>
func.func @argument(%x: tensor<32x8xf32>, %y: tensor<2x16x8xf32>) -> tensor<2x16x8xf32> {
  %0 = tc.reshape %x : tensor<32x8xf32> -> tensor<2x16x8xf32>
  %1 = tc.add %0, %y : tensor<2x16x8xf32>
  return %1 : tensor<2x16x8xf32>
}

// Heads that repeat those of keys and values share them; of heads that are repeated in another order, or of one of the two alone, nothing is left out.
// CHECK-LABEL: func @shared_heads
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<2x8x5x16xf32>, %[[K:[a-z0-9]+]]: tensor<2x2x6x16xf32>, %[[V:[a-z0-9]+]]: tensor<2x2x6x16xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.attention %[[Q]], %[[K]], %[[V]] scale 2.500000e-01 : tensor<2x8x5x16xf32>, tensor<2x2x6x16xf32>, tensor<2x2x6x16xf32> -> tensor<2x8x5x16xf32>
// CHECK-NEXT: return %[[V0]]
func.func @shared_heads(%q: tensor<2x8x5x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) -> tensor<2x8x5x16xf32> {
  %0 = tc.broadcast %k dims [0, 1, 3, 4] : tensor<2x2x6x16xf32> -> tensor<2x2x4x6x16xf32>
  %1 = tc.reshape %0 : tensor<2x2x4x6x16xf32> -> tensor<2x8x6x16xf32>
  %2 = tc.broadcast %v dims [0, 1, 3, 4] : tensor<2x2x6x16xf32> -> tensor<2x2x4x6x16xf32>
  %3 = tc.reshape %2 : tensor<2x2x4x6x16xf32> -> tensor<2x8x6x16xf32>
  %4 = tc.attention %q, %1, %3 scale 0.25 : tensor<2x8x5x16xf32>, tensor<2x8x6x16xf32>, tensor<2x8x6x16xf32> -> tensor<2x8x5x16xf32>
  return %4 : tensor<2x8x5x16xf32>
}

// CHECK-LABEL: func @heads_in_another_order
// CHECK: tc.attention %{{.*}} : tensor<2x8x5x16xf32>, tensor<2x8x6x16xf32>, tensor<2x8x6x16xf32>
func.func @heads_in_another_order(%q: tensor<2x8x5x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x2x6x16xf32>) -> tensor<2x8x5x16xf32> {
  %0 = tc.broadcast %k dims [0, 2, 3, 4] : tensor<2x2x6x16xf32> -> tensor<2x4x2x6x16xf32>
  %1 = tc.reshape %0 : tensor<2x4x2x6x16xf32> -> tensor<2x8x6x16xf32>
  %2 = tc.broadcast %v dims [0, 2, 3, 4] : tensor<2x2x6x16xf32> -> tensor<2x4x2x6x16xf32>
  %3 = tc.reshape %2 : tensor<2x4x2x6x16xf32> -> tensor<2x8x6x16xf32>
  %4 = tc.attention %q, %1, %3 scale 0.25 : tensor<2x8x5x16xf32>, tensor<2x8x6x16xf32>, tensor<2x8x6x16xf32> -> tensor<2x8x5x16xf32>
  return %4 : tensor<2x8x5x16xf32>
}

// CHECK-LABEL: func @heads_of_keys_alone
// CHECK: tc.attention %{{.*}} : tensor<2x8x5x16xf32>, tensor<2x8x6x16xf32>, tensor<2x8x6x16xf32>
func.func @heads_of_keys_alone(%q: tensor<2x8x5x16xf32>, %k: tensor<2x2x6x16xf32>, %v: tensor<2x8x6x16xf32>) -> tensor<2x8x5x16xf32> {
  %0 = tc.broadcast %k dims [0, 1, 3, 4] : tensor<2x2x6x16xf32> -> tensor<2x2x4x6x16xf32>
  %1 = tc.reshape %0 : tensor<2x2x4x6x16xf32> -> tensor<2x8x6x16xf32>
  %2 = tc.attention %q, %1, %v scale 0.25 : tensor<2x8x5x16xf32>, tensor<2x8x6x16xf32>, tensor<2x8x6x16xf32> -> tensor<2x8x5x16xf32>
  return %2 : tensor<2x8x5x16xf32>
}
