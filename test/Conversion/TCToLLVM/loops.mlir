// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// A loop goes back to where its condition is made and reads it from memory.
// Sizes that its regions need are computed in front of it.
// CHECK-LABEL: llvm.func @main(
// CHECK: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i64)
// CHECK: %[[MORE:.*]] = llvm.add %[[SEVEN]], %{{.*}} : i64
// CHECK: llvm.br ^[[HEAD:bb[0-9]+]]
// CHECK: ^[[HEAD]]:
// CHECK: llvm.call @condition(
// CHECK: %[[FLAG:.*]] = llvm.load %{{.*}} : !llvm.ptr -> i8
// CHECK: %[[HOLDS:.*]] = llvm.icmp "ne" %[[FLAG]], %{{.*}} : i8
// CHECK: llvm.cond_br %[[HOLDS]], ^[[BODY:bb[0-9]+]], ^[[NEXT:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK: llvm.store %[[MORE]], %{{.*}} : i64, !llvm.ptr
// CHECK: llvm.call @body(
// CHECK: llvm.br ^[[HEAD]]
// CHECK: ^[[NEXT]]:
// CHECK: llvm.call @behind(
func.func @main(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  %arena = tc.arena <64> : memref<64xi8>
  %c = tc.arena_view %arena offset <0> : memref<64xi8> -> memref<i1>
  tc.while {
    tc.launch @condition count <1> grain <1>(%c) : memref<i1>
    tc.yield %c : memref<i1>
  } do {
    tc.launch @body count <1> grain <1>(%x, %y) sizes [#tc.expr<s0 + 7>] : memref<?xf32, #tc.sizes<[s0]>>, memref<?xf32, #tc.sizes<[s0]>>
  }
  tc.launch @behind count <1> grain <1>(%x, %y) sizes [#tc.expr<s0 + 7>] : memref<?xf32, #tc.sizes<[s0]>>, memref<?xf32, #tc.sizes<[s0]>>
  return
}
func.func private @condition(%context: !llvm.ptr, %begin: i64, %end: i64)
func.func private @body(%context: !llvm.ptr, %begin: i64, %end: i64)
func.func private @behind(%context: !llvm.ptr, %begin: i64, %end: i64)
