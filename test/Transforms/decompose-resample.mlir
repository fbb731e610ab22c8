// RUN: tc-opt %s --tc-decompose-resample | FileCheck %s

// Whole factors repeat.
// CHECK-LABEL: func @nearest_whole
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x4x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<1x8x4x4xf32> -> tensor<1x8x4x1x4x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0, 1, 2, 3, 4, 5] : tensor<1x8x4x1x4x1xf32> -> tensor<1x8x4x2x4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<1x8x4x2x4x3xf32> -> tensor<1x8x8x12xf32>
// CHECK-NEXT: return %[[V2]] : tensor<1x8x8x12xf32>
func.func @nearest_whole(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x8x12xf32> {
  %0 = tc.resample nearest %x : tensor<1x8x4x4xf32> -> tensor<1x8x8x12xf32>
  return %0 : tensor<1x8x8x12xf32>
}

// Symbolic sizes repeat too, where the op has a scale.
// CHECK-LABEL: func @nearest_whole_symbolic
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x?xf32, #tc.sizes<[1, 8, s0]>>
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[X]] : tensor<1x8x?xf32, #tc.sizes<[1, 8, s0]>> -> tensor<1x8x?x1xf32, #tc.sizes<[1, 8, s0, 1]>>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0, 1, 2, 3] : tensor<1x8x?x1xf32, #tc.sizes<[1, 8, s0, 1]>> -> tensor<1x8x?x2xf32, #tc.sizes<[1, 8, s0, 2]>>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<1x8x?x2xf32, #tc.sizes<[1, 8, s0, 2]>> -> tensor<1x8x?xf32, #tc.sizes<[1, 8, s0 * 2]>>
// CHECK-NEXT: return %[[V2]] : tensor<1x8x?xf32, #tc.sizes<[1, 8, s0 * 2]>>
func.func @nearest_whole_symbolic(%x: tensor<1x8x?xf32, #tc.sizes<[1, 8, s0]>>) -> tensor<1x8x?xf32, #tc.sizes<[1, 8, s0 * 2]>> {
  %0 = tc.resample nearest %x {scales = array<f64: 0.5>} : tensor<1x8x?xf32, #tc.sizes<[1, 8, s0]>> -> tensor<1x8x?xf32, #tc.sizes<[1, 8, s0 * 2]>>
  return %0 : tensor<1x8x?xf32, #tc.sizes<[1, 8, s0 * 2]>>
}

// Other factors pick by position.
// CHECK-LABEL: func @nearest_other
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x8x5xbf16>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<7xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<7xi64> to tensor<7xf64>
// CHECK-NEXT: %[[V2:.*]] = tc.full 5.000000e+00 : f64 -> tensor<7xf64>
// CHECK-NEXT: %[[V3:.*]] = tc.full 7.000000e+00 : f64 -> tensor<7xf64>
// CHECK-NEXT: %[[V4:.*]] = tc.div %[[V2]], %[[V3]] : tensor<7xf64>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[V1]], %[[V4]] : tensor<7xf64>
// CHECK-NEXT: %[[V6:.*]] = tc.floor %[[V5]] : tensor<7xf64>
// CHECK-NEXT: %[[V7:.*]] = tc.cast %[[V6]] : tensor<7xf64> to tensor<7xi64>
// CHECK-NEXT: %[[V8:.*]] = tc.full 4 : i64 -> tensor<7xi64>
// CHECK-NEXT: %[[V9:.*]] = tc.minimum %[[V7]], %[[V8]] : tensor<7xi64>
// CHECK-NEXT: %[[V10:.*]] = tc.index_tensors %[[X]][%[[V9]]] dims [2] non_negative : tensor<1x8x5xbf16>, tensor<7xi64> -> tensor<1x8x7xbf16>
// CHECK-NEXT: return %[[V10]] : tensor<1x8x7xbf16>
func.func @nearest_other(%x: tensor<1x8x5xbf16>) -> tensor<1x8x7xbf16> {
  %0 = tc.resample nearest %x : tensor<1x8x5xbf16> -> tensor<1x8x7xbf16>
  return %0 : tensor<1x8x7xbf16>
}

// Linear weighs both ends.
// CHECK-LABEL: func @linear
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x2x3xbf16>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<8xi64> to tensor<8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 5.000000e-01 : f32 -> tensor<8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[V1]], %[[V2]] : tensor<8xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.full 4.000000e-01 : f32 -> tensor<8xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[V3]], %[[V4]] : tensor<8xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.sub %[[V5]], %[[V2]] : tensor<8xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.full 0.000000e+00 : f32 -> tensor<8xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.maximum %[[V6]], %[[V7]] : tensor<8xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.cast %[[V8]] : tensor<8xf32> to tensor<8xi64>
// CHECK-NEXT: %[[V10:.*]] = tc.full 2 : i64 -> tensor<8xi64>
// CHECK-NEXT: %[[V11:.*]] = tc.minimum %[[V9]], %[[V10]] : tensor<8xi64>
// CHECK-NEXT: %[[V12:.*]] = tc.full 1 : i64 -> tensor<8xi64>
// CHECK-NEXT: %[[V13:.*]] = tc.add %[[V11]], %[[V12]] : tensor<8xi64>
// CHECK-NEXT: %[[V14:.*]] = tc.full 2 : i64 -> tensor<8xi64>
// CHECK-NEXT: %[[V15:.*]] = tc.minimum %[[V13]], %[[V14]] : tensor<8xi64>
// CHECK-NEXT: %[[V16:.*]] = tc.cast %[[V11]] : tensor<8xi64> to tensor<8xf32>
// CHECK-NEXT: %[[V17:.*]] = tc.sub %[[V8]], %[[V16]] : tensor<8xf32>
// CHECK-NEXT: %[[V18:.*]] = tc.index_tensors %[[X]][%[[V11]]] dims [2] non_negative : tensor<1x2x3xbf16>, tensor<8xi64> -> tensor<1x2x8xbf16>
// CHECK-NEXT: %[[V19:.*]] = tc.cast %[[V18]] : tensor<1x2x8xbf16> to tensor<1x2x8xf32>
// CHECK-NEXT: %[[V20:.*]] = tc.index_tensors %[[X]][%[[V15]]] dims [2] non_negative : tensor<1x2x3xbf16>, tensor<8xi64> -> tensor<1x2x8xbf16>
// CHECK-NEXT: %[[V21:.*]] = tc.cast %[[V20]] : tensor<1x2x8xbf16> to tensor<1x2x8xf32>
// CHECK-NEXT: %[[V22:.*]] = tc.broadcast %[[V17]] dims [2] : tensor<8xf32> -> tensor<1x2x8xf32>
// CHECK-NEXT: %[[V23:.*]] = tc.full 1.000000e+00 : f32 -> tensor<1x2x8xf32>
// CHECK-NEXT: %[[V24:.*]] = tc.sub %[[V23]], %[[V22]] : tensor<1x2x8xf32>
// CHECK-NEXT: %[[V25:.*]] = tc.mul %[[V19]], %[[V24]] : tensor<1x2x8xf32>
// CHECK-NEXT: %[[V26:.*]] = tc.mul %[[V21]], %[[V22]] : tensor<1x2x8xf32>
// CHECK-NEXT: %[[V27:.*]] = tc.add %[[V25]], %[[V26]] : tensor<1x2x8xf32>
// CHECK-NEXT: %[[V28:.*]] = tc.cast %[[V27]] : tensor<1x2x8xf32> to tensor<1x2x8xbf16>
// CHECK-NEXT: return %[[V28]] : tensor<1x2x8xbf16>
func.func @linear(%x: tensor<1x2x3xbf16>) -> tensor<1x2x8xbf16> {
  %0 = tc.resample linear %x {scales = array<f64: 0.4>} : tensor<1x2x3xbf16> -> tensor<1x2x8xbf16>
  return %0 : tensor<1x2x8xbf16>
}

// In two dimensions all four corners, here with the outer ones aligned.
// CHECK-LABEL: func @bilinear
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<1x2x3x4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<6xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<6xi64> to tensor<6xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 5.000000e+00 : f32 -> tensor<6xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.full 1.000000e+00 : f32 -> tensor<6xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.maximum %[[V2]], %[[V3]] : tensor<6xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.full 2.000000e+00 : f32 -> tensor<6xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.div %[[V5]], %[[V4]] : tensor<6xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.mul %[[V1]], %[[V6]] : tensor<6xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.cast %[[V7]] : tensor<6xf32> to tensor<6xi64>
// CHECK-NEXT: %[[V9:.*]] = tc.full 2 : i64 -> tensor<6xi64>
// CHECK-NEXT: %[[V10:.*]] = tc.minimum %[[V8]], %[[V9]] : tensor<6xi64>
// CHECK-NEXT: %[[V11:.*]] = tc.full 1 : i64 -> tensor<6xi64>
// CHECK-NEXT: %[[V12:.*]] = tc.add %[[V10]], %[[V11]] : tensor<6xi64>
// CHECK-NEXT: %[[V13:.*]] = tc.full 2 : i64 -> tensor<6xi64>
// CHECK-NEXT: %[[V14:.*]] = tc.minimum %[[V12]], %[[V13]] : tensor<6xi64>
// CHECK-NEXT: %[[V15:.*]] = tc.broadcast %[[V10]] dims [0] : tensor<6xi64> -> tensor<6x7xi64>
// CHECK-NEXT: %[[V16:.*]] = tc.broadcast %[[V14]] dims [0] : tensor<6xi64> -> tensor<6x7xi64>
// CHECK-NEXT: %[[V17:.*]] = tc.cast %[[V10]] : tensor<6xi64> to tensor<6xf32>
// CHECK-NEXT: %[[V18:.*]] = tc.sub %[[V7]], %[[V17]] : tensor<6xf32>
// CHECK-NEXT: %[[V19:.*]] = tc.broadcast %[[V18]] dims [0] : tensor<6xf32> -> tensor<6x7xf32>
// CHECK-NEXT: %[[V20:.*]] = tc.iota dim 0 start 0 step 1 : tensor<7xi64>
// CHECK-NEXT: %[[V21:.*]] = tc.cast %[[V20]] : tensor<7xi64> to tensor<7xf32>
// CHECK-NEXT: %[[V22:.*]] = tc.full 6.000000e+00 : f32 -> tensor<7xf32>
// CHECK-NEXT: %[[V23:.*]] = tc.full 1.000000e+00 : f32 -> tensor<7xf32>
// CHECK-NEXT: %[[V24:.*]] = tc.maximum %[[V22]], %[[V23]] : tensor<7xf32>
// CHECK-NEXT: %[[V25:.*]] = tc.full 3.000000e+00 : f32 -> tensor<7xf32>
// CHECK-NEXT: %[[V26:.*]] = tc.div %[[V25]], %[[V24]] : tensor<7xf32>
// CHECK-NEXT: %[[V27:.*]] = tc.mul %[[V21]], %[[V26]] : tensor<7xf32>
// CHECK-NEXT: %[[V28:.*]] = tc.cast %[[V27]] : tensor<7xf32> to tensor<7xi64>
// CHECK-NEXT: %[[V29:.*]] = tc.full 3 : i64 -> tensor<7xi64>
// CHECK-NEXT: %[[V30:.*]] = tc.minimum %[[V28]], %[[V29]] : tensor<7xi64>
// CHECK-NEXT: %[[V31:.*]] = tc.full 1 : i64 -> tensor<7xi64>
// CHECK-NEXT: %[[V32:.*]] = tc.add %[[V30]], %[[V31]] : tensor<7xi64>
// CHECK-NEXT: %[[V33:.*]] = tc.full 3 : i64 -> tensor<7xi64>
// CHECK-NEXT: %[[V34:.*]] = tc.minimum %[[V32]], %[[V33]] : tensor<7xi64>
// CHECK-NEXT: %[[V35:.*]] = tc.broadcast %[[V30]] dims [1] : tensor<7xi64> -> tensor<6x7xi64>
// CHECK-NEXT: %[[V36:.*]] = tc.broadcast %[[V34]] dims [1] : tensor<7xi64> -> tensor<6x7xi64>
// CHECK-NEXT: %[[V37:.*]] = tc.cast %[[V30]] : tensor<7xi64> to tensor<7xf32>
// CHECK-NEXT: %[[V38:.*]] = tc.sub %[[V27]], %[[V37]] : tensor<7xf32>
// CHECK-NEXT: %[[V39:.*]] = tc.broadcast %[[V38]] dims [1] : tensor<7xf32> -> tensor<6x7xf32>
// CHECK-NEXT: %[[V40:.*]] = tc.index_tensors %[[X]][%[[V15]], %[[V35]]] dims [2, 3] non_negative : tensor<1x2x3x4xf32>, tensor<6x7xi64>, tensor<6x7xi64> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V41:.*]] = tc.index_tensors %[[X]][%[[V15]], %[[V36]]] dims [2, 3] non_negative : tensor<1x2x3x4xf32>, tensor<6x7xi64>, tensor<6x7xi64> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V42:.*]] = tc.broadcast %[[V39]] dims [2, 3] : tensor<6x7xf32> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V43:.*]] = tc.full 1.000000e+00 : f32 -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V44:.*]] = tc.sub %[[V43]], %[[V42]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V45:.*]] = tc.mul %[[V40]], %[[V44]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V46:.*]] = tc.mul %[[V41]], %[[V42]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V47:.*]] = tc.add %[[V45]], %[[V46]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V48:.*]] = tc.index_tensors %[[X]][%[[V16]], %[[V35]]] dims [2, 3] non_negative : tensor<1x2x3x4xf32>, tensor<6x7xi64>, tensor<6x7xi64> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V49:.*]] = tc.index_tensors %[[X]][%[[V16]], %[[V36]]] dims [2, 3] non_negative : tensor<1x2x3x4xf32>, tensor<6x7xi64>, tensor<6x7xi64> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V50:.*]] = tc.broadcast %[[V39]] dims [2, 3] : tensor<6x7xf32> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V51:.*]] = tc.full 1.000000e+00 : f32 -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V52:.*]] = tc.sub %[[V51]], %[[V50]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V53:.*]] = tc.mul %[[V48]], %[[V52]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V54:.*]] = tc.mul %[[V49]], %[[V50]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V55:.*]] = tc.add %[[V53]], %[[V54]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V56:.*]] = tc.broadcast %[[V19]] dims [2, 3] : tensor<6x7xf32> -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V57:.*]] = tc.full 1.000000e+00 : f32 -> tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V58:.*]] = tc.sub %[[V57]], %[[V56]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V59:.*]] = tc.mul %[[V47]], %[[V58]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V60:.*]] = tc.mul %[[V55]], %[[V56]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: %[[V61:.*]] = tc.add %[[V59]], %[[V60]] : tensor<1x2x6x7xf32>
// CHECK-NEXT: return %[[V61]] : tensor<1x2x6x7xf32>
func.func @bilinear(%x: tensor<1x2x3x4xf32>) -> tensor<1x2x6x7xf32> {
  %0 = tc.resample linear %x {align_corners} : tensor<1x2x3x4xf32> -> tensor<1x2x6x7xf32>
  return %0 : tensor<1x2x6x7xf32>
}
