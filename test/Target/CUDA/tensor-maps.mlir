// RUN: rm -f %t.log
// RUN: env LD_LIBRARY_PATH=%stand_in_driver STAND_IN_LOG=%t.log tc-run %s --random-inputs=0 --size=s0=6 --device=cuda --output=
// RUN: FileCheck %s --input-file=%t.log

// The runtime makes the tensor maps of a launch from the addresses and sizes of the call, in each call, and the kernel
// is given them by value, before its buffers. Sizes, boxes and windows are from the innermost dimension.
// CHECK: cuTensorMapEncodeTiled(memory [[X:[0-9]+]], type 9, swizzle 3, 64 of 64, 16 of 6)
// CHECK-NEXT: cuTensorMapEncodeTiled(memory [[O:[0-9]+]], type 9, swizzle 0, 8 of 64, 4 of 3, 1 of 2)
// CHECK-NEXT: cuTensorMapEncodeIm2col(memory [[X]], type 9, swizzle 3, 64 channels, 16 places, -1 to -2 by 2, 0 to -3 by 1)
// CHECK-NEXT: cuLaunchKernel(copy, 6 x 32, 128 bytes, 128 bytes, 128 bytes, memory [[X]], memory [[O]], 6, 0)
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @main(%x: memref<?x64xbf16, #tc.sizes<[s0, 64]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 6, max = 6>]} {
    %o = tc.output_buffer 0 : memref<6x64xbf16>
    tc.launch @copy count <s0> grain <1> (%x, %o) sizes [#tc.expr<s0>] tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 64]>, box = [16, 64], swizzle = 128>, #tc.tensor_map<buffer = 1, sizes = <[2, 3, 64]>, box = [1, 4, 8]>, #tc.tensor_map<buffer = 0, sizes = <[1, 6, 1, 64]>, box = [16, 64], swizzle = 128, window = <lower = [0, -1], upper = [-3, -2], steps = [1, 2]>>] {threads = 32 : i64} : memref<?x64xbf16, #tc.sizes<[s0, 64]>>, memref<6x64xbf16>
    return
  }
  gpu.module @copy [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
    gpu.func @copy(%from: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %to: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %under: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %x: !llvm.ptr, %o: !llvm.ptr, %size: i64, %status: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      nvvm.prefetch tensormap, %from : !llvm.ptr
      nvvm.prefetch tensormap, %to : !llvm.ptr
      gpu.return
    }
  }
}
