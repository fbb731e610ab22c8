// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(convert-kernel-to-nvvm))" | FileCheck %s

// Thread numbers, barriers and shuffles become NVVM ops, functions of one argument LLVM's intrinsics and not libdevice's.
// CHECK: llvm.func @exchange(%{{.*}}: !llvm.ptr) attributes {{{.*}}nvvm.kernel, nvvm.maxntid = array<i32: 64, 1, 1>}
// CHECK: nvvm.read.ptx.sreg.tid.x
// CHECK: llvm.intr.fabs
// CHECK: nvvm.shfl.sync bfly
// CHECK: nvvm.barrier
// CHECK-NOT: __nv_
gpu.module @exchange {
  gpu.func @exchange(%p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    %one = arith.constant 1 : i32
    %width = arith.constant 32 : i32
    %t = gpu.thread_id x
    %i = arith.index_cast %t : index to i64
    %at = llvm.getelementptr %p[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
    %x = llvm.load %at : !llvm.ptr -> f32
    %a = math.absf %x : f32
    %other, %valid = gpu.shuffle xor %a, %one, %width : f32
    gpu.barrier
    llvm.store %other, %at : f32, !llvm.ptr
    gpu.return
  }
}

// The maximum of two floats is an instruction, and ops that LLVM has no intrinsic for become their text in PTX.
// CHECK-LABEL: llvm.func @copy(
// CHECK: llvm.intr.maxnum
// CHECK-NOT: __nv_
// CHECK: llvm.inline_asm has_side_effects {{.*}}mbarrier.try_wait.parity
gpu.module @copy {
  gpu.func @copy(%p: !llvm.ptr, %barrier: !llvm.ptr<3>, %x: f32, %y: f32) kernel {
    %parity = arith.constant 0 : i32
    %ticks = arith.constant 1000 : i32
    %z = arith.maxnumf %x, %y : f32
    llvm.store %z, %p : f32, !llvm.ptr
    nvvm.mbarrier.try_wait.parity %barrier, %parity, %ticks : !llvm.ptr<3>, i32, i32
    gpu.return
  }
}

// What a kernel is given by value, a tensor map, is a constant of the launch; bounds stay.
// CHECK-LABEL: llvm.func @load(
// CHECK-SAME: %{{.*}}: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant}, %{{.*}}: !llvm.ptr)
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 32, 1, 1>, nvvm.minctasm = 1 : i32
gpu.module @load {
  gpu.func @load(%map: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>}, %p: !llvm.ptr) kernel attributes {known_block_size = array<i32: 32, 1, 1>, nvvm.cluster_dim = array<i32: 2, 1, 1>, nvvm.minctasm = 1 : i32} {
    nvvm.prefetch tensormap, %map : !llvm.ptr
    gpu.return
  }
}
