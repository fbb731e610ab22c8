// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// A number becomes a tc.full of the common type; alpha scales the second operand.
// CHECK-LABEL: func.func @add_scaled(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[ARG1]] dims [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 2.000000e+00 : f32 -> tensor<4x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[ARG0]], %[[V2]] : tensor<4x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x8xf32>
func.func @add_scaled(%x0: tensor<4x8xf32>, %x1: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.add.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>, alpha = 2 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// An integer tensor and a float number give the default float type.
// CHECK-LABEL: func.func @add_float_number(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xi64> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 5.000000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4xf32>
func.func @add_float_number(%x0: tensor<4xi64>) -> tensor<4xf32> {
  %r = tc.aten "aten.add.Tensor"(%x0) {self = #tc.operand<0>, other = 0.5 : f64} : (tensor<4xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A 0-d tensor of a wider type does not widen the result, nor is it rounded before.
// CHECK-LABEL: func.func @mul_zero_dim(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>, %[[ARG1:.*]]: tensor<f32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[ARG1]] dims [] : tensor<f32> -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[V2]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V3]] : tensor<4xbf16>
func.func @mul_zero_dim(%x0: tensor<4xbf16>, %x1: tensor<f32>) -> tensor<4xbf16> {
  %r = tc.aten "aten.mul.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xbf16>, tensor<f32>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// A number is not rounded to bf16 before the operation.
// CHECK-LABEL: func.func @mul_bf16_number(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 1.000000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[V2]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V3]] : tensor<4xbf16>
func.func @mul_bf16_number(%x0: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = tc.aten "aten.mul.Tensor"(%x0) {self = #tc.operand<0>, other = 0.1 : f64} : (tensor<4xbf16>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// Two tensors with dimensions meet in the wider type.
// CHECK-LABEL: func.func @mul_bf16_f32(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.mul %[[V0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @mul_bf16_f32(%x0: tensor<4xbf16>, %x1: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.mul.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xbf16>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Unsigned and signed bytes meet in i16.
// CHECK-LABEL: func.func @add_bytes(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xui8>, %[[ARG1:.*]]: tensor<4xi8>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xui8> to tensor<4xi16>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[ARG1]] : tensor<4xi8> to tensor<4xi16>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V0]], %[[V1]] : tensor<4xi16>
// CHECK-NEXT: return %[[V2]] : tensor<4xi16>
func.func @add_bytes(%x0: tensor<4xui8>, %x1: tensor<4xi8>) -> tensor<4xi16> {
  %r = tc.aten "aten.add.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xui8>, tensor<4xi8>) -> tensor<4xi16>
  return %r : tensor<4xi16>
}

// True plus true is true.
// CHECK-LABEL: func.func @add_bools(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xi1>, %[[ARG1:.*]]: tensor<4xi1>)
// CHECK-NEXT: %[[V0:.*]] = tc.bitwise_or %[[ARG0]], %[[ARG1]] : tensor<4xi1>
// CHECK-NEXT: return %[[V0]] : tensor<4xi1>
func.func @add_bools(%x0: tensor<4xi1>, %x1: tensor<4xi1>) -> tensor<4xi1> {
  %r = tc.aten "aten.add.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xi1>, tensor<4xi1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// The in-place form keeps the type of self.
// CHECK-LABEL: func.func @add_into_bf16(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xbf16> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[V0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.cast %[[V1]] : tensor<4xf32> to tensor<4xbf16>
// CHECK-NEXT: return %[[V2]] : tensor<4xbf16>
func.func @add_into_bf16(%x0: tensor<4xbf16>, %x1: tensor<4xf32>) -> tensor<4xbf16> {
  %r = tc.aten "aten.add.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xbf16>, tensor<4xf32>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// Integers divide to floats.
// CHECK-LABEL: func.func @div_integers(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xi64>, %[[ARG1:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xi64> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[ARG1]] : tensor<4xi64> to tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.div %[[V0]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4xf32>
func.func @div_integers(%x0: tensor<4xi64>, %x1: tensor<4xi64>) -> tensor<4xf32> {
  %r = tc.aten "aten.div.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The rounding mode chooses the op.
// CHECK-LABEL: func.func @div_floor(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.full 3 : i64 -> tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.floor_div %[[ARG0]], %[[V0]] : tensor<4xi64>
// CHECK-NEXT: return %[[V1]] : tensor<4xi64>
func.func @div_floor(%x0: tensor<4xi64>) -> tensor<4xi64> {
  %r = tc.aten "aten.div.Tensor_mode"(%x0) {self = #tc.operand<0>, other = 3 : i64, rounding_mode = "floor"} : (tensor<4xi64>) -> tensor<4xi64>
  return %r : tensor<4xi64>
}

// Towards zero.
// CHECK-LABEL: func.func @div_trunc(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.trunc_div %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @div_trunc(%x0: tensor<4xf32>, %x1: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.div.Tensor_mode"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>, rounding_mode = "trunc"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// rsub is the other way round.
// CHECK-LABEL: func.func @rsub(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.full 1.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.sub %[[V0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @rsub(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.rsub.Scalar"(%x0) {self = #tc.operand<0>, other = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Small constant powers are products.
// CHECK-LABEL: func.func @pow_two(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.mul %[[ARG0]], %[[ARG0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @pow_two(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.pow.Tensor_Scalar"(%x0) {self = #tc.operand<0>, exponent = 2 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// pow_general: any other exponent is tc.pow.
// CHECK-LABEL: func.func @pow_general(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.full 2.500000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.pow %[[ARG0]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @pow_general(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.pow.Tensor_Scalar"(%x0) {self = #tc.operand<0>, exponent = 2.5 : f64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A row of the table on integers computes in the default float type.
// CHECK-LABEL: func.func @exp_integers(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xi32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xi32> to tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.exp %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @exp_integers(%x0: tensor<4xi32>) -> tensor<4xf32> {
  %r = tc.aten "aten.exp.default"(%x0) {self = #tc.operand<0>} : (tensor<4xi32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// Comparisons promote their operands; a size is a number like any other.
// CHECK-LABEL: func.func @gt_size(
// CHECK-SAME: %[[ARG0:.*]]: tensor<?xf32, #tc.sizes<[s0]>>)
// CHECK-NEXT: %[[V0:.*]] = tc.size_value <s0 * 2> : tensor<i64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<i64> to tensor<f32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[V1]] dims [] : tensor<f32> -> tensor<?xf32, #tc.sizes<[s0]>>
// CHECK-NEXT: %[[V3:.*]] = tc.gt %[[ARG0]], %[[V2]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK-NEXT: return %[[V3]] : tensor<?xi1, #tc.sizes<[s0]>>
func.func @gt_size(%x0: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xi1, #tc.sizes<[s0]>> {
  %r = tc.aten "aten.gt.Scalar"(%x0) {self = #tc.operand<0>, other = #tc.expr<s0 * 2>} : (tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xi1, #tc.sizes<[s0]>>
  return %r : tensor<?xi1, #tc.sizes<[s0]>>
}

// logical_and takes anything as a truth value.
// CHECK-LABEL: func.func @logical_and(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xi1>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4xf32> to tensor<4xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.bitwise_and %[[V0]], %[[ARG1]] : tensor<4xi1>
// CHECK-NEXT: return %[[V1]] : tensor<4xi1>
func.func @logical_and(%x0: tensor<4xf32>, %x1: tensor<4xi1>) -> tensor<4xi1> {
  %r = tc.aten "aten.logical_and.default"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xf32>, tensor<4xi1>) -> tensor<4xi1>
  return %r : tensor<4xi1>
}

// where broadcasts all three.
// CHECK-LABEL: func.func @where(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x1xi1>, %[[ARG1:.*]]: tensor<8xf32>, %[[ARG2:.*]]: tensor<f32>)
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[ARG0]] dims [0, 1] : tensor<4x1xi1> -> tensor<4x8xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[ARG1]] dims [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[ARG2]] dims [] : tensor<f32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.select %[[V0]], %[[V1]], %[[V2]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x8xf32>
func.func @where(%x0: tensor<4x1xi1>, %x1: tensor<8xf32>, %x2: tensor<f32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.where.self"(%x0, %x1, %x2) {condition = #tc.operand<0>, self = #tc.operand<1>, other = #tc.operand<2>} : (tensor<4x1xi1>, tensor<8xf32>, tensor<f32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// masked_fill keeps the type of self.
// CHECK-LABEL: func.func @masked_fill(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xbf16>, %[[ARG1:.*]]: tensor<4xi1>)
// CHECK-NEXT: %[[V0:.*]] = tc.full 0xFF80 : bf16 -> tensor<4xbf16>
// CHECK-NEXT: %[[V1:.*]] = tc.select %[[ARG1]], %[[V0]], %[[ARG0]] : tensor<4xi1>, tensor<4xbf16>
// CHECK-NEXT: return %[[V1]] : tensor<4xbf16>
func.func @masked_fill(%x0: tensor<4xbf16>, %x1: tensor<4xi1>) -> tensor<4xbf16> {
  %r = tc.aten "aten.masked_fill.Scalar"(%x0, %x1) {self = #tc.operand<0>, mask = #tc.operand<1>, value = 0xFFF0000000000000 : f64} : (tensor<4xbf16>, tensor<4xi1>) -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

// clamp with one bound.
// CHECK-LABEL: func.func @clamp_min(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.maximum %[[ARG0]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4xf32>
func.func @clamp_min(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.clamp.default"(%x0) {self = #tc.operand<0>, min = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A size that the range of its symbol fixes at 1 is one that is repeated.
// CHECK-LABEL: func.func @fixed_by_range(
// CHECK-SAME: %[[ARG0:.*]]: tensor<?xf32, #tc.sizes<[s0]>>, %[[ARG1:.*]]: tensor<?xf32, #tc.sizes<[max(0, s0 * -1 + 1) * -1 + 1]>>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG1]] : tensor<?xf32, #tc.sizes<[max(0, s0 * -1 + 1) * -1 + 1]>> -> tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0] : tensor<1xf32> -> tensor<?xf32, #tc.sizes<[s0]>>
// CHECK-NEXT: tc.add %[[ARG0]], %[[V1]]
func.func @fixed_by_range(%x0: tensor<?xf32, #tc.sizes<[s0]>>, %x1: tensor<?xf32, #tc.sizes<[max(0, s0 * -1 + 1) * -1 + 1]>>) -> tensor<?xf32, #tc.sizes<[s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 32>]} {
  %r = tc.aten "aten.add.Tensor"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>, alpha = 1 : i64} : (tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[max(0, s0 * -1 + 1) * -1 + 1]>>) -> tensor<?xf32, #tc.sizes<[s0]>>
  return %r : tensor<?xf32, #tc.sizes<[s0]>>
}
