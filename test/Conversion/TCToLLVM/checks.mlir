// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// Messages of the checks: symbols, expressions of them, guards, and an index
// that may be out of range, with its place in the user's program.
// CHECK: llvm.mlir.global internal constant @constant("\00\00\80?\00\00\00@") {addr_space = 0 : i32, alignment = 64 : i64}
// CHECK-LABEL: llvm.func @main
// CHECK-DAG: ("input 0 (x) is {0:input}, expected s0x8xf32\00")
// CHECK-DAG: ("s0, size 0 of input 0 (x), is {0}, expected at least 2\00")
// CHECK-DAG: ("s0, size 0 of input 0 (x), is {0}, expected at most 64\00")
// CHECK-DAG: ("size 0 of input 1 (y) is {0}, expected s0 * 2 = {1}\00")
// CHECK-DAG: ("size 0 of input 0 (x) is {0}, expected a multiple of 4 (from mark_dynamic)\00")
// CHECK-DAG: ("the address of input 0 (x) is {0}, expected a multiple of 64\00")
// CHECK-DAG: ("s0 * 2 - 6 is {0}, expected at least 0 (from x.size(0) > 2)\00")
// CHECK-DAG: ("input 0 (x) overlaps input 1 (y), expected separate memory\00")
// CHECK-DAG: ("an index is out of the range of the tensor it selects from\00")
// CHECK-DAG: ("model.py:17:3\00")
memref.global "private" constant @constant : memref<2xf32> = dense<[1.0, 2.0]>
func.func @main(%x: memref<?x8xf32, #tc.sizes<[s0, 8]>>, %y: memref<?xf32, #tc.sizes<[s0 * 2]>>)
    attributes {tc.signature = {inputs = ["x", "y"]}, tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard size_multiple(%x) {dim = 0 : i64, divisor = 4 : i64, origin = "mark_dynamic"} : memref<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard alignment(%x) {divisor = 64 : i64} : memref<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard scalar() {expr = #tc.expr<s0 * 2 - 6>, min = 0 : i64, max = 9223372036854775807 : i64, origin = "x.size(0) > 2"}
  tc.guard no_alias(%x, %y) : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<?xf32, #tc.sizes<[s0 * 2]>>
  %c = memref.get_global @constant : memref<2xf32>
  tc.launch @gather count <s0> grain <8>(%x, %c) sizes [#tc.expr<s0>] {may_fail} : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<2xf32> loc("model.py":17:3)
  return
}
func.func private @gather(%context: !llvm.ptr, %begin: i64, %end: i64) {
  return
}
