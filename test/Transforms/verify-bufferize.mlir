// RUN: tc-opt %s --tc-verify-bufferize | FileCheck %s

// Views that are never live together may overlap.
// CHECK-LABEL: func.func @shared(
func.func @shared(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  %arena = tc.arena <128> : memref<128xi8>
  %a = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<16xf32>
  %b = tc.arena_view %arena offset <64> : memref<128xi8> -> memref<16xf32>
  %c = tc.arena_view %arena offset <0> : memref<128xi8> -> memref<16xf32>
  tc.kernel "k1" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%i = %x : memref<16xf32>) outs(%o = %a : memref<16xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  tc.kernel "k2" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%i = %a : memref<16xf32>) outs(%o = %b : memref<16xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  tc.kernel "k3" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%i = %b : memref<16xf32>) outs(%o = %c : memref<16xf32>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (15 - d0)>] : f32, memref<16xf32>
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  tc.kernel "k4" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>] ins(%i = %c : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
    %v = tc.read %i[affine_map<(d0, d1) -> (d0 * 4 + d1)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0 + d1 * 4)>] : f32, memref<16xf32>
  }
  return
}

// Each branch writes the buffer read after them; views end where the next begin,
// for all sizes.
// CHECK-LABEL: func.func @branches(
func.func @branches(%c: memref<i1>, %x: memref<?xf32, #tc.sizes<[s0]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  %arena = tc.arena <((s0 + 15) floordiv 16) * 128> : memref<?xi8>
  %a = tc.arena_view %arena offset <0> : memref<?xi8> -> memref<?xf32, #tc.sizes<[s0]>>
  %b = tc.arena_view %arena offset <((s0 + 15) floordiv 16) * 64> : memref<?xi8> -> memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "before" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%i = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %b : memref<?xf32, #tc.sizes<[s0]>>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  tc.if %c : memref<i1> {
    tc.kernel "then" pointwise dims [#tc.dim<"i", parallel, s0>] outs(%o = %a : memref<?xf32, #tc.sizes<[s0]>>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
    }
  } else {
    tc.kernel "else" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%i = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %a : memref<?xf32, #tc.sizes<[s0]>>) {
      %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
    }
  }
  tc.kernel "behind" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%i = %a : memref<?xf32, #tc.sizes<[s0]>>, %j = %b : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    %v = tc.read %i[affine_map<(d0) -> (d0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    %w = tc.read %j[affine_map<(d0) -> (d0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    %s = tc.add %v, %w : f32
    tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return
}

// A size divided by a number from data has no value where that is 0, which the
// guard keeps out; the rest is proved.
// CHECK-LABEL: func.func @divided
func.func @divided(%n: memref<i64>) attributes {tc.result_types = [], tc.symbols = [#tc.symbol<"u0", min = 0, max = 64>]} {
  tc.size_from "u0" = %n : memref<i64>
  tc.size_guard "tc.reshape" needs "the divisor in 64 floordiv u0" <u0> at_least <1>
  %arena = tc.arena <(64 floordiv u0) * 64> : memref<?xi8>
  // CHECK: tc.arena_view
  %a = tc.arena_view %arena offset <0> : memref<?xi8> -> memref<?xf32, #tc.sizes<[64 floordiv u0]>>
  return
}

// Kernels that write one phase of a buffer each, all of them together.
// CHECK-LABEL: func.func @phases
func.func @phases() attributes {tc.result_types = [tensor<11xf32>, tensor<3x?x1xf32, #tc.sizes<[3, s0, 1]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<11xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 6>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2)>] : f32, memref<11xf32>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 5>] outs(%o = %y : memref<11xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2 + 1)>] : f32, memref<11xf32>
  }
  %z = tc.output_buffer 1 : memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, (s0 + 2) floordiv 3>] outs(%o = %z : memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1 * 3, 0)>] : f32, memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, s0 floordiv 3>] outs(%o = %z : memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1 * 3 + 2, 0)>] : f32, memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>
  }
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, (s0 + 1) floordiv 3>] outs(%o = %z : memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1 * 3 + 1, 0)>] : f32, memref<3x?x1xf32, #tc.sizes<[3, s0, 1]>>
  }
  // CHECK: return
  return
}
