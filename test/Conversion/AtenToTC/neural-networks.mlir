// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Over the last dimension.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<8xf32>, %[[ARG2:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.layer_norm %[[ARG0]] weight %[[ARG1]] : tensor<8xf32> bias %[[ARG2]] : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x8xf32>
func.func @layer_norm(%x0: tensor<4x8xf32>, %x1: tensor<8xf32>, %x2: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.layer_norm.default"(%x0, %x1, %x2) {input = #tc.operand<0>, normalized_shape = [8], weight = #tc.operand<1>, bias = #tc.operand<2>} : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// rms_norm without eps takes that of f32.
// CHECK-LABEL: func.func @rms_norm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xbf16>, %[[ARG1:.*]]: tensor<8xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.rms_norm %[[ARG0]] weight %[[ARG1]] : tensor<8xbf16> rank 1 eps 1.1920928955078125E-7 : tensor<4x8xbf16>
// CHECK-NEXT: return %[[V0]] : tensor<4x8xbf16>
func.func @rms_norm(%x0: tensor<4x8xbf16>, %x1: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %r = tc.aten "aten.rms_norm.default"(%x0, %x1) {input = #tc.operand<0>, normalized_shape = [8], weight = #tc.operand<1>} : (tensor<4x8xbf16>, tensor<8xbf16>) -> tensor<4x8xbf16>
  return %r : tensor<4x8xbf16>
}

// batch_norm in inference; saved statistics that nothing uses vanish.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x8x8xf32>, %[[ARG1:.*]]: tensor<4xf32>, %[[ARG2:.*]]: tensor<4xf32>, %[[ARG3:.*]]: tensor<4xf32>, %[[ARG4:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.batch_norm %[[ARG0]] mean %[[ARG3]] variance %[[ARG4]] weight %[[ARG1]] : tensor<4xf32> bias %[[ARG2]] : tensor<4xf32> eps 1.000000e-05 : tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x4x8x8xf32>
func.func @batch_norm(%x0: tensor<1x4x8x8xf32>, %x1: tensor<4xf32>, %x2: tensor<4xf32>, %x3: tensor<4xf32>, %x4: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %r = tc.aten "aten.batch_norm.default"(%x0, %x1, %x2, %x3, %x4) {input = #tc.operand<0>, weight = #tc.operand<1>, bias = #tc.operand<2>, running_mean = #tc.operand<3>, running_var = #tc.operand<4>, training = false, momentum = 0.1 : f64, eps = 1.0e-5 : f64, cudnn_enabled = true} : (tensor<1x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}

// Weights are of the channels.
// CHECK-LABEL: func.func @group_norm(
// CHECK-SAME: %[[ARG0:.*]]: tensor<1x4x8xf32>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.group_norm %[[ARG0]] weight %[[ARG1]] : tensor<4xf32> groups 2 eps 1.000000e-05 : tensor<1x4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x4x8xf32>
func.func @group_norm(%x0: tensor<1x4x8xf32>, %x1: tensor<4xf32>) -> tensor<1x4x8xf32> {
  %r = tc.aten "aten.group_norm.default"(%x0, %x1) {input = #tc.operand<0>, num_groups = 2 : i64, weight = #tc.operand<1>} : (tensor<1x4x8xf32>, tensor<4xf32>) -> tensor<1x4x8xf32>
  return %r : tensor<1x4x8xf32>
}

// softmax casts before it computes.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xbf16>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.softmax %[[V0]] dim 1 : tensor<4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @softmax(%x0: tensor<4x8xbf16>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.softmax.int"(%x0) {self = #tc.operand<0>, dim = -1 : i64, dtype = f32} : (tensor<4x8xbf16>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// The scale of attention is 1 / sqrt(depth) unless given.
// CHECK-LABEL: func.func @attention(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x4x16x64xf32>, %[[ARG1:.*]]: tensor<2x4x16x64xf32>, %[[ARG2:.*]]: tensor<2x4x16x64xf32>, %[[ARG3:.*]]: tensor<16x16xi1>)
// CHECK-NEXT: %[[V0:.*]] = tc.attention %[[ARG0]], %[[ARG1]], %[[ARG2]] mask %[[ARG3]] : tensor<16x16xi1> scale 1.250000e-01 : tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32> -> tensor<2x4x16x64xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4x16x64xf32>
func.func @attention(%x0: tensor<2x4x16x64xf32>, %x1: tensor<2x4x16x64xf32>, %x2: tensor<2x4x16x64xf32>, %x3: tensor<16x16xi1>) -> tensor<2x4x16x64xf32> {
  %r = tc.aten "aten.scaled_dot_product_attention.default"(%x0, %x1, %x2, %x3) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>, attn_mask = #tc.operand<3>} : (tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<16x16xi1>) -> tensor<2x4x16x64xf32>
  return %r : tensor<2x4x16x64xf32>
}

// A mask that is 0 where a condition holds and -inf elsewhere, as PyTorch makes of a truth, is the condition.
// CHECK-LABEL: func.func @attention_of_truths(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x16x64xf32>, %[[M:.*]]: tensor<16x16xi1>)
// CHECK: %[[M4:.*]] = tc.broadcast %[[M]] dims [2, 3] : tensor<16x16xi1> -> tensor<2x4x16x16xi1>
// CHECK: tc.attention %[[X]], %[[X]], %[[X]] mask %[[M4]] : tensor<2x4x16x16xi1>
func.func @attention_of_truths(%x: tensor<2x4x16x64xf32>, %m: tensor<16x16xi1>) -> tensor<2x4x16x64xf32> {
  %zero = tc.full 0.0 : f32 -> tensor<16x16xf32>
  %lowest = tc.full 0xFF800000 : f32 -> tensor<16x16xf32>
  %s = tc.select %m, %zero, %lowest : tensor<16x16xi1>, tensor<16x16xf32>
  %e = tc.broadcast %s dims [2, 3] : tensor<16x16xf32> -> tensor<2x4x16x16xf32>
  %r = tc.aten "aten.scaled_dot_product_attention.default"(%x, %x, %x, %e) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>, attn_mask = #tc.operand<3>} : (tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x64xf32>, tensor<2x4x16x16xf32>) -> tensor<2x4x16x64xf32>
  return %r : tensor<2x4x16x64xf32>
}

// Grouped queries keep the fewer heads.
// CHECK-LABEL: func.func @attention_grouped(
// CHECK-SAME: %[[ARG0:.*]]: tensor<2x4x16x64xf32>, %[[ARG1:.*]]: tensor<2x2x16x64xf32>, %[[ARG2:.*]]: tensor<2x2x16x64xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.attention %[[ARG0]], %[[ARG1]], %[[ARG2]] scale 1.250000e-01 {causal} : tensor<2x4x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x2x16x64xf32> -> tensor<2x4x16x64xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4x16x64xf32>
func.func @attention_grouped(%x0: tensor<2x4x16x64xf32>, %x1: tensor<2x2x16x64xf32>, %x2: tensor<2x2x16x64xf32>) -> tensor<2x4x16x64xf32> {
  %r = tc.aten "aten.scaled_dot_product_attention.default"(%x0, %x1, %x2) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>, is_causal = true, enable_gqa = true} : (tensor<2x4x16x64xf32>, tensor<2x2x16x64xf32>, tensor<2x2x16x64xf32>) -> tensor<2x4x16x64xf32>
  return %r : tensor<2x4x16x64xf32>
}

// Keys and values whose numbers are separate symbols, as torch.export leaves them, have the same number.
// CHECK-LABEL: func.func @attention_of_symbols(
// CHECK-SAME: tensor<2x?x64xf32, #tc.sizes<[2, [[N:s[12]]], 64]>>, %{{.*}}: tensor<2x?x64xf32, #tc.sizes<[2, [[N]], 64]>>)
// CHECK: tc.attention
// CHECK-SAME: tensor<2x?x64xf32, #tc.sizes<[2, [[N]], 64]>>, tensor<2x?x64xf32, #tc.sizes<[2, [[N]], 64]>> -> tensor<2x16x64xf32>
func.func @attention_of_symbols(%q: tensor<2x16x64xf32>, %k: tensor<2x?x64xf32, #tc.sizes<[2, s1, 64]>>, %v: tensor<2x?x64xf32, #tc.sizes<[2, s2, 64]>>) -> tensor<2x16x64xf32> attributes {tc.symbols = [#tc.symbol<"s1", min = 1, max = 4096>, #tc.symbol<"s2", min = 1, max = 4096>]} {
  %r = tc.aten "aten.scaled_dot_product_attention.default"(%q, %k, %v) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>} : (tensor<2x16x64xf32>, tensor<2x?x64xf32, #tc.sizes<[2, s1, 64]>>, tensor<2x?x64xf32, #tc.sizes<[2, s2, 64]>>) -> tensor<2x16x64xf32>
  return %r : tensor<2x16x64xf32>
}

// Nothing in inference.
// CHECK-LABEL: func.func @dropout(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>)
// CHECK-NEXT: return %[[ARG0]] : tensor<4xf32>
func.func @dropout(%x0: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.aten "aten.dropout.default"(%x0) {input = #tc.operand<0>, p = 0.5 : f64, train = false} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The mean of squares.
// CHECK-LABEL: func.func @mse_loss(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4xf32>, %[[ARG1:.*]]: tensor<4xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.sub %[[ARG0]], %[[ARG1]] : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.mul %[[V0]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.reduce  sum %[[V1]] dims [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V3:.*]] = tc.full 4.000000e+00 : f32 -> tensor<f32>
// CHECK-NEXT: %[[V4:.*]] = tc.div %[[V2]], %[[V3]] : tensor<f32>
// CHECK-NEXT: return %[[V4]] : tensor<f32>
func.func @mse_loss(%x0: tensor<4xf32>, %x1: tensor<4xf32>) -> tensor<f32> {
  %r = tc.aten "aten.mse_loss.default"(%x0, %x1) {self = #tc.operand<0>, target = #tc.operand<1>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// cross_entropy ignores targets of -100.
// CHECK-LABEL: func.func @cross_entropy(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<4xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.log_softmax %[[ARG0]] dim 1 : tensor<4x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full -100 : i64 -> tensor<4xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.eq %[[ARG1]], %[[V1]] : tensor<4xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.full 0 : i64 -> tensor<4xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.select %[[V2]], %[[V3]], %[[ARG1]] : tensor<4xi1>, tensor<4xi64>
// CHECK-NEXT: %[[V5:.*]] = tc.reshape %[[V4]] : tensor<4xi64> -> tensor<4x1xi64>
// CHECK-NEXT: %[[V6:.*]] = tc.gather %[[V0]][%[[V5]]] dim 1 : tensor<4x8xf32>, tensor<4x1xi64> -> tensor<4x1xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.reshape %[[V6]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.neg %[[V7]] : tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.full 1.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V10:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V11:.*]] = tc.select %[[V2]], %[[V10]], %[[V9]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V12:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V13:.*]] = tc.mul %[[V8]], %[[V11]] : tensor<4xf32>
// CHECK-NEXT: %[[V14:.*]] = tc.select %[[V2]], %[[V12]], %[[V13]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V15:.*]] = tc.reduce  sum %[[V11]] dims [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V16:.*]] = tc.reduce  sum %[[V14]] dims [0] : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[V17:.*]] = tc.div %[[V16]], %[[V15]] : tensor<f32>
// CHECK-NEXT: return %[[V17]] : tensor<f32>
func.func @cross_entropy(%x0: tensor<4x8xf32>, %x1: tensor<4xi64>) -> tensor<f32> {
  %r = tc.aten "aten.cross_entropy_loss.default"(%x0, %x1) {self = #tc.operand<0>, target = #tc.operand<1>} : (tensor<4x8xf32>, tensor<4xi64>) -> tensor<f32>
  return %r : tensor<f32>
}

// Queries and values of a batch of one are those of each batch of the keys.
// CHECK-LABEL: func.func @attention_of_shared_queries(
// CHECK: %[[Q:.*]] = tc.broadcast %arg0 dims [0, 1, 2, 3] : tensor<1x4x8x16xf32> -> tensor<3x4x8x16xf32>
// CHECK: %[[V:.*]] = tc.broadcast %arg2 dims [0, 1, 2, 3] : tensor<1x1x5x16xf32> -> tensor<3x4x5x16xf32>
// CHECK: tc.attention %[[Q]], %arg1, %[[V]] scale
func.func @attention_of_shared_queries(%q: tensor<1x4x8x16xf32>, %k: tensor<3x4x5x16xf32>, %v: tensor<1x1x5x16xf32>) -> tensor<3x4x8x16xf32> {
  %r = tc.aten "aten.scaled_dot_product_attention.default"(%q, %k, %v) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>} : (tensor<1x4x8x16xf32>, tensor<3x4x5x16xf32>, tensor<1x1x5x16xf32>) -> tensor<3x4x8x16xf32>
  return %r : tensor<3x4x8x16xf32>
}
