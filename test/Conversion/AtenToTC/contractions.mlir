// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// linear contracts the last dimensions of both.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x4x8xf32>, %[[ARG1:.*]]: tensor<16x8xf32>, %[[ARG2:.*]]: tensor<16xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.contract "abk,nk->abn" %[[ARG0]], %[[ARG1]] : tensor<2x4x8xf32>, tensor<16x8xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[ARG2]] dims [2] : tensor<16xf32> -> tensor<2x4x16xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[V0]], %[[V1]] : tensor<2x4x16xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x4x16xf32>
func.func @linear(%x0: tensor<2x4x8xf32>, %x1: tensor<16x8xf32>, %x2: tensor<16xf32>) -> tensor<2x4x16xf32> {
  %r = tc.aten "aten.linear.default"(%x0, %x1, %x2) {input = #tc.operand<0>, weight = #tc.operand<1>, bias = #tc.operand<2>} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  return %r : tensor<2x4x16xf32>
}

// Integers of 8 bits are summed up in 32.
// CHECK-LABEL: func.func @int_mm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<32x64xi8>, %[[ARG1:.*]]: tensor<64x16xi8>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<32x64xi8> to tensor<32x64xi32>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[ARG1]] : tensor<64x16xi8> to tensor<64x16xi32>
// CHECK-NEXT: %[[V2:.*]] = tc.contract "mk,kn->mn" %[[V0]], %[[V1]] : tensor<32x64xi32>, tensor<64x16xi32> -> tensor<32x16xi32>
// CHECK-NEXT: return %[[V2]] : tensor<32x16xi32>
func.func @int_mm(%x0: tensor<32x64xi8>, %x1: tensor<64x16xi8>) -> tensor<32x16xi32> {
  %r = tc.aten "aten._int_mm.default"(%x0, %x1) {self = #tc.operand<0>, mat2 = #tc.operand<1>} : (tensor<32x64xi8>, tensor<64x16xi8>) -> tensor<32x16xi32>
  return %r : tensor<32x16xi32>
}

// One factor for all, and one for each column; a bias; sums of the tensor cores alone.
// CHECK-LABEL: func.func @scaled_mm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<32x64xf8E4M3FN>, %[[ARG1:.*]]: tensor<64x16xf8E5M2>, %[[ARG2:.*]]: tensor<f32>, %[[ARG3:.*]]: tensor<1x16xf32>, %[[ARG4:.*]]: tensor<16xbf16>)
// CHECK: %[[V0:.*]] = tc.contract "mk,kn->mn" %[[ARG0]], %[[ARG1]] fast : tensor<32x64xf8E4M3FN>, tensor<64x16xf8E5M2> -> tensor<32x16xf32>
// CHECK: %[[V1:.*]] = tc.broadcast %[[ARG2]] dims [] : tensor<f32> -> tensor<32x16xf32>
// CHECK: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<32x16xf32>
// CHECK: %[[V3:.*]] = tc.broadcast %{{.*}} -> tensor<32x16xf32>
// CHECK: %[[V4:.*]] = tc.mul %[[V2]], %[[V3]] : tensor<32x16xf32>
// CHECK: %[[V5:.*]] = tc.cast %[[ARG4]] : tensor<16xbf16> to tensor<16xf32>
// CHECK: %[[V6:.*]] = tc.broadcast %[[V5]] dims [1] : tensor<16xf32> -> tensor<32x16xf32>
// CHECK: %[[V7:.*]] = tc.add %[[V4]], %[[V6]] : tensor<32x16xf32>
// CHECK: tc.cast %[[V7]] {{.*}}: tensor<32x16xf32> to tensor<32x16xbf16>
func.func @scaled_mm(%x0: tensor<32x64xf8E4M3FN>, %x1: tensor<64x16xf8E5M2>, %x2: tensor<f32>, %x3: tensor<1x16xf32>, %x4: tensor<16xbf16>) -> tensor<32x16xbf16> {
  %r = tc.aten "aten._scaled_mm.default"(%x0, %x1, %x2, %x3, %x4) {self = #tc.operand<0>, mat2 = #tc.operand<1>, scale_a = #tc.operand<2>, scale_b = #tc.operand<3>, bias = #tc.operand<4>, out_dtype = bf16, use_fast_accum = true} : (tensor<32x64xf8E4M3FN>, tensor<64x16xf8E5M2>, tensor<f32>, tensor<1x16xf32>, tensor<16xbf16>) -> tensor<32x16xbf16>
  return %r : tensor<32x16xbf16>
}

// addmm scales its parts.
// CHECK-LABEL: func.func @addmm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<16xf32>, %[[ARG1:.*]]: tensor<4x8xf32>, %[[ARG2:.*]]: tensor<8x16xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.contract "mk,kn->mn" %[[ARG1]], %[[ARG2]] : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 2.000000e+00 : f32 -> tensor<4x16xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[V0]], %[[V1]] : tensor<4x16xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.broadcast %[[ARG0]] dims [1] : tensor<16xf32> -> tensor<4x16xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.full 3.000000e+00 : f32 -> tensor<4x16xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.mul %[[V3]], %[[V4]] : tensor<4x16xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.add %[[V5]], %[[V2]] : tensor<4x16xf32>
// CHECK-NEXT: return %[[V6]] : tensor<4x16xf32>
func.func @addmm(%x0: tensor<16xf32>, %x1: tensor<4x8xf32>, %x2: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %r = tc.aten "aten.addmm.default"(%x0, %x1, %x2) {self = #tc.operand<0>, mat1 = #tc.operand<1>, mat2 = #tc.operand<2>, alpha = 2 : i64, beta = 3 : i64} : (tensor<16xf32>, tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}

// Batches of a product broadcast; a dimension of 1 is dropped.
// CHECK-LABEL: func.func @matmul(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x1x4x8xf32>, %[[ARG1:.*]]: tensor<3x8x16xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<2x1x4x8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "amk,bkn->abmn" %[[V0]], %[[ARG1]] : tensor<2x4x8xf32>, tensor<3x8x16xf32> -> tensor<2x3x4x16xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2x3x4x16xf32>
func.func @matmul(%x0: tensor<2x1x4x8xf32>, %x1: tensor<3x8x16xf32>) -> tensor<2x3x4x16xf32> {
  %r = tc.aten "aten.matmul.default"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<2x1x4x8xf32>, tensor<3x8x16xf32>) -> tensor<2x3x4x16xf32>
  return %r : tensor<2x3x4x16xf32>
}

// A vector is a row on the left.
// CHECK-LABEL: func.func @matmul_vector(
// CHECK-SAME: %[[ARG0:.*]]: tensor<8xf32>, %[[ARG1:.*]]: tensor<8x16xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.contract "k,kn->n" %[[ARG0]], %[[ARG1]] : tensor<8xf32>, tensor<8x16xf32> -> tensor<16xf32>
// CHECK-NEXT: return %[[V0]] : tensor<16xf32>
func.func @matmul_vector(%x0: tensor<8xf32>, %x1: tensor<8x16xf32>) -> tensor<16xf32> {
  %r = tc.aten "aten.matmul.default"(%x0, %x1) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<8xf32>, tensor<8x16xf32>) -> tensor<16xf32>
  return %r : tensor<16xf32>
}

// A label of one operand alone is summed before.
// CHECK-LABEL: func.func @einsum(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x4xf32>, %[[ARG1:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reduce  sum %[[ARG1]] dims [1] : tensor<2x3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "bd,bd->b" %[[ARG0]], %[[V0]] : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<2xf32>
func.func @einsum(%x0: tensor<2x4xf32>, %x1: tensor<2x3x4xf32>) -> tensor<2xf32> {
  %r = tc.aten "aten.einsum.default"(%x0, %x1) {equation = "bd,btd->b", tensors = [#tc.operand<0>, #tc.operand<1>]} : (tensor<2x4xf32>, tensor<2x3x4xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// Three operands are contracted from the left.
// CHECK-LABEL: func.func @einsum_chain(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x3xf32>, %[[ARG1:.*]]: tensor<3x4xf32>, %[[ARG2:.*]]: tensor<4x5xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.contract "ij,jk->ik" %[[ARG0]], %[[ARG1]] : tensor<2x3xf32>, tensor<3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.contract "ik,kl->li" %[[V0]], %[[ARG2]] : tensor<2x4xf32>, tensor<4x5xf32> -> tensor<5x2xf32>
// CHECK-NEXT: return %[[V1]] : tensor<5x2xf32>
func.func @einsum_chain(%x0: tensor<2x3xf32>, %x1: tensor<3x4xf32>, %x2: tensor<4x5xf32>) -> tensor<5x2xf32> {
  %r = tc.aten "aten.einsum.default"(%x0, %x1, %x2) {equation = "ij,jk,kl->li", tensors = [#tc.operand<0>, #tc.operand<1>, #tc.operand<2>]} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

// The bias is added to each channel.
// CHECK-LABEL: func.func @conv2d(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x3x8x8xf32>, %[[ARG1:.*]]: tensor<4x3x3x3xf32>, %[[ARG2:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.convolution %[[ARG0]], %[[ARG1]] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[ARG2]] : tensor<4xf32> -> tensor<1x4x1x1xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[V1]] dims [0, 1, 2, 3] : tensor<1x4x1x1xf32> -> tensor<1x4x4x4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.add %[[V0]], %[[V2]] : tensor<1x4x4x4xf32>
// CHECK-NEXT: return %[[V3]] : tensor<1x4x4x4xf32>
func.func @conv2d(%x0: tensor<1x3x8x8xf32>, %x1: tensor<4x3x3x3xf32>, %x2: tensor<4xf32>) -> tensor<1x4x4x4xf32> {
  %r = tc.aten "aten.conv2d.default"(%x0, %x1, %x2) {input = #tc.operand<0>, weight = #tc.operand<1>, bias = #tc.operand<2>, stride = [2, 2], padding = [1, 1]} : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  return %r : tensor<1x4x4x4xf32>
}

// padding='same' of an even kernel adds the odd element at the end.
// CHECK-LABEL: func.func @conv1d_same(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x3x8xf32>, %[[ARG1:.*]]: tensor<4x3x4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.pad  constant %[[ARG0]] low [0, 0, 1] high [0, 0, 2] value 0.000000e+00 : f32 : tensor<1x3x8xf32> -> tensor<1x3x11xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.convolution %[[V0]], %[[ARG1]] stride [1] padding [0] dilation [1] : tensor<1x3x11xf32>, tensor<4x3x4xf32> -> tensor<1x4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<1x4x8xf32>
func.func @conv1d_same(%x0: tensor<1x3x8xf32>, %x1: tensor<4x3x4xf32>) -> tensor<1x4x8xf32> {
  %r = tc.aten "aten.conv1d.padding"(%x0, %x1) {input = #tc.operand<0>, weight = #tc.operand<1>, padding = "same"} : (tensor<1x3x8xf32>, tensor<4x3x4xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// An input without a batch is a batch of one.
// CHECK-LABEL: func.func @convolution_unbatched(
// CHECK-SAME: %[[ARG0:.*]]: tensor<3x8x8xf32>, %[[ARG1:.*]]: tensor<4x3x3x3xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<3x8x8xf32> -> tensor<1x3x8x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.convolution %[[V0]], %[[ARG1]] stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reshape %[[V1]] : tensor<1x4x6x6xf32> -> tensor<4x6x6xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x6x6xf32>
func.func @convolution_unbatched(%x0: tensor<3x8x8xf32>, %x1: tensor<4x3x3x3xf32>) -> tensor<4x6x6xf32> {
  %r = tc.aten "aten.convolution.default"(%x0, %x1) {input = #tc.operand<0>, weight = #tc.operand<1>, bias, stride = [1, 1], padding = [0, 0], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64} : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x6x6xf32>
  return %r : tensor<4x6x6xf32>
}

// With an element type of the result, operands are of this type and no sum is rounded to theirs.
// CHECK-LABEL: func.func @product_of_wide_sums(
// CHECK-NEXT: %[[X:.*]] = tc.cast %{{.*}} : tensor<3x4xbf16> to tensor<3x4xf32>
// CHECK-NEXT: %[[Y:.*]] = tc.cast %{{.*}} : tensor<4x5xbf16> to tensor<4x5xf32>
// CHECK-NEXT: tc.contract "mk,kn->mn" %[[X]], %[[Y]] : tensor<3x4xf32>, tensor<4x5xf32> -> tensor<3x5xf32>
func.func @product_of_wide_sums(%x: tensor<3x4xbf16>, %y: tensor<4x5xbf16>) -> tensor<3x5xf32> {
  %r = tc.aten "aten.mm.dtype"(%x, %y) {self = #tc.operand<0>, mat2 = #tc.operand<1>, out_dtype = f32} : (tensor<3x4xbf16>, tensor<4x5xbf16>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @sum_with_products_of_wide_sums(
// CHECK: %[[PRODUCTS:.*]] = tc.contract "bmk,bkn->bmn" %{{.*}}, %{{.*}} : tensor<2x3x4xf32>, tensor<2x4x5xf32> -> tensor<2x3x5xf32>
// CHECK: tc.add %{{.*}}, %[[PRODUCTS]] : tensor<2x3x5xf32>
func.func @sum_with_products_of_wide_sums(%z: tensor<5xf32>, %x: tensor<2x3x4xf16>, %y: tensor<2x4x5xf16>) -> tensor<2x3x5xf32> {
  %r = tc.aten "aten.baddbmm.dtype"(%z, %x, %y) {self = #tc.operand<0>, batch1 = #tc.operand<1>, batch2 = #tc.operand<2>, out_dtype = f32, beta = 1 : i64, alpha = 1 : i64} : (tensor<5xf32>, tensor<2x3x4xf16>, tensor<2x4x5xf16>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}
