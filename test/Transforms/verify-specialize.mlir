// RUN: tc-opt %s --tc-verify-specialize | FileCheck %s

// A dispatch and its versions pass as they are.
// CHECK: tc.dispatch @main
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.case @main.s0_8 {
    tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?xf32, #tc.sizes<[s0]>>
  }
  tc.otherwise @main.general
}
func.func @main.s0_8(%x: tensor<8xf32>) attributes {tc.version_of = @main} {
  return
}
func.func @main.general(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main} {
  return
}
func.func @other(%x: tensor<4xf32>) {
  tc.guard contiguous(%x) : tensor<4xf32>
  return
}
