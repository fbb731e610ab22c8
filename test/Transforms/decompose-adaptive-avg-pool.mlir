// RUN: tc-opt %s --tc-decompose-adaptive-avg-pool | FileCheck %s

// One window a plane: a mean, symbolic sizes included.
// CHECK-LABEL: func @global
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x7x?xf32, #tc.sizes<[1, 8, 7, s0]>>
// CHECK-NEXT: %[[V0:.*]] = tc.reduce sum %[[X]] dims [2, 3] : tensor<1x8x7x?xf32, #tc.sizes<[1, 8, 7, s0]>> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.size_value <s0 * 7> : tensor<i64>
// CHECK-NEXT: %[[V2:.*]] = tc.cast %[[V1]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = tc.broadcast %[[V2]] dims [] : tensor<f32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.div %[[V0]], %[[V3]] : tensor<1x8xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.reshape %[[V4]] : tensor<1x8xf32> -> tensor<1x8x1x1xf32>
// CHECK-NEXT: return %[[V5]] : tensor<1x8x1x1xf32>
func.func @global(%x: tensor<1x8x7x?xf32, #tc.sizes<[1, 8, 7, s0]>>) -> tensor<1x8x1x1xf32> {
  %0 = tc.adaptive_avg_pool %x : tensor<1x8x7x?xf32, #tc.sizes<[1, 8, 7, s0]>> -> tensor<1x8x1x1xf32>
  return %0 : tensor<1x8x1x1xf32>
}

// Windows of one size.
// CHECK-LABEL: func @equal
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x6x12xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.avg_pool %[[X]] kernel [2, 3] stride [2, 3] padding [0, 0] : tensor<1x8x6x12xf32> -> tensor<1x8x3x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x8x3x4xf32>
func.func @equal(%x: tensor<1x8x6x12xf32>) -> tensor<1x8x3x4xf32> {
  %0 = tc.adaptive_avg_pool %x : tensor<1x8x6x12xf32> -> tensor<1x8x3x4xf32>
  return %0 : tensor<1x8x3x4xf32>
}

// Windows of several sizes along one dimension; the other stays.
// CHECK-LABEL: func @unequal
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x7x5xbf16>
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[X]] : tensor<1x8x7x5xbf16> to tensor<1x8x7x5xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.iota dim 0 start 0 step 1 : tensor<3xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.full 7 : i64 -> tensor<3xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.full 3 : i64 -> tensor<3xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.mul %[[V1]], %[[V2]] : tensor<3xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.floor_div %[[V4]], %[[V3]] : tensor<3xi64>
// CHECK-NEXT: %[[V6:.*]] = tc.full 1 : i64 -> tensor<3xi64>
// CHECK-NEXT: %[[V7:.*]] = tc.sub %[[V3]], %[[V6]] : tensor<3xi64>
// CHECK-NEXT: %[[V8:.*]] = tc.add %[[V2]], %[[V7]] : tensor<3xi64>
// CHECK-NEXT: %[[V9:.*]] = tc.add %[[V4]], %[[V8]] : tensor<3xi64>
// CHECK-NEXT: %[[V10:.*]] = tc.floor_div %[[V9]], %[[V3]] : tensor<3xi64>
// CHECK-NEXT: %[[V11:.*]] = tc.sub %[[V10]], %[[V5]] : tensor<3xi64>
// CHECK-NEXT: %[[V12:.*]] = tc.cast %[[V11]] : tensor<3xi64> to tensor<3xf32>
// CHECK-NEXT: %[[V13:.*]] = tc.broadcast %[[V0]] dims [0, 1, 3, 4] : tensor<1x8x7x5xf32> -> tensor<1x8x3x7x5xf32>
// CHECK-NEXT: %[[V14:.*]] = tc.iota dim 3 start 0 step 1 : tensor<1x8x3x7x5xi64>
// CHECK-NEXT: %[[V15:.*]] = tc.broadcast %[[V5]] dims [2] : tensor<3xi64> -> tensor<1x8x3x7x5xi64>
// CHECK-NEXT: %[[V16:.*]] = tc.ge %[[V14]], %[[V15]] : tensor<1x8x3x7x5xi64>
// CHECK-NEXT: %[[V17:.*]] = tc.broadcast %[[V10]] dims [2] : tensor<3xi64> -> tensor<1x8x3x7x5xi64>
// CHECK-NEXT: %[[V18:.*]] = tc.lt %[[V14]], %[[V17]] : tensor<1x8x3x7x5xi64>
// CHECK-NEXT: %[[V19:.*]] = tc.bitwise_and %[[V16]], %[[V18]] : tensor<1x8x3x7x5xi1>
// CHECK-NEXT: %[[V20:.*]] = tc.full 0.000000e+00 : f32 -> tensor<1x8x3x7x5xf32>
// CHECK-NEXT: %[[V21:.*]] = tc.select %[[V19]], %[[V13]], %[[V20]] : tensor<1x8x3x7x5xi1>, tensor<1x8x3x7x5xf32>
// CHECK-NEXT: %[[V22:.*]] = tc.reduce sum %[[V21]] dims [3] : tensor<1x8x3x7x5xf32> -> tensor<1x8x3x5xf32>
// CHECK-NEXT: %[[V23:.*]] = tc.broadcast %[[V12]] dims [2] : tensor<3xf32> -> tensor<1x8x3x5xf32>
// CHECK-NEXT: %[[V24:.*]] = tc.div %[[V22]], %[[V23]] : tensor<1x8x3x5xf32>
// CHECK-NEXT: %[[V25:.*]] = tc.cast %[[V24]] : tensor<1x8x3x5xf32> to tensor<1x8x3x5xbf16>
// CHECK-NEXT: return %[[V25]] : tensor<1x8x3x5xbf16>
func.func @unequal(%x: tensor<1x8x7x5xbf16>) -> tensor<1x8x3x5xbf16> {
  %0 = tc.adaptive_avg_pool %x : tensor<1x8x7x5xbf16> -> tensor<1x8x3x5xbf16>
  return %0 : tensor<1x8x3x5xbf16>
}
