// RUN: tc-opt %s --tc-decompose-pad-modes | FileCheck %s

// CHECK-LABEL: func @reflect
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x5xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[X]] offsets <[0, 2]> strides [1, -1] : tensor<3x5xf32> -> tensor<3x2xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[X]] offsets <[0, 3]> strides [1, -1] : tensor<3x5xf32> -> tensor<3x1xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V0]], %[[X]], %[[V1]] dim 1 : tensor<3x2xf32>, tensor<3x5xf32>, tensor<3x1xf32> -> tensor<3x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x8xf32>
func.func @reflect(%x: tensor<3x5xf32>) -> tensor<3x8xf32> {
  %0 = tc.pad reflect %x low [0, 2] high [0, 1] : tensor<3x5xf32> -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// Two dimensions, one after the other.
// CHECK-LABEL: func @replicate
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x?xf32, #tc.sizes<[3, s0]>>
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[X]] offsets <[0, 0]> strides [1, 1] : tensor<3x?xf32, #tc.sizes<[3, s0]>> -> tensor<1x?xf32, #tc.sizes<[1, s0]>>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[X]] offsets <[2, 0]> strides [1, 1] : tensor<3x?xf32, #tc.sizes<[3, s0]>> -> tensor<1x?xf32, #tc.sizes<[1, s0]>>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V0]], %[[X]], %[[V1]] dim 0 : tensor<1x?xf32, #tc.sizes<[1, s0]>>, tensor<3x?xf32, #tc.sizes<[3, s0]>>, tensor<1x?xf32, #tc.sizes<[1, s0]>> -> tensor<5x?xf32, #tc.sizes<[5, s0]>>
// CHECK-NEXT: %[[V3:.*]] = tc.slice %[[V2]] offsets <[0, 0]> strides [1, 1] : tensor<5x?xf32, #tc.sizes<[5, s0]>> -> tensor<5x1xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.broadcast %[[V3]] dims [0, 1] : tensor<5x1xf32> -> tensor<5x2xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.concat %[[V4]], %[[V2]] dim 1 : tensor<5x2xf32>, tensor<5x?xf32, #tc.sizes<[5, s0]>> -> tensor<5x?xf32, #tc.sizes<[5, s0 + 2]>>
// CHECK-NEXT: return %[[V5]] : tensor<5x?xf32, #tc.sizes<[5, s0 + 2]>>
func.func @replicate(%x: tensor<3x?xf32, #tc.sizes<[3, s0]>>) -> tensor<5x?xf32, #tc.sizes<[5, s0 + 2]>> {
  %0 = tc.pad replicate %x low [1, 2] high [1, 0] : tensor<3x?xf32, #tc.sizes<[3, s0]>> -> tensor<5x?xf32, #tc.sizes<[5, s0 + 2]>>
  return %0 : tensor<5x?xf32, #tc.sizes<[5, s0 + 2]>>
}

// A negative count leaves elements out, after the other end is padded.
// CHECK-LABEL: func @circular
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[X]] offsets <[0]> strides [1] : tensor<5xf32> -> tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.concat %[[X]], %[[V0]] dim 0 : tensor<5xf32>, tensor<2xf32> -> tensor<7xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.slice %[[V1]] offsets <[1]> strides [1] : tensor<7xf32> -> tensor<6xf32>
// CHECK-NEXT: return %[[V2]] : tensor<6xf32>
func.func @circular(%x: tensor<5xf32>) -> tensor<6xf32> {
  %0 = tc.pad circular %x low [-1] high [2] : tensor<5xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// A constant pad is kept whole.
// CHECK-LABEL: func @constant
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.pad constant %[[X]] low [1] high [0] value 0.000000e+00 : f32 : tensor<5xf32> -> tensor<6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<6xf32>
func.func @constant(%x: tensor<5xf32>) -> tensor<6xf32> {
  %0 = tc.pad constant %x low [1] high [0] value 0.0 : f32 : tensor<5xf32> -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
