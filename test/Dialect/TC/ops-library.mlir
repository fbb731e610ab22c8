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
