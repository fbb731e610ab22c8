// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of constants, shapes and views.

// CHECK-LABEL: func @constants
func.func @constants() {
  // CHECK: tc.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  %0 = tc.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  // CHECK: tc.full 1.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.full 1.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.full 3 : ui8 -> tensor<4xui8>
  %2 = tc.full 3 : ui8 -> tensor<4xui8>
  // CHECK: tc.full true -> tensor<4xi1>
  %3 = tc.full true -> tensor<4xi1>
  // CHECK: tc.size_value <s0 * 4> : tensor<i64>
  %4 = tc.size_value <s0 * 4> : tensor<i64>
  // CHECK: tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  %5 = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  // CHECK: tc.iota dim 1 start 5 step -2 : tensor<4x?xi32, #tc.sizes<[4, s0]>>
  %6 = tc.iota dim 1 start 5 step -2 : tensor<4x?xi32, #tc.sizes<[4, s0]>>
  // CHECK: tc.empty : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %7 = tc.empty : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return
}

// CHECK-LABEL: func @size_from
func.func @size_from(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?xf32, #tc.sizes<[u0]>>
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  // CHECK: tc.size_from "u0" = %{{[a-z0-9_#]+}} : tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  // CHECK: tc.slice %{{[a-z0-9_#]+}} offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  %0 = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  return %0 : tensor<?xf32, #tc.sizes<[u0]>>
}

// A number from data may be negative, and less than any size.
// CHECK-LABEL: func @number_from
func.func @number_from(%n: tensor<i64>) -> tensor<?xf32, #tc.sizes<[u0 + 9]>>
    // CHECK-SAME: #tc.symbol<"u0", min = -9223372036854775808, max = 9223372036854775807>
    attributes {tc.symbols = [#tc.symbol<"u0", min = -9223372036854775808, max = 9223372036854775807>]} {
  tc.size_from "u0" = %n : tensor<i64>
  // CHECK: tc.full 1.000000e+00 : f32 -> tensor<?xf32, #tc.sizes<[u0 + 9]>>
  %0 = tc.full 1.0 : f32 -> tensor<?xf32, #tc.sizes<[u0 + 9]>>
  return %0 : tensor<?xf32, #tc.sizes<[u0 + 9]>>
}

// CHECK-LABEL: func @broadcast
func.func @broadcast(%x: tensor<8xf32>, %y: tensor<4x1xf32>, %z: tensor<f32>) {
  // CHECK: tc.broadcast %{{[a-z0-9_#]+}} dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  %0 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf32>
  // CHECK: tc.broadcast %{{[a-z0-9_#]+}} dims [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  %1 = tc.broadcast %y dims [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  // CHECK: tc.broadcast %{{[a-z0-9_#]+}} dims [] : tensor<f32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %2 = tc.broadcast %z dims [] : tensor<f32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.broadcast %{{[a-z0-9_#]+}} dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %3 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return
}

// CHECK-LABEL: func @transpose
func.func @transpose(%x: tensor<4x8xf32>, %s: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.transpose %{{[a-z0-9_#]+}} [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %0 = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  // CHECK: tc.transpose %{{[a-z0-9_#]+}} [1, 0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8x?xf32, #tc.sizes<[8, s0]>>
  %1 = tc.transpose %s [1, 0] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<8x?xf32, #tc.sizes<[8, s0]>>
  return
}

// CHECK-LABEL: func @reshape
func.func @reshape(%x: tensor<4x8xf32>, %s: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.reshape %{{[a-z0-9_#]+}} : tensor<4x8xf32> -> tensor<2x16xf32>
  %0 = tc.reshape %x : tensor<4x8xf32> -> tensor<2x16xf32>
  // CHECK: tc.reshape %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
  %1 = tc.reshape %s : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?xf32, #tc.sizes<[s0 * 8]>>
  // CHECK: tc.reshape %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x1x2x4xf32, #tc.sizes<[s0, 1, 2, 4]>>
  %2 = tc.reshape %s : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x1x2x4xf32, #tc.sizes<[s0, 1, 2, 4]>>
  return
}

// A negative stride, a symbolic offset and size.
// CHECK-LABEL: func @slice
func.func @slice(%x: tensor<4x8xf32>, %s: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.slice %{{[a-z0-9_#]+}} offsets <[0, 4]> strides [1, 2] : tensor<4x8xf32> -> tensor<4x2xf32>
  %0 = tc.slice %x offsets <[0, 4]> strides [1, 2] : tensor<4x8xf32> -> tensor<4x2xf32>
  // CHECK: tc.slice %{{[a-z0-9_#]+}} offsets <[3, 0]> strides [-1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tc.slice %x offsets <[3, 0]> strides [-1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  // CHECK: tc.slice %{{[a-z0-9_#]+}} offsets <[s0 - 1, 0]> strides [1, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<1x8xf32>
  %2 = tc.slice %s offsets <[s0 - 1, 0]> strides [1, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<1x8xf32>
  // CHECK: tc.slice %{{[a-z0-9_#]+}} offsets <[1, 0]> strides [1, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 - 1, 8]>>
  %3 = tc.slice %s offsets <[1, 0]> strides [1, 1] : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 - 1, 8]>>
  return
}

// CHECK-LABEL: func @pad
func.func @pad(%x: tensor<4x8xf32>, %s: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.pad constant %{{[a-z0-9_#]+}} low [0, 1] high [0, 1] value 0.000000e+00 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  %0 = tc.pad constant %x low [0, 1] high [0, 1] value 0.000000e+00 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
  // CHECK: tc.pad reflect %{{[a-z0-9_#]+}} low [2, 0] high [1, 0] : tensor<4x8xf32> -> tensor<7x8xf32>
  %1 = tc.pad reflect %x low [2, 0] high [1, 0] : tensor<4x8xf32> -> tensor<7x8xf32>
  // CHECK: tc.pad replicate %{{[a-z0-9_#]+}} low [0, 0] high [1, 3] : tensor<4x8xf32> -> tensor<5x11xf32>
  %2 = tc.pad replicate %x low [0, 0] high [1, 3] : tensor<4x8xf32> -> tensor<5x11xf32>
  // CHECK: tc.pad circular %{{[a-z0-9_#]+}} low [0, -1] high [1, 0] : tensor<4x8xf32> -> tensor<5x7xf32>
  %3 = tc.pad circular %x low [0, -1] high [1, 0] : tensor<4x8xf32> -> tensor<5x7xf32>
  // CHECK: tc.pad constant %{{[a-z0-9_#]+}} low [1, 0] high [2, 0] value 0.000000e+00 : f32 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 + 3, 8]>>
  %4 = tc.pad constant %s low [1, 0] high [2, 0] value 0.000000e+00 : f32 : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 + 3, 8]>>
  return
}

// CHECK-LABEL: func @concat
func.func @concat(%x: tensor<4x8xf32>, %y: tensor<2x8xf32>, %s: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.concat %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
  %0 = tc.concat %x, %y dim 0 : tensor<4x8xf32>, tensor<2x8xf32> -> tensor<6x8xf32>
  // CHECK: tc.concat %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} dim 0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<4x8xf32>, tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 * 2 + 4, 8]>>
  %1 = tc.concat %s, %x, %s dim 0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<4x8xf32>, tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x8xf32, #tc.sizes<[s0 * 2 + 4, 8]>>
  return
}
