// RUN: tc-opt %s --tc-plan-dispatch --split-input-file | FileCheck %s

// The function's guards move to the dispatch, each version gets a case; calls go to the general version.
// CHECK-LABEL: tc.dispatch @main(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %[[Y:.*]]: tensor<?xf32, #tc.sizes<[s1 * 2]>>) -> (tensor<?x4xf32, #tc.sizes<[s0, 4]>> {tc.mutates = 0 : i64})
// CHECK-SAME: attributes {tc.signature = {inputs = ["x", "y"]}, tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
// CHECK-NEXT: tc.guard no_alias(%[[X]], %[[Y]]) {origin = "x is written"}
// CHECK-NEXT: tc.case @main.a {
// CHECK-NEXT: tc.guard size_equal(%[[X]]) {dim = 0 : i64, expr = #tc.expr<8>, origin = "specialisation main.a"}
// CHECK-NEXT: }
// CHECK-NEXT: tc.case @main.b {
// CHECK-NEXT: tc.guard size_range(%[[X]]) {dim = 0 : i64, max = 32 : i64, min = 16 : i64, origin = "specialisation main.b"}
// CHECK-NEXT: tc.guard size_multiple(%[[X]]) {dim = 0 : i64, divisor = 16 : i64, origin = "specialisation main.b"}
// CHECK-NEXT: tc.guard scalar() {expr = #tc.expr<s1>, max = 6 : i64, min = 6 : i64, origin = "specialisation main.b"}
// CHECK-NEXT: }
// CHECK-NEXT: tc.otherwise @main.general
// CHECK-LABEL: func.func @main.general(
// CHECK-SAME: tc.version_of = @main
// CHECK-NOT: tc.guard
// CHECK-LABEL: func.func @main.a(
// CHECK-SAME: tc.version_of = @main
// CHECK-NOT: tc.guard
// CHECK-LABEL: func.func @main.b(
// CHECK-LABEL: func.func @caller(
// CHECK: call @main.general(
func.func @main(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<?xf32, #tc.sizes<[s1 * 2]>>) -> (tensor<?x4xf32, #tc.sizes<[s0, 4]>> {tc.mutates = 0 : i64})
    attributes {tc.signature = {inputs = ["x", "y"]}, tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  tc.guard no_alias(%x, %y) {origin = "x is written"} : tensor<?x4xf32, #tc.sizes<[s0, 4]>>, tensor<?xf32, #tc.sizes<[s1 * 2]>>
  return %x : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
}
func.func @main.a(%x: tensor<8x4xf32>, %y: tensor<?xf32, #tc.sizes<[s1 * 2]>>) -> (tensor<8x4xf32> {tc.mutates = 0 : i64})
    attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.symbols = [#tc.symbol<"s1", min = 2, max = 64>], tc.version_of = @main} {
  tc.guard no_alias(%x, %y) {origin = "x is written"} : tensor<8x4xf32>, tensor<?xf32, #tc.sizes<[s1 * 2]>>
  return %x : tensor<8x4xf32>
}
func.func @main.b(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<12xf32>) -> (tensor<?x4xf32, #tc.sizes<[s0, 4]>> {tc.mutates = 0 : i64})
    attributes {tc.specialization = [#tc.symbol<"s0", min = 16, max = 32, divisor = 16>, #tc.symbol<"s1", min = 6, max = 6>], tc.symbols = [#tc.symbol<"s0", min = 16, max = 32, divisor = 16>], tc.version_of = @main} {
  return %x : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
}
func.func @caller(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %y: tensor<?xf32, #tc.sizes<[s1 * 2]>>) -> tensor<?x4xf32, #tc.sizes<[s0, 4]>> {
  %0 = func.call @main(%x, %y) : (tensor<?x4xf32, #tc.sizes<[s0, 4]>>, tensor<?xf32, #tc.sizes<[s1 * 2]>>) -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  return %0 : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
}

// -----

// A multiple of a symbol that is no size itself.
// CHECK: tc.case @main.a {
// CHECK-NEXT: tc.guard scalar() {expr = #tc.expr<s0 mod 16>, max = 0 : i64, min = 0 : i64, origin = "specialisation main.a"}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0 * 2]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}
func.func @main.a(%x: tensor<?xf32, #tc.sizes<[s0 * 2]>>)
    attributes {tc.specialization = [#tc.symbol<"s0", min = 0, max = 9223372036854775807, divisor = 16>], tc.version_of = @main} {
  return
}

// -----

// Functions without versions stay as they are, and so does a dispatch that is there.
// CHECK: tc.dispatch @main(
// CHECK-NEXT: tc.otherwise @main.general
// CHECK: func.func @main.general(
// CHECK: func.func @other(
// CHECK-NEXT: tc.guard
tc.dispatch @main(%x: tensor<4xf32>) {
  tc.otherwise @main.general
}
func.func @main.general(%x: tensor<4xf32>) attributes {tc.version_of = @main} {
  return
}
func.func @other(%x: tensor<4xf32>) {
  tc.guard contiguous(%x) : tensor<4xf32>
  return
}
