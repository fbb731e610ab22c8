// Kernels that are given an input's buffer to write to, whatever the passes would do.
// RUN: tc-run %s --function=kept --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=again --random-inputs=1 --check --benchmark_min_time=0.01 --threads=8
// RUN: tc-run %s --function=two_loops --random-inputs=1 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=blocks --random-inputs=1 --size=s0=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=blocks --random-inputs=1 --size=s0=203 --check --benchmark_min_time=0.01 --threads=2
// RUN: tc-run %s --function=strided --random-inputs=1 --check --benchmark_min_time=0.01 --threads=8

module attributes {tc.phase = "bufferize"} {

// The second write needs an element that the first, which takes kept values, is
// stored at.
func.func @kept(%x: memref<53x205xf32>) attributes {tc.result_types = [tensor<53x205xf32>, tensor<53x205xf32>]} {
  %0 = tc.output_buffer 0 : memref<53x205xf32>
  %1 = tc.output_buffer 1 : memref<53x205xf32>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>] ins(%i = %x : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<53x205xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  tc.kernel "softmax" row_reduction dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, unroll = 4, grain = 1> ins(%i = %0 : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>, %p = %1 : memref<53x205xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<53x205xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %d = tc.sub %v, %m : f32
    %e = tc.exp %d : f32
    %s = tc.reduce_stage sum %e over [1] : f32 -> f32
    %q = tc.div %e, %s : f32
    tc.write %q, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
    %n = tc.neg %v : f32
    tc.write %n, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  return
}

// The same without a stage: the element is loaded once.
func.func @again(%x: memref<53x205xf32>) attributes {tc.result_types = [tensor<53x205xf32>, tensor<53x205xf32>]} {
  %0 = tc.output_buffer 0 : memref<53x205xf32>
  %1 = tc.output_buffer 1 : memref<53x205xf32>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>] ins(%i = %x : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<53x205xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  tc.kernel "two" pointwise dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, unroll = 4, grain = 1> ins(%i = %0 : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>, %p = %1 : memref<53x205xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<53x205xf32> -> f32
    %e = tc.exp %v : f32
    tc.write %e, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
    %n = tc.neg %v : f32
    tc.write %n, %p[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  return
}

// Loops before that of the write read other elements of the row.
func.func @two_loops(%x: memref<53x205xf32>) attributes {tc.result_types = [tensor<53x205xf32>, tensor<53x3xf32>]} {
  %0 = tc.output_buffer 0 : memref<53x205xf32>
  %1 = tc.output_buffer 1 : memref<53x3xf32>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>] ins(%i = %x : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<53x205xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  tc.kernel "two" row_reduction dims [#tc.dim<"i", parallel, 53>, #tc.dim<"j", parallel, 205>, #tc.dim<"k", parallel, 3>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, unroll = 4, grain = 1> ins(%i = %0 : memref<53x205xf32>) outs(%o = %0 : memref<53x205xf32>, %p = %1 : memref<53x3xf32>) {
    %u = tc.read %i[affine_map<(d0, d1, d2) -> (d0, 204 - d2)>] : memref<53x205xf32> -> f32
    %n = tc.neg %u : f32
    tc.write %n, %p[affine_map<(d0, d1, d2) -> (d0, d2)>] : f32, memref<53x3xf32>
    %v = tc.read %i[affine_map<(d0, d1, d2) -> (d0, d1)>] : memref<53x205xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %r = tc.reduce_stage max %u over [2] : f32 -> f32
    %d = tc.sub %v, %m : f32
    %t = tc.add %d, %r : f32
    tc.write %t, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<53x205xf32>
  }
  return
}

// An iteration is a block of columns, the last of them a part.
func.func @blocks(%x: memref<37x?xf32, #tc.sizes<[37, s0]>>) attributes {tc.result_types = [tensor<37x?xf32, #tc.sizes<[37, s0]>>], tc.symbols = [#tc.symbol<"s0", min = 1, max = 4096>]} {
  %0 = tc.output_buffer 0 : memref<37x?xf32, #tc.sizes<[37, s0]>>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, 37>, #tc.dim<"j", parallel, s0>] ins(%i = %x : memref<37x?xf32, #tc.sizes<[37, s0]>>) outs(%o = %0 : memref<37x?xf32, #tc.sizes<[37, s0]>>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<37x?xf32, #tc.sizes<[37, s0]>> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<37x?xf32, #tc.sizes<[37, s0]>>
  }
  tc.kernel "columns" column_reduction dims [#tc.dim<"i", parallel, 37>, #tc.dim<"j", parallel, s0>] schedule #tc.loop_schedule<vector_dim = 1, vector_width = 16, unroll = 4, grain = 1> ins(%i = %0 : memref<37x?xf32, #tc.sizes<[37, s0]>>) outs(%o = %0 : memref<37x?xf32, #tc.sizes<[37, s0]>>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<37x?xf32, #tc.sizes<[37, s0]>> -> f32
    %m = tc.reduce_stage max %v over [0] : f32 -> f32
    %d = tc.sub %v, %m : f32
    %e = tc.exp %d : f32
    %s = tc.reduce_stage sum %e over [0] : f32 -> f32
    %q = tc.div %e, %s : f32
    tc.write %q, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<37x?xf32, #tc.sizes<[37, s0]>>
  }
  return
}

// Lanes three elements apart are loaded with what other threads write between
// them.
func.func @strided(%x: memref<331x3xf32>) attributes {tc.result_types = [tensor<331x3xf32>]} {
  %0 = tc.output_buffer 0 : memref<331x3xf32>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, 331>, #tc.dim<"j", parallel, 3>] ins(%i = %x : memref<331x3xf32>) outs(%o = %0 : memref<331x3xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<331x3xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<331x3xf32>
  }
  tc.kernel "lanes" row_reduction dims [#tc.dim<"i", parallel, 331>, #tc.dim<"j", parallel, 3>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16, grain = 1> ins(%i = %0 : memref<331x3xf32>) outs(%o = %0 : memref<331x3xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0, d1)>] : memref<331x3xf32> -> f32
    %m = tc.reduce_stage max %v over [1] : f32 -> f32
    %d = tc.sub %v, %m : f32
    tc.write %d, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<331x3xf32>
  }
  return
}

}
