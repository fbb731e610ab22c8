// RUN: tc-opt %s "--pass-pipeline=builtin.module(tc.dispatch(tc-fold-guards))" --split-input-file | FileCheck %s

// Guards that follow from types and symbols are dropped; others stay.
// CHECK-LABEL: tc.dispatch @types(
// CHECK-NEXT: tc.guard size_range(%{{.*}}) {dim = 0 : i64, max = 32 : i64, min = 2 : i64}
// CHECK-NEXT: tc.guard scalar() {expr = #tc.expr<s0 * s1>, max = 400 : i64, min = 0 : i64}
// CHECK-NEXT: tc.otherwise
tc.dispatch @types(%x: tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 1, max = 16, divisor = 2>]} {
  tc.guard rank(%x) {value = 3 : i64} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard dtype(%x) {value = f32} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard size_equal(%x) {dim = 2 : i64, expr = #tc.expr<4>} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard size_equal(%x) {dim = 1 : i64, expr = #tc.expr<s1 * 8>} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard size_multiple(%x) {dim = 1 : i64, divisor = 16 : i64} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 64 : i64} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 32 : i64} : tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>
  tc.guard scalar() {expr = #tc.expr<s0 * s1>, min = 2 : i64, max = 2048 : i64}
  tc.guard scalar() {expr = #tc.expr<s0 * s1>, min = 0 : i64, max = 400 : i64}
  tc.guard scalar() {expr = #tc.expr<s0 mod 16>, min = 0 : i64, max = 15 : i64}
  tc.guard scalar() {expr = #tc.expr<s0 floordiv 2>, min = 1 : i64, max = 16 : i64}
  tc.guard scalar() {expr = #tc.expr<min(s0, 40)>, min = 2 : i64, max = 40 : i64}
  tc.guard scalar() {expr = #tc.expr<s1 * -3 + 8>, min = -40 : i64, max = 8 : i64}
  tc.otherwise @general
}
func.func @general(%x: tensor<?x?x4xf32, #tc.sizes<[s0, s1 * 8, 4]>>) attributes {tc.version_of = @types} {
  return
}

// -----

// A guard of all versions drops those of cases, guards of one case do not touch another's.
// CHECK-LABEL: tc.dispatch @cases(
// CHECK-NEXT: tc.guard contiguous(%{{.*}}) :
// CHECK-NEXT: tc.guard no_alias(%{{.*}}, %{{.*}}) :
// CHECK-NEXT: tc.case @v {
// CHECK-NEXT: tc.guard size_equal(%{{.*}}) {dim = 0 : i64, expr = #tc.expr<8>}
// CHECK-NEXT: tc.guard alignment(%{{.*}}) {divisor = 64 : i64}
// CHECK-NEXT: }
// CHECK-NEXT: tc.case @v {
// CHECK-NEXT: tc.guard alignment(%{{.*}}) {divisor = 16 : i64}
// CHECK-NEXT: tc.guard size_range(%{{.*}}) {dim = 0 : i64, max = 16 : i64, min = 8 : i64, origin = "one; two"}
// CHECK-NEXT: }
tc.dispatch @cases(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<4xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard contiguous(%x) : tensor<?xf32, #tc.sizes<[s0]>>
  tc.guard no_alias(%x, %y) : tensor<?xf32, #tc.sizes<[s0]>>, tensor<4xf32>
  tc.case @v {
    tc.guard contiguous(%x) {origin = "again"} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard no_alias(%y, %x) : tensor<4xf32>, tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard size_multiple(%x) {dim = 0 : i64, divisor = 4 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard alignment(%x) {divisor = 64 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard alignment(%x) {divisor = 16 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
  }
  tc.case @v {
    tc.guard alignment(%x) {divisor = 16 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard size_range(%x) {dim = 0 : i64, min = 4 : i64, max = 16 : i64, origin = "one"} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard size_range(%x) {dim = 0 : i64, min = 8 : i64, max = 32 : i64, origin = "two"} : tensor<?xf32, #tc.sizes<[s0]>>
  }
  tc.otherwise @v
}
func.func @v(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<4xf32>) attributes {tc.version_of = @cases} {
  return
}
