// RUN: tc-opt %s --tc-fold-batch-norm | FileCheck %s

tc.parameter_source @w : tensor<4x3x1xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 64 : i64, role = "buffer"}
tc.parameter_source @t : tensor<3x4x1xf32> {file = "m.pt2", offset = 128 : i64, role = "parameter"}

// CHECK-LABEL: func @plain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.parameter @w : tensor<4x3x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.parameter @s : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 9.99999974E-6 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.sqrt %[[V3]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.full 1.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.div %[[V5]], %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.neg %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.mul %[[V7]], %[[V6]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.broadcast %[[V6]] dims [0] : tensor<4xf32> -> tensor<4x3x1xf32>
// CHECK-NEXT: %[[V10:.*]] = tc.mul %[[V0]], %[[V9]] : tensor<4x3x1xf32>
// CHECK-NEXT: %[[V11:.*]] = tc.convolution %[[X]], %[[V10]] stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V12:.*]] = tc.broadcast %[[V8]] dims [1] : tensor<4xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V13:.*]] = tc.add %[[V11]], %[[V12]] : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V13]] : tensor<2x4x8xf32>
func.func @plain(%x: tensor<2x3x8xf32>) -> tensor<2x4x8xf32> {
  %w = tc.parameter @w : tensor<4x3x1xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
  %1 = tc.batch_norm %0 mean %s variance %s eps 1.0e-5 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<2x4x8xf32>
}

// A bias between the two, weight and bias of the norm, a transposed convolution.
// CHECK-LABEL: func @biased
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.parameter @t : tensor<3x4x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.parameter @s : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 9.99999974E-6 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.sqrt %[[V3]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.div %[[V1]], %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.sub %[[V1]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.mul %[[V6]], %[[V5]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.add %[[V7]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.broadcast %[[V5]] dims [1] : tensor<4xf32> -> tensor<3x4x1xf32>
// CHECK-NEXT: %[[V10:.*]] = tc.mul %[[V0]], %[[V9]] : tensor<3x4x1xf32>
// CHECK-NEXT: %[[V11:.*]] = tc.convolution %[[X]], %[[V10]] stride [1] padding [0] dilation [1] {transposed} : tensor<2x3x8xf32>, tensor<3x4x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V12:.*]] = tc.broadcast %[[V8]] dims [1] : tensor<4xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V13:.*]] = tc.add %[[V11]], %[[V12]] : tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V13]] : tensor<2x4x8xf32>
func.func @biased(%x: tensor<2x3x8xf32>) -> tensor<2x4x8xf32> {
  %w = tc.parameter @t : tensor<3x4x1xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {transposed} : tensor<2x3x8xf32>, tensor<3x4x1xf32> -> tensor<2x4x8xf32>
  %1 = tc.broadcast %s dims [1] : tensor<4xf32> -> tensor<2x4x8xf32>
  %2 = tc.add %0, %1 : tensor<2x4x8xf32>
  %3 = tc.batch_norm %2 mean %s variance %s weight %s : tensor<4xf32> bias %s : tensor<4xf32> eps 1.0e-5 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<2x4x8xf32>
}

// Weights that come with the call are not folded.
// CHECK-LABEL: func @argument
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>, %[[Y:[a-z0-9]+]]: tensor<4x3x1xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.parameter @s : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.convolution %[[X]], %[[Y]] stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.batch_norm %[[V1]] mean %[[V0]] variance %[[V0]] eps 1.000000e-05 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x4x8xf32>
func.func @argument(%x: tensor<2x3x8xf32>, %w: tensor<4x3x1xf32>) -> tensor<2x4x8xf32> {
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
  %1 = tc.batch_norm %0 mean %s variance %s eps 1.0e-5 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %1 : tensor<2x4x8xf32>
}

// A convolution that is read elsewhere is not folded.
// CHECK-LABEL: func @shared
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.parameter @w : tensor<4x3x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.parameter @s : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.convolution %[[X]], %[[V0]] stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.batch_norm %[[V2]] mean %[[V1]] variance %[[V1]] eps 1.000000e-05 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]] : tensor<2x4x8xf32>, tensor<2x4x8xf32>
func.func @shared(%x: tensor<2x3x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4x8xf32>) {
  %w = tc.parameter @w : tensor<4x3x1xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<2x3x8xf32>, tensor<4x3x1xf32> -> tensor<2x4x8xf32>
  %1 = tc.batch_norm %0 mean %s variance %s eps 1.0e-5 : tensor<2x4x8xf32>, tensor<4xf32>, tensor<4xf32>
  return %0, %1 : tensor<2x4x8xf32>, tensor<2x4x8xf32>
}
