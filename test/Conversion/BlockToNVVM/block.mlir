// RUN: tc-opt %s --convert-block-to-nvvm --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tc-opt %s --pass-pipeline="builtin.module(gpu.module(convert-block-to-nvvm))" | FileCheck %s

// The pass is for modules of a GPU.
// NONE: gpu.module @produce

// One thread waits for an empty stage, arms it and starts the copies.
// CHECK-LABEL: gpu.module @produce
// CHECK: llvm.mlir.global external @produce_dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: nvvm.setmaxregister decrease 24
// CHECK-COUNT-4: nvvm.mbarrier.init
// CHECK: nvvm.fence.mbarrier.init
// CHECK: nvvm.barrier
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global %{{.*}}, %{{.*}}, %{{.*}}, box[%arg2, %arg1] {isCTAOnly = true}
// CHECK-NOT: block.
gpu.module @produce {
  gpu.func @produce(%map: !llvm.ptr, %row: i32, %k: i32) kernel {
    block.role registers = 24
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 24576>
    %s = block.first_slot : !block.slot
    block.acquire %p, %s : !block.pipeline<2, 24576>
    block.copy_in %map[%row, %k] to %p, %s at 0 bytes 8192 : !block.pipeline<2, 24576>
    gpu.return
  }
}

// A loop carries the number and parity of a stage and the registers of sums; the last wait takes and gives all of these.
// CHECK-LABEL: gpu.module @consume
// CHECK: nvvm.shfl.sync  idx
// CHECK: %[[FIRST:.*]] = llvm.mlir.undef : !llvm.struct<(f32, f32, f32, f32)>
// CHECK: nvvm.wgmma.fence.aligned
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %[[FIRST]], <m = 64, n = 8, k = 16>, D[<f32>, <zero>], A[<bf16>, <one>, <row>], B[<bf16>, <one>, <col>]
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: scf.for {{.*}} -> (!llvm.struct<(f32, f32, f32, f32)>, i32, i32)
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{$r0}];" ro(%{{.*}} : i32), predicate = %{{.*}}
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=f,=f,=f,=f,0,1,2,3,~{memory}"
// CHECK: vector.from_elements
// CHECK-NOT: block.
gpu.module @consume {
  gpu.func @consume(%out: !llvm.ptr) kernel {
    block.role registers = 240 more
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 24576>
    %w = block.warp : i32
    %s = block.first_slot : !block.slot
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
    %eight = arith.constant 8 : i32
    block.wait_full %p, %s : !block.pipeline<2, 24576>
    %c = block.mma %p, %s a %w b 8192 depth 64 type bf16 : !block.pipeline<2, 24576> -> !block.accumulator<8>
    %d, %t = scf.for %i = %zero to %eight step %one iter_args(%sum = %c, %at = %s) -> (!block.accumulator<8>, !block.slot) : i32 {
      %n = block.next_slot %p, %at : !block.pipeline<2, 24576>
      block.wait_full %p, %n : !block.pipeline<2, 24576>
      %e = block.mma %p, %n a %w b 8192 depth 64 type f16 accumulate %sum : !block.accumulator<8> : !block.pipeline<2, 24576> -> !block.accumulator<8>
      block.mma_wait_earlier
      block.release %p, %at : !block.pipeline<2, 24576>
      scf.yield %e, %n : !block.accumulator<8>, !block.slot
    }
    %v = block.mma_wait %d : !block.accumulator<8> -> vector<4xf32>
    llvm.store %v, %out : vector<4xf32>, !llvm.ptr
    gpu.return
  }
}

// Products are added under a condition by text, the others of the same stage by operations.
// CHECK-LABEL: gpu.module @condition
// CHECK: %[[IF:.*]] = arith.extui %{{.*}} : i1 to i32
// CHECK: llvm.inline_asm has_side_effects {{.*}}"{ .reg .pred q; setp.ne.b32 q, $6, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, $4, $5, q, 1, 1, 0, 1; }", "=f,=f,=f,=f,l,l,r,0,1,2,3" %{{.*}}, %{{.*}}, %[[IF]],
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>]
// CHECK-NOT: nvvm.wgmma.mma_async
// CHECK: setp.ne.b32 q, $6, 0; wgmma.mma_async.sync.aligned.m64n8k32.s32.s8.s8 {$0, $1, $2, $3}, $4, $5, q; }", "=r,=r,=r,=r,l,l,r,0,1,2,3"
// CHECK: setp.ne.b32 q, $6, 0; wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e5m2 {$0, $1, $2, $3}, $4, $5, q, 1, 1; }"
gpu.module @condition {
  gpu.func @condition(%if: i1) kernel {
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 24576>
    %w = block.warp : i32
    %s = block.first_slot : !block.slot
    %none = ub.poison : !block.accumulator<8>
    %integers = ub.poison : !block.accumulator<8, i32>
    block.wait_full %p, %s : !block.pipeline<2, 24576>
    %c = block.mma %p, %s a %w b 8192 across depth 64 type bf16 accumulate %none if %if : !block.accumulator<8> : !block.pipeline<2, 24576> -> !block.accumulator<8>
    %d = block.mma %p, %s a %w b 8192 depth 32 type i8 accumulate %integers if %if : !block.accumulator<8, i32> : !block.pipeline<2, 24576> -> !block.accumulator<8, i32>
    %e = block.mma %p, %s a %w b 8192 depth 32 type f8E4M3FN by f8E5M2 accumulate %none if %if : !block.accumulator<8> : !block.pipeline<2, 24576> -> !block.accumulator<8>
    gpu.return
  }
}

// An instruction sums over 32 elements of 8 bits, in units of the descriptors of 16 bytes.
// CHECK-LABEL: gpu.module @consume_8_bits
// CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<16xi8>
// CHECK: nvvm.wgmma.mma_async %{{.*}}, %{{.*}}, %{{.*}}, <m = 64, n = 8, k = 32>, D[<f32>, <zero>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
// CHECK: arith.constant 2 : i64
// CHECK-COUNT-3: nvvm.wgmma.mma_async {{.*}} D[<f32>, <one>], A[<e4m3>, <one>, <row>], B[<e5m2>, <one>, <col>]
// CHECK: nvvm.wgmma.mma_async {{.*}} <m = 64, n = 8, k = 32>, D[<s32>, <zero>], A[<s8>, <one>, <row>], B[<s8>, <one>, <col>] : !llvm.struct<(i32, i32, i32, i32)>
// CHECK: llvm.inline_asm has_side_effects {{.*}}"wgmma.wait_group.sync.aligned 0;", "=r,=r,=r,=r,0,1,2,3,~{memory}"
// CHECK: llvm.add %{{.*}} : vector<4xi32>
// CHECK-NOT: block.
gpu.module @consume_8_bits {
  gpu.func @consume(%out: !llvm.ptr, %bytes: vector<16xi8>) kernel {
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 24576>
    %w = block.warp : i32
    %s = block.first_slot : !block.slot
    block.store_in %bytes to %p, %s at 0 row %w unit %w : vector<16xi8>, !block.pipeline<2, 24576>
    %c = block.mma %p, %s a %w b 8192 depth 128 type f8E4M3FN by f8E5M2 : !block.pipeline<2, 24576> -> !block.accumulator<8>
    %v = block.mma_wait %c : !block.accumulator<8> -> vector<4xf32>
    %d = block.mma %p, %s a %w b 8192 depth 32 type i8 : !block.pipeline<2, 24576> -> !block.accumulator<8, i32>
    %i = block.mma_wait %d : !block.accumulator<8, i32> -> vector<4xi32>
    block.put_sums %i at 65536 threads 128 : vector<4xi32>
    block.meet
    %all = block.take_sums at 65536 threads 128 of 2 : vector<4xi32>
    llvm.store %v, %out : vector<4xf32>, !llvm.ptr
    llvm.store %all, %out : vector<4xi32>, !llvm.ptr
    gpu.return
  }
}

// A warp waits until its box may be written again, stores it as matrices of 8 rows, and its first thread starts the copy, without a branch.
// CHECK-LABEL: gpu.module @results
// CHECK: nvvm.cp.async.bulk.wait_group 1 {read}
// CHECK: nvvm.bar.warp.sync
// CHECK-COUNT-4: nvvm.stmatrix %{{.*}}, %arg5, %arg5, %arg5, %arg5 {{{.*}}layout = #nvvm.mma_layout<row>
// CHECK: nvvm.fence.proxy
// CHECK: nvvm.bar.warp.sync
// CHECK-NOT: scf.if
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0, %{{.*}}, box[%arg2, %arg1], predicate = %{{.*}}
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.wait_group 0 {read}
// CHECK-NOT: block.
gpu.module @results {
  gpu.func @results(%map: !llvm.ptr, %row: i32, %column: i32, %via: i32, %there: i1, %w: i32) kernel {
    block.copy_out %map[%row, %column] via %via behind 1 if %there words %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w
    block.copy_out_wait
    gpu.return
  }
}

// Blocks of a cluster wait for each other at both ends, count the consumers of all, copy to all, and give stages back to all.
// CHECK-LABEL: gpu.module @cluster
// CHECK: %[[ARRIVALS:.*]] = arith.constant 12 : i32
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[ARRIVALS]]
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: %[[BLOCKS:.*]] = arith.constant 3 : i16
// CHECK: llvm.addrspacecast %{{.*}} : !llvm.ptr<3> to !llvm.ptr<7>
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} multicast_mask = %[[BLOCKS]]
// CHECK: nvvm.inline_ptx "mapa.shared::cluster.u32
// CHECK: nvvm.inline_ptx "mbarrier.arrive.shared::cluster.b64 _, [{$r0}];"
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
gpu.module @cluster {
  gpu.func @cluster(%map: !llvm.ptr, %i: i32) kernel {
    %p = block.pipeline at 0 consumers 6 : !block.pipeline<2, 16384, cluster 2>
    %s = block.first_slot : !block.slot
    block.copy_in %map[%i, %i] to %p, %s at 0 bytes 8192 shared : !block.pipeline<2, 16384, cluster 2>
    block.release %p, %s : !block.pipeline<2, 16384, cluster 2>
    block.leave %p : !block.pipeline<2, 16384, cluster 2>
    gpu.return
  }
}

// Each thread adds up the part of its block of what the threads like it have left, in the order of the blocks.
// CHECK-LABEL: gpu.module @sums
// CHECK-COUNT-2: llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<3>
// CHECK: nvvm.cluster.arrive
// CHECK-NEXT: nvvm.cluster.wait
// CHECK: %[[RANK:.*]] = nvvm.read.ptx.sreg.cluster.ctaid.x
// CHECK: nvvm.mapa
// CHECK: %[[FIRST:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: nvvm.mapa
// CHECK: %[[SECOND:.*]] = llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK: llvm.fadd %[[FIRST]], %[[SECOND]]
// CHECK-NOT: block.
gpu.module @sums {
  gpu.func @sums(%v: vector<8xf32>, %to: !llvm.ptr) kernel {
    block.put_sums %v at 1024 threads 64 : vector<8xf32>
    block.meet
    %sums = block.take_sums at 1024 threads 64 of 2 : vector<4xf32>
    llvm.store %sums, %to : vector<4xf32>, !llvm.ptr
    gpu.return
  }
}

// CHECK-LABEL: gpu.module @peer
// CHECK: %[[THIRD:.*]] = arith.constant 3 : i32
// CHECK: %[[PEER:.*]] = nvvm.mapa %{{.*}}, %[[THIRD]]
// CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<7> -> vector<4xf32>
// CHECK-NOT: llvm.load
gpu.module @peer {
  gpu.func @peer(%to: !llvm.ptr) kernel {
    %sums = block.peer_sums at 1024 threads 64 block 3 : vector<4xf32>
    llvm.store %sums, %to : vector<4xf32>, !llvm.ptr
    gpu.return
  }
}

// Numbers are in a stage before its barrier is arrived at, and are read behind a wait for that.
// CHECK-LABEL: gpu.module @numbers
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2: llvm.store volatile %arg0, %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK: nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{$r0}];"
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-2: llvm.load volatile %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
gpu.module @numbers {
  gpu.func @numbers(%n: i32, %to: !llvm.ptr) kernel {
    %p = block.pipeline at 1040 consumers 4 : !block.pipeline<1, 16>
    %s = block.first_slot : !block.slot
    block.put_words %n, %n to %p, %s : !block.pipeline<1, 16>
    %taken:2 = block.take_words %p, %s : !block.pipeline<1, 16> -> i32, i32
    block.release %p, %s : !block.pipeline<1, 16>
    %sum = arith.addi %taken#0, %taken#1 : i32
    llvm.store %sum, %to : i32, !llvm.ptr
    gpu.return
  }
}

// Threads store what a swizzle of 128 bytes makes of a box, and one of them says that the stage is full.
// CHECK-LABEL: gpu.module @fill
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.inline_ptx "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [{$r0}], {$r1};"
// CHECK: %[[SEVEN:.*]] = arith.constant 7 : i32
// CHECK: %[[REST:.*]] = arith.andi %arg1, %[[SEVEN]] : i32
// CHECK: arith.xori %arg2, %[[REST]] : i32
// CHECK: llvm.store %arg0, %{{.*}} {alignment = 16 : i64} : vector<8xbf16>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{$r0}];" ro(%{{.*}} : i32), predicate = %{{.*}}
gpu.module @fill {
  gpu.func @fill(%v: vector<8xbf16>, %row: i32, %unit: i32) kernel {
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 24576>
    %s = block.first_slot : !block.slot
    block.await_empty %p, %s : !block.pipeline<2, 24576>
    block.expect %p, %s bytes 8192 : !block.pipeline<2, 24576>
    block.store_in %v to %p, %s at 8192 row %row unit %unit : vector<8xbf16>, !block.pipeline<2, 24576>
    block.publish %p, %s : !block.pipeline<2, 24576>
    gpu.return
  }
}

// The first matrix is in registers: four words of each instruction. The wait for the product before leaves it under way.
// CHECK-LABEL: gpu.module @attend
// CHECK: llvm.insertvalue
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.mma_async
// CHECK: nvvm.wgmma.commit.group.sync.aligned
// CHECK: llvm.inline_asm has_side_effects {{.*}}wgmma.fence.sync.aligned; add.s64 b, $12, 0; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$4, $5, $6, $7}, b, q, 1, 1, 1; add.s64 b, $12, 128; wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {$0, $1, $2, $3}, {$8, $9, $10, $11}, b, q, 1, 1, 1; wgmma.commit_group.sync.aligned;
// CHECK-SAME: "=f,=f,=f,=f,r,r,r,r,r,r,r,r,l,0,1,2,3"
// CHECK: llvm.inline_asm {{.*}}wgmma.wait_group.sync.aligned 1;
// CHECK: llvm.inline_asm {{.*}}wgmma.wait_group.sync.aligned 0;{{.*}}"=f,=f,=f,=f,r,r,r,r,0,1,2,3,~{memory}"
gpu.module @attend {
  gpu.func @attend(%a: i32, %w: i32, %v: vector<4xf32>) kernel {
    %q = block.pipeline at 0 consumers 4 : !block.pipeline<1, 8192>
    %p = block.pipeline at 16384 consumers 4 : !block.pipeline<2, 16384>
    %s = block.first_slot : !block.slot
    %o = block.accumulator %v : vector<4xf32> -> !block.accumulator<8>
    %c = block.mma %p, %s a %a of %q, %s : !block.pipeline<1, 8192> b 0 depth 32 type bf16 : !block.pipeline<2, 16384> -> !block.accumulator<8>
    %d = block.mma_words %p, %s b 0 type bf16 accumulate %o words %w, %w, %w, %w, %w, %w, %w, %w : !block.pipeline<2, 16384>, !block.accumulator<8>
    %x = block.mma_wait %c earlier 1 : !block.accumulator<8> -> vector<4xf32>
    %y = block.mma_wait %d kept %w, %w, %w, %w : !block.accumulator<8> -> vector<4xf32>
    gpu.return
  }
}

// Pixels under a window: distances have 16 bits, and all is from the innermost dimension.
// CHECK-LABEL: gpu.module @windows
// CHECK: %[[X:.*]] = arith.trunci %arg6 : i32 to i16
// CHECK: %[[Y:.*]] = arith.trunci %arg5 : i32 to i16
// CHECK: nvvm.cp.async.bulk.tensor.shared.cluster.global {{.*}} im2col[%[[X]], %[[Y]]] {isCTAOnly = true, mode = #nvvm.tma_load_mode<im2col>}
gpu.module @windows {
  gpu.func @windows(%map: !llvm.ptr, %image: i32, %y: i32, %x: i32, %c: i32, %dy: i32, %dx: i32) kernel {
    %p = block.pipeline at 0 consumers 4 : !block.pipeline<2, 8192>
    %s = block.first_slot : !block.slot
    block.acquire %p, %s : !block.pipeline<2, 8192>
    block.copy_in %map[%image, %y, %x, %c] under [%dy, %dx] to %p, %s at 0 bytes 8192 : !block.pipeline<2, 8192>
    gpu.return
  }
}

// Eight warps fill a stage; a row of the accumulator is a lane of the boxes across, and a pair of columns two lanes otherwise. One thread adds the stage to a tensor once it is its turn.
// CHECK-LABEL: gpu.module @add_up
// CHECK: nvvm.mbarrier.init %{{.*}}, %[[EIGHT:.*]] :
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> vector<2xf32>
// CHECK: llvm.inline_asm has_side_effects {{.*}}"mov.u32 $0, %tid.x;", "=r"
// CHECK-COUNT-2: nvvm.stmatrix
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK-COUNT-32: llvm.store %{{.*}} {alignment = 4 : i64} : f32, !llvm.ptr<3>
// CHECK-COUNT-16: llvm.store %{{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<3>
// CHECK: nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK: nvvm.bar.warp.sync
// CHECK: nvvm.inline_ptx "mbarrier.arrive.shared::cta.b64 _, [{$r0}];"
// CHECK: llvm.inline_asm has_side_effects {{.*}}ld.acquire.gpu.b32 n, [$0]; setp.ne.b32 p, n, $1;
// CHECK: nvvm.inline_ptx "fence.proxy.async.global;"
// CHECK: nvvm.cp.async.bulk.tensor.reduce %arg0
// CHECK: nvvm.cp.async.bulk.commit.group
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta %arg0
// CHECK: nvvm.cp.async.bulk.wait_group 0
// CHECK-NOT: read
// CHECK: nvvm.inline_ptx "fence.proxy.async.global;"
// CHECK: llvm.inline_asm has_side_effects {{.*}}"red.release.gpu.inc.u32 [$0], $1;"
gpu.module @add_up {
  gpu.func @add_up(%map: !llvm.ptr, %counter: !llvm.ptr, %v: vector<32xf32>, %w: i32) kernel {
    %p = block.pipeline at 0 consumers 1 producers 8 : !block.pipeline<2, 32768>
    %s = block.first_slot : !block.slot
    %l = block.load_in %p, %s at 8192 index %w : !block.pipeline<2, 32768> -> vector<2xf32>
    block.store_words %w, %w, %w, %w, %w, %w, %w, %w to %p, %s at %w : !block.pipeline<2, 32768>
    block.meet_groups 2
    block.store_values %v to %p, %s rows 64 first %w across : vector<32xf32>, !block.pipeline<2, 32768>
    block.store_values %v to %p, %s rows 128 first %w : vector<32xf32>, !block.pipeline<2, 32768>
    block.give %p, %s : !block.pipeline<2, 32768>
    block.await_turn %counter is %w
    block.box_out %map[%w, %w] from %p, %s at 8192 add : !block.pipeline<2, 32768>
    block.box_out %map[%w, %w] from %p, %s at 0 : !block.pipeline<2, 32768>
    block.copy_out_wait written
    block.end_turn %counter last %w
    gpu.return
  }
}
