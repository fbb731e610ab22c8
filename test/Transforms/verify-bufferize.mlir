// RUN: tc-opt %s --tc-verify-bufferize | FileCheck %s

// Views that are never live together may lie on each other.
// CHECK-LABEL: func.func @shared(
func.func @shared(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <128> : memref<128xi8>
  %a = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<16xf32>
  %b = tc.arena_view %arena offset <64> : memref<128xi8> -> memref<16xf32>
  %c = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<16xf32>) {}
  tc.kernel "k2" pointwise dims [] ins(%i = %a : memref<16xf32>) outs(%o = %b : memref<16xf32>) {}
  tc.kernel "k3" pointwise dims [] ins(%i = %b : memref<16xf32>) outs(%o = %c : memref<16xf32>) {}
  tc.kernel "k4" pointwise dims [] ins(%i = %c : memref<16xf32>) outs(%o = %y : memref<16xf32>) {}
  return
}
