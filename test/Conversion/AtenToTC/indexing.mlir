// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// An embedding picks rows.
// CHECK-LABEL: func.func @embedding(
// CHECK-SAME: %[[ARG0:.*]]: tensor<100x8xf32>, %[[ARG1:.*]]: tensor<2x4xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.index_tensors %[[ARG0]][%[[ARG1]]] dims [0] non_negative : tensor<100x8xf32>, tensor<2x4xi64> -> tensor<2x4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<2x4x8xf32>
func.func @embedding(%x0: tensor<100x8xf32>, %x1: tensor<2x4xi64>) -> tensor<2x4x8xf32> {
  %r = tc.aten "aten.embedding.default"(%x0, %x1) {weight = #tc.operand<0>, indices = #tc.operand<1>} : (tensor<100x8xf32>, tensor<2x4xi64>) -> tensor<2x4x8xf32>
  return %r : tensor<2x4x8xf32>
}

// Index tensors broadcast; None takes a dimension whole.
// CHECK-LABEL: func.func @index(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8x16xf32>, %[[ARG1:.*]]: tensor<2x1xi64>, %[[ARG2:.*]]: tensor<3xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[ARG1]] dims [0, 1] : tensor<2x1xi64> -> tensor<2x3xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[ARG2]] dims [1] : tensor<3xi64> -> tensor<2x3xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.index_tensors %[[ARG0]][%[[V0]], %[[V1]]] dims [1, 2] : tensor<4x8x16xf32>, tensor<2x3xi64>, tensor<2x3xi64> -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x2x3xf32>
func.func @index(%x0: tensor<4x8x16xf32>, %x1: tensor<2x1xi64>, %x2: tensor<3xi64>) -> tensor<4x2x3xf32> {
  %r = tc.aten "aten.index.Tensor"(%x0, %x1, %x2) {self = #tc.operand<0>, indices = [unit, #tc.operand<1>, #tc.operand<2>]} : (tensor<4x8x16xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// Indices that are not adjacent put their dimensions in front.
// CHECK-LABEL: func.func @index_separated(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8x16xf32>, %[[ARG1:.*]]: tensor<5xi64>, %[[ARG2:.*]]: tensor<5xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.index_tensors %[[ARG0]][%[[ARG1]], %[[ARG2]]] dims [0, 2] : tensor<4x8x16xf32>, tensor<5xi64>, tensor<5xi64> -> tensor<5x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<5x8xf32>
func.func @index_separated(%x0: tensor<4x8x16xf32>, %x1: tensor<5xi64>, %x2: tensor<5xi64>) -> tensor<5x8xf32> {
  %r = tc.aten "aten.index.Tensor"(%x0, %x1, %x2) {self = #tc.operand<0>, indices = [#tc.operand<1>, unit, #tc.operand<2>]} : (tensor<4x8x16xf32>, tensor<5xi64>, tensor<5xi64>) -> tensor<5x8xf32>
  return %r : tensor<5x8xf32>
}

// Each element has an index of its own.
// CHECK-LABEL: func.func @gather(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<4x2xi32>)
// CHECK-NEXT: %[[V0:.*]] = tc.gather %[[ARG0]][%[[ARG1]]] dim 1 : tensor<4x8xf32>, tensor<4x2xi32> -> tensor<4x2xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x2xf32>
func.func @gather(%x0: tensor<4x8xf32>, %x1: tensor<4x2xi32>) -> tensor<4x2xf32> {
  %r = tc.aten "aten.gather.default"(%x0, %x1) {self = #tc.operand<0>, dim = 1 : i64, index = #tc.operand<1>} : (tensor<4x8xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}

// A larger source is cut to the index.
// CHECK-LABEL: func.func @scatter(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<2x8xi64>, %[[ARG2:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG2]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.scatter  replace %[[ARG0]][%[[ARG1]]] = %[[V0]] dim 0 : tensor<4x8xf32>, tensor<2x8xi64>, tensor<2x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @scatter(%x0: tensor<4x8xf32>, %x1: tensor<2x8xi64>, %x2: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.scatter.src"(%x0, %x1, %x2) {self = #tc.operand<0>, dim = 0 : i64, index = #tc.operand<1>, src = #tc.operand<2>} : (tensor<4x8xf32>, tensor<2x8xi64>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// index_put accumulates, or replaces.
// CHECK-LABEL: func.func @index_put(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<2xi64>, %[[ARG2:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.broadcast %[[ARG2]] dims [1] : tensor<8xf32> -> tensor<2x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.index_put  sum %[[ARG0]][%[[ARG1]]] = %[[V0]] dims [0] : tensor<4x8xf32>, tensor<2x8xf32>, tensor<2xi64>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @index_put(%x0: tensor<4x8xf32>, %x1: tensor<2xi64>, %x2: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.index_put.default"(%x0, %x1, %x2) {self = #tc.operand<0>, indices = [#tc.operand<1>], values = #tc.operand<2>, accumulate = true} : (tensor<4x8xf32>, tensor<2xi64>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// One number at a mask is a selection.
// CHECK-LABEL: func.func @index_put_mask(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<4xi1>, %[[ARG2:.*]]: tensor<f32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG1]] : tensor<4xi1> -> tensor<4x1xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0, 1] : tensor<4x1xi1> -> tensor<4x8xi1>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[ARG2]] dims [] : tensor<f32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.select %[[V1]], %[[V2]], %[[ARG0]] : tensor<4x8xi1>, tensor<4x8xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x8xf32>
func.func @index_put_mask(%x0: tensor<4x8xf32>, %x1: tensor<4xi1>, %x2: tensor<f32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.index_put.default"(%x0, %x1, %x2) {self = #tc.operand<0>, indices = [#tc.operand<1>], values = #tc.operand<2>} : (tensor<4x8xf32>, tensor<4xi1>, tensor<f32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// slice_scatter joins the parts around the new one.
// CHECK-LABEL: func.func @slice_scatter(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<4x2xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[0, 5]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x3xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V0]], %[[ARG1]], %[[V1]] dim 1 : tensor<4x3xf32>, tensor<4x2xf32>, tensor<4x3xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x8xf32>
func.func @slice_scatter(%x0: tensor<4x8xf32>, %x1: tensor<4x2xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.slice_scatter.default"(%x0, %x1) {self = #tc.operand<0>, src = #tc.operand<1>, dim = 1 : i64, start = 3 : i64, end = 5 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// select_scatter of the last row.
// CHECK-LABEL: func.func @select_scatter(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG1]] : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.slice %[[ARG0]] offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<3x8xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.concat %[[V1]], %[[V0]] dim 0 : tensor<3x8xf32>, tensor<1x8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V2]] : tensor<4x8xf32>
func.func @select_scatter(%x0: tensor<4x8xf32>, %x1: tensor<8xf32>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.select_scatter.default"(%x0, %x1) {self = #tc.operand<0>, src = #tc.operand<1>, dim = 0 : i64, index = -1 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// A number is a tensor of one element.
// CHECK-LABEL: func.func @number(
// CHECK-SAME: %[[ARG0:.*]]: tensor<f32>, %[[ARG1:.*]]: tensor<1xi64>, %[[ARG2:.*]]: tensor<f32>)
// CHECK-NEXT: %[[V0:.*]] = tc.reshape %[[ARG0]] : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.reshape %[[ARG2]] : tensor<f32> -> tensor<1xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.index_put sum %[[V0]][%[[ARG1]]] = %[[V1]] dims [0] non_negative : tensor<1xf32>, tensor<1xf32>, tensor<1xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.reshape %[[V2]] : tensor<1xf32> -> tensor<f32>
// CHECK-NEXT: return %[[V3]] : tensor<f32>
func.func @number(%x0: tensor<f32>, %x1: tensor<1xi64>, %x2: tensor<f32>) -> tensor<f32> {
  %r = tc.aten "aten.index_add.default"(%x0, %x1, %x2) {self = #tc.operand<0>, dim = 0 : i64, index = #tc.operand<1>, source = #tc.operand<2>, alpha = 1 : i64} : (tensor<f32>, tensor<1xi64>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// Sums of narrow floats are rounded once.
// CHECK-LABEL: func.func @narrow_sums(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xbf16>, %[[I:.*]]: tensor<2xi64>, %[[Y:.*]]: tensor<2x8xbf16>)
// CHECK-DAG: %[[WIDE_X:.*]] = tc.cast %[[X]] : tensor<4x8xbf16> to tensor<4x8xf32>
// CHECK-DAG: %[[WIDE_Y:.*]] = tc.cast %[[Y]] : tensor<2x8xbf16> to tensor<2x8xf32>
// CHECK: %[[SUM:.*]] = tc.index_put sum %[[WIDE_X]][%[[I]]] = %[[WIDE_Y]] dims [0]
// CHECK-NEXT: %[[R:.*]] = tc.cast %[[SUM]] : tensor<4x8xf32> to tensor<4x8xbf16>
// CHECK-NEXT: return %[[R]]
func.func @narrow_sums(%x: tensor<4x8xbf16>, %i: tensor<2xi64>, %y: tensor<2x8xbf16>) -> tensor<4x8xbf16> {
  %r = tc.aten "aten.index_put.default"(%x, %i, %y) {self = #tc.operand<0>, indices = [#tc.operand<1>], values = #tc.operand<2>, accumulate = true} : (tensor<4x8xbf16>, tensor<2xi64>, tensor<2x8xbf16>) -> tensor<4x8xbf16>
  return %r : tensor<4x8xbf16>
}
