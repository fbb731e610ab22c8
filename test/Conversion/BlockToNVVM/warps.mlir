// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(convert-block-to-nvvm))" | FileCheck %s

// Threads start copies, which the barrier of the stage waits for; before sm_90 those that wait at it ask again and again.
// CHECK-LABEL: gpu.module @fill
// CHECK: nvvm.mbarrier.init %{{.*}}, %{{.*}} : !llvm.ptr<3>, i32
// CHECK-NOT: nvvm.fence.mbarrier.init
// CHECK: llvm.inline_asm has_side_effects {{.*}}"{ .reg .pred p; WAIT: mbarrier.test_wait.parity.shared.b64 p, [$0], $1; @p bra.uni DONE; bra.uni WAIT; DONE: }", "r,r,~{memory}"
// CHECK: %[[SWIZZLED:.*]] = arith.xori %arg2, %{{.*}} : i32
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 16, cache = cg, %arg3
// CHECK: nvvm.cp.async.shared.global %{{.*}}, %{{.*}}, 8, cache = ca, %arg3
// CHECK: nvvm.cp.async.mbarrier.arrive %{{.*}} : !llvm.ptr<3>
// CHECK-NEXT: nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{$r0}];"
// CHECK-NOT: block.
gpu.module @fill [#nvvm.target<chip = "sm_80">] {
  gpu.func @fill(%from: !llvm.ptr, %row: i32, %unit: i32, %n: i32) kernel {
    %p = block.pipeline at 0 consumers 4 producers 128 : !block.pipeline<2, 24576>
    %s = block.first_slot : !block.slot
    block.await_empty %p, %s : !block.pipeline<2, 24576>
    block.copy_part %from present %n to %p, %s at 8192 row %row unit %unit size 16 part 0 : !block.pipeline<2, 24576>
    block.copy_part %from present %n to %p, %s at 8192 row %row unit %unit size 8 part 1 : !block.pipeline<2, 24576>
    block.give_copies %p, %s : !block.pipeline<2, 24576>
    gpu.return
  }
}

// For each 16 of the depth a warp loads two tiles of rows, and multiplies each by every 8 columns, of which it loads 16 at once.
// CHECK-LABEL: gpu.module @multiply
// CHECK-COUNT-2: nvvm.ldmatrix %{{.*}} {eltType = #nvvm.ld_st_matrix_elt_type<b16>, layout = #nvvm.mma_layout<row>, num = 4 : i32
// CHECK: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK-COUNT-4: nvvm.mma.sync {{.*}}multiplicandAPtxType = #nvvm.mma_type<bf16>{{.*}}shape = #nvvm.shape<m = 16, n = 8, k = 16>{{.*}}(i32, i32, f32) -> !llvm.struct<(f32, f32, f32, f32)>
// CHECK: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 2 : i32
// CHECK-COUNT-2: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
// CHECK: %[[SUMS:.*]] = vector.from_elements {{.*}} : vector<24xf32>
// CHECK-NOT: block.
gpu.module @multiply [#nvvm.target<chip = "sm_80">] {
  gpu.func @multiply(%out: !llvm.ptr, %a: i32) kernel {
    %p = block.pipeline at 0 consumers 4 producers 128 : !block.pipeline<2, 24576>
    %s = block.first_slot : !block.slot
    block.wait_full %p, %s : !block.pipeline<2, 24576>
    %v = block.mma_sync %p, %s rows 128 a %a b 16384 across columns 24 depth 16 type bf16 : !block.pipeline<2, 24576> -> vector<24xf32>
    block.release %p, %s : !block.pipeline<2, 24576>
    llvm.store %v, %out : vector<24xf32>, !llvm.ptr
    gpu.return
  }
}

// Threads multiply f32: of 64 rows by 8 columns each has two rows of two columns, and a turn of the loop has 8 of the depth.
// CHECK-LABEL: gpu.module @add
// CHECK: %[[ADDED:.*]]:4 = scf.for {{.*}} iter_args(
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> f32
// CHECK: llvm.load {{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-32: llvm.intr.fma({{.*}}) : (f32, f32, f32) -> f32
// CHECK-NOT: llvm.intr.fma
// CHECK: vector.from_elements %[[ADDED]]#0, %[[ADDED]]#1, %[[ADDED]]#2, %[[ADDED]]#3 : vector<4xf32>
// CHECK-NOT: block.
gpu.module @add [#nvvm.target<chip = "sm_80">] {
  gpu.func @add(%out: !llvm.ptr, %a: i32) kernel {
    %p = block.pipeline at 0 consumers 4 producers 128 : !block.pipeline<2, 9216>
    %s = block.first_slot : !block.slot
    block.wait_full %p, %s : !block.pipeline<2, 9216>
    %v = block.mma_sync %p, %s rows 64 a %a across b 8192 columns 8 depth 32 type f32 : !block.pipeline<2, 9216> -> vector<4xf32>
    block.release %p, %s : !block.pipeline<2, 9216>
    llvm.store %v, %out : vector<4xf32>, !llvm.ptr
    gpu.return
  }
}

// Words of a thread are what an instruction takes of the first matrix.
// CHECK-LABEL: gpu.module @weigh
// CHECK: nvvm.ldmatrix %{{.*}} {{.*}}layout = #nvvm.mma_layout<col>, num = 4 : i32
// CHECK: nvvm.mma.sync A[%arg1, %arg2, %arg3, %arg4]
// CHECK-COUNT-7: nvvm.mma.sync
// CHECK-NOT: nvvm.mma.sync
gpu.module @weigh [#nvvm.target<chip = "sm_80">] {
  gpu.func @weigh(%out: !llvm.ptr, %w0: i32, %w1: i32, %w2: i32, %w3: i32) kernel {
    %p = block.pipeline at 0 consumers 4 producers 128 : !block.pipeline<2, 24576>
    %s = block.first_slot : !block.slot
    %c = arith.constant dense<0.0> : vector<32xf32>
    %v = block.mma_sync_words %p, %s b 0 type bf16 sums %c words %w0, %w1, %w2, %w3 : !block.pipeline<2, 24576>, vector<32xf32>
    llvm.store %v, %out : vector<32xf32>, !llvm.ptr
    gpu.return
  }
}
