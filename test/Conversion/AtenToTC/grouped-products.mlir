// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Each row is multiplied by the matrix of its group alone; the group is the
// number of offsets at or before the row.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<10x6xf32>, %[[W:.*]]: tensor<4x6x5xf32>, %[[ENDS:.*]]: tensor<4xi32>)
// CHECK: %[[BEFORE:.*]] = tc.le
// CHECK: %[[ONES:.*]] = tc.cast %[[BEFORE]] : tensor<10x4xi1> to tensor<10x4xi64>
// CHECK: %[[GROUP:.*]] = tc.reduce sum %[[ONES]] dims [1] : tensor<10x4xi64> -> tensor<10xi64>
// CHECK: %[[INSIDE:.*]] = tc.lt %[[GROUP]], %{{.*}} : tensor<10xi64>
// CHECK: %[[SAFE:.*]] = tc.minimum %[[GROUP]], %{{.*}} : tensor<10xi64>
// CHECK: %[[OWN:.*]] = tc.index_tensors %[[W]][%[[SAFE]]] dims [0] : tensor<4x6x5xf32>, tensor<10xi64> -> tensor<10x6x5xf32>
// CHECK: %[[PRODUCT:.*]] = tc.contract "mk,mkn->mn" %[[X]], %[[OWN]]
// CHECK: tc.select %{{.*}}, %[[PRODUCT]], %{{.*}} : tensor<10x5xi1>, tensor<10x5xf32>
func.func @rows(%x: tensor<10x6xf32>, %w: tensor<4x6x5xf32>, %ends: tensor<4xi32>) -> tensor<10x5xf32> {
  %r = tc.aten "transformers.grouped_mm_fallback.default"(%x, %w, %ends) {input = #tc.operand<0>, weight = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<10x6xf32>, tensor<4x6x5xf32>, tensor<4xi32>) -> tensor<10x5xf32>
  return %r : tensor<10x5xf32>
}

// Columns may be in groups as well.
// CHECK-LABEL: func.func @columns(
// CHECK: tc.index_tensors %{{.*}} dims [0] : tensor<3x7x8xbf16>, tensor<?xi64, #tc.sizes<[s0]>> -> tensor<?x7x8xbf16, #tc.sizes<[s0, 7, 8]>>
// CHECK: tc.contract "nmk,kn->mn"
func.func @columns(%x: tensor<3x7x8xbf16>, %y: tensor<8x?xbf16, #tc.sizes<[8, s0]>>, %ends: tensor<3xi32>) -> tensor<7x?xbf16, #tc.sizes<[7, s0]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %r = tc.aten "aten._grouped_mm.default"(%x, %y, %ends) {self = #tc.operand<0>, mat2 = #tc.operand<1>, offs = #tc.operand<2>} : (tensor<3x7x8xbf16>, tensor<8x?xbf16, #tc.sizes<[8, s0]>>, tensor<3xi32>) -> tensor<7x?xbf16, #tc.sizes<[7, s0]>>
  return %r : tensor<7x?xbf16, #tc.sizes<[7, s0]>>
}
