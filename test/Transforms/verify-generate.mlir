// RUN: tc-opt %s --tc-verify-generate | FileCheck %s

// A host function of buffers and launches, and its kernel.
// CHECK-LABEL: func.func @main
// CHECK: tc.launch @kernel
// CHECK: func.func private @kernel
func.func @main(%x: memref<4xf32>) {
  %a = tc.arena <64> : memref<?xi8>
  %b = tc.arena_view %a offset <0> : memref<?xi8> -> memref<4xf32>
  %o = tc.output_buffer 0 : memref<4xf32>
  tc.launch @kernel count <4> grain <1>(%x, %b) : memref<4xf32>, memref<4xf32>
  tc.launch @kernel count <4> grain <1>(%b, %o) : memref<4xf32>, memref<4xf32>
  return
}
func.func private @kernel(%context: !llvm.ptr, %begin: i64, %end: i64) {
  return
}
