// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// The dispatch checks the inputs, then one predicate a case; versions check nothing and are internal.
// CHECK-LABEL: llvm.func @main(
// CHECK-SAME: ) -> i32 attributes {tc.signature = {input_types = [memref<?xf32, #tc.sizes<[s0]>>]
// CHECK: %[[SIZE:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i64
// CHECK: %[[EQUAL:.*]] = llvm.icmp "eq" %[[SIZE]], %{{.*}} : i64
// CHECK: %[[ADDRESS:.*]] = llvm.ptrtoint
// CHECK: %[[REST:.*]] = llvm.urem %[[ADDRESS]]
// CHECK: %[[ALIGNED:.*]] = llvm.icmp "eq" %[[REST]]
// CHECK: %[[BOTH:.*]] = llvm.and %[[EQUAL]], %[[ALIGNED]]
// CHECK: llvm.cond_br %[[BOTH]]
// CHECK: %[[A:.*]] = llvm.call @main.s0_8(%{{.*}}) : (!llvm.ptr) -> i32
// CHECK: llvm.return %[[A]]
// CHECK: %[[B:.*]] = llvm.call @main.general(%{{.*}}) : (!llvm.ptr) -> i32
// CHECK: llvm.return %[[B]]
// CHECK-LABEL: llvm.func internal @main.s0_8(
// CHECK-SAME: tc.version_of = @main
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
// CHECK-LABEL: llvm.func internal @main.general(
tc.dispatch @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.case @main.s0_8 {
    tc.guard size_equal(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?xf32, #tc.sizes<[s0]>>
    tc.guard alignment(%x) {divisor = 64 : i64} : tensor<?xf32, #tc.sizes<[s0]>>
  }
  tc.otherwise @main.general
}
func.func @main.s0_8(%x: memref<8xf32>) attributes {tc.version_of = @main, tc.result_types = []} {
  return
}
func.func @main.general(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>], tc.version_of = @main, tc.result_types = []} {
  return
}
