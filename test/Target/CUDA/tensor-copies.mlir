// RUN: split-file %s %t
// RUN: tc-run %t/program.mlir --random-inputs=1 --size=s0=5 --output=@%t/expected.npy
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %t/launch.mlir --random-inputs=1 --size=s0=5 --device=cuda --expected_output=@%t/expected.npy --tolerance=0,0
// RUN: tc-run %t/program.mlir --random-inputs=1 --size=s0=8 --output=@%t/expected.npy
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %t/launch.mlir --random-inputs=1 --size=s0=8 --device=cuda --expected_output=@%t/expected.npy --tolerance=0,0

// A transpose by copies of boxes alone: the view that is read has strides, the number of rows is known at the call, and
// a box that ends behind the last row is stored without what is beyond.

//--- program.mlir
func.func @main(%x: tensor<?x2x16xf32, #tc.sizes<[s0, 2, 16]>>) -> tensor<2x?x16xf32, #tc.sizes<[2, s0, 16]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %0 = tc.transpose %x [1, 0, 2] : tensor<?x2x16xf32, #tc.sizes<[s0, 2, 16]>> -> tensor<2x?x16xf32, #tc.sizes<[2, s0, 16]>>
  return %0 : tensor<2x?x16xf32, #tc.sizes<[2, s0, 16]>>
}

//--- launch.mlir
module attributes {tc.phase = "generate", tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @main(%x: memref<?x2x16xf32, #tc.sizes<[s0, 2, 16]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
    %o = tc.output_buffer 0 : memref<2x?x16xf32, #tc.sizes<[2, s0, 16]>>
    tc.launch @copy count <((s0 + 3) floordiv 4) * 2> grain <1> (%x, %o) tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[2, s0, 16]>, strides = <[16, 32, 1]>, box = [1, 4, 16], swizzle = 64>, #tc.tensor_map<buffer = 1, sizes = <[2, s0, 16]>, box = [1, 4, 16], swizzle = 64>] {threads = 32 : i64, shared_bytes = 1024 : i64} : memref<?x2x16xf32, #tc.sizes<[s0, 2, 16]>>, memref<2x?x16xf32, #tc.sizes<[2, s0, 16]>>
    return
  }
  gpu.module @copy [#nvvm.target<chip = "sm_90a", features = "+ptx86">] {
    llvm.mlir.global external @shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
    gpu.func @copy(%from: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %to: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %x: !llvm.ptr, %o: !llvm.ptr, %status: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %zero = arith.constant 0 : i32
      %one = arith.constant 1 : i32
      %rows = arith.constant 4 : i32
      %bytes = arith.constant 256 : i32
      %ticks = arith.constant 1000000 : i32
      %box = llvm.mlir.addressof @shared : !llvm.ptr<3>
      %barrier = llvm.getelementptr %box[512] : (!llvm.ptr<3>) -> !llvm.ptr<3>, i8
      %thread = nvvm.read.ptx.sreg.tid.x : i32
      %block = nvvm.read.ptx.sreg.ctaid.x : i32
      %head = arith.andi %block, %one : i32
      %number = arith.shrui %block, %one : i32
      %row = arith.muli %number, %rows : i32
      %first = arith.cmpi eq, %thread, %zero : i32
      scf.if %first {
        nvvm.mbarrier.init %barrier, %one : !llvm.ptr<3>, i32
        nvvm.fence.mbarrier.init
        nvvm.mbarrier.arrive.expect_tx %barrier, %bytes : !llvm.ptr<3>, i32
        nvvm.cp.async.bulk.tensor.shared.cluster.global %box, %from, %barrier, box[%zero, %row, %head] {isCTAOnly = true} : !llvm.ptr<3>, !llvm.ptr
        nvvm.mbarrier.try_wait.parity %barrier, %zero, %ticks : !llvm.ptr<3>, i32, i32
        nvvm.cp.async.bulk.tensor.global.shared.cta %to, %box, box[%zero, %row, %head] : !llvm.ptr, !llvm.ptr<3>
        nvvm.cp.async.bulk.commit.group
        nvvm.cp.async.bulk.wait_group 0
      }
      gpu.return
    }
  }
}
