// RUN: tc-opt %s --convert-tc-to-gpu | FileCheck %s

// A kernel with a #tc.convolution_library_schedule is a call with what its body says of the convolution.
// CHECK-LABEL: @main
// CHECK: tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, addend = 3, relu = true, channels_last = true, workspace = 8192> groups 2 stride [2, 2] padding [1, 1] dilation [1, 1]
// CHECK-SAME: images(%{{.*}} : memref<2x9x7x8xbf16>) filters(%{{.*}} : memref<16x3x3x4xbf16>) bias(%{{.*}} : memref<16xbf16>) addend(%{{.*}} : memref<2x5x4x16xbf16>) result(%{{.*}} : memref<2x5x4x16xbf16>) workspace(%{{.*}} : memref<8192xi8>)
// CHECK-NOT: gpu.module
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
func.func @main(%x: memref<2x9x7x8xbf16>, %w: memref<16x3x3x4xbf16>, %b: memref<16xbf16>, %z: memref<2x5x4x16xbf16>) {
  %e = tc.output_buffer 0 : memref<2x5x4x16xbf16>
    %m = tc.arena <8192> : memref<8192xi8>
  tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"g", parallel, 2>, #tc.dim<"o", parallel, 8>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 4>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, addend = 3, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : memref<2x9x7x8xbf16>, %kw = %w : memref<16x3x3x4xbf16>, %kb = %b : memref<16xbf16>, %kz = %z : memref<2x5x4x16xbf16>) outs(%ky = %e : memref<2x5x4x16xbf16>) workspace(%space = %m : memref<8192xi8>) {
    %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3 * 2 + d6 - 1, d4 * 2 + d7 - 1, d1 * 4 + d5)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6, d7) : (d3 * 2 + d6 - 1 >= 0, 8 - (d3 * 2 + d6 - 1) >= 0, d4 * 2 + d7 - 1 >= 0, 6 - (d4 * 2 + d7 - 1) >= 0)> : memref<2x9x7x8xbf16> -> bf16
    %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 8 + d2, d6, d7, d5)>] : memref<16x3x3x4xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [5, 6, 7] : bf16, bf16 -> f32
    %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 8 + d2)>] : memref<16xbf16> -> bf16
    %fb = tc.cast %rb : bf16 to f32
    %v = tc.add %s, %fb : f32
    %rz = tc.read %kz[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3, d4, d1 * 8 + d2)>] : memref<2x5x4x16xbf16> -> bf16
    %fz = tc.cast %rz : bf16 to f32
    %u = tc.add %v, %fz : f32
    %l = tc.relu %u : f32
    %t = tc.cast %l : f32 to bf16
    tc.write %t, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3, d4, d1 * 8 + d2)>] : bf16, memref<2x5x4x16xbf16>
  }
  return
}
}
