// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Sizes that the call takes as equal become one, in the signature too.
// CHECK-LABEL: func.func @index_put(
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32, #tc.sizes<[s0, s3]>>, %[[I:.*]]: tensor<?xi64, #tc.sizes<[s2]>>, %[[Y:.*]]: tensor<?x?xf32, #tc.sizes<[s2, s3]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s3]>>
// CHECK-SAME: tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s2", min = 2, max = 64>, #tc.symbol<"s3", min = 2, max = 64>]
// CHECK-NEXT: %[[R:.*]] = tc.index_put  replace %[[X]][%[[I]]] = %[[Y]] dims [0]
// CHECK-NEXT: return %[[R]]
func.func @index_put(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %i: tensor<?xi64, #tc.sizes<[s2]>>, %y: tensor<?x?xf32, #tc.sizes<[s2, s3]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>, #tc.symbol<"s2", min = 2, max = 64>, #tc.symbol<"s3", min = 2, max = 64>]} {
  %r = tc.aten "aten.index_put.default"(%x, %i, %y) {self = #tc.operand<0>, indices = [#tc.operand<1>], values = #tc.operand<2>} : (tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xi64, #tc.sizes<[s2]>>, tensor<?x?xf32, #tc.sizes<[s2, s3]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %r : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// The source has twice the size of the other input.
// CHECK-LABEL: func.func @select_scatter(
// CHECK-SAME: %{{.*}}: tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>>, %{{.*}}: tensor<?xf32, #tc.sizes<[s0 * 2]>>, %{{.*}}: tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: tc.concat %{{.*}} dim 0 : tensor<1x?xf32, #tc.sizes<[1, s0 * 2]>>, tensor<1x?xf32, #tc.sizes<[1, s0 * 2]>>, tensor<2x?xf32, #tc.sizes<[2, s0 * 2]>>
func.func @select_scatter(%x: tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>, %z: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>> {
  %r = tc.aten "aten.select_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, dim = 0 : i64, index = 1 : i64} : (tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>>, tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>>
  return %r : tensor<4x?xf32, #tc.sizes<[4, s0 * 2]>>
}

// Symbolic dimensions other than the one that is written to.
// CHECK-LABEL: func.func @slice_scatter(
// CHECK-SAME: %{{.*}}: tensor<4x?xf32, #tc.sizes<[4, s1]>>, %{{.*}}: tensor<2x?xf32, #tc.sizes<[2, s1]>>
// CHECK: tc.concat %{{.*}} dim 0 : tensor<1x?xf32, #tc.sizes<[1, s1]>>, tensor<2x?xf32, #tc.sizes<[2, s1]>>, tensor<1x?xf32, #tc.sizes<[1, s1]>>
func.func @slice_scatter(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %y: tensor<2x?xf32, #tc.sizes<[2, s1]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>> {
  %r = tc.aten "aten.slice_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, dim = 0 : i64, start = 1 : i64, end = 3 : i64} : (tensor<4x?xf32, #tc.sizes<[4, s0]>>, tensor<2x?xf32, #tc.sizes<[2, s1]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>>
  return %r : tensor<4x?xf32, #tc.sizes<[4, s0]>>
}

// A guard of the export says that the last window counts: the sizes are equal.
// CHECK-LABEL: func.func @hanging_window(
// CHECK-NEXT: %[[R:.*]], %{{.*}} = tc.max_pool %{{.*}} {ceil_mode} : tensor<1x4x?xf32, #tc.sizes<[1, 4, s0]>> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, s0 floordiv 3 + 1]>>
// CHECK-NEXT: tc.reshape %[[R]] : {{.*}} -> tensor<1x4x?xf32, #tc.sizes<[1, 4, (s0 + 2) floordiv 3]>>
func.func @hanging_window(%x: tensor<1x4x?xf32, #tc.sizes<[1, 4, s0]>>) -> tensor<1x4x?xf32, #tc.sizes<[1, 4, (s0 + 2) floordiv 3]>> {
  %r = tc.aten "aten.max_pool1d.default"(%x) {self = #tc.operand<0>, kernel_size = [2], stride = [3], padding = [1], ceil_mode = true} : (tensor<1x4x?xf32, #tc.sizes<[1, 4, s0]>>) -> tensor<1x4x?xf32, #tc.sizes<[1, 4, (s0 + 2) floordiv 3]>>
  return %r : tensor<1x4x?xf32, #tc.sizes<[1, 4, (s0 + 2) floordiv 3]>>
}

// Minima and maxima that the symbols' ranges decide are dropped from a size.
// CHECK-LABEL: func.func @decided_by_ranges(
// CHECK-SAME: -> tensor<1xi64>
// CHECK: tc.size_from "u0"
// CHECK: tc.iota dim 0 start 0 step 1 : tensor<1xi64>
func.func @decided_by_ranges(%x: tensor<4xf32>) -> tensor<?xi64, #tc.sizes<[min(0, u0) * 16 + max(u0, -3) - u0 + 1]>>
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
  %n = tc.aten "aten.nonzero.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
  %r = tc.aten "aten.arange.default"() {end = #tc.expr<min(0, u0) * 16 + max(u0, -3) - u0 + 1>} : () -> tensor<?xi64, #tc.sizes<[min(0, u0) * 16 + max(u0, -3) - u0 + 1]>>
  return %r : tensor<?xi64, #tc.sizes<[min(0, u0) * 16 + max(u0, -3) - u0 + 1]>>
}

// A data-dependent size that a guard says to be equal to another is written as
// the other one after the guard.
// CHECK-LABEL: func.func @equal_by_a_guard(
// CHECK-SAME: -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK: tc.size_from "u0"
// CHECK: tc.nonzero %{{.*}} -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK: tc.size_from "u1"
// CHECK-NEXT: tc.guard scalar() {expr = #tc.expr<u0 - u1>, max = 0 : i64, min = 0 : i64, origin = "sizes of 'aten.add.Tensor'"}
// CHECK-NEXT: tc.nonzero %{{.*}} -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK-NEXT: %[[SUM:.*]] = tc.add {{.*}} : tensor<?x1xi64, #tc.sizes<[u0, 1]>>
// CHECK-NEXT: return %[[SUM]]
func.func @equal_by_a_guard(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<?x1xi64, #tc.sizes<[u1, 1]>>
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>, #tc.symbol<"u1", min = 0, max = 4>]} {
  %m = tc.aten "aten.nonzero.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
  %n = tc.aten "aten.nonzero.default"(%y) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<?x1xi64, #tc.sizes<[u1, 1]>>
  %r = tc.aten "aten.add.Tensor"(%n, %m) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<?x1xi64, #tc.sizes<[u1, 1]>>, tensor<?x1xi64, #tc.sizes<[u0, 1]>>) -> tensor<?x1xi64, #tc.sizes<[u1, 1]>>
  return %r : tensor<?x1xi64, #tc.sizes<[u1, 1]>>
}

// Carried values of loops and results of branches have the simplified sizes too, also where
// an argument of other sizes goes in.
// CHECK-LABEL: func.func @regions(
// CHECK-SAME: %[[X:.*]]: tensor<?xf32, #tc.sizes<[max(2, s0)]>>, %[[C:.*]]: tensor<i1>) -> tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: %[[IN:.*]] = tc.reshape %[[X]] : tensor<?xf32, #tc.sizes<[max(2, s0)]>> -> tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: %[[LOOP:.*]] = tc.while carry(%{{.*}} = %[[IN]] : tensor<?xf32, #tc.sizes<[s0]>>) {
// CHECK: } do(%[[V:.*]]) {
// CHECK: %[[NEXT:.*]] = tc.neg %[[V]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: tc.yield %[[NEXT]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: %[[CHOSEN:.*]] = tc.if %[[C]] : tensor<i1> -> tensor<?xf32, #tc.sizes<[s0]>> {
// CHECK: %[[COSINE:.*]] = tc.cos %[[LOOP]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: tc.yield %[[COSINE]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: %[[AGAIN:.*]] = tc.reshape %[[X]] : tensor<?xf32, #tc.sizes<[max(2, s0)]>> -> tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: tc.yield %[[AGAIN]] : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: return %[[CHOSEN]]
func.func @regions(%x: tensor<?xf32, #tc.sizes<[max(s0, 2)]>>, %c: tensor<i1>) -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %r = tc.while carry(%v = %x : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>) {
    tc.yield %c : tensor<i1>
  } do(%v) {
    %n = tc.aten "aten.neg.default"(%v) {self = #tc.operand<0>} : (tensor<?xf32, #tc.sizes<[max(s0, 2)]>>) -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
    tc.yield %n : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
  }
  %i = tc.if %c : tensor<i1> -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>> {
    %y = tc.aten "aten.cos.default"(%r) {self = #tc.operand<0>} : (tensor<?xf32, #tc.sizes<[max(s0, 2)]>>) -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
    tc.yield %y : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
  } else {
    tc.yield %x : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
  }
  return %i : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
}

// Ops of TC in a region keep the sizes that they were given.
// CHECK-LABEL: func.func @own(
// CHECK: %[[V:.*]] = tc.neg %{{.*}} : tensor<?xf32, #tc.sizes<[s0]>>
// CHECK: %[[IN:.*]] = tc.reshape %[[V]] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[max(2, s0)]>>
// CHECK: tc.while carry(%{{.*}} = %[[IN]] : tensor<?xf32, #tc.sizes<[max(2, s0)]>>) {
// CHECK: tc.exp %{{.*}} : tensor<?xf32, #tc.sizes<[max(2, s0)]>>
func.func @own(%x: tensor<?xf32, #tc.sizes<[s0]>>, %c: tensor<i1>) -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %n = tc.aten "aten.neg.default"(%x) {self = #tc.operand<0>} : (tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
  %r = tc.while carry(%v = %n : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>) {
    tc.yield %c : tensor<i1>
  } do(%v) {
    %e = tc.exp %v : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
    tc.yield %e : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
  }
  return %r : tensor<?xf32, #tc.sizes<[max(s0, 2)]>>
}

// What the stride leaves over of an image of any size is computed at most, and cut off; the gradient of the weight reads its padding.
// CHECK-LABEL: func.func @convolution_gradients(
// CHECK-NEXT: %[[FULL:.*]] = tc.convolution %{{.*}} stride [2] padding [1] dilation [1] {output_padding = array<i64: 1>, transposed} : {{.*}} -> tensor<2x4x?xf32, #tc.sizes<[2, 4, ((s0 + 1) floordiv 2) * 2]>>
// CHECK-NEXT: %[[TO_X:.*]] = tc.slice %[[FULL]] offsets <[0, 0, 0]> {{.*}} -> tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>
// CHECK-NEXT: %[[PADDED:.*]] = tc.pad constant %{{.*}} low [0, 0, 1] high [0, 0, 1] value 0.000000e+00 : f32
// CHECK-NEXT: tc.slice %[[PADDED]] offsets <[0, 0, 0]> {{.*}} -> tensor<2x4x?xf32, #tc.sizes<[2, 4, ((s0 + 1) floordiv 2) * 2 + 1]>>
// CHECK: %[[SWAPPED:.*]] = tc.convolution %{{.*}} stride [1] padding [0] dilation [2] : {{.*}} -> tensor<4x8x3xf32>
// CHECK-NEXT: %[[TO_W:.*]] = tc.transpose %[[SWAPPED]] [1, 0, 2]
// CHECK-NEXT: return %[[TO_X]], %[[TO_W]]
func.func @convolution_gradients(%g: tensor<2x8x?xf32, #tc.sizes<[2, 8, (s0 + 1) floordiv 2]>>, %x: tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>, %w: tensor<8x4x3xf32>) -> (tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>, tensor<8x4x3xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %r:3 = tc.aten "aten.convolution_backward.default"(%g, %x, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [2], padding = [1], dilation = [1], transposed = false, output_padding = [0], groups = 1 : i64, output_mask = [true, true, false]} : (tensor<2x8x?xf32, #tc.sizes<[2, 8, (s0 + 1) floordiv 2]>>, tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>, tensor<8x4x3xf32>) -> (tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>, tensor<8x4x3xf32>, tensor<8xf32>)
  return %r#0, %r#1 : tensor<2x4x?xf32, #tc.sizes<[2, 4, s0]>>, tensor<8x4x3xf32>
}

// Rows of infinities follow the logarithms of the sums up to a multiple of 32, which is never fewer than there are queries.
// CHECK-LABEL: func.func @saved_rows(
// CHECK: %{{.*}}, %[[SUMS:.*]] = tc.attention
// CHECK-NEXT: %[[BEHIND:.*]] = tc.full 0x7F800000 : f32 -> tensor<1x2x?xf32, #tc.sizes<[1, 2, ((s0 + 31) floordiv 32) * 32 - s0]>>
// CHECK-NEXT: tc.concat %[[SUMS]], %[[BEHIND]] dim 2
func.func @saved_rows(%q: tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>) -> (tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>, tensor<1x2x?xf32, #tc.sizes<[1, 2, ((s0 + 31) floordiv 32) * 32]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %r:4 = tc.aten "aten._scaled_dot_product_efficient_attention.default"(%q, %q, %q) {query = #tc.operand<0>, key = #tc.operand<1>, value = #tc.operand<2>, compute_log_sumexp = true, dropout_p = 0.0 : f64} : (tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>, tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>, tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>) -> (tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>, tensor<1x2x?xf32, #tc.sizes<[1, 2, ((s0 + 31) floordiv 32) * 32]>>, tensor<i64>, tensor<i64>)
  return %r#0, %r#1 : tensor<1x2x?x8xf32, #tc.sizes<[1, 2, s0, 8]>>, tensor<1x2x?xf32, #tc.sizes<[1, 2, ((s0 + 31) floordiv 32) * 32]>>
}
