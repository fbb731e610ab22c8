// RUN: tc-opt %s --tc-verify-bufferize | FileCheck %s

// Where no index is outside: by the set, by a remainder, by digits of a
// flattened dimension, by a guard.
// CHECK-LABEL: func.func @static(
func.func @static(%x: memref<4x6xf32>, %z: memref<99xf32>) attributes {tc.result_types = [tensor<32xf32>]} {
  %y = tc.output_buffer 0 : memref<32xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 32>] ins(%a = %x : memref<4x6xf32>, %b = %z : memref<99xf32>) outs(%o = %y : memref<32xf32>) {
    %v = tc.read %a[affine_map<(d0) -> ((d0 - 3) floordiv 6, (d0 - 3) mod 6)>] within affine_set<(d0) : (d0 - 3 >= 0, 26 - d0 >= 0)> : memref<4x6xf32> -> f32
    %w = tc.read %b[affine_map<(d0) -> ((d0 * 1000003) mod 99)>] : memref<99xf32> -> f32
    %s = tc.add %v, %w : f32
    tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, memref<32xf32>
  }
  return
}

// CHECK-LABEL: func.func @symbolic(
func.func @symbolic(%x: memref<?x?xf32, #tc.sizes<[s0, s1]>>, %z: memref<?xf32, #tc.sizes<[s0]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0 * s1]>>],
                tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>, #tc.symbol<"s1", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0 * s1]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0 * s1>] symbols [#tc.expr<s0>, #tc.expr<s1>]
      ins(%a = %x : memref<?x?xf32, #tc.sizes<[s0, s1]>>, %b = %z : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0 * s1]>>) {
    %v = tc.read %a[affine_map<(d0)[s0, s1] -> (d0 floordiv s1, d0 mod s1)>] : memref<?x?xf32, #tc.sizes<[s0, s1]>> -> f32
    %w = tc.read %b[affine_map<(d0)[s0, s1] -> (d0 - s0)>] within affine_set<(d0)[s0, s1] : (d0 - s0 >= 0, s0 * 2 - 1 - d0 >= 0)> : memref<?xf32, #tc.sizes<[s0]>> -> f32
    %s = tc.add %v, %w : f32
    tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0 * s1]>>
  }
  return
}

// CHECK-LABEL: func.func @guarded(
func.func @guarded(%x: memref<?xf32, #tc.sizes<[s0]>>, %z: memref<?xf32, #tc.sizes<[s1]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>],
                tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]} {
  tc.guard scalar() {expr = #tc.expr<s1 - s0>, min = 2 : i64, max = 64 : i64}
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%b = %z : memref<?xf32, #tc.sizes<[s1]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    %w = tc.read %b[affine_map<(d0) -> (d0 + 2)>] : memref<?xf32, #tc.sizes<[s1]>> -> f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return
}

// A set may end at the size of an operand, whatever that is a product of.
// CHECK-LABEL: func.func @joined(
func.func @joined(%x: memref<?xf32, #tc.sizes<[s0 * s1]>>, %z: memref<?xf32, #tc.sizes<[s2]>>, %s: memref<?x?xf32, #tc.sizes<[s0, s1]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0 * s1 + s2]>>],
                tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>, #tc.symbol<"s1", min = 0, max = 9223372036854775807>, #tc.symbol<"s2", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0 * s1 + s2]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0 * s1 + s2>] symbols [#tc.expr<s0>, #tc.expr<s1>]
      ins(%a = %x : memref<?xf32, #tc.sizes<[s0 * s1]>>, %b = %z : memref<?xf32, #tc.sizes<[s2]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0 * s1 + s2]>>) {
    %v = tc.read %a[affine_map<(d0)[s0, s1] -> (d0)>] within affine_set<(d0)[s0, s1] : (s0 * s1 - d0 - 1 >= 0)> : memref<?xf32, #tc.sizes<[s0 * s1]>> -> f32
    %w = tc.read %b[affine_map<(d0)[s0, s1] -> (d0 - s0 * s1)>] within affine_set<(d0)[s0, s1] : (d0 - s0 * s1 >= 0)> : memref<?xf32, #tc.sizes<[s2]>> -> f32
    %r = tc.add %v, %w : f32
    tc.write %r, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0 * s1 + s2]>>
  }
  return
}

// A minimum is at most both, and at least what both are; a maximum is one of
// the two: where the second part begins, where a slice of the last rows does.
// CHECK-LABEL: func.func @folds(
func.func @folds(%x: memref<?xf32, #tc.sizes<[min(4, s0)]>>, %z: memref<?xf32, #tc.sizes<[s1]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[min(4, s0) + min(4, s1)]>>],
                tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>, #tc.symbol<"s1", min = 0, max = 9223372036854775807>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[min(4, s0) + min(4, s1)]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, min(4, s0) + min(4, s1)>] symbols [#tc.expr<min(4, s0)>, #tc.expr<max(0, s1 - 4)>]
      ins(%a = %x : memref<?xf32, #tc.sizes<[min(4, s0)]>>, %b = %z : memref<?xf32, #tc.sizes<[s1]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[min(4, s0) + min(4, s1)]>>) {
    %v = tc.read %a[affine_map<(d0)[s0, s1] -> (d0)>] within affine_set<(d0)[s0, s1] : (s0 - d0 - 1 >= 0)> : memref<?xf32, #tc.sizes<[min(4, s0)]>> -> f32
    %w = tc.read %b[affine_map<(d0)[s0, s1] -> (d0 - s0 + s1)>] within affine_set<(d0)[s0, s1] : (d0 - s0 >= 0)> : memref<?xf32, #tc.sizes<[s1]>> -> f32
    %r = tc.add %v, %w : f32
    tc.write %r, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[min(4, s0) + min(4, s1)]>>
  }
  return
}

// A domain of as many points as are left of the fourth has points only where
// they are.
// CHECK-LABEL: func.func @domain(
func.func @domain(%x: memref<?xf32, #tc.sizes<[s0]>>)
    attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[max(0, s0 - 3)]>>],
                tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[max(0, s0 - 3)]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, max(0, s0 - 3)>] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[max(0, s0 - 3)]>>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 + 3)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[max(0, s0 - 3)]>>
  }
  return
}
