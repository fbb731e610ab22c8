// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of calls of libraries.

// CHECK-LABEL: @product
func.func @product(%x: memref<?x32xf32, #tc.sizes<[s0, 32]>>, %w: memref<32x64xf32>, %b: memref<64xf32>, %y: memref<?x64xf32, #tc.sizes<[s0, 64]>>, %m: memref<512xi8>) {
  // CHECK: tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <s0> reduced <32> a(%{{.*}} : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%{{.*}} : memref<?x32xf32, #tc.sizes<[s0, 32]>>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%{{.*}} : memref<?x64xf32, #tc.sizes<[s0, 64]>>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <s0> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<?x32xf32, #tc.sizes<[s0, 32]>>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%y : memref<?x64xf32, #tc.sizes<[s0, 64]>>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  // CHECK: tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0, bias = 2, activation = relu, scale = 5.000000e-01 : f32, workspace = 512> {{.*}} bias(%{{.*}} : memref<64xf32>) d(%{{.*}} : memref<?x64xf32, #tc.sizes<[s0, 64]>>) <pitch = <64>, batch_stride = <0>, offset = <0>> workspace(%{{.*}} : memref<512xi8>)
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0, bias = 2, activation = relu, scale = 5.000000e-01 : f32, workspace = 512> batches <1> rows <64> columns <s0> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<?x32xf32, #tc.sizes<[s0, 32]>>) <pitch = <32>, batch_stride = <0>, offset = <0>> bias(%b : memref<64xf32>) d(%y : memref<?x64xf32, #tc.sizes<[s0, 64]>>) <pitch = <64>, batch_stride = <0>, offset = <0>> workspace(%m : memref<512xi8>)
  return
}

// CHECK-LABEL: @convolution
func.func @convolution(%x: memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>, %m: memref<512xi8>) {
  // CHECK: tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%{{.*}} : memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>) filters(%{{.*}} : memref<16x3x3x8xbf16>) result(%{{.*}} : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>)
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>)
  // CHECK: tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, addend = 3, relu = true, scale = 5.000000e-01 : f32, channels_last = true, workspace = 512> {{.*}} bias(%{{.*}} : memref<16xbf16>) addend(%{{.*}} : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>) result(%{{.*}}) workspace(%{{.*}} : memref<512xi8>)
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, addend = 3, relu = true, scale = 5.000000e-01 : f32, channels_last = true, workspace = 512> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>) filters(%w : memref<16x3x3x8xbf16>) bias(%b : memref<16xbf16>) addend(%y : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>) result(%y : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>) workspace(%m : memref<512xi8>)
  return
}
