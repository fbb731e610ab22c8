// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK-LABEL: func @tensor
// CHECK-SAME: %arg0: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}
// CHECK-NEXT: tc.input_storage %arg0 : tensor<8x72xf32> -> tensor<8x96xf32>
func.func @tensor(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) -> tensor<8x96xf32> {
  %0 = tc.input_storage %x : tensor<8x72xf32> -> tensor<8x96xf32>
  return %0 : tensor<8x96xf32>
}

// CHECK-LABEL: func @memref
// CHECK-NEXT: tc.input_storage %arg0 : memref<?xf32, #tc.sizes<[s0]>> -> memref<?x4xf32, #tc.sizes<[s0, 4]>>
func.func @memref(%x: memref<?xf32, #tc.sizes<[s0]>> {tc.strides = [#tc.expr<4>]}) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %0 = tc.input_storage %x : memref<?xf32, #tc.sizes<[s0]>> -> memref<?x4xf32, #tc.sizes<[s0, 4]>>
  return
}
