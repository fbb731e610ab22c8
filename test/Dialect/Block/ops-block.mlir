// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of the block dialect.

// One thread fills stages.
// CHECK-LABEL: func @produce
func.func @produce(%map: !llvm.ptr, %row: i32, %k: i32) {
  // CHECK: block.role registers = 24
  block.role registers = 24
  // CHECK: %[[P:.*]] = block.pipeline at 0 consumers 8 : <4, 49152>
  %p = block.pipeline at 0 consumers 8 : !block.pipeline<4, 49152>
  // CHECK: %[[S:.*]] = block.first_slot : !block.slot
  %s = block.first_slot : !block.slot
  // CHECK: block.acquire %[[P]], %[[S]] : <4, 49152>
  block.acquire %p, %s : !block.pipeline<4, 49152>
  // CHECK: block.copy_in %{{.*}}[%{{.*}}, %{{.*}}] to %[[P]], %[[S]] at 16384 bytes 32768 : <4, 49152>
  block.copy_in %map[%row, %k] to %p, %s at 16384 bytes 32768 : !block.pipeline<4, 49152>
  // CHECK: block.next_slot %[[P]], %[[S]] : <4, 49152>
  %n = block.next_slot %p, %s : !block.pipeline<4, 49152>
  return
}

// Warp groups multiply what is in them.
// CHECK-LABEL: func @consume
func.func @consume(%p: !block.pipeline<4, 49152>, %s: !block.slot, %a: i32) -> vector<128xf32> {
  // CHECK: block.role registers = 240 more
  block.role registers = 240 more
  // CHECK: block.warp : i32
  %w = block.warp : i32
  // CHECK: block.wait_full %{{.*}}, %{{.*}} : <4, 49152>
  block.wait_full %p, %s : !block.pipeline<4, 49152>
  // CHECK: %[[C:.*]] = block.mma %{{.*}}, %{{.*}} a %{{.*}} b 16384 across depth 64 type bf16 : <4, 49152> -> <256>
  %c = block.mma %p, %s a %a b 16384 across depth 64 type bf16 : !block.pipeline<4, 49152> -> !block.accumulator<256>
  // CHECK: %[[D:.*]] = block.mma %{{.*}}, %{{.*}} a %{{.*}} across b 16384 across depth 32 type f16 accumulate %[[C]] : !block.accumulator<256> : <4, 49152> -> <256>
  %d = block.mma %p, %s a %a across b 16384 across depth 32 type f16 accumulate %c : !block.accumulator<256> : !block.pipeline<4, 49152> -> !block.accumulator<256>
  // CHECK: block.mma_wait_earlier
  block.mma_wait_earlier
  // CHECK: block.mma_wait %[[D]] : <256> -> vector<128xf32>
  %v = block.mma_wait %d : !block.accumulator<256> -> vector<128xf32>
  // CHECK: block.release %{{.*}}, %{{.*}} : <4, 49152>
  block.release %p, %s : !block.pipeline<4, 49152>
  return %v : vector<128xf32>
}

// Elements of 8 bits, of two types of floats or of integers.
// CHECK-LABEL: func.func @consume_8_bits
func.func @consume_8_bits(%p: !block.pipeline<4, 32768>, %s: !block.slot, %a: i32, %v: vector<16xi8>) -> vector<64xi32> {
  // CHECK: block.store_in %arg3 to %arg0, %arg1 at 16384 row %arg2 unit %arg2 : vector<16xi8>, <4, 32768>
  block.store_in %v to %p, %s at 16384 row %a unit %a : vector<16xi8>, !block.pipeline<4, 32768>
  // CHECK: %[[C:.*]] = block.mma %arg0, %arg1 a %arg2 b 16384 depth 128 type f8E4M3FN by f8E5M2 : <4, 32768> -> <128>
  %c = block.mma %p, %s a %a b 16384 depth 128 type f8E4M3FN by f8E5M2 : !block.pipeline<4, 32768> -> !block.accumulator<128>
  // CHECK: block.mma %arg0, %arg1 a %arg2 b 16384 depth 96 type f8E5M2 accumulate %[[C]] : !block.accumulator<128> : <4, 32768> -> <128>
  %d = block.mma %p, %s a %a b 16384 depth 96 type f8E5M2 accumulate %c : !block.accumulator<128> : !block.pipeline<4, 32768> -> !block.accumulator<128>
  // CHECK: %[[I:.*]] = block.mma %arg0, %arg1 a %arg2 b 16384 depth 128 type i8 : <4, 32768> -> <128, i32>
  %i = block.mma %p, %s a %a b 16384 depth 128 type i8 : !block.pipeline<4, 32768> -> !block.accumulator<128, i32>
  // CHECK: block.mma_wait %[[I]] : <128, i32> -> vector<64xi32>
  %w = block.mma_wait %i : !block.accumulator<128, i32> -> vector<64xi32>
  return %w : vector<64xi32>
}

// CHECK-LABEL: func.func @results
func.func @results(%map: !llvm.ptr, %row: i32, %column: i32, %via: i32, %there: i1, %w: i32) {
  // CHECK: block.copy_out %arg0[%arg1, %arg2] via %arg3 behind 1 if %arg4 words %arg5, {{.*}}, %arg5{{$}}
  block.copy_out %map[%row, %column] via %via behind 1 if %there words %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w, %w
  // CHECK: block.copy_out_wait
  block.copy_out_wait
  return
}

// CHECK-LABEL: func.func @cluster
func.func @cluster(%p: !block.pipeline<4, 49152, cluster 2>, %s: !block.slot, %map: !llvm.ptr, %i: i32) {
  // CHECK: block.copy_in %arg2[%arg3] to %arg0, %arg1 at 0 bytes 24576 shared : <4, 49152, cluster 2>
  block.copy_in %map[%i] to %p, %s at 0 bytes 24576 shared : !block.pipeline<4, 49152, cluster 2>
  // CHECK: block.leave %arg0 : <4, 49152, cluster 2>
  block.leave %p : !block.pipeline<4, 49152, cluster 2>
  return
}

// CHECK-LABEL: func.func @sums
func.func @sums(%v: vector<64xf32>) -> vector<16xf32> {
  // CHECK: block.put_sums %arg0 at 131072 threads 128 : vector<64xf32>
  block.put_sums %v at 131072 threads 128 : vector<64xf32>
  // CHECK: block.meet
  block.meet
  // CHECK: block.take_sums at 131072 threads 128 of 4 : vector<16xf32>
  %sums = block.take_sums at 131072 threads 128 of 4 : vector<16xf32>
  return %sums : vector<16xf32>
}

// CHECK-LABEL: func.func @peer
func.func @peer() -> vector<4xf32> {
  // CHECK: block.peer_sums at 131072 threads 128 block 3 : vector<4xf32>
  %sums = block.peer_sums at 131072 threads 128 block 3 : vector<4xf32>
  return %sums : vector<4xf32>
}

// A stage may hold a few numbers alone.
// CHECK-LABEL: func.func @numbers
func.func @numbers(%p: !block.pipeline<1, 16>, %s: !block.slot, %n: i32) -> i32 {
  // CHECK: block.put_words %arg2, %arg2 to %arg0, %arg1 : <1, 16>
  block.put_words %n, %n to %p, %s : !block.pipeline<1, 16>
  // CHECK: block.take_words %arg0, %arg1 : <1, 16> -> i32, i32
  %taken:2 = block.take_words %p, %s : !block.pipeline<1, 16> -> i32, i32
  return %taken#1 : i32
}

// The threads of a warp group fill a part of a stage, and copies the rest.
// CHECK-LABEL: func.func @fill
func.func @fill(%p: !block.pipeline<4, 49152>, %s: !block.slot, %v: vector<8xbf16>, %r: i32, %u: i32) {
  // CHECK: block.await_empty %arg0, %arg1 : <4, 49152>
  block.await_empty %p, %s : !block.pipeline<4, 49152>
  // CHECK: block.expect %arg0, %arg1 bytes 16384 : <4, 49152>
  block.expect %p, %s bytes 16384 : !block.pipeline<4, 49152>
  // CHECK: block.store_in %arg2 to %arg0, %arg1 at 16384 row %arg3 unit %arg4 : vector<8xbf16>, <4, 49152>
  block.store_in %v to %p, %s at 16384 row %r unit %u : vector<8xbf16>, !block.pipeline<4, 49152>
  // CHECK: block.publish %arg0, %arg1 : <4, 49152>
  block.publish %p, %s : !block.pipeline<4, 49152>
  return
}

// Two products are under way: that of words is read last.
// CHECK-LABEL: func.func @attend
func.func @attend(%q: !block.pipeline<1, 16384>, %p: !block.pipeline<2, 16384>, %s: !block.slot, %a: i32, %w: i32, %v: vector<32xf32>) {
  // CHECK: %[[O:.*]] = block.accumulator %arg5 : vector<32xf32> -> <64>
  %o = block.accumulator %v : vector<32xf32> -> !block.accumulator<64>
  // CHECK: %[[C:.*]] = block.mma %arg1, %arg2 a %arg3 of %arg0, %arg2 : !block.pipeline<1, 16384> b 0 depth 48 type bf16 : <2, 16384> -> <64>
  %c = block.mma %p, %s a %a of %q, %s : !block.pipeline<1, 16384> b 0 depth 48 type bf16 : !block.pipeline<2, 16384> -> !block.accumulator<64>
  // CHECK: %[[D:.*]] = block.mma_words %arg1, %arg2 b 0 type bf16 accumulate %[[O]] words %arg4, %arg4, %arg4, %arg4 : <2, 16384>, <64>
  %d = block.mma_words %p, %s b 0 type bf16 accumulate %o words %w, %w, %w, %w : !block.pipeline<2, 16384>, !block.accumulator<64>
  // CHECK: block.mma_wait %[[C]] earlier 1 : <64> -> vector<32xf32>
  %x = block.mma_wait %c earlier 1 : !block.accumulator<64> -> vector<32xf32>
  // CHECK: block.mma_wait %[[D]] kept %arg4, %arg4, %arg4, %arg4 : <64> -> vector<32xf32>
  %y = block.mma_wait %d kept %w, %w, %w, %w : !block.accumulator<64> -> vector<32xf32>
  return
}

// Warps fill a stage with parts of accumulators, which are added to a tensor in turn.
// CHECK-LABEL: func.func @add_up
func.func @add_up(%map: !llvm.ptr, %counter: !llvm.ptr, %q: !block.pipeline<2, 9216>, %s: !block.slot, %v: vector<32xf32>, %w: i32) {
  // CHECK: %[[P:.*]] = block.pipeline at 1024 consumers 1 producers 8 : <2, 32768>
  %p = block.pipeline at 1024 consumers 1 producers 8 : !block.pipeline<2, 32768>
  // CHECK: block.load_in %arg2, %arg3 at 8192 index %arg5 : <2, 9216> -> vector<2xf32>
  %l = block.load_in %q, %s at 8192 index %w : !block.pipeline<2, 9216> -> vector<2xf32>
  // CHECK: block.store_words %arg5, %arg5, %arg5, %arg5, %arg5, %arg5, %arg5, %arg5 to %arg2, %arg3 at %arg5 : <2, 9216>
  block.store_words %w, %w, %w, %w, %w, %w, %w, %w to %q, %s at %w : !block.pipeline<2, 9216>
  // CHECK: block.meet_groups 2
  block.meet_groups 2
  // CHECK: block.store_values %arg4 to %[[P]], %arg3 rows 64 first %arg5 across : vector<32xf32>, <2, 32768>
  block.store_values %v to %p, %s rows 64 first %w across : vector<32xf32>, !block.pipeline<2, 32768>
  // CHECK: block.store_values %arg4 to %[[P]], %arg3 rows 128 first %arg5 : vector<32xf32>, <2, 32768>
  block.store_values %v to %p, %s rows 128 first %w : vector<32xf32>, !block.pipeline<2, 32768>
  // CHECK: block.give %[[P]], %arg3 : <2, 32768>
  block.give %p, %s : !block.pipeline<2, 32768>
  // CHECK: block.await_turn %arg1 is %arg5
  block.await_turn %counter is %w
  // CHECK: block.box_out %arg0[%arg5, %arg5] from %[[P]], %arg3 at 8192 add : <2, 32768>
  block.box_out %map[%w, %w] from %p, %s at 8192 add : !block.pipeline<2, 32768>
  // CHECK: block.box_out %arg0[%arg5, %arg5] from %[[P]], %arg3 at 0 : <2, 32768>
  block.box_out %map[%w, %w] from %p, %s at 0 : !block.pipeline<2, 32768>
  // CHECK: block.copy_out_wait written
  block.copy_out_wait written
  // CHECK: block.end_turn %arg1 last %arg5
  block.end_turn %counter last %w
  // CHECK: block.mma_wait_earlier but 3 kept %arg5
  block.mma_wait_earlier but 3 kept %w
  return
}

// Threads copy, and warps multiply.
// CHECK-LABEL: func.func @warps
func.func @warps(%p: !block.pipeline<3, 49152>, %s: !block.slot, %from: !llvm.ptr, %i: i32, %q: !block.pipeline<1, 16384>) -> vector<64xf32> {
  // CHECK: block.copy_part %arg2 present %arg3 to %arg0, %arg1 at 16384 row %arg3 unit %arg3 size 8 part 1 : <3, 49152>
  block.copy_part %from present %i to %p, %s at 16384 row %i unit %i size 8 part 1 : !block.pipeline<3, 49152>
  // CHECK: block.give_copies %arg0, %arg1 : <3, 49152>
  block.give_copies %p, %s : !block.pipeline<3, 49152>
  // CHECK: %[[V:.*]] = block.mma_sync %arg0, %arg1 rows 128 a %arg3 across b 16384 columns 64 depth 64 type bf16 : <3, 49152> -> vector<64xf32>
  %v = block.mma_sync %p, %s rows 128 a %i across b 16384 columns 64 depth 64 type bf16 : !block.pipeline<3, 49152> -> vector<64xf32>
  // CHECK: block.mma_sync %arg0, %arg1 rows 128 a %arg3 b 16384 across columns 64 depth 16 type f16 sums %[[V]] : vector<64xf32> : <3, 49152> -> vector<64xf32>
  %w = block.mma_sync %p, %s rows 128 a %i b 16384 across columns 64 depth 16 type f16 sums %v : vector<64xf32> : !block.pipeline<3, 49152> -> vector<64xf32>
  // CHECK: block.mma_sync %arg0, %arg1 rows 64 a %arg3 of %arg4, %arg1 : !block.pipeline<1, 16384> b 0 columns 64 depth 64 type bf16 : <3, 49152> -> vector<32xf32>
  %x = block.mma_sync %p, %s rows 64 a %i of %q, %s : !block.pipeline<1, 16384> b 0 columns 64 depth 64 type bf16 : !block.pipeline<3, 49152> -> vector<32xf32>
  // CHECK: block.mma_sync_words %arg0, %arg1 b 16384 type bf16 sums %{{.*}} words %arg3, %arg3, %arg3, %arg3 : <3, 49152>, vector<32xf32>
  %y = block.mma_sync_words %p, %s b 16384 type bf16 sums %x words %i, %i, %i, %i : !block.pipeline<3, 49152>, vector<32xf32>
  return %w : vector<64xf32>
}
