// RUN: tc-opt %s --canonicalize | FileCheck %s

// Folds and canonical forms of constants, shapes and views.

// A splat constant is a full.
// CHECK-LABEL: func @splat_constant
// CHECK: tc.full 2.000000e+00 : f32 -> tensor<4xf32>
func.func @splat_constant() -> tensor<4xf32> {
  %0 = tc.constant dense<2.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The value of a constant size is that constant.
// CHECK-LABEL: func @size_value
// CHECK: tc.full 12 : i64 -> tensor<i64>
func.func @size_value() -> tensor<i64> {
  %0 = tc.size_value <3 * 4> : tensor<i64>
  return %0 : tensor<i64>
}

// The value of a symbolic size stays.
// CHECK-LABEL: func @size_value_symbolic
// CHECK: tc.size_value <s0 * 4>
func.func @size_value_symbolic() -> tensor<i64> {
  %0 = tc.size_value <s0 * 4> : tensor<i64>
  return %0 : tensor<i64>
}

// Views of one value are that value.
// CHECK-LABEL: func @views_of_full
// CHECK-DAG: %[[A:.*]] = tc.full 1.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-DAG: %[[B:.*]] = tc.full 1.000000e+00 : f32 -> tensor<8x4xf32>
// CHECK-DAG: %[[C:.*]] = tc.full 1.000000e+00 : f32 -> tensor<32xf32>
// CHECK-DAG: %[[D:.*]] = tc.full 1.000000e+00 : f32 -> tensor<2x8xf32>
// CHECK: return %[[A]], %[[B]], %[[C]], %[[D]]
func.func @views_of_full() -> (tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<8x4xf32>, tensor<32xf32>, tensor<2x8xf32>) {
  %s = tc.full 1.0 : f32 -> tensor<f32>
  %x = tc.full 1.0 : f32 -> tensor<4x8xf32>
  %0 = tc.broadcast %s dims [] : tensor<f32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %2 = tc.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %3 = tc.slice %x offsets <[2, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<2x8xf32>
  return %0, %1, %2, %3 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<8x4xf32>, tensor<32xf32>, tensor<2x8xf32>
}

// Views that change nothing are their operand.
// CHECK-LABEL: func @identities
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]], %[[X]]
func.func @identities(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tc.broadcast %x dims [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tc.transpose %x [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tc.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %3 = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %4 = tc.pad reflect %x low [0, 0] high [0, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  %5 = tc.concat %x dim 0 : tensor<4x8xf32> -> tensor<4x8xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// A flip has the sizes of its operand and is none the less another tensor.
// CHECK-LABEL: func @flip
// CHECK: tc.slice
func.func @flip(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tc.slice %x offsets <[3]> strides [-1] : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @broadcast_of_broadcast
// CHECK-SAME: %[[X:.*]]: tensor<8xf32>
// CHECK-NEXT: %[[R:.*]] = tc.broadcast %[[X]] dims [2] : tensor<8xf32> -> tensor<2x4x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @broadcast_of_broadcast(%x: tensor<8xf32>) -> tensor<2x4x8xf32> {
  %0 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %1 = tc.broadcast %0 dims [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// Two transposes are one, or none.
// CHECK-LABEL: func @transpose_of_transpose
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[R:.*]] = tc.transpose %[[X]] [2, 1, 0] : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
// CHECK-NEXT: return %[[R]], %[[X]]
func.func @transpose_of_transpose(%x: tensor<2x3x4xf32>) -> (tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  %0 = tc.transpose %x [1, 2, 0] : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %1 = tc.transpose %0 [1, 0, 2] : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  %2 = tc.transpose %0 [2, 0, 1] : tensor<3x4x2xf32> -> tensor<2x3x4xf32>
  return %1, %2 : tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func @reshape_of_reshape
// CHECK-SAME: %[[X:.*]]: tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[R:.*]] = tc.reshape %[[X]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x2x4xf32, #tc.sizes<[s0, 2, 4]>>
// CHECK-NEXT: return %[[R]]
func.func @reshape_of_reshape(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x2x4xf32, #tc.sizes<[s0, 2, 4]>> {
  %0 = tc.reshape %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
  %1 = tc.reshape %0 : tensor<?xf32, #tc.sizes<[s0 * 8]>> -> tensor<?x2x4xf32, #tc.sizes<[s0, 2, 4]>>
  return %1 : tensor<?x2x4xf32, #tc.sizes<[s0, 2, 4]>>
}

// CHECK-LABEL: func @reshape_of_constant
// CHECK-NEXT: tc.constant dense<{{.*}}1, 2], [3, 4]]> : tensor<2x2xi64>
func.func @reshape_of_constant() -> tensor<2x2xi64> {
  %0 = tc.constant dense<[1, 2, 3, 4]> : tensor<4xi64>
  %1 = tc.reshape %0 : tensor<4xi64> -> tensor<2x2xi64>
  return %1 : tensor<2x2xi64>
}

// Element i of the outer slice is element 1 + i * 3 of the inner one.
// CHECK-LABEL: func @slice_of_slice
// CHECK-SAME: %[[X:.*]]: tensor<?x30xf32, #tc.sizes<[s0, 30]>>
// CHECK-NEXT: tc.slice %[[X]] offsets <[s0 - 1, 4]> strides [-1, 6] : tensor<?x30xf32, #tc.sizes<[s0, 30]>> -> tensor<2x4xf32>
func.func @slice_of_slice(%x: tensor<?x30xf32, #tc.sizes<[s0, 30]>>) -> tensor<2x4xf32> {
  %0 = tc.slice %x offsets <[s0 - 2, 2]> strides [1, 2] : tensor<?x30xf32, #tc.sizes<[s0, 30]>> -> tensor<2x14xf32>
  %1 = tc.slice %0 offsets <[1, 1]> strides [-1, 3] : tensor<2x14xf32> -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// CHECK-LABEL: func @concat_of_concat
// CHECK-SAME: %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<3xf32>
// CHECK-NEXT: tc.concat %[[X]], %[[Y]], %[[X]] dim 0
func.func @concat_of_concat(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<7xf32> {
  %0 = tc.concat %x, %y dim 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = tc.concat %0, %x dim 0 : tensor<5xf32>, tensor<2xf32> -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

// A concat that is read elsewhere is not split.
// CHECK-LABEL: func @concat_of_shared_concat
// CHECK-COUNT-2: tc.concat
func.func @concat_of_shared_concat(%x: tensor<2xf32>, %y: tensor<3xf32>) -> (tensor<5xf32>, tensor<7xf32>) {
  %0 = tc.concat %x, %y dim 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = tc.concat %0, %x dim 0 : tensor<5xf32>, tensor<2xf32> -> tensor<7xf32>
  return %0, %1 : tensor<5xf32>, tensor<7xf32>
}

// CHECK-LABEL: func @concat_of_empty
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: return %[[X]]
func.func @concat_of_empty(%x: tensor<2x3xf32>, %e: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %0 = tc.concat %e, %x dim 0 : tensor<0x3xf32>, tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// A slice that stays within one input reads that input.
// CHECK-LABEL: func @slice_of_concat
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %[[Y:.*]]: tensor<3x4xf32>
// CHECK-NEXT: %[[R:.*]] = tc.slice %[[Y]] offsets <[1, 0]> strides [1, 1] : tensor<3x4xf32> -> tensor<2x4xf32>
// CHECK-NEXT: return %[[R]], %[[X]]
func.func @slice_of_concat(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<3x4xf32>) -> (tensor<2x4xf32>, tensor<?x4xf32, #tc.sizes<[s0, 4]>>) {
  %0 = tc.concat %x, %y dim 0 : tensor<?x4xf32, #tc.sizes<[s0, 4]>>, tensor<3x4xf32> -> tensor<?x4xf32, #tc.sizes<[s0 + 3, 4]>>
  %1 = tc.slice %0 offsets <[s0 + 1, 0]> strides [1, 1] : tensor<?x4xf32, #tc.sizes<[s0 + 3, 4]>> -> tensor<2x4xf32>
  %2 = tc.slice %0 offsets <[0, 0]> strides [1, 1] : tensor<?x4xf32, #tc.sizes<[s0 + 3, 4]>> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  return %1, %2 : tensor<2x4xf32>, tensor<?x4xf32, #tc.sizes<[s0, 4]>>
}

// One across two inputs does not.
// CHECK-LABEL: func @slice_across_concat
// CHECK: tc.concat
func.func @slice_across_concat(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {
  %0 = tc.concat %x, %y dim 0 : tensor<2xf32>, tensor<3xf32> -> tensor<5xf32>
  %1 = tc.slice %0 offsets <[1]> strides [1] : tensor<5xf32> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// The value of a data-dependent symbol is the tensor that defines it.
// CHECK-LABEL: func @value_of_defined_symbol
// CHECK-SAME: %[[N:[a-z0-9]+]]: tensor<i64>
// CHECK-NEXT: tc.size_from "u0" = %[[N]] : tensor<i64>
// CHECK-NEXT: %[[TWICE:.*]] = tc.size_value <u0 * 2> : tensor<i64>
// CHECK-NEXT: return %[[N]], %[[TWICE]] : tensor<i64>, tensor<i64>
func.func @value_of_defined_symbol(%n: tensor<i64>) -> (tensor<i64>, tensor<i64>)
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.size_from "u0" = %n : tensor<i64>
  %0 = tc.size_value <u0> : tensor<i64>
  %1 = tc.size_value <u0 * 2> : tensor<i64>
  return %0, %1 : tensor<i64>, tensor<i64>
}
