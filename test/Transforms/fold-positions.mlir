// RUN: tc-opt %s --tc-fold-positions --canonicalize | FileCheck %s

// Positions that follow each other without a gap belong to one sequence.
// CHECK-LABEL: func @one_sequence
// CHECK-NEXT: %[[V0:.*]] = tc.full true -> tensor<?x1x8x8xi1, #tc.sizes<[s0, 1, 8, 8]>>
// CHECK-NEXT: return %[[V0]]
func.func @one_sequence(%like: tensor<?x8xi64, #tc.sizes<[s0, 8]>>) -> tensor<?x1x8x8xi1, #tc.sizes<[s0, 1, 8, 8]>> {
  %p = tc.iota dim 1 start 0 step 1 : tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %first = tc.slice %p offsets <[0, 0]> strides [1, 1] : tensor<?x8xi64, #tc.sizes<[s0, 8]>> -> tensor<?x1xi64, #tc.sizes<[s0, 1]>>
  %one = tc.full 1 : i64 -> tensor<?x1xi64, #tc.sizes<[s0, 1]>>
  %before = tc.sub %first, %one : tensor<?x1xi64, #tc.sizes<[s0, 1]>>
  %0 = tc.concat %before, %p dim 1 : tensor<?x1xi64, #tc.sizes<[s0, 1]>>, tensor<?x8xi64, #tc.sizes<[s0, 8]>> -> tensor<?x9xi64, #tc.sizes<[s0, 9]>>
  %1 = tc.slice %0 offsets <[0, 0]> strides [1, 1] : tensor<?x9xi64, #tc.sizes<[s0, 9]>> -> tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %2 = tc.sub %p, %1 : tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %ones = tc.full 1 : i64 -> tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %3 = tc.ne %2, %ones : tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %4 = tc.cast %3 : tensor<?x8xi1, #tc.sizes<[s0, 8]>> to tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %5 = tc.scan sum %4 dim 1 : tensor<?x8xi64, #tc.sizes<[s0, 8]>>
  %rows = tc.broadcast %5 dims [0, 2] : tensor<?x8xi64, #tc.sizes<[s0, 8]>> -> tensor<?x1x8x8xi64, #tc.sizes<[s0, 1, 8, 8]>>
  %columns = tc.broadcast %5 dims [0, 3] : tensor<?x8xi64, #tc.sizes<[s0, 8]>> -> tensor<?x1x8x8xi64, #tc.sizes<[s0, 1, 8, 8]>>
  %6 = tc.eq %rows, %columns : tensor<?x1x8x8xi64, #tc.sizes<[s0, 1, 8, 8]>>
  return %6 : tensor<?x1x8x8xi1, #tc.sizes<[s0, 1, 8, 8]>>
}

// A look-up of positions in positions, every second one, backwards.
// CHECK-LABEL: func @look_up
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 1 start 9 step -2 : tensor<1x4xi64>
// CHECK-NEXT: return %[[V0]] : tensor<1x4xi64>
func.func @look_up() -> tensor<1x4xi64> {
  %table = tc.iota dim 0 start 3 step 1 : tensor<8xi64>
  %p = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  %0 = tc.slice %p offsets <[6]> strides [-2] : tensor<8xi64> -> tensor<4xi64>
  %1 = tc.reshape %0 : tensor<4xi64> -> tensor<1x4xi64>
  %2 = tc.index_tensors %table[%1] dims [0] : tensor<8xi64>, tensor<1x4xi64> -> tensor<1x4xi64>
  return %2 : tensor<1x4xi64>
}

// An index that may be out of range is an error at run time, and stays one.
// CHECK-LABEL: func @out_of_range
// CHECK: tc.index_tensors
func.func @out_of_range() -> tensor<8xi64> {
  %table = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %p = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  %0 = tc.index_tensors %table[%p] dims [0] : tensor<4xi64>, tensor<8xi64> -> tensor<8xi64>
  return %0 : tensor<8xi64>
}

// A causal mask is no constant; parts that do not continue each other stay.
// CHECK-LABEL: func @kept
// CHECK: tc.le
// CHECK: tc.concat
func.func @kept() -> (tensor<4x4xi1>, tensor<6xi64>) {
  %rows = tc.iota dim 0 start 0 step 1 : tensor<4x4xi64>
  %columns = tc.iota dim 1 start 0 step 1 : tensor<4x4xi64>
  %0 = tc.le %columns, %rows : tensor<4x4xi64>
  %p = tc.iota dim 0 start 0 step 1 : tensor<3xi64>
  %1 = tc.concat %p, %p dim 0 : tensor<3xi64>, tensor<3xi64> -> tensor<6xi64>
  return %0, %1 : tensor<4x4xi1>, tensor<6xi64>
}

// Unsigned numbers are no positions, nor are those that wrap.
// CHECK-LABEL: func @unsigned_and_wrapping
// CHECK: %[[P:.*]] = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
// CHECK: %[[U:.*]] = tc.cast %[[P]] : tensor<4xi64> to tensor<4xui64>
// CHECK: tc.cast {{.*}} : tensor<4xi1> to tensor<4xui64>
// CHECK: %[[SUM:.*]] = tc.add %[[P]], %{{.*}} : tensor<4xi64>
// CHECK: tc.gt %[[SUM]]
func.func @unsigned_and_wrapping() -> (tensor<4xui64>, tensor<4xui64>, tensor<4xi1>) {
  %p = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %0 = tc.cast %p : tensor<4xi64> to tensor<4xui64>
  %true = tc.full true -> tensor<4xi1>
  %1 = tc.cast %true : tensor<4xi1> to tensor<4xui64>
  %largest = tc.full 9223372036854775807 : i64 -> tensor<4xi64>
  %zero = tc.full 0 : i64 -> tensor<4xi64>
  %sum = tc.add %p, %largest : tensor<4xi64>
  %2 = tc.gt %sum, %zero : tensor<4xi64>
  return %0, %1, %2 : tensor<4xui64>, tensor<4xui64>, tensor<4xi1>
}

// What is looked up at all positions in their order: of each head, of each pair
// of a row and a column; not of a part, and not of the diagonal.
// CHECK-LABEL: func @in_order
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<8x4x3xf32>, %[[Z:[a-z0-9]+]]: tensor<4x4xf32>
// CHECK-NOT: tc.index_tensors %[[X]]
// CHECK: %[[V0:.*]] = tc.transpose %[[Y]] [1, 0, 2] : tensor<8x4x3xf32> -> tensor<4x8x3xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [0, 2, 3] : tensor<4x8x3xf32> -> tensor<4x2x8x3xf32>
// CHECK: tc.index_tensors %[[X]]
// CHECK: tc.index_tensors %[[Z]]
// CHECK: return %[[X]], %[[V1]]
func.func @in_order(%x: tensor<4xf32>, %y: tensor<8x4x3xf32>, %z: tensor<4x4xf32>) -> (tensor<4xf32>, tensor<4x2x8x3xf32>, tensor<3xf32>, tensor<4xf32>) {
  %four = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %eight = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  %three = tc.iota dim 0 start 0 step 1 : tensor<3xi64>
  %0 = tc.index_tensors %x[%four] dims [0] : tensor<4xf32>, tensor<4xi64> -> tensor<4xf32>
  %row = tc.broadcast %eight dims [2] : tensor<8xi64> -> tensor<4x2x8xi64>
  %column = tc.broadcast %four dims [0] : tensor<4xi64> -> tensor<4x2x8xi64>
  %1 = tc.index_tensors %y[%row, %column] dims [0, 1] : tensor<8x4x3xf32>, tensor<4x2x8xi64>, tensor<4x2x8xi64> -> tensor<4x2x8x3xf32>
  %2 = tc.index_tensors %x[%three] dims [0] : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
  %3 = tc.index_tensors %z[%four, %four] dims [0, 1] : tensor<4x4xf32>, tensor<4xi64>, tensor<4xi64> -> tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4x2x8x3xf32>, tensor<3xf32>, tensor<4xf32>
}
