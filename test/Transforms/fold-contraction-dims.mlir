// RUN: tc-opt %s --tc-fold-contraction-dims | FileCheck %s

// Rows counted by two dimensions.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x?x8xf32, #tc.sizes<[4, s0, 8]>>, %[[Y:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<4x?x8xf32, #tc.sizes<[4, s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "ak,nk->an" %[[V0]], %[[Y]] : tensor<?x8xf32, #tc.sizes<[s0 * 4, 8]>>, tensor<16x8xf32> -> tensor<?x16xf32, #tc.sizes<[s0 * 4, 16]>>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<?x16xf32, #tc.sizes<[s0 * 4, 16]>> -> tensor<4x?x16xf32, #tc.sizes<[4, s0, 16]>>
// CHECK-NEXT: return %[[V2]] : tensor<4x?x16xf32, #tc.sizes<[4, s0, 16]>>
func.func @rows(%x: tensor<4x?x8xf32, #tc.sizes<[4, s0, 8]>>, %w: tensor<16x8xf32>) -> tensor<4x?x16xf32, #tc.sizes<[4, s0, 16]>> {
  %0 = tc.contract "abk,nk->abn" %x, %w : tensor<4x?x8xf32, #tc.sizes<[4, s0, 8]>>, tensor<16x8xf32> -> tensor<4x?x16xf32, #tc.sizes<[4, s0, 16]>>
  return %0 : tensor<4x?x16xf32, #tc.sizes<[4, s0, 16]>>
}

// A sum over two dimensions, and a batch of three.
// CHECK-LABEL: func @sums_and_batches
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3x5xf32>, %[[Y:[a-z0-9]+]]: tensor<3x5x6xf32>, %[[Z:[a-z0-9]+]]: tensor<2x3x4x7x8xf32>, %[[W:[a-z0-9]+]]: tensor<2x3x4x8x9xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<4x3x5xf32> -> tensor<4x15xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[Y]] : tensor<3x5x6xf32> -> tensor<15x6xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.contract "mh,hn->mn" %[[V0]], %[[V1]] : tensor<4x15xf32>, tensor<15x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[Z]] : tensor<2x3x4x7x8xf32> -> tensor<24x7x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.reshape %[[W]] : tensor<2x3x4x8x9xf32> -> tensor<24x8x9xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.contract "amk,akn->amn" %[[V3]], %[[V4]] : tensor<24x7x8xf32>, tensor<24x8x9xf32> -> tensor<24x7x9xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.reshape %[[V5]] : tensor<24x7x9xf32> -> tensor<2x3x4x7x9xf32>
// CHECK-NEXT: return %[[V2]], %[[V6]] : tensor<4x6xf32>, tensor<2x3x4x7x9xf32>
func.func @sums_and_batches(%x: tensor<4x3x5xf32>, %w: tensor<3x5x6xf32>, %p: tensor<2x3x4x7x8xf32>, %q: tensor<2x3x4x8x9xf32>) -> (tensor<4x6xf32>, tensor<2x3x4x7x9xf32>) {
  %0 = tc.contract "mhd,hdn->mn" %x, %w : tensor<4x3x5xf32>, tensor<3x5x6xf32> -> tensor<4x6xf32>
  %1 = tc.contract "abcmk,abckn->abcmn" %p, %q : tensor<2x3x4x7x8xf32>, tensor<2x3x4x8x9xf32> -> tensor<2x3x4x7x9xf32>
  return %0, %1 : tensor<4x6xf32>, tensor<2x3x4x7x9xf32>
}

// Side by side in one tensor alone, or in another order: no.
// CHECK-LABEL: func @not_adjacent
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x2x8xf32>, %[[Y:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "abk,nk->anb" %[[X]], %[[Y]] : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<4x16x2xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "abk,nk->ban" %[[X]], %[[Y]] : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4x16x2xf32>, tensor<2x4x16xf32>
func.func @not_adjacent(%x: tensor<4x2x8xf32>, %w: tensor<16x8xf32>) -> (tensor<4x16x2xf32>, tensor<2x4x16xf32>) {
  %0 = tc.contract "abk,nk->anb" %x, %w : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<4x16x2xf32>
  %1 = tc.contract "abk,nk->ban" %x, %w : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<2x4x16xf32>
  return %0, %1 : tensor<4x16x2xf32>, tensor<2x4x16xf32>
}

// The reshape of a slice would be a copy.
// CHECK-LABEL: func @view
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3x8xf32>, %[[Y:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[X]] offsets <[0, 1, 0]> strides [1, 1, 1] : tensor<4x3x8xf32> -> tensor<4x2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "abk,nk->abn" %[[V0]], %[[Y]] : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<4x2x16xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x2x16xf32>
func.func @view(%x: tensor<4x3x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x2x16xf32> {
  %0 = tc.slice %x offsets <[0, 1, 0]> strides [1, 1, 1] : tensor<4x3x8xf32> -> tensor<4x2x8xf32>
  %1 = tc.contract "abk,nk->abn" %0, %w : tensor<4x2x8xf32>, tensor<16x8xf32> -> tensor<4x2x16xf32>
  return %1 : tensor<4x2x16xf32>
}
