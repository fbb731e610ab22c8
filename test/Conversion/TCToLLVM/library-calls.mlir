// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// The host hands the runtime a constant description of the product, and addresses, sizes, pitches and strides.
// CHECK-LABEL: llvm.func @main
// CHECK: llvm.mlir.addressof @tc_product_0
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.mlir.global internal constant @tc_product_0() {{.*}} !llvm.struct<(i64, ptr, i64, i32, i32, i32, i32, f32, i32)> {
// CHECK: llvm.mlir.constant(48 : i64)
// CHECK: llvm.mlir.constant(512 : i64)
// CHECK: llvm.mlir.constant(0 : i32)
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(9 : i32)
// CHECK: llvm.mlir.constant(5.000000e-01 : f32)
module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @main(%x: memref<?x100xbf16, #tc.sizes<[s0, 100]>>, %w: memref<256x64xbf16>)
      attributes {tc.symbols = [#tc.symbol<"s0", min = 64, max = 4096>]} {
    %y = tc.output_buffer 0 : memref<?x256xf32, #tc.sizes<[s0, 256]>>
    %m = tc.arena <512> : memref<512xi8>
    tc.library_call "product" schedule <library = cublaslt, a = 1, b = 0, transpose_a = true, activation = gelu_tanh, scale = 5.000000e-01 : f32, workspace = 512> batches <1> rows <256> columns <s0> reduced <64> a(%w : memref<256x64xbf16>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<?x100xbf16, #tc.sizes<[s0, 100]>>) <pitch = <100>, batch_stride = <0>, offset = <20>> d(%y : memref<?x256xf32, #tc.sizes<[s0, 256]>>) <pitch = <256>, batch_stride = <0>, offset = <0>> workspace(%m : memref<512xi8>)
    return
  }
}
