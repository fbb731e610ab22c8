// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// The host hands the runtime a constant description of the convolution, and addresses and sizes.
// CHECK-LABEL: llvm.func @main
// CHECK: llvm.mlir.addressof @tc_convolution_0
// CHECK: llvm.call %{{.*}}(%{{.*}}, %{{.*}}, %{{.*}}) : !llvm.ptr, (!llvm.ptr, !llvm.ptr, !llvm.ptr) -> i32
// CHECK: llvm.mlir.global internal constant @tc_convolution_0() {{.*}} !llvm.struct<(i64, ptr, i64, i32, i32, i32, f32, i32, i32, i64, i64, i64, i64, i64, i64, i64, i64, i64, i64)> {
// CHECK: llvm.mlir.constant(128 : i64)
// CHECK: llvm.mlir.constant(512 : i64)
// CHECK: llvm.mlir.constant(1 : i32)
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.constant(3 : i32)
// CHECK: llvm.mlir.constant(5.000000e-01 : f32)
// CHECK: llvm.mlir.constant(2 : i32)
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @main(%x: memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>)
      attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 64>]} {
    %y = tc.output_buffer 0 : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>
    %m = tc.arena <512> : memref<512xi8>
    tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, relu = true, scale = 5.000000e-01 : f32, channels_last = true, workspace = 512> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<?x9x9x8xbf16, #tc.sizes<[n, 9, 9, 8]>>) filters(%w : memref<16x3x3x8xbf16>) bias(%b : memref<16xbf16>) result(%y : memref<?x9x9x16xbf16, #tc.sizes<[n, 9, 9, 16]>>) workspace(%m : memref<512xi8>)
    return
  }
}
