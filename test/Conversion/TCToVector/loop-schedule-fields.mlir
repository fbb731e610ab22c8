// RUN: tc-opt %s --convert-tc-to-vector | FileCheck %s

// What each field of #tc.loop_schedule decides.

#i = affine_map<(d0) -> (d0)>
#ij = affine_map<(d0, d1) -> (d0, d1)>

// Points of one iteration, in whole vectors: the number of iterations and the fewest of a task follow.
// CHECK-LABEL: func.func @block
// CHECK: tc.launch @usual_0 count <2> grain <4>
// CHECK: tc.launch @short_1 count <79> grain <158>
// CHECK: tc.launch @whole_2 count <1> grain <2>
// CHECK: tc.launch @cheap_3 count <8> grain <2>
func.func @block(%x: memref<8192xf32>) {
  %y = tc.output_buffer 0 : memref<8192xf32>
  tc.kernel "usual" pointwise dims [#tc.dim<"i", parallel, 8192>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8> ins(%a = %x : memref<8192xf32>) outs(%o = %y : memref<8192xf32>) {
    %v = tc.read %a[#i] : memref<8192xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<8192xf32>
  }
  tc.kernel "short" pointwise dims [#tc.dim<"i", parallel, 8192>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, block = 100> ins(%a = %x : memref<8192xf32>) outs(%o = %y : memref<8192xf32>) {
    %v = tc.read %a[#i] : memref<8192xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<8192xf32>
  }
  tc.kernel "whole" pointwise dims [#tc.dim<"i", parallel, 8192>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, block = 0> ins(%a = %x : memref<8192xf32>) outs(%o = %y : memref<8192xf32>) {
    %v = tc.read %a[#i] : memref<8192xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<8192xf32>
  }
  tc.kernel "cheap" pointwise dims [#tc.dim<"i", parallel, 8192>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, block = 1024, task_points = 2048> ins(%a = %x : memref<8192xf32>) outs(%o = %y : memref<8192xf32>) {
    %v = tc.read %a[#i] : memref<8192xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<8192xf32>
  }
  return
}

// Lanes of a stride beyond max_stride are gathered, others loaded with what is between them.
// CHECK-LABEL: func.func private @gathered_4
// CHECK: llvm.intr.masked.gather
// CHECK-LABEL: func.func private @loaded_5
// CHECK-NOT: llvm.intr.masked.gather
// CHECK: llvm.intr.masked.load {{.*}} -> vector<64xf32>
func.func @stride(%x: memref<512xf32>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  tc.kernel "gathered" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, max_stride = 1> ins(%a = %x : memref<512xf32>) outs(%o = %y : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 2)>] : memref<512xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<64xf32>
  }
  tc.kernel "loaded" pointwise dims [#tc.dim<"i", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, max_stride = 8> ins(%a = %x : memref<512xf32>) outs(%o = %y : memref<64xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 * 8)>] : memref<512xf32> -> f32
    tc.write %v, %o[#i] : f32, memref<64xf32>
  }
  return
}

// The exponentials of a row are kept for the division, or computed again where the row is longer than kept_points or an
// exponential takes less than kept_weight.
// CHECK-LABEL: func.func private @kept_6
// CHECK: llvm.alloca
// CHECK-LABEL: func.func private @again_7
// CHECK-NOT: llvm.alloca
// CHECK-LABEL: func.func private @cheap_8
// CHECK-NOT: llvm.alloca
// CHECK: return
func.func @softmax(%x: memref<8x64xf32>) {
  %y = tc.output_buffer 0 : memref<8x64xf32>
  tc.kernel "kept" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8> ins(%a = %x : memref<8x64xf32>) outs(%o = %y : memref<8x64xf32>) {
    %v = tc.read %a[#ij] : memref<8x64xf32> -> f32
    %e = tc.exp %v : f32
    %s = tc.reduce_stage sum %e over [1] : f32 -> f32
    %q = tc.div %e, %s : f32
    tc.write %q, %o[#ij] : f32, memref<8x64xf32>
  }
  tc.kernel "again" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8, kept_points = 63> ins(%a = %x : memref<8x64xf32>) outs(%o = %y : memref<8x64xf32>) {
    %v = tc.read %a[#ij] : memref<8x64xf32> -> f32
    %e = tc.exp %v : f32
    %s = tc.reduce_stage sum %e over [1] : f32 -> f32
    %q = tc.div %e, %s : f32
    tc.write %q, %o[#ij] : f32, memref<8x64xf32>
  }
  tc.kernel "cheap" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8, kept_weight = 21> ins(%a = %x : memref<8x64xf32>) outs(%o = %y : memref<8x64xf32>) {
    %v = tc.read %a[#ij] : memref<8x64xf32> -> f32
    %e = tc.exp %v : f32
    %s = tc.reduce_stage sum %e over [1] : f32 -> f32
    %q = tc.div %e, %s : f32
    tc.write %q, %o[#ij] : f32, memref<8x64xf32>
  }
  return
}

// Truths are computed again, whatever kept_weight is: a vector of them has bits, a buffer bytes.
// CHECK-LABEL: func.func private @truths_9
// CHECK-NOT: x i1
// CHECK: llvm.alloca {{.*}} x f32
// CHECK-NOT: x i1
// CHECK: return
func.func @truths(%x: memref<8x64xf32>) {
  %y = tc.output_buffer 0 : memref<8x64xf32>
  tc.kernel "truths" row_reduction dims [#tc.dim<"i", parallel, 8>, #tc.dim<"j", parallel, 64>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 8, kept_weight = 1> ins(%a = %x : memref<8x64xf32>) outs(%o = %y : memref<8x64xf32>) {
    %v = tc.read %a[#ij] : memref<8x64xf32> -> f32
    %n = tc.neg %v : f32
    %t = tc.lt %n, %v : f32
    %c = tc.select %t, %v, %n : i1, f32
    %s = tc.reduce_stage sum %c over [1] : f32 -> f32
    %d = tc.select %t, %s, %c : i1, f32
    tc.write %d, %o[#ij] : f32, memref<8x64xf32>
  }
  return
}
