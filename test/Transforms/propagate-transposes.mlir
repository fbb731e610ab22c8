// RUN: tc-opt %s --tc-propagate-transposes | FileCheck %s

// Around a contraction: labels in another order.
// CHECK-LABEL: func @contraction
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<16x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "mk,nk->nm" %[[X]], %[[Y]] : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<16x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<16x4xf32>
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<16x4xf32> {
  %0 = tc.transpose %w [1, 0] : tensor<16x8xf32> -> tensor<8x16xf32>
  %1 = tc.contract "mk,kn->mn" %x, %0 : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %2 = tc.transpose %1 [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
  return %2 : tensor<16x4xf32>
}

// Three dimensions, both operands.
// CHECK-LABEL: func @batched
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[Y:[a-z0-9]+]]: tensor<5x4x2xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "bmk,nkb->bmn" %[[X]], %[[Y]] : tensor<2x3x4xf32>, tensor<5x4x2xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x3x5xf32>
func.func @batched(%x: tensor<2x3x4xf32>, %y: tensor<5x4x2xf32>) -> tensor<2x3x5xf32> {
  %0 = tc.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = tc.transpose %y [2, 1, 0] : tensor<5x4x2xf32> -> tensor<2x4x5xf32>
  %2 = tc.contract "kbm,bkn->bmn" %0, %1 : tensor<4x2x3xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
  return %2 : tensor<2x3x5xf32>
}

// A contraction that is read elsewhere keeps its result.
// CHECK-LABEL: func @shared_contraction
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<8x16xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.contract "mk,kn->mn" %[[X]], %[[Y]] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.transpose %[[V0]] [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4x16xf32>, tensor<16x4xf32>
func.func @shared_contraction(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<16x4xf32>) {
  %0 = tc.contract "mk,kn->mn" %x, %w : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  %1 = tc.transpose %0 [1, 0] : tensor<4x16xf32> -> tensor<16x4xf32>
  return %0, %1 : tensor<4x16xf32>, tensor<16x4xf32>
}

// Down through elementwise ops, with repeated values, until two cancel.
// CHECK-LABEL: func @elementwise
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %[[Y:[a-z0-9]+]]: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %[[Z:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.add %[[X]], %[[Y]] : tensor<4x?xf32, #tc.sizes<[4, s0]>>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[Z]] dims [0] : tensor<4xf32> -> tensor<4x?xf32, #tc.sizes<[4, s0]>>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<4x?xf32, #tc.sizes<[4, s0]>>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1.000000e+00 : f32 -> tensor<4x?xf32, #tc.sizes<[4, s0]>>
// CHECK-NEXT: %[[V4:.*]] = tc.lt %[[V2]], %[[V3]] : tensor<4x?xf32, #tc.sizes<[4, s0]>>
// CHECK-NEXT: return %[[V4]] : tensor<4x?xi1, #tc.sizes<[4, s0]>>
func.func @elementwise(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %y: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %b: tensor<4xf32>) -> tensor<4x?xi1, #tc.sizes<[4, s0]>> {
  %0 = tc.transpose %x [1, 0] : tensor<4x?xf32, #tc.sizes<[4, s0]>> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %1 = tc.transpose %y [1, 0] : tensor<4x?xf32, #tc.sizes<[4, s0]>> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %2 = tc.add %0, %1 : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %3 = tc.broadcast %b dims [1] : tensor<4xf32> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %4 = tc.mul %2, %3 : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %one = tc.full 1.0 : f32 -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %5 = tc.lt %4, %one : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %6 = tc.transpose %5 [1, 0] : tensor<?x4xi1, #tc.sizes<[s0, 4]>> -> tensor<4x?xi1, #tc.sizes<[4, s0]>>
  return %6 : tensor<4x?xi1, #tc.sizes<[4, s0]>>
}

// Operands that differ keep theirs.
// CHECK-LABEL: func @mixed
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>, %[[Y:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.transpose %[[X]] [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[V0]], %[[Y]] : tensor<8x4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<8x4xf32>
func.func @mixed(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %1 = tc.add %0, %y : tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// Above a broadcast there are fewer elements, here in an order that needs no transpose.
// CHECK-LABEL: func @broadcast
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8xf32>, %[[Y:[a-z0-9]+]]: tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[X]] dims [0] : tensor<8xf32> -> tensor<8x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.transpose %[[Y]] [1, 0] : tensor<3x5xf32> -> tensor<5x3xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[V1]] dims [0, 2] : tensor<5x3xf32> -> tensor<5x4x3xf32>
// CHECK-NEXT: return %[[V0]], %[[V2]] : tensor<8x4xf32>, tensor<5x4x3xf32>
func.func @broadcast(%x: tensor<8xf32>, %y: tensor<3x5xf32>) -> (tensor<8x4xf32>, tensor<5x4x3xf32>) {
  %0 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = tc.transpose %0 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = tc.broadcast %y dims [0, 2] : tensor<3x5xf32> -> tensor<3x4x5xf32>
  %3 = tc.transpose %2 [2, 1, 0] : tensor<3x4x5xf32> -> tensor<5x4x3xf32>
  return %1, %3 : tensor<8x4xf32>, tensor<5x4x3xf32>
}

// Below a reduction and a softmax along other dimensions.
// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reduce max %[[X]] dims [1] {allow_empty} : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.transpose %[[V0]] [1, 0] : tensor<2x4xf32> -> tensor<4x2xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.softmax %[[X]] dim 2 : tensor<2x3x4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.transpose %[[V2]] [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[V3]] : tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x2x3xf32>
func.func @rows(%x: tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x2x3xf32>) {
  %0 = tc.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %1 = tc.reduce max %0 dims [2] {allow_empty} : tensor<4x2x3xf32> -> tensor<4x2xf32>
  %2 = tc.transpose %1 [1, 0] : tensor<4x2xf32> -> tensor<2x4xf32>
  %3 = tc.transpose %x [2, 0, 1] : tensor<2x3x4xf32> -> tensor<4x2x3xf32>
  %4 = tc.softmax %3 dim 0 : tensor<4x2x3xf32>
  return %2, %1, %4 : tensor<2x4xf32>, tensor<4x2xf32>, tensor<4x2x3xf32>
}

// Below a reshape that merges the batches of the products of queries and keys:
// the labels of the contraction are those of memory.
// CHECK-LABEL: func @merged_batches
// CHECK-SAME: %[[Q:[a-z0-9]+]]: tensor<6x5x8xf32>, %[[K:[a-z0-9]+]]: tensor<2x3x7x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[K]] : tensor<2x3x7x8xf32> -> tensor<6x7x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "bmk,bnk->bmn" %[[Q]], %[[V0]] : tensor<6x5x8xf32>, tensor<6x7x8xf32> -> tensor<6x5x7xf32>
// CHECK-NEXT: return %[[V1]]
func.func @merged_batches(%q: tensor<6x5x8xf32>, %k: tensor<2x3x7x8xf32>) -> tensor<6x5x7xf32> {
  %0 = tc.transpose %k [0, 1, 3, 2] : tensor<2x3x7x8xf32> -> tensor<2x3x8x7xf32>
  %1 = tc.reshape %0 : tensor<2x3x8x7xf32> -> tensor<6x8x7xf32>
  %2 = tc.contract "bmk,bkn->bmn" %q, %1 : tensor<6x5x8xf32>, tensor<6x8x7xf32> -> tensor<6x5x7xf32>
  return %2 : tensor<6x5x7xf32>
}

// Below a reshape that splits a dimension; not below one that merges what are
// no neighbours without the transpose.
// CHECK-LABEL: func @split
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x12x5xf32, #tc.sizes<[s0, 12, 5]>>, %[[Y:[a-z0-9]+]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : {{.*}} -> tensor<?x3x4x5xf32, #tc.sizes<[s0, 3, 4, 5]>>
// CHECK-NEXT: %[[V1:.*]] = tc.transpose %[[V0]] [3, 0, 1, 2] : {{.*}} -> tensor<5x?x3x4xf32, #tc.sizes<[5, s0, 3, 4]>>
// CHECK-NEXT: %[[V2:.*]] = tc.transpose %[[Y]] [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<2x4x3xf32> -> tensor<2x12xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]]
func.func @split(%x: tensor<?x12x5xf32, #tc.sizes<[s0, 12, 5]>>, %y: tensor<2x3x4xf32>) -> (tensor<5x?x3x4xf32, #tc.sizes<[5, s0, 3, 4]>>, tensor<2x12xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.transpose %x [2, 0, 1] : tensor<?x12x5xf32, #tc.sizes<[s0, 12, 5]>> -> tensor<5x?x12xf32, #tc.sizes<[5, s0, 12]>>
  %1 = tc.reshape %0 : tensor<5x?x12xf32, #tc.sizes<[5, s0, 12]>> -> tensor<5x?x3x4xf32, #tc.sizes<[5, s0, 3, 4]>>
  %2 = tc.transpose %y [0, 2, 1] : tensor<2x3x4xf32> -> tensor<2x4x3xf32>
  %3 = tc.reshape %2 : tensor<2x4x3xf32> -> tensor<2x12xf32>
  return %1, %3 : tensor<5x?x3x4xf32, #tc.sizes<[5, s0, 3, 4]>>, tensor<2x12xf32>
}
