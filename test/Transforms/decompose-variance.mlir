// RUN: tc-opt %s --tc-decompose-variance | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reduce sum %[[X]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 8.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.div %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.broadcast %[[V2]] dims [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.sub %[[X]], %[[V3]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[V4]], %[[V4]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.reduce sum %[[V5]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.full 7.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.div %[[V6]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: return %[[V8]] : tensor<4xf32>
func.func @rows(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tc.variance %x dims [1] correction 1.0 : tensor<4x8xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The count is an expression where a size is.
// CHECK-LABEL: func @symbolic_bf16
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xbf16, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[X]] : tensor<?x8xbf16, #tc.sizes<[s0, 8]>> to tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce sum %[[V0]] dims [0, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<f32>
// CHECK-NEXT: %[[V2:.*]] = tc.size_value <s0 * 8> : tensor<i64>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[V2]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[V4:.*]] = tc.div %[[V1]], %[[V3]] : tensor<f32>
// CHECK-NEXT: %[[V5:.*]] = tc.broadcast %[[V4]] dims [] : tensor<f32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V6:.*]] = tc.sub %[[V0]], %[[V5]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V7:.*]] = tc.mul %[[V6]], %[[V6]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V8:.*]] = tc.reduce sum %[[V7]] dims [0, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<f32>
// CHECK-NEXT: %[[V9:.*]] = tc.size_value <s0 * 8> : tensor<i64>
// CHECK-NEXT: %[[V10:.*]] = tc.cast %[[V9]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[V11:.*]] = tc.full 1.000000e+00 : f32 -> tensor<f32>
// CHECK-NEXT: %[[V12:.*]] = tc.sub %[[V10]], %[[V11]] : tensor<f32>
// CHECK-NEXT: %[[V13:.*]] = tc.full 0.000000e+00 : f32 -> tensor<f32>
// CHECK-NEXT: %[[V14:.*]] = tc.maximum %[[V12]], %[[V13]] : tensor<f32>
// CHECK-NEXT: %[[V15:.*]] = tc.div %[[V8]], %[[V14]] : tensor<f32>
// CHECK-NEXT: %[[V16:.*]] = tc.cast %[[V15]] : tensor<f32> to tensor<bf16>
// CHECK-NEXT: return %[[V16]] : tensor<bf16>
func.func @symbolic_bf16(%x: tensor<?x8xbf16, #tc.sizes<[s0, 8]>>) -> tensor<bf16> {
  %0 = tc.variance %x dims [0, 1] correction 1.0 : tensor<?x8xbf16, #tc.sizes<[s0, 8]>> -> tensor<bf16>
  return %0 : tensor<bf16>
}
