// RUN: tc-opt %s --tc-decompose-random | FileCheck %s

// CHECK-LABEL: func @uniform
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<i64>, %[[Y:[a-z0-9]+]]: tensor<i64>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<32xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[X]] dims [] : tensor<i64> -> tensor<32xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[Y]] dims [] : tensor<i64> -> tensor<32xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.philox %[[V1]], %[[V2]], %[[V0]] : tensor<32xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.full 8 : i64 -> tensor<32xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.shift_right %[[V3]], %[[V4]] : tensor<32xi64>
// CHECK-NEXT: %[[V6:.*]] = tc.cast %[[V5]] : tensor<32xi64> to tensor<32xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.full 5.96046448E-8 : f32 -> tensor<32xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.mul %[[V6]], %[[V7]] : tensor<32xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.reshape %[[V8]] : tensor<32xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V9]] : tensor<4x8xf32>
func.func @uniform(%s: tensor<i64>, %o: tensor<i64>) -> tensor<4x8xf32> {
  %0 = tc.random uniform %s, %o : tensor<i64>, tensor<i64> -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// As many bits as bf16 holds.
// CHECK-LABEL: func @uniform_bf16
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<i64>, %[[Y:[a-z0-9]+]]: tensor<i64>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[X]] dims [] : tensor<i64> -> tensor<4xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[Y]] dims [] : tensor<i64> -> tensor<4xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.philox %[[V1]], %[[V2]], %[[V0]] : tensor<4xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.full 24 : i64 -> tensor<4xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.shift_right %[[V3]], %[[V4]] : tensor<4xi64>
// CHECK-NEXT: %[[V6:.*]] = tc.cast %[[V5]] : tensor<4xi64> to tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.full 3.906250e-03 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.mul %[[V6]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.cast %[[V8]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V9]] : tensor<4xbf16>
func.func @uniform_bf16(%s: tensor<i64>, %o: tensor<i64>) -> tensor<4xbf16> {
  %0 = tc.random uniform %s, %o : tensor<i64>, tensor<i64> -> tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

// Two words a normal element; the counter runs over a symbolic number of them.
// CHECK-LABEL: func @normal
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<i64>, %[[Y:[a-z0-9]+]]: tensor<i64>, %[[Z:[a-z0-9]+]]: tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V1:.*]] = tc.full 2 : i64 -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1 : i64 -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V4:.*]] = tc.add %[[V2]], %[[V3]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V5:.*]] = tc.broadcast %[[X]] dims [] : tensor<i64> -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V6:.*]] = tc.broadcast %[[Y]] dims [] : tensor<i64> -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V7:.*]] = tc.philox %[[V5]], %[[V6]], %[[V2]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V8:.*]] = tc.full 8 : i64 -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V9:.*]] = tc.shift_right %[[V7]], %[[V8]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V10:.*]] = tc.cast %[[V9]] : tensor<?xi64, #tc.sizes<[s0 * 8]>> to tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V11:.*]] = tc.broadcast %[[X]] dims [] : tensor<i64> -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V12:.*]] = tc.broadcast %[[Y]] dims [] : tensor<i64> -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V13:.*]] = tc.philox %[[V11]], %[[V12]], %[[V4]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V14:.*]] = tc.full 8 : i64 -> tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V15:.*]] = tc.shift_right %[[V13]], %[[V14]] : tensor<?xi64, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V16:.*]] = tc.cast %[[V15]] : tensor<?xi64, #tc.sizes<[s0 * 8]>> to tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V17:.*]] = tc.full 5.96046448E-8 : f32 -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V18:.*]] = tc.full 1.000000e+00 : f32 -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V19:.*]] = tc.add %[[V10]], %[[V18]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V20:.*]] = tc.mul %[[V19]], %[[V17]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V21:.*]] = tc.mul %[[V16]], %[[V17]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V22:.*]] = tc.log %[[V20]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V23:.*]] = tc.full -2.000000e+00 : f32 -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V24:.*]] = tc.mul %[[V22]], %[[V23]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V25:.*]] = tc.sqrt %[[V24]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V26:.*]] = tc.full 6.28318548 : f32 -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V27:.*]] = tc.mul %[[V21]], %[[V26]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V28:.*]] = tc.cos %[[V27]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V29:.*]] = tc.mul %[[V25]], %[[V28]] : tensor<?xf32, #tc.sizes<[s0 * 8]>>
// CHECK-NEXT: %[[V30:.*]] = tc.reshape %[[V29]] : tensor<?xf32, #tc.sizes<[s0 * 8]>> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: return %[[V30]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
func.func @normal(%s: tensor<i64>, %o: tensor<i64>, %like: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x8xf32, #tc.sizes<[s0, 8]>> {
  %0 = tc.random normal %s, %o : tensor<i64>, tensor<i64> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}
