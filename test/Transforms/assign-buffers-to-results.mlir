// RUN: tc-opt %s --split-input-file --tc-assign-buffers-to-results | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-assign-buffers-to-results -o /dev/null --remarks-filter=tc-assign-buffers-to-results 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// Of a chain, every other intermediate is allocated in the result: not the last one,
// which is read when the result is written.
// REMARK: remark: [Passed] hosted | Category:tc-assign-buffers-to-results | Function=chain | Peak=128, PeakBefore=256
// CHECK-LABEL: func.func @chain(
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<32xf32>
// CHECK: %[[BYTES:.*]] = tc.buffer_reshape %[[Y]] : memref<32xf32> -> memref<128xi8>
// CHECK: %[[A:.*]] = tc.arena_view %[[BYTES]] offset <0> : memref<128xi8> -> memref<32xf32>
// CHECK: %[[B:.*]] = tc.buffer
// CHECK: %[[C:.*]] = tc.arena_view %[[BYTES]] offset <0>
// CHECK: %[[D:.*]] = tc.buffer
// CHECK-NOT: tc.buffer
// CHECK: tc.kernel "1" {{.*}} outs(%{{.*}} = %[[A]] :
// CHECK: tc.kernel "2" {{.*}} ins(%{{.*}} = %[[A]] : {{.*}} outs(%{{.*}} = %[[B]] :
// CHECK: tc.kernel "5" {{.*}} ins(%{{.*}} = %[[D]] : {{.*}} outs(%{{.*}} = %[[Y]] :
func.func @chain(%x: memref<32xf32>) {
  %y = tc.output_buffer 0 : memref<32xf32>
  %a = tc.buffer : memref<32xf32>
  %b = tc.buffer : memref<32xf32>
  %c = tc.buffer : memref<32xf32>
  %d = tc.buffer : memref<32xf32>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<32xf32>) outs(%o = %a : memref<32xf32>) {}
  tc.kernel "2" custom dims [] ins(%i = %a : memref<32xf32>) outs(%o = %b : memref<32xf32>) {}
  tc.kernel "3" custom dims [] ins(%i = %b : memref<32xf32>) outs(%o = %c : memref<32xf32>) {}
  tc.kernel "4" custom dims [] ins(%i = %c : memref<32xf32>) outs(%o = %d : memref<32xf32>) {}
  tc.kernel "5" custom dims [] ins(%i = %d : memref<32xf32>) outs(%o = %y : memref<32xf32>) {}
  return
}

// -----

// An intermediate that is larger, has wider elements, or is read after the result
// is written stays in the arena, through reshapes and branches too.
// REMARK-NOT: Function=kept
// CHECK-LABEL: func.func @kept(
// CHECK-COUNT-4: = tc.buffer :
// CHECK-NOT: tc.arena_view
func.func @kept(%x: memref<32xf32>, %if: memref<i1>) {
  %y = tc.output_buffer 0 : memref<32xf32>
  %z = tc.output_buffer 1 : memref<64xi1>
  %large = tc.buffer : memref<33xf32>
  %wide = tc.buffer : memref<16xf64>
  %late = tc.buffer : memref<32xf32>
  %branch = tc.buffer : memref<32xf32>
  %view = tc.buffer_reshape %late : memref<32xf32> -> memref<4x8xf32>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<32xf32>) outs(%o = %large : memref<33xf32>, %p = %wide : memref<16xf64>, %q = %late : memref<32xf32>, %r = %branch : memref<32xf32>) {}
  tc.kernel "2" custom dims [] ins(%i = %large : memref<33xf32>, %j = %wide : memref<16xf64>) outs(%o = %z : memref<64xi1>) {}
  tc.if %if : memref<i1> {
    tc.kernel "3" custom dims [] ins(%i = %x : memref<32xf32>) outs(%o = %y : memref<32xf32>) {}
    tc.yield
  } else {
    tc.kernel "4" custom dims [] ins(%i = %view : memref<4x8xf32>, %j = %branch : memref<32xf32>) outs(%o = %y : memref<32xf32>) {}
    tc.yield
  }
  return
}

// -----

// Two that are live together are next to each other, and a third reuses their memory.
// CHECK-LABEL: func.func @side_by_side(
// CHECK-DAG: tc.arena_view %{{.*}} offset <0> : memref<256xi8> -> memref<20xf32>
// CHECK-DAG: tc.arena_view %{{.*}} offset <128> : memref<256xi8> -> memref<20xf32>
// CHECK-DAG: tc.arena_view %{{.*}} offset <0> : memref<256xi8> -> memref<60xf32>
// CHECK-NOT: tc.buffer :
func.func @side_by_side(%x: memref<20xf32>, %z: memref<20xf32>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  %a = tc.buffer : memref<20xf32>
  %b = tc.buffer : memref<20xf32>
  %c = tc.buffer : memref<60xf32>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<20xf32>) outs(%o = %a : memref<20xf32>, %p = %b : memref<20xf32>) {}
  tc.kernel "2" custom dims [] ins(%i = %a : memref<20xf32>, %j = %b : memref<20xf32>) outs(%o = %z : memref<20xf32>) {}
  tc.kernel "3" custom dims [] ins(%i = %x : memref<20xf32>) outs(%o = %c : memref<60xf32>) {}
  tc.kernel "4" custom dims [] ins(%i = %c : memref<60xf32>) outs(%o = %z : memref<20xf32>) {}
  tc.kernel "5" custom dims [] ins(%i = %x : memref<20xf32>) outs(%o = %y : memref<64xf32>) {}
  return
}

// -----

// Sizes that fit whatever the symbols are; another symbol's may not.
// CHECK-LABEL: func.func @symbolic(
// CHECK: tc.arena_view %{{.*}} offset <0> : memref<?xi8, #tc.sizes<[s0 * 128 + 64]>> -> memref<?x32xf32, #tc.sizes<[s0, 32]>>
// CHECK: tc.buffer : memref<?xf32, #tc.sizes<[s1]>>
// CHECK-NOT: tc.arena_view
func.func @symbolic(%x: memref<4xf32>, %z: memref<4xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0 * 32 + 16]>>
  %a = tc.buffer : memref<?x32xf32, #tc.sizes<[s0, 32]>>
  %b = tc.buffer : memref<?xf32, #tc.sizes<[s1]>>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<4xf32>) outs(%o = %a : memref<?x32xf32, #tc.sizes<[s0, 32]>>, %p = %b : memref<?xf32, #tc.sizes<[s1]>>) {}
  tc.kernel "2" custom dims [] ins(%i = %a : memref<?x32xf32, #tc.sizes<[s0, 32]>>, %j = %b : memref<?xf32, #tc.sizes<[s1]>>) outs(%o = %z : memref<4xf32>) {}
  tc.kernel "3" custom dims [] ins(%i = %x : memref<4xf32>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0 * 32 + 16]>>) {}
  return
}

// -----

// The peak is elsewhere: what would not lower it stays.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-COUNT-2: = tc.buffer :
// CHECK-NOT: tc.arena_view
func.func @elsewhere(%x: memref<32xf32>) {
  %y = tc.output_buffer 0 : memref<32xf32>
  %a = tc.buffer : memref<32xf32>
  %b = tc.buffer : memref<256xf32>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<32xf32>) outs(%o = %a : memref<32xf32>) {}
  tc.kernel "2" custom dims [] ins(%i = %a : memref<32xf32>) outs(%o = %x : memref<32xf32>) {}
  tc.kernel "3" custom dims [] ins(%i = %x : memref<32xf32>) outs(%o = %b : memref<256xf32>) {}
  tc.kernel "4" custom dims [] ins(%i = %b : memref<256xf32>) outs(%o = %y : memref<32xf32>) {}
  return
}

// -----

// A result that a loop writes is in use from the begin of the loop: the next
// iteration may read it where an intermediate of this one would be.
// CHECK-LABEL: func.func @loop(
// CHECK-NOT: tc.arena_view
// CHECK: tc.while
func.func @loop(%x: memref<64xf32>, %c: memref<i1>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  %early = tc.buffer : memref<64xf32>
  %late = tc.buffer : memref<64xf32>
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    tc.kernel "1" custom dims [] ins(%i = %x : memref<64xf32>) outs(%o = %early : memref<64xf32>) {}
    tc.kernel "2" custom dims [] ins(%i = %early : memref<64xf32>) outs(%o = %late : memref<64xf32>) {}
    tc.kernel "3" custom dims [] ins(%i = %late : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
  }
  return
}

// -----

// An intermediate that dies before the loop may be allocated there.
// CHECK-LABEL: func.func @before_a_loop(
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<64xf32>
// CHECK: %[[BYTES:.*]] = tc.buffer_reshape %[[Y]] : memref<64xf32> -> memref<256xi8>
// CHECK: tc.arena_view %[[BYTES]] offset <0> : memref<256xi8> -> memref<64xf32>
// CHECK: tc.while
func.func @before_a_loop(%x: memref<64xf32>, %c: memref<i1>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  %early = tc.buffer : memref<64xf32>
  %carried = tc.buffer : memref<16xf32>
  tc.kernel "1" custom dims [] ins(%i = %x : memref<64xf32>) outs(%o = %early : memref<64xf32>) {}
  tc.kernel "2" custom dims [] ins(%i = %early : memref<64xf32>) outs(%o = %carried : memref<16xf32>) {}
  tc.while {
    tc.yield %c : memref<i1>
  } do {
    tc.kernel "3" custom dims [] ins(%i = %carried : memref<16xf32>) outs(%o = %y : memref<64xf32>) {}
  }
  return
}
