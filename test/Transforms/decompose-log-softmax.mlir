// RUN: tc-opt %s --tc-decompose-log-softmax | FileCheck %s

// CHECK-LABEL: func @rows
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reduce max %[[X]] dims [1] {allow_empty} : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.sub %[[X]], %[[V1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.exp %[[V2]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.reduce sum %[[V3]] dims [1] : tensor<4x8xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.log %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.broadcast %[[V5]] dims [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.sub %[[V2]], %[[V6]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[V7]] : tensor<4x8xf32>
func.func @rows(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = tc.log_softmax %x dim 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Along the first dimension, symbolic, in f16.
// CHECK-LABEL: func @columns_f16
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xf16, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[X]] : tensor<?x8xf16, #tc.sizes<[s0, 8]>> to tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.reduce max %[[V0]] dims [0] {allow_empty} : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[V1]] dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V3:.*]] = tc.sub %[[V0]], %[[V2]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V4:.*]] = tc.exp %[[V3]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V5:.*]] = tc.reduce sum %[[V4]] dims [0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.log %[[V5]] : tensor<8xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.broadcast %[[V6]] dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V8:.*]] = tc.sub %[[V3]], %[[V7]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V9:.*]] = tc.cast %[[V8]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> to tensor<?x8xf16, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: return %[[V9]] : tensor<?x8xf16, #tc.sizes<[s0, 8]>>
func.func @columns_f16(%x: tensor<?x8xf16, #tc.sizes<[s0, 8]>>) -> tensor<?x8xf16, #tc.sizes<[s0, 8]>> {
  %0 = tc.log_softmax %x dim 0 : tensor<?x8xf16, #tc.sizes<[s0, 8]>>
  return %0 : tensor<?x8xf16, #tc.sizes<[s0, 8]>>
}

// No elements have no maximum, and need none.
// CHECK-LABEL: func @empty
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x0xf32>
// CHECK-NEXT: return %[[X]] : tensor<4x0xf32>
func.func @empty(%x: tensor<4x0xf32>) -> tensor<4x0xf32> {
  %0 = tc.log_softmax %x dim 1 : tensor<4x0xf32>
  return %0 : tensor<4x0xf32>
}
