// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// Strides are checked on entry; what a strided input reaches over ends with its last element.
// CHECK-LABEL: llvm.func @strided
// CHECK-DAG: ("input 0 is {0:input} with strides {0:strides}, expected strides [p, 1]: pass a copy with these strides\00")
// CHECK-DAG: ("input 1 is {0:input} with strides {0:strides}, expected row-major memory: pass a contiguous copy\00")
// CHECK-DAG: ("p, stride 0 of input 0, is {0}, expected at least 1\00")
// CHECK-DAG: ("input 0 overlaps input 1, expected separate memory\00")
func.func @strided(%x: memref<?x8xf32, #tc.sizes<[s0, 8]>> {tc.strides = [#tc.expr<p>, #tc.expr<1>]}, %y: memref<4x8xf32>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"p", min = 1, max = 100>]} {
  tc.guard no_alias(%x, %y) : memref<?x8xf32, #tc.sizes<[s0, 8]>>, memref<4x8xf32>
  %0 = tc.input_storage %x : memref<?x8xf32, #tc.sizes<[s0, 8]>> -> memref<?x?xf32, #tc.sizes<[s0, p]>>
  return
}
