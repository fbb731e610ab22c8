// RUN: tc-opt %s "--convert-tc-to-vector=target=cpu:x86-64-v4" | FileCheck %s

// A size that is divided by another one: the divisor counts as 1 where it is less.
// CHECK-LABEL: func.func private @fill_0
// CHECK: %[[DIVISOR:.*]] = arith.maxsi %{{.*}}, %{{.*}} : i64
// CHECK: arith.floordivsi %{{.*}}, %[[DIVISOR]] : i64
func.func @quotient(%x: memref<?x?xf32, #tc.sizes<[s0, s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>], tc.result_types = [tensor<?x8xf32, #tc.sizes<[s0 floordiv s1, 8]>>]} {
  %y = tc.output_buffer 0 : memref<?x8xf32, #tc.sizes<[s0 floordiv s1, 8]>>
  tc.kernel "fill" pointwise dims [#tc.dim<"i", parallel, s0 floordiv s1>, #tc.dim<"j", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 16> outs(%o = %y : memref<?x8xf32, #tc.sizes<[s0 floordiv s1, 8]>>) {
    %c = tc.scalar 1.0 : f32
    tc.write %c, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<?x8xf32, #tc.sizes<[s0 floordiv s1, 8]>>
  }
  return
}
