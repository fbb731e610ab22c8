// RUN: tc-opt %s --convert-tc-to-llvm | FileCheck %s

// A remainder by a size: the divisor counts as 1 where it is less, as the check that it is not comes later.
// CHECK-LABEL: llvm.func @remainder
// CHECK: %[[ABOVE:.*]] = llvm.icmp "sgt" %[[SIZE:.*]], %[[ONE:.*]] : i64
// CHECK: %[[DIVISOR:.*]] = llvm.select %[[ABOVE]], %[[SIZE]], %[[ONE]] : i1, i64
// CHECK: %[[REST:.*]] = llvm.srem %{{.*}}, %[[DIVISOR]] : i64
// CHECK: %[[UP:.*]] = llvm.icmp "slt" %[[REST]]
// CHECK: %[[SUM:.*]] = llvm.add %[[REST]], %[[DIVISOR]] : i64
// CHECK: llvm.select %[[UP]], %[[SUM]], %[[REST]] : i1, i64
func.func @remainder(%x: memref<?x?xf32, #tc.sizes<[s0, s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>], tc.result_types = [tensor<?xf32, #tc.sizes<[s0 mod s1]>>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0 mod s1]>>
  return
}
