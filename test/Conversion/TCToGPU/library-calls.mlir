// RUN: tc-opt %s --split-input-file --verify-diagnostics --convert-tc-to-gpu | FileCheck %s

// Kernels with a #tc.library_schedule are calls; others are launches.
// CHECK-LABEL: @main
// CHECK: tc.library_call "product" schedule <library = cublaslt, a = 1, b = 0, transpose_a = true, bias = 2, activation = relu, workspace = 512> batches <1> rows <256> columns <s0> reduced <64>
// CHECK-SAME: a(%{{.*}} : memref<256x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%{{.*}} : memref<?x100xf32, #tc.sizes<[s0, 100]>>) <pitch = <100>, batch_stride = <0>, offset = <20>>
// CHECK-SAME: bias(%{{.*}} : memref<256xf32>) d(%{{.*}} : memref<?x256xf32, #tc.sizes<[s0, 256]>>) <pitch = <256>, batch_stride = <0>, offset = <0>> workspace(%{{.*}} : memref<512xi8>)
// CHECK: tc.launch @neg_0
// CHECK-NOT: gpu.module @product
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @main(%x: memref<?x100xf32, #tc.sizes<[s0, 100]>>, %y: memref<256x64xf32>, %z: memref<256xf32>)
      attributes {tc.symbols = [#tc.symbol<"s0", min = 64, max = 4096>]} {
    %e = tc.output_buffer 0 : memref<?x256xf32, #tc.sizes<[s0, 256]>>
    %m = tc.arena <512> : memref<512xi8>
    tc.kernel "product" contraction dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true, bias = 2, activation = relu, workspace = 512> ins(%a = %x : memref<?x100xf32, #tc.sizes<[s0, 100]>>, %b = %y : memref<256x64xf32>, %c = %z : memref<256xf32>) outs(%o = %e : memref<?x256xf32, #tc.sizes<[s0, 256]>>) workspace(%w = %m : memref<512xi8>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2 + 20)>] : memref<?x100xf32, #tc.sizes<[s0, 100]>> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : memref<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %r = tc.read %c[affine_map<(d0, d1, d2) -> (d1)>] : memref<256xf32> -> f32
      %t = tc.add %s, %r : f32
      %u = tc.relu %t : f32
      tc.write %u, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, memref<?x256xf32, #tc.sizes<[s0, 256]>>
    }
    %n = tc.output_buffer 1 : memref<256xf32>
    tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 256>] schedule #tc.gpu_loop_schedule<threads = 256> ins(%a = %z : memref<256xf32>) outs(%o = %n : memref<256xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<256xf32> -> f32
      %w = tc.neg %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, memref<256xf32>
    }
    return
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @tensors(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op is on tensors; expected memrefs (run the bufferize phase first)}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}
