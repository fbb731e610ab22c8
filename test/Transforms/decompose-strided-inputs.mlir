// RUN: tc-opt %s --tc-decompose-strided-inputs --tc-verify-specialize | FileCheck %s
// RUN: tc-opt %s --tc-decompose-strided-inputs --tc-decompose-strided-inputs | FileCheck %s
// RUN: tc-opt %s --tc-decompose-strided-inputs -o /dev/null --remarks-filter=tc-decompose 2>&1 | FileCheck %s --check-prefix=REMARK

// The first columns of a wider matrix.
// CHECK-LABEL: func @pitched
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}
// CHECK-NEXT: %[[M:.*]] = tc.input_storage %[[X]] : tensor<8x72xf32> -> tensor<8x96xf32>
// CHECK-NEXT: %[[S:.*]] = tc.slice %[[M]] offsets <[0, 0]> strides [1, 1] : tensor<8x96xf32> -> tensor<8x72xf32>
// CHECK-NEXT: tc.relu %[[S]]
func.func @pitched(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x72xf32> {
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// Every third column, of rows of 215 and of 216.
// CHECK-LABEL: func @stepped
// CHECK: tc.input_storage {{.*}} -> tensor<8x215xf32>
// CHECK-NEXT: strides [1, 3] : tensor<8x215xf32> -> tensor<8x72xf32>
// CHECK-NEXT: tc.input_storage {{.*}} -> tensor<8x72x3xf32>
// CHECK-NEXT: strides [1, 1, 1] : tensor<8x72x3xf32> -> tensor<8x72x1xf32>
// CHECK-NEXT: tc.reshape {{.*}} -> tensor<8x72xf32>
func.func @stepped(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<216>, #tc.expr<3>]}, %y: tensor<8x72xf32> {tc.strides = [#tc.expr<215>, #tc.expr<3>]}) -> tensor<8x72xf32> {
  %0 = tc.add %x, %y : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// The first of each group of elements.
// CHECK-LABEL: func @stepped_vector
// CHECK: tc.input_storage {{.*}} -> tensor<9x4xf32>
// CHECK-NEXT: strides [1, 1] : tensor<9x4xf32> -> tensor<9x1xf32>
// CHECK-NEXT: tc.reshape {{.*}} -> tensor<9xf32>
func.func @stepped_vector(%x: tensor<9xf32> {tc.strides = [#tc.expr<4>]}) -> tensor<9xf32> {
  %0 = tc.relu %x : tensor<9xf32>
  return %0 : tensor<9xf32>
}

// CHECK-LABEL: func @transposed
// CHECK-NEXT: %[[M:.*]] = tc.input_storage %{{.*}} : tensor<8x72xf32> -> tensor<72x8xf32>
// CHECK-NEXT: tc.transpose %[[M]] [1, 0] : tensor<72x8xf32> -> tensor<8x72xf32>
func.func @transposed(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<1>, #tc.expr<8>]}) -> tensor<8x72xf32> {
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// The heads of the queries of a product of 3 x 4 heads; dimensions of size 1 are
// anywhere.
// CHECK-LABEL: func @heads
// CHECK-NEXT: tc.input_storage %{{.*}} : tensor<2x4x1x9x16xf32> -> tensor<2x9x12x16xf32>
// CHECK-NEXT: tc.slice {{.*}} -> tensor<2x9x4x16xf32>
// CHECK-NEXT: tc.transpose {{.*}} [0, 2, 1, 3] : tensor<2x9x4x16xf32> -> tensor<2x4x9x16xf32>
// CHECK-NEXT: tc.reshape {{.*}} -> tensor<2x4x1x9x16xf32>
func.func @heads(%x: tensor<2x4x1x9x16xf32> {tc.strides = [#tc.expr<1728>, #tc.expr<16>, #tc.expr<5>, #tc.expr<192>, #tc.expr<1>]}) -> tensor<2x4x1x9x16xf32> {
  %0 = tc.relu %x : tensor<2x4x1x9x16xf32>
  return %0 : tensor<2x4x1x9x16xf32>
}

// CHECK-LABEL: func @symbolic
// CHECK: tc.input_storage {{.*}} -> tensor<?x?xf32, #tc.sizes<[s1, s0]>>
// CHECK-NEXT: tc.transpose {{.*}} [1, 0]
// CHECK-NEXT: tc.input_storage {{.*}} -> tensor<?x?x2xf32, #tc.sizes<[s0, s1, 2]>>
// CHECK-NEXT: strides [1, 1, 1]
// CHECK-NEXT: tc.reshape
// CHECK-NEXT: tc.input_storage {{.*}} -> tensor<?x?xf32, #tc.sizes<[s0, s1 + 24]>>
// CHECK-NEXT: strides [1, 1]
func.func @symbolic(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<s1 + 24>, #tc.expr<1>]}, %y: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<s1 * 2>, #tc.expr<2>]}, %z: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<1>, #tc.expr<s0>]}) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]} {
  %0 = tc.add %x, %y : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  %1 = tc.add %0, %z : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// What no size gives is the caller's choice: any that leaves no overlap.
// CHECK-LABEL: func @free_pitch
// CHECK-NEXT: tc.guard scalar() {expr = #tc.expr<p - s1>, max = 9223372036854775807 : i64, min = 0 : i64, origin = "strides of argument 0"}
// CHECK-NEXT: tc.input_storage {{.*}} -> tensor<?x?xf32, #tc.sizes<[s0, p]>>
func.func @free_pitch(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>> {tc.strides = [#tc.expr<p>, #tc.expr<1>]}) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>, #tc.symbol<"p", min = 1, max = 640>]} {
  %0 = tc.relu %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// A guard is about the argument itself.
// CHECK-LABEL: func @guarded
// CHECK: tc.guard alignment(%arg0)
func.func @guarded(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x72xf32> {
  tc.guard alignment(%x) {divisor = 16 : i64} : tensor<8x72xf32>
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// Strides that say nothing else than row-major.
// CHECK-LABEL: func @row_major(%arg0: tensor<8x1x72xf32>, %arg1: tensor<0x4xf32>)
func.func @row_major(%x: tensor<8x1x72xf32> {tc.strides = [#tc.expr<72>, #tc.expr<3>, #tc.expr<1>]}, %y: tensor<0x4xf32> {tc.strides = [#tc.expr<1>, #tc.expr<1>]}) -> tensor<8x1x72xf32> {
  %0 = tc.relu %x : tensor<8x1x72xf32>
  return %0 : tensor<8x1x72xf32>
}

// REMARK: argument 0 is expected in row-major order: 72 elements of stride 1 are not known to fit into a stride of 3
// CHECK-LABEL: func @windows(%arg0: tensor<8x72xf32>)
func.func @windows(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<3>, #tc.expr<1>]}) -> tensor<8x72xf32> {
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// REMARK: argument 0 is expected in row-major order: stride 0 of dimension 1 repeats elements, which not every input does
// CHECK-LABEL: func @repeated(%arg0: tensor<8x72xf32>)
func.func @repeated(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<1>, #tc.expr<0>]}) -> tensor<8x72xf32> {
  %0 = tc.relu %x : tensor<8x72xf32>
  return %0 : tensor<8x72xf32>
}

// REMARK: argument 0 is expected in row-major order: s0 elements of stride 1 are not known to fit into a stride of 96
// CHECK-LABEL: func @columns_beyond_the_pitch(%arg0: tensor<8x?xf32, #tc.sizes<[8, s0]>>)
func.func @columns_beyond_the_pitch(%x: tensor<8x?xf32, #tc.sizes<[8, s0]>> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x?xf32, #tc.sizes<[8, s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 97>]} {
  %0 = tc.relu %x : tensor<8x?xf32, #tc.sizes<[8, s0]>>
  return %0 : tensor<8x?xf32, #tc.sizes<[8, s0]>>
}

// Symbols that only such strides have go with them.
// REMARK: argument 0 is expected in row-major order: which of the strides q and p is larger is not known
// CHECK-LABEL: func @two_free_strides(%arg0: tensor<?x8xf32, #tc.sizes<[s0, 8]>>)
// CHECK-SAME: tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]
func.func @two_free_strides(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>> {tc.strides = [#tc.expr<p>, #tc.expr<q>]}) -> tensor<?x8xf32, #tc.sizes<[s0, 8]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"p", min = 1, max = 640>, #tc.symbol<"q", min = 1, max = 640>]} {
  %0 = tc.relu %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}
