// RUN: tc-opt %s --split-input-file --tc-assign-channels-last | FileCheck %s

// CHECK-DAG: #[[WRITTEN:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>
// CHECK-DAG: #[[READ:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 + d5, d2 + d6, d4)>

#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// What a convolution writes and another reads has its channels last, and so has the residual that is added to it; the
// argument and the result of the function stay as they are, and the first convolution reads a copy. A kernel walks its points as it writes them.
// CHECK-LABEL: func.func @block(%{{.*}}: tensor<2x8x6x6xbf16>, %{{.*}}: tensor<16x8x3x3xbf16>
// CHECK-SAME: -> tensor<2x16x4x4xbf16>
// CHECK: tc.kernel "reorder" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"k", parallel, 6>, #tc.dim<"l", parallel, 6>, #tc.dim<"j", parallel, 8>]
// CHECK: tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"o", parallel, 16>, #tc.dim<"c", reduced, 8>,
// CHECK-SAME: outs(%[[O:.*]] = %{{.*}} : tensor<2x6x6x16xbf16>)
// CHECK: tc.write %{{.*}}, %[[O]][#[[WRITTEN]]]
// CHECK: tc.kernel "second" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", parallel, 16>]
// CHECK-SAME: outs(%{{.*}} = %{{.*}} : tensor<2x6x6x16xbf16>)
// CHECK: tc.kernel "third" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 4>, #tc.dim<"w", parallel, 4>, #tc.dim<"o", parallel, 16>,
// CHECK-SAME: ins(%[[X:.*]] = %{{.*}} : tensor<2x6x6x16xbf16>, %{{.*}} = %{{.*}} : tensor<16x16x3x3xbf16>) outs(%{{.*}} = %{{.*}} : tensor<2x16x4x4xbf16>)
// CHECK: tc.read %[[X]][#[[READ]]]
func.func @block(%x: tensor<2x8x6x6xbf16>, %u: tensor<16x8x3x3xbf16>, %v: tensor<16x16x3x3xbf16>) -> tensor<2x16x4x4xbf16> {
  %e0 = tc.empty : tensor<2x16x6x6xbf16>
  %0 = tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", reduced, 8>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6x6xbf16>, %b = %u : tensor<16x8x3x3xbf16>) outs(%o = %e0 : tensor<2x16x6x6xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 - 1, d3 + d6 - 1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 1 >= 0, -d2 - d5 + 6 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 6 >= 0)> : tensor<2x8x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x8x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x6x6xbf16>
  }
  %e1 = tc.empty : tensor<2x16x6x6xbf16>
  %1 = tc.kernel "second" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"c", parallel, 16>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>] ins(%a = %0 : tensor<2x16x6x6xbf16>) outs(%o = %e1 : tensor<2x16x6x6xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : tensor<2x16x6x6xbf16> -> bf16
    %r = tc.relu %p : bf16
    tc.write %r, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x6x6xbf16>
  }
  %e2 = tc.empty : tensor<2x16x4x4xbf16>
  %2 = tc.kernel "third" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 4>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 16>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %1 : tensor<2x16x6x6xbf16>, %b = %v : tensor<16x16x3x3xbf16>) outs(%o = %e2 : tensor<2x16x4x4xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>] : tensor<2x16x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x16x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x4x4xbf16>
  }
  return %2 : tensor<2x16x4x4xbf16>
}
}

// -----

#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// Convolutions of f32 are no products of tensor cores, and a tensor that a reshape reads keeps its order.
// CHECK-LABEL: func.func @f32
// CHECK: outs(%{{.*}} = %{{.*}} : tensor<2x16x4xf32>)
// CHECK-LABEL: func.func @reshaped
// CHECK: outs(%{{.*}} = %{{.*}} : tensor<2x16x4xbf16>)
func.func @f32(%x: tensor<2x8x6xf32>, %u: tensor<16x8x3xf32>) -> tensor<2x16x4xf32> {
  %e0 = tc.empty : tensor<2x16x4xf32>
  %0 = tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6xf32>, %b = %u : tensor<16x8x3xf32>) outs(%o = %e0 : tensor<2x16x4xf32>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>] : tensor<2x8x6xf32> -> f32
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>] : tensor<16x8x3xf32> -> f32
    %s = tc.contract_stage %p, %q over [3, 4] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : f32, tensor<2x16x4xf32>
  }
  %e1 = tc.empty : tensor<2x16x4xf32>
  %1 = tc.kernel "second" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"c", parallel, 16>, #tc.dim<"w", parallel, 4>] ins(%a = %0 : tensor<2x16x4xf32>) outs(%o = %e1 : tensor<2x16x4xf32>) {
    %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<2x16x4xf32> -> f32
    tc.write %p, %o[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : f32, tensor<2x16x4xf32>
  }
  return %1 : tensor<2x16x4xf32>
}
func.func @reshaped(%x: tensor<2x8x6xbf16>, %u: tensor<16x8x3xbf16>) -> tensor<2x64xbf16> {
  %e0 = tc.empty : tensor<2x16x4xbf16>
  %0 = tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6xbf16>, %b = %u : tensor<16x8x3xbf16>) outs(%o = %e0 : tensor<2x16x4xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d3, d2 + d4)>] : tensor<2x8x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d1, d3, d4)>] : tensor<16x8x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x16x4xbf16>
  }
  %1 = tc.reshape %0 : tensor<2x16x4xbf16> -> tensor<2x64xbf16>
  return %1 : tensor<2x64xbf16>
}
}

// -----

#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// What the function gives with its channels last is what the convolution writes, and no copy of it; a second one is a copy.
// CHECK-LABEL: func.func @given
// CHECK: %[[FIRST:.*]] = tc.kernel "first" contraction
// CHECK-SAME: outs(%{{.*}} = %{{.*}} : tensor<2x6x6x16xbf16>)
// CHECK: %[[GIVEN:.*]] = tc.kernel "given" pointwise
// CHECK-NOT: tc.kernel "again"
// CHECK: tc.kernel "second" contraction
// CHECK-SAME: ins(%{{.*}} = %[[FIRST]] : tensor<2x6x6x16xbf16>
// CHECK: return %[[GIVEN]], %[[FIRST]], %{{.*}} : tensor<2x6x6x16xbf16>, tensor<2x6x6x16xbf16>
func.func @given(%x: tensor<2x8x6x6xbf16>, %u: tensor<16x8x3x3xbf16>, %v: tensor<16x16x3x3xbf16>) -> (tensor<2x6x6x16xbf16>, tensor<2x6x6x16xbf16>, tensor<2x16x4x4xbf16>) {
  %e0 = tc.empty : tensor<2x16x6x6xbf16>
  %0 = tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", reduced, 8>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6x6xbf16>, %b = %u : tensor<16x8x3x3xbf16>) outs(%o = %e0 : tensor<2x16x6x6xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 - 1, d3 + d6 - 1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 1 >= 0, -d2 - d5 + 6 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 6 >= 0)> : tensor<2x8x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x8x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x6x6xbf16>
  }
  %e1 = tc.empty : tensor<2x6x6x16xbf16>
  %1 = tc.kernel "given" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", parallel, 16>] ins(%a = %0 : tensor<2x16x6x6xbf16>) outs(%o = %e1 : tensor<2x6x6x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>] : tensor<2x16x6x6xbf16> -> bf16
    tc.write %p, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : bf16, tensor<2x6x6x16xbf16>
  }
  %2 = tc.kernel "again" pointwise dims [#tc.dim<"n", parallel, 2>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", parallel, 16>] ins(%a = %0 : tensor<2x16x6x6xbf16>) outs(%o = %e1 : tensor<2x6x6x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d3, d1, d2)>] : tensor<2x16x6x6xbf16> -> bf16
    tc.write %p, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>] : bf16, tensor<2x6x6x16xbf16>
  }
  %e3 = tc.empty : tensor<2x16x4x4xbf16>
  %3 = tc.kernel "second" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 4>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 16>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %0 : tensor<2x16x6x6xbf16>, %b = %v : tensor<16x16x3x3xbf16>) outs(%o = %e3 : tensor<2x16x4x4xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>] : tensor<2x16x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x16x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x4x4xbf16>
  }
  return %1, %2, %3 : tensor<2x6x6x16xbf16>, tensor<2x6x6x16xbf16>, tensor<2x16x4x4xbf16>
}
}

// -----

#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// One kernel writes what the next one reads, and the same in the order in which the function gives it: one result.
// CHECK-LABEL: func.func @both
// CHECK: %[[FIRST:.*]] = tc.kernel "first" contraction
// CHECK-SAME: outs(%{{[a-z0-9]*}} = %{{[a-z0-9]*}} : tensor<2x6x6x16xbf16>) {
// CHECK: tc.kernel "second" contraction
// CHECK-SAME: ins(%{{.*}} = %[[FIRST]] : tensor<2x6x6x16xbf16>
// CHECK: return %[[FIRST]], %{{.*}} : tensor<2x6x6x16xbf16>
func.func @both(%x: tensor<2x8x6x6xbf16>, %u: tensor<16x8x3x3xbf16>, %v: tensor<16x16x3x3xbf16>) -> (tensor<2x6x6x16xbf16>, tensor<2x16x4x4xbf16>) {
  %e0 = tc.empty : tensor<2x16x6x6xbf16>
  %e1 = tc.empty : tensor<2x6x6x16xbf16>
  %0:2 = tc.kernel "first" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 6>, #tc.dim<"w", parallel, 6>, #tc.dim<"c", reduced, 8>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %x : tensor<2x8x6x6xbf16>, %b = %u : tensor<16x8x3x3xbf16>) outs(%o = %e0 : tensor<2x16x6x6xbf16>, %g = %e1 : tensor<2x6x6x16xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 - 1, d3 + d6 - 1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 1 >= 0, -d2 - d5 + 6 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 6 >= 0)> : tensor<2x8x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x8x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x6x6xbf16>
    tc.write %t, %g[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : bf16, tensor<2x6x6x16xbf16>
  }
  %e3 = tc.empty : tensor<2x16x4x4xbf16>
  %3 = tc.kernel "second" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"h", parallel, 4>, #tc.dim<"w", parallel, 4>, #tc.dim<"c", reduced, 16>, #tc.dim<"r", reduced, 3>, #tc.dim<"s", reduced, 3>] ins(%a = %0#0 : tensor<2x16x6x6xbf16>, %b = %v : tensor<16x16x3x3xbf16>) outs(%o = %e3 : tensor<2x16x4x4xbf16>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5, d3 + d6)>] : tensor<2x16x6x6xbf16> -> bf16
    %q = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<16x16x3x3xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %o[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<2x16x4x4xbf16>
  }
  return %0#1, %3 : tensor<2x6x6x16xbf16>, tensor<2x16x4x4xbf16>
}
}
