// RUN: tc-opt %s --verify-roundtrip | FileCheck %s

// A dispatch with guards for all versions, cases with and without guards, and attributes.
// CHECK-LABEL: tc.dispatch @main(%arg0: tensor<?x4xf32, #tc.sizes<[s0, 4]>> {user.note = 1 : i64}, %arg1: tensor<4xf32>) -> (tensor<4xf32> {tc.mutates = 1 : i64})
// CHECK-SAME: attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
// CHECK-NEXT: tc.guard no_alias(%arg0, %arg1)
// CHECK-NEXT: tc.case @main.s0_8 {
// CHECK-NEXT: tc.guard size_equal(%arg0) {dim = 0 : i64, expr = #tc.expr<8>}
// CHECK-NEXT: }
// CHECK-NEXT: tc.case @main.any {
// CHECK-NEXT: }
// CHECK-NEXT: tc.otherwise @main.general
tc.dispatch @main(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>> {user.note = 1 : i64}, %y: tensor<4xf32>) -> (tensor<4xf32> {tc.mutates = 1 : i64})
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard no_alias(%x, %y) : tensor<?x4xf32, #tc.sizes<[s0, 4]>>, tensor<4xf32>
  tc.case @main.s0_8 {
    tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  }
  tc.case @main.any {
  }
  tc.otherwise @main.general
}
func.func @main.s0_8(%x: tensor<8x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tc.version_of = @main} {
  return %y : tensor<4xf32>
}
func.func @main.any(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tc.version_of = @main} {
  return %y : tensor<4xf32>
}
func.func @main.general(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<4xf32>) -> tensor<4xf32> attributes {tc.version_of = @main} {
  return %y : tensor<4xf32>
}
