// RUN: tc-opt %s --tc-decompose-batch-norm | FileCheck %s

// CHECK-LABEL: func @plain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[Y:[a-z0-9]+]]: tensor<3xf32>, %[[Z:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.full 9.99999974E-6 : f32 -> tensor<3xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[Z]], %[[V0]] : tensor<3xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.rsqrt %[[V1]] : tensor<3xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[Y]], %[[V4]] : tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.neg %[[V5]] : tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.broadcast %[[V4]] dims [1] : tensor<3xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.mul %[[X]], %[[V7]] : tensor<2x3x4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.broadcast %[[V6]] dims [1] : tensor<3xf32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[V10:.*]] = tc.add %[[V8]], %[[V9]] : tensor<2x3x4xf32>
// CHECK-NEXT: return %[[V10]] : tensor<2x3x4xf32>
func.func @plain(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = tc.batch_norm %x mean %m variance %v eps 1.0e-5 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>
  return %0 : tensor<2x3x4xf32>
}

// With weight and bias; bf16 computes in f32.
// CHECK-LABEL: func @affine_bf16
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x3xbf16, #tc.sizes<[s0, 3]>>, %[[Y:[a-z0-9]+]]: tensor<3xf32>, %[[Z:[a-z0-9]+]]: tensor<3xf32>, %[[W:[a-z0-9]+]]: tensor<3xbf16>, %[[U:[a-z0-9]+]]: tensor<3xbf16>
// CHECK-NEXT: %[[V0:.*]] = tc.full 9.99999974E-6 : f32 -> tensor<3xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[Z]], %[[V0]] : tensor<3xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.rsqrt %[[V1]] : tensor<3xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[W]] : tensor<3xbf16> to tensor<3xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.mul %[[V3]], %[[V2]] : tensor<3xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[Y]], %[[V4]] : tensor<3xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.cast %[[U]] : tensor<3xbf16> to tensor<3xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.sub %[[V6]], %[[V5]] : tensor<3xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.cast %[[X]] : tensor<?x3xbf16, #tc.sizes<[s0, 3]>> to tensor<?x3xf32, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: %[[V9:.*]] = tc.broadcast %[[V4]] dims [1] : tensor<3xf32> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: %[[V10:.*]] = tc.mul %[[V8]], %[[V9]] : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: %[[V11:.*]] = tc.broadcast %[[V7]] dims [1] : tensor<3xf32> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: %[[V12:.*]] = tc.add %[[V10]], %[[V11]] : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: %[[V13:.*]] = tc.cast %[[V12]] : tensor<?x3xf32, #tc.sizes<[s0, 3]>> to tensor<?x3xbf16, #tc.sizes<[s0, 3]>>
// CHECK-NEXT: return %[[V13]] : tensor<?x3xbf16, #tc.sizes<[s0, 3]>>
func.func @affine_bf16(%x: tensor<?x3xbf16, #tc.sizes<[s0, 3]>>, %m: tensor<3xf32>, %v: tensor<3xf32>, %w: tensor<3xbf16>, %b: tensor<3xbf16>) -> tensor<?x3xbf16, #tc.sizes<[s0, 3]>> {
  %0 = tc.batch_norm %x mean %m variance %v weight %w : tensor<3xbf16> bias %b : tensor<3xbf16> eps 1.0e-5 : tensor<?x3xbf16, #tc.sizes<[s0, 3]>>, tensor<3xf32>, tensor<3xf32>
  return %0 : tensor<?x3xbf16, #tc.sizes<[s0, 3]>>
}
