// RUN: tc-opt %s --tc-decompose-group-norm | FileCheck %s

// CHECK-LABEL: func @weight
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6x4x4xf32>, %[[Y:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<2x6x4x4xf32> -> tensor<2x3x32xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.layer_norm %[[V0]] rank 1 eps 1.000000e-05 : tensor<2x3x32xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<2x3x32xf32> -> tensor<2x6x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.broadcast %[[Y]] dims [1] : tensor<6xf32> -> tensor<2x6x4x4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.mul %[[V2]], %[[V3]] : tensor<2x6x4x4xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x6x4x4xf32>
func.func @weight(%x: tensor<2x6x4x4xf32>, %w: tensor<6xf32>) -> tensor<2x6x4x4xf32> {
  %0 = tc.group_norm %x weight %w : tensor<6xf32> groups 3 eps 1.0e-5 : tensor<2x6x4x4xf32>
  return %0 : tensor<2x6x4x4xf32>
}

// The length of a row is symbolic where a spatial size is.
// CHECK-LABEL: func @symbolic_bf16
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>, %[[Y:[a-z0-9]+]]: tensor<6xf32>, %[[Z:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[X]] : tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>> to tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[V0]] : tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>> -> tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 3]>>
// CHECK-NEXT: %[[V2:.*]] = tc.layer_norm %[[V1]] rank 1 eps 1.000000e-05 : tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 3]>>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 3]>> -> tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V4:.*]] = tc.broadcast %[[Y]] dims [1] : tensor<6xf32> -> tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[V3]], %[[V4]] : tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V6:.*]] = tc.broadcast %[[Z]] dims [1] : tensor<6xf32> -> tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V7:.*]] = tc.add %[[V5]], %[[V6]] : tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: %[[V8:.*]] = tc.cast %[[V7]] : tensor<2x6x?xf32, #tc.sizes<[2, 6, s0]>> to tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>
// CHECK-NEXT: return %[[V8]] : tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>
func.func @symbolic_bf16(%x: tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>> {
  %0 = tc.group_norm %x weight %w : tensor<6xf32> bias %b : tensor<6xf32> groups 2 eps 1.0e-5 : tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>
  return %0 : tensor<2x6x?xbf16, #tc.sizes<[2, 6, s0]>>
}

// A symbolic number of channels is split where the groups divide it.
// CHECK-LABEL: func @symbolic_channels
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>> -> tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 4]>>
// CHECK-NEXT: %[[V1:.*]] = tc.layer_norm %[[V0]] rank 1 eps 1.000000e-05 : tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 4]>>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<2x2x?xf32, #tc.sizes<[2, 2, s0 * 4]>> -> tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>
// CHECK-NEXT: return %[[V2]] : tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>
func.func @symbolic_channels(%x: tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>) -> tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>> {
  %0 = tc.group_norm %x groups 2 eps 1.0e-5 : tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>
  return %0 : tensor<2x?x4xf32, #tc.sizes<[2, s0 * 2, 4]>>
}
