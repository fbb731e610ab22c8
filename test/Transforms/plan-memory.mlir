// RUN: tc-opt %s --split-input-file --tc-plan-memory --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-plan-memory -o /dev/null --remarks-filter=tc-plan-memory 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// The first and the third of a chain share a place; a buffer that nothing uses
// goes.
// REMARK: remark: [Analysis] arena | Category:tc-plan-memory | Function=chain | Arena=
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: tc.memory_plan = {buffers = 3 : i64, peak = 256 : i64, planned = 256 : i64}
// CHECK: %[[ARENA:.*]] = tc.arena <256> : memref<256xi8>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <[[FIRST:.*]]> : memref<256xi8> -> memref<20xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <{{.*}}> : memref<256xi8> -> memref<32xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <[[FIRST]]> : memref<256xi8> -> memref<32xf32>
// CHECK-NEXT: memref.copy
func.func @chain(%x: memref<20xf32>, %y: memref<32xf32>) {
  %unused = tc.buffer : memref<1024xf32>
  %a = tc.buffer : memref<20xf32>
  %b = tc.buffer : memref<32xf32>
  %c = tc.buffer : memref<32xf32>
  memref.copy %x, %a : memref<20xf32> to memref<20xf32>
  %v = tc.buffer_reshape %b : memref<32xf32> -> memref<8x4xf32>
  tc.kernel "grow" pointwise dims [] ins(%i = %a : memref<20xf32>) outs(%o = %v : memref<8x4xf32>) {}
  memref.copy %b, %c : memref<32xf32> to memref<32xf32>
  memref.copy %c, %y : memref<32xf32> to memref<32xf32>
  return
}

// -----

// A function without intermediates needs no arena.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: tc.arena
func.func @nothing(%x: memref<4xf32>, %y: memref<4xf32>) {
  memref.copy %x, %y : memref<4xf32> to memref<4xf32>
  return
}

// -----

// Symbolic sizes: offsets are sums of sizes, rounded up to 64 bytes where a
// size may be none; what the range decides needs no maximum.
// CHECK-LABEL: func.func @symbolic(
// CHECK-SAME: at = {s0 = 64 : i64}
// CHECK-SAME: buffers = 3 : i64
// CHECK: %[[ARENA:.*]] = tc.arena <((s0 + 15) floordiv 16) * 64 + s0 * 4096> : memref<?xi8>
// CHECK-DAG: tc.arena_view %[[ARENA]] offset <0> : memref<?xi8> -> memref<?x1024xf32, #tc.sizes<[s0, 1024]>>
// CHECK-DAG: tc.arena_view %[[ARENA]] offset <s0 * 4096> : memref<?xi8> -> memref<?xf32, #tc.sizes<[s0]>>
// CHECK-DAG: tc.arena_view %[[ARENA]] offset <0> : memref<?xi8> -> memref<16xf32>
// CHECK-NOT: max(
func.func @symbolic(%x: memref<?x1024xf32, #tc.sizes<[s0, 1024]>>, %y: memref<16xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %a = tc.buffer : memref<?x1024xf32, #tc.sizes<[s0, 1024]>>
  %b = tc.buffer : memref<?xf32, #tc.sizes<[s0]>>
  %c = tc.buffer : memref<16xf32>
  memref.copy %x, %a : memref<?x1024xf32, #tc.sizes<[s0, 1024]>> to memref<?x1024xf32, #tc.sizes<[s0, 1024]>>
  tc.kernel "rows" pointwise dims [] ins(%i = %a : memref<?x1024xf32, #tc.sizes<[s0, 1024]>>) outs(%o = %b : memref<?xf32, #tc.sizes<[s0]>>) {}
  tc.kernel "all" pointwise dims [] ins(%i = %b : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %c : memref<16xf32>) {}
  memref.copy %c, %y : memref<16xf32> to memref<16xf32>
  return
}

// -----

// Which of two sizes is larger depends on the symbol: the arena, above both,
// is a maximum.
// CHECK-LABEL: func.func @crossing(
// CHECK: tc.arena <max(36864, s0 * 64 + 32768)> : memref<?xi8>
func.func @crossing(%x: memref<?x16xf32, #tc.sizes<[s0, 16]>>, %y: memref<1024xf32>, %z: memref<8192xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 640>]} {
  %long = tc.buffer : memref<8192xf32>
  %a = tc.buffer : memref<?x16xf32, #tc.sizes<[s0, 16]>>
  %b = tc.buffer : memref<1024xf32>
  memref.copy %z, %long : memref<8192xf32> to memref<8192xf32>
  memref.copy %x, %a : memref<?x16xf32, #tc.sizes<[s0, 16]>> to memref<?x16xf32, #tc.sizes<[s0, 16]>>
  memref.copy %a, %x : memref<?x16xf32, #tc.sizes<[s0, 16]>> to memref<?x16xf32, #tc.sizes<[s0, 16]>>
  memref.copy %y, %b : memref<1024xf32> to memref<1024xf32>
  memref.copy %b, %y : memref<1024xf32> to memref<1024xf32>
  memref.copy %long, %z : memref<8192xf32> to memref<8192xf32>
  return
}

// -----

// Two branches never both run: their intermediates share memory, but not with
// values that are read after them.
// CHECK-LABEL: func.func @branches(
// CHECK: %[[ARENA:.*]] = tc.arena <512> : memref<512xi8>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <0> : memref<512xi8> -> memref<64xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <256> : memref<512xi8> -> memref<64xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <256> : memref<512xi8> -> memref<64xf32>
func.func @branches(%c: memref<i1>, %x: memref<64xf32>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  %kept = tc.buffer : memref<64xf32>
  %one = tc.buffer : memref<64xf32>
  %other = tc.buffer : memref<64xf32>
  tc.kernel "before" custom dims [] ins(%a = %x : memref<64xf32>) outs(%o = %kept : memref<64xf32>) {}
  tc.if %c : memref<i1> {
    tc.kernel "a" custom dims [] ins(%a = %x : memref<64xf32>) outs(%o = %one : memref<64xf32>) {}
    tc.kernel "b" custom dims [] ins(%a = %one : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
    tc.yield
  } else {
    tc.kernel "c" custom dims [] ins(%a = %x : memref<64xf32>) outs(%o = %other : memref<64xf32>) {}
    tc.kernel "d" custom dims [] ins(%a = %other : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
    tc.yield
  }
  tc.kernel "behind" custom dims [] ins(%a = %kept : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
  return
}

// -----

// A buffer whose size names a data-dependent symbol is in an arena after its
// definition; all others are in that of the whole function.
// CHECK-LABEL: func.func @data_dependent(
// CHECK-SAME: tc.memory_plan = {at = {u0 = 64 : i64}, buffers = 4 : i64, peak = 512 : i64, planned = 640 : i64}
// CHECK: %[[ARENA:.*]] = tc.arena <128> : memref<128xi8>
// CHECK-NEXT: %[[COUNT:.*]] = tc.arena_view %[[ARENA]] offset <{{.*}}> : memref<128xi8> -> memref<i64>
// CHECK-NEXT: %[[KEPT:.*]] = tc.arena_view %[[ARENA]] offset <{{.*}}> : memref<128xi8> -> memref<16xf32>
// CHECK: tc.size_from "u0" = %[[COUNT]] : memref<i64>
// CHECK: %[[LATE:.*]] = tc.arena <{{.*}}u0{{.*}}> : memref<?xi8>
// CHECK-NEXT: tc.arena_view %[[LATE]] offset <{{.*}}> : memref<?xi8> -> memref<?xf32, #tc.sizes<[u0]>>
// CHECK-NEXT: tc.arena_view %[[LATE]] offset <{{.*}}> : memref<?xi8> -> memref<?xf32, #tc.sizes<[u0]>>
func.func @data_dependent(%x: memref<16xf32>, %y: memref<16xf32>)
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 64>]} {
  %n = tc.buffer : memref<i64>
  %k = tc.buffer : memref<16xf32>
  tc.kernel "count" custom dims [] ins(%i = %x : memref<16xf32>) outs(%o = %n : memref<i64>, %p = %k : memref<16xf32>) {}
  tc.size_from "u0" = %n : memref<i64>
  %a = tc.buffer : memref<?xf32, #tc.sizes<[u0]>>
  %b = tc.buffer : memref<?xf32, #tc.sizes<[u0]>>
  tc.kernel "fill" custom dims [] ins(%i = %k : memref<16xf32>) outs(%o = %a : memref<?xf32, #tc.sizes<[u0]>>) {}
  tc.kernel "reverse" custom dims [] ins(%i = %a : memref<?xf32, #tc.sizes<[u0]>>) outs(%o = %b : memref<?xf32, #tc.sizes<[u0]>>) {}
  tc.kernel "fold" custom dims [] ins(%i = %b : memref<?xf32, #tc.sizes<[u0]>>) outs(%o = %y : memref<16xf32>) {}
  return
}

// -----

// A value made before a loop and read in it is live through all iterations, also
// after its last reader; so are the loop's results. A value that an iteration
// makes and reads shares memory with those of another part of the iteration.
// CHECK-LABEL: func.func @loop(
// CHECK-SAME: tc.memory_plan = {buffers = 5 : i64, peak = 768 : i64, planned = 768 : i64}
// CHECK: %[[ARENA:.*]] = tc.arena <768> : memref<768xi8>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <0> : memref<768xi8> -> memref<64xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <256> : memref<768xi8> -> memref<64xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <512> : memref<768xi8> -> memref<i1>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <512> : memref<768xi8> -> memref<64xf32>
// CHECK-NEXT: tc.arena_view %[[ARENA]] offset <512> : memref<768xi8> -> memref<60xf32>
func.func @loop(%x: memref<64xf32>) {
  %y = tc.output_buffer 0 : memref<64xf32>
  %kept = tc.buffer : memref<64xf32>
  %left = tc.buffer : memref<64xf32>
  %more = tc.buffer : memref<i1>
  %one = tc.buffer : memref<64xf32>
  %other = tc.buffer : memref<60xf32>
  tc.kernel "before" custom dims [] ins(%a = %x : memref<64xf32>) outs(%o = %kept : memref<64xf32>, %p = %left : memref<64xf32>) {}
  tc.while {
    tc.kernel "condition" custom dims [] ins(%a = %left : memref<64xf32>) outs(%o = %more : memref<i1>) {}
    tc.yield %more : memref<i1>
  } do {
    tc.kernel "a" custom dims [] ins(%a = %kept : memref<64xf32>) outs(%o = %one : memref<64xf32>) {}
    tc.kernel "b" custom dims [] ins(%a = %one : memref<64xf32>) outs(%o = %left : memref<64xf32>) {}
    tc.kernel "c" custom dims [] ins(%a = %x : memref<64xf32>) outs(%o = %other : memref<60xf32>) {}
    tc.kernel "d" custom dims [] ins(%a = %other : memref<60xf32>) outs(%o = %left : memref<64xf32>) {}
  }
  tc.kernel "behind" custom dims [] ins(%a = %left : memref<64xf32>) outs(%o = %y : memref<64xf32>) {}
  return
}

// -----

// What two counts from data leave of a size: of the largest of both there is
// less than nothing left, which is no memory.
// CHECK-LABEL: func.func @rest(
// CHECK: tc.arena
// CHECK-COUNT-3: tc.arena_view
func.func @rest(%n: memref<i64>, %m: memref<i64>, %y: memref<52xf32>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 52>, #tc.symbol<"u1", min = 0, max = 52>]} {
  tc.size_from "u0" = %n : memref<i64>
  tc.size_from "u1" = %m : memref<i64>
  %a = tc.buffer : memref<?x8xf32, #tc.sizes<[u0, 8]>>
  %b = tc.buffer : memref<?x8xf32, #tc.sizes<[u1, 8]>>
  %c = tc.buffer : memref<?x8xf32, #tc.sizes<[u0 * -1 - u1 + 52, 8]>>
  tc.kernel "first" pointwise dims [] outs(%o = %a : memref<?x8xf32, #tc.sizes<[u0, 8]>>) {}
  tc.kernel "second" pointwise dims [] outs(%o = %b : memref<?x8xf32, #tc.sizes<[u1, 8]>>) {}
  tc.kernel "third" pointwise dims [] outs(%o = %c : memref<?x8xf32, #tc.sizes<[u0 * -1 - u1 + 52, 8]>>) {}
  tc.kernel "all" pointwise dims [] ins(%i = %a : memref<?x8xf32, #tc.sizes<[u0, 8]>>, %j = %b : memref<?x8xf32, #tc.sizes<[u1, 8]>>, %k = %c : memref<?x8xf32, #tc.sizes<[u0 * -1 - u1 + 52, 8]>>) outs(%o = %y : memref<52xf32>) {}
  return
}
