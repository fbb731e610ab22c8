// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// cat promotes and passes over empty tensors of rank 1.
// CHECK-LABEL: func.func @cat(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x8xf32>, %[[ARG1:.*]]: tensor<0xf32>, %[[ARG2:.*]]: tensor<3x8xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG2]] : tensor<3x8xbf16> to tensor<3x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.concat %[[ARG0]], %[[V0]] dim 0 : tensor<2x8xf32>, tensor<3x8xf32> -> tensor<5x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<5x8xf32>
func.func @cat(%x0: tensor<2x8xf32>, %x1: tensor<0xf32>, %x2: tensor<3x8xbf16>) -> tensor<5x8xf32> {
  %r = tc.aten "aten.cat.default"(%x0, %x1, %x2) {tensors = [#tc.operand<0>, #tc.operand<1>, #tc.operand<2>]} : (tensor<2x8xf32>, tensor<0xf32>, tensor<3x8xbf16>) -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// stack joins along a new dimension.
// CHECK-LABEL: func.func @stack(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[ARG1]] : tensor<4xf32> -> tensor<4x1xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V0]], %[[V1]] dim 1 : tensor<4x1xf32>, tensor<4x1xf32> -> tensor<4x2xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x2xf32>
func.func @stack(%x0: tensor<4xf32>, %x1: tensor<4xf32>) -> tensor<4x2xf32> {
  %r = tc.aten "aten.stack.default"(%x0, %x1) {tensors = [#tc.operand<0>, #tc.operand<1>], dim = -1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// The list of pads starts at the last dimension.
// CHECK-LABEL: func.func @constant_pad(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.pad  constant %[[ARG0]] low [3, 1] high [0, 2] value 0.000000e+00 : f32 : tensor<4x8xf32> -> tensor<7x11xf32>
// CHECK-NEXT: return %[[V0]] : tensor<7x11xf32>
func.func @constant_pad(%x0: tensor<4x8xf32>) -> tensor<7x11xf32> {
  %r = tc.aten "aten.constant_pad_nd.default"(%x0) {self = #tc.operand<0>, pad = [1, 2, 3, 0]} : (tensor<4x8xf32>) -> tensor<7x11xf32>
  return %r : tensor<7x11xf32>
}

// Mirrors.
// CHECK-LABEL: func.func @reflection_pad(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.pad  reflect %[[ARG0]] low [0, 2] high [0, 1] : tensor<2x8xf32> -> tensor<2x11xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x11xf32>
func.func @reflection_pad(%x0: tensor<2x8xf32>) -> tensor<2x11xf32> {
  %r = tc.aten "aten.reflection_pad1d.default"(%x0) {self = #tc.operand<0>, padding = [2, 1]} : (tensor<2x8xf32>) -> tensor<2x11xf32>
  return %r : tensor<2x11xf32>
}

// flip is a slice with a stride of -1.
// CHECK-LABEL: func.func @flip(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 7]> strides [1, -1] : tensor<4x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x8xf32>
func.func @flip(%x0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.flip.default"(%x0) {self = #tc.operand<0>, dims = [1]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// roll joins two parts.
// CHECK-LABEL: func.func @roll(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 3]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x5xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V0]], %[[V1]] dim 1 : tensor<4x5xf32>, tensor<4x3xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x8xf32>
func.func @roll(%x0: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.roll.default"(%x0) {self = #tc.operand<0>, shifts = [-3], dims = [1]} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// repeat broadcasts along dimensions of its own.
// CHECK-LABEL: func.func @repeat(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<4xf32> -> tensor<1x1x1x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0, 1, 2, 3] : tensor<1x1x1x4xf32> -> tensor<2x1x3x4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<2x1x3x4xf32> -> tensor<2x12xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x12xf32>
func.func @repeat(%x0: tensor<4xf32>) -> tensor<2x12xf32> {
  %r = tc.aten "aten.repeat.default"(%x0) {self = #tc.operand<0>, repeats = [2, 3]} : (tensor<4xf32>) -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

// tril compares row and column numbers.
// CHECK-LABEL: func.func @tril(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<4x4xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.iota dim 1 start 0 step 1 : tensor<4x4xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.full -1 : i64 -> tensor<4x4xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[V0]], %[[V2]] : tensor<4x4xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.le %[[V1]], %[[V3]] : tensor<4x4xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4x4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.select %[[V4]], %[[ARG0]], %[[V5]] : tensor<4x4xi1>, tensor<4x4xf32>
// CHECK-NEXT: return %[[V6]] : tensor<4x4xf32>
func.func @tril(%x0: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %r = tc.aten "aten.tril.default"(%x0) {self = #tc.operand<0>, diagonal = -1 : i64} : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}
