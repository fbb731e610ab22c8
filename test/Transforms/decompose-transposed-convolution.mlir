// RUN: tc-opt %s --tc-decompose-transposed-convolution --split-input-file | FileCheck %s

// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2)>
// CHECK-DAG: #[[MIDDLE:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, 1)>
// CHECK-DAG: #[[ODD:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 2 + 1)>
// CHECK-DAG: #[[ENDS:.*]] = affine_map<(d0, d1, d2, d3) -> (d2, d0, d3 * 2)>

// Even points meet the tap in the middle, odd ones the two others. The epilogue goes with both kernels, which write one
// tensor.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @two_phases
// CHECK: %[[E:.*]] = tc.empty : tensor<2x11xf32>
// CHECK: %[[FIRST:.*]] = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 6>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 1>]
// CHECK-SAME: outs(%{{.*}} = %[[E]] : tensor<2x11xf32>)
// CHECK: tc.read %{{.*}}[#[[MIDDLE]]]
// CHECK: tc.contract_stage %{{.*}}, %{{.*}} over [2, 3]
// CHECK: tc.read %{{.*}}[#[[EVEN]]] : tensor<2x11xf32>
// CHECK: tc.write %{{.*}}[#[[EVEN]]]
// CHECK: tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 5>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 2>]
// CHECK-SAME: outs(%{{.*}} = %[[FIRST]] : tensor<2x11xf32>)
// CHECK: tc.read %{{.*}}[#[[ENDS]]]
// CHECK: tc.contract_stage %{{.*}}, %{{.*}} over [2, 3]
// CHECK: tc.read %{{.*}}[#[[ODD]]] : tensor<2x11xf32>
// CHECK: tc.write %{{.*}}[#[[ODD]]]
// CHECK-NOT: tc.kernel
func.func @two_phases(%x: tensor<4x6xf32>, %w: tensor<4x2x3xf32>, %y: tensor<2x11xf32>) -> tensor<2x11xf32> {
  %e = tc.empty : tensor<2x11xf32>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, 11>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<4x6xf32>, %b = %w : tensor<4x2x3xf32>, %c = %y : tensor<2x11xf32>) outs(%r = %e : tensor<2x11xf32>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d2, (d1 - d3 + 1) floordiv 2)>] within affine_set<(d0, d1, d2, d3) : ((d1 - d3 + 1) mod 2 == 0, d1 - d3 + 1 >= 0, -d1 + d3 + 10 >= 0)> : tensor<4x6xf32> -> f32
    %q = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>] : tensor<4x2x3xf32> -> f32
    %s = tc.contract_stage %p, %q over [2, 3] : f32, f32 -> f32
    %t = tc.read %c[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : tensor<2x11xf32> -> f32
    %u = tc.add %s, %t : f32
    tc.write %u, %r[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, tensor<2x11xf32>
  }
  return %0 : tensor<2x11xf32>
}
}

// -----

// A window of one tap meets every third point; the others are zero. The points of a dimension of unknown size are
// divided among the phases.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @no_taps
// CHECK: tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, (s0 + 2) floordiv 3>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 1>]
// CHECK: tc.contract_stage
// CHECK: tc.kernel "conv" pointwise dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, (s0 + 1) floordiv 3>]
// CHECK-NEXT: %[[Z:.*]] = tc.scalar 0.000000e+00 : f32
// CHECK-NEXT: tc.write %[[Z]]
// CHECK: tc.kernel "conv" pointwise dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, s0 floordiv 3>]
// CHECK-NEXT: %[[Z:.*]] = tc.scalar 0.000000e+00 : f32
// CHECK-NEXT: tc.write %[[Z]]
func.func @no_taps(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %w: tensor<4x2x1xf32>) -> tensor<2x?xf32, #tc.sizes<[2, s0]>> {
  %e = tc.empty : tensor<2x?xf32, #tc.sizes<[2, s0]>>
  %0 = tc.kernel "conv" contraction dims [#tc.dim<"o", parallel, 2>, #tc.dim<"i", parallel, s0>, #tc.dim<"c", reduced, 4>, #tc.dim<"k", reduced, 1>] ins(%a = %x : tensor<4x?xf32, #tc.sizes<[4, s0]>>, %b = %w : tensor<4x2x1xf32>) outs(%r = %e : tensor<2x?xf32, #tc.sizes<[2, s0]>>) {
    %p = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d2, (d1 - d3) floordiv 3)>] within affine_set<(d0, d1, d2, d3) : ((d1 - d3) mod 3 == 0, d1 - d3 >= 0)> : tensor<4x?xf32, #tc.sizes<[4, s0]>> -> f32
    %q = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d2, d0, d3)>] : tensor<4x2x1xf32> -> f32
    %s = tc.contract_stage %p, %q over [2, 3] : f32, f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, tensor<2x?xf32, #tc.sizes<[2, s0]>>
  }
  return %0 : tensor<2x?xf32, #tc.sizes<[2, s0]>>
}
}

// -----

// A maximum over taps is no sum, what is not a product with the read is not zero between its elements, and a dilated
// window has no taps that follow by strides: all stay. So does a GPU's.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @maximum
// CHECK-COUNT-1: tc.kernel
// CHECK-LABEL: func.func @shifted
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK-LABEL: func.func @dilated
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
func.func @maximum(%x: tensor<5xf32>) -> tensor<10xf32> {
  %e = tc.empty : tensor<10xf32>
  %0 = tc.kernel "window" row_reduction dims [#tc.dim<"i", parallel, 10>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<5xf32>) outs(%r = %e : tensor<10xf32>) {
    %p = tc.read %a[affine_map<(d0, d1) -> ((d0 - d1 + 1) floordiv 2)>] within affine_set<(d0, d1) : ((d0 - d1 + 1) mod 2 == 0, d0 - d1 + 1 >= 0, -d0 + d1 + 8 >= 0)> : tensor<5xf32> -> f32
    %s = tc.reduce_stage max %p over [1] : f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1) -> (d0)>] : f32, tensor<10xf32>
  }
  return %0 : tensor<10xf32>
}
func.func @shifted(%x: tensor<5xf32>) -> tensor<10xf32> {
  %e = tc.empty : tensor<10xf32>
  %0 = tc.kernel "window" row_reduction dims [#tc.dim<"i", parallel, 10>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<5xf32>) outs(%r = %e : tensor<10xf32>) {
    %c = tc.scalar 1.0 : f32
    %p = tc.read %a[affine_map<(d0, d1) -> ((d0 - d1 + 1) floordiv 2)>] within affine_set<(d0, d1) : ((d0 - d1 + 1) mod 2 == 0, d0 - d1 + 1 >= 0, -d0 + d1 + 8 >= 0)> : tensor<5xf32> -> f32
    %q = tc.add %p, %c : f32
    %s = tc.reduce_stage sum %q over [1] : f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1) -> (d0)>] : f32, tensor<10xf32>
  }
  return %0 : tensor<10xf32>
}
func.func @dilated(%x: tensor<7xf32>) -> tensor<12xf32> {
  %e = tc.empty : tensor<12xf32>
  %0 = tc.kernel "window" row_reduction dims [#tc.dim<"i", parallel, 12>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<7xf32>) outs(%r = %e : tensor<12xf32>) {
    %p = tc.read %a[affine_map<(d0, d1) -> ((d0 - d1 * 2 + 4) floordiv 3)>] within affine_set<(d0, d1) : ((d0 - d1 * 2 + 4) mod 3 == 0, d0 - d1 * 2 + 4 >= 0, -d0 + d1 * 2 + 14 >= 0)> : tensor<7xf32> -> f32
    %s = tc.reduce_stage sum %p over [1] : f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1) -> (d0)>] : f32, tensor<12xf32>
  }
  return %0 : tensor<12xf32>
}
}

// -----

module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
// CHECK-LABEL: func.func @gpu
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
func.func @gpu(%x: tensor<5xf32>) -> tensor<10xf32> {
  %e = tc.empty : tensor<10xf32>
  %0 = tc.kernel "window" row_reduction dims [#tc.dim<"i", parallel, 10>, #tc.dim<"k", reduced, 3>] ins(%a = %x : tensor<5xf32>) outs(%r = %e : tensor<10xf32>) {
    %p = tc.read %a[affine_map<(d0, d1) -> ((d0 - d1 + 1) floordiv 2)>] within affine_set<(d0, d1) : ((d0 - d1 + 1) mod 2 == 0, d0 - d1 + 1 >= 0, -d0 + d1 + 8 >= 0)> : tensor<5xf32> -> f32
    %s = tc.reduce_stage sum %p over [1] : f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1) -> (d0)>] : f32, tensor<10xf32>
  }
  return %0 : tensor<10xf32>
}
}
