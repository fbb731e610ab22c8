// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s
// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s --check-prefix=BLOCK
// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s --check-prefix=BRANCH

// The tensor maps of a launch are described once: offset of the map and of its source in the argument block, element
// type, rank, box from the innermost dimension, swizzle, flags, window. The maps come before the kernel's other arguments.
// CHECK: llvm.mlir.global internal constant @k_tensor_maps(dense<[0, 288, 3, 2, 64, 128, 0, 0, 0, 128, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 128, 320, 1, 3, 16, 8, 1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]> : tensor<40xi32>)
// CHECK-LABEL: llvm.mlir.global internal constant @k_descriptor()
// CHECK: llvm.mlir.addressof @k_tensor_maps
// CHECK-DAG: llvm.mlir.constant(2 : i32) : i32
// CHECK-DAG: llvm.mlir.constant(288 : i32) : i32

// Pixels of images: lower and upper places and steps of the window, from the innermost dimension of pixels.
// CHECK: llvm.mlir.global internal constant @w_tensor_maps(dense<[0, {{[0-9]+}}, 3, 4, 64, 128, 0, 0, 0, 128, 4, -1, 0, 0, -2, -3, 0, 2, 1, 0]> : tensor<20xi32>)

// Behind what the kernel sees are the sources: the address, the sizes, and the strides in bytes of all but the
// innermost dimension.
// BLOCK-LABEL: llvm.func @main(
// BLOCK: %[[BLOCK:.*]] = llvm.alloca %{{.*}} x i64 {alignment = 64 : i64} : (i64) -> !llvm.ptr
// BLOCK: llvm.getelementptr %[[BLOCK]][32] :
// BLOCK: llvm.getelementptr %[[BLOCK]][33] :
// BLOCK: llvm.getelementptr %[[BLOCK]][34] :
// BLOCK: llvm.getelementptr %[[BLOCK]][35] :
// The first: bf16, s0 rows of 64.
// BLOCK: %[[SOURCE:.*]] = llvm.getelementptr %[[BLOCK]][36] :
// BLOCK-NEXT: llvm.store %{{.*}}, %[[SOURCE]] : !llvm.ptr, !llvm.ptr
// BLOCK: %[[WIDTH:.*]] = llvm.mlir.constant(64 : i64) : i64
// BLOCK: llvm.getelementptr %[[BLOCK]][37] :
// BLOCK: llvm.store %[[WIDTH]], %{{.*}} : i64, !llvm.ptr
// BLOCK: llvm.getelementptr %[[BLOCK]][38] :
// BLOCK: %[[PITCH:.*]] = llvm.mlir.constant(128 : i64) : i64
// BLOCK: llvm.getelementptr %[[BLOCK]][39] :
// BLOCK: llvm.store %[[PITCH]], %{{.*}} : i64, !llvm.ptr
// The second: f32, row-major [4, 8, 64].
// BLOCK: llvm.getelementptr %[[BLOCK]][40] :
// BLOCK: llvm.getelementptr %[[BLOCK]][45] :
// BLOCK-NOT: llvm.getelementptr %[[BLOCK]][46] :
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  gpu.binary @k [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of k">]
  func.func @main(%x: memref<?x64xbf16, #tc.sizes<[s0, 64]>>) attributes {tc.signature = {inputs = ["x"]}, tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %o = tc.output_buffer 0 : memref<4x8x64xf32>
    tc.launch @k count <4> grain <1> (%x, %o) sizes [#tc.expr<s0>] tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [128, 64], swizzle = 128, realigns = true>, #tc.tensor_map<buffer = 1, sizes = <[4, 8, 64]>, box = [1, 8, 16], realigns = true, written = true>] {threads = 96 : i64} : memref<?x64xbf16, #tc.sizes<[s0, 64]>>, memref<4x8x64xf32>
    return
  }
  // What a branch needs of sizes and strides is computed ahead of it, and once for the launch behind it too.
  // BRANCH-LABEL: llvm.func @branch(
  // BRANCH: %[[PITCH:.*]] = llvm.mul %{{.*}}, %{{.*}} : i64
  // BRANCH: llvm.cond_br
  // BRANCH: llvm.store %[[PITCH]], %{{.*}} : i64, !llvm.ptr
  // BRANCH: llvm.store %[[PITCH]], %{{.*}} : i64, !llvm.ptr
  func.func @branch(%x: memref<8x?xbf16, #tc.sizes<[8, s0 * 8]>>, %c: memref<i1>) attributes {tc.signature = {inputs = ["x", "c"]}, tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    tc.if %c : memref<i1> {
      tc.launch @j count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[8, s0 * 8]>, box = [8, 8]>] {threads = 96 : i64} : memref<8x?xbf16, #tc.sizes<[8, s0 * 8]>>
      tc.yield
    } else {
      tc.yield
    }
    tc.launch @j count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[8, s0 * 8]>, box = [8, 8]>] {threads = 96 : i64} : memref<8x?xbf16, #tc.sizes<[8, s0 * 8]>>
    return
  }
  gpu.binary @j [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of j">]
  gpu.binary @w [#gpu.object<#nvvm.target<chip = "sm_90a">, assembly = "PTX of w">]
  func.func @window(%x: memref<2x6x8x64xbf16>) attributes {tc.signature = {inputs = ["x"]}} {
    tc.launch @w count <4> grain <1> (%x) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[2, 6, 8, 64]>, box = [128, 64], swizzle = 128, window = <lower = [0, -1], upper = [-3, -2], steps = [1, 2]>>] {threads = 96 : i64} : memref<2x6x8x64xbf16>
    return
  }
}
