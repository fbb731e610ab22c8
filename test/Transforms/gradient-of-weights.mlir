// RUN: tc-opt %s --tc-assign-channels-last --tc-pack-filters --tc-decompose-convolution | FileCheck %s

// CHECK-DAG: #[[IMAGES:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1 + d5 - 1, d2 + d6 - 1, d3)>
// CHECK-DAG: #[[GRADIENTS:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d0)>
// CHECK-DAG: #[[PLACES:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 - 1, d2 * 3 + d4 - 3)>
// CHECK-DAG: #[[LANES:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1 * 16 + d2 * 3 + d3)>
// CHECK-DAG: #[[INSIDE:.*]] = affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d1 + d5 - 1 >= 0, -d1 - d5 + 8 >= 0, d2 + d6 - 1 >= 0, -d2 - d6 + 8 >= 0)>
// CHECK-DAG: #[[MATRIX:.*]] = affine_set<(d0, d1, d2, d3, d4) : ({{.*}}, -d4 + 8 >= 0)>

// The gradient of a convolution's weights is a convolution too: its window has the places of the images, and its batch is
// summed over.
#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// Whole boxes of channels: images and gradients are read as they are, and what is summed over goes in the order in which
// they are in memory, with the batch outermost. The filters have their channels last, and are given by a kernel behind it.
// CHECK-LABEL: func.func @whole_boxes
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x8x8x64xbf16>, %[[G:[a-z0-9]+]]: tensor<2x8x8x96xbf16>
// CHECK-NOT: tc.kernel "reorder"
// CHECK: %[[W:.*]] = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"c", parallel, 64>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>]
// CHECK-SAME: ins(%[[A:.*]] = %[[X]] : tensor<2x8x8x64xbf16>, %[[B:.*]] = %[[G]] : tensor<2x8x8x96xbf16>) outs(%{{.*}} : tensor<96x3x3x64xbf16>)
// CHECK: tc.read %[[A]][#[[IMAGES]]] within #[[INSIDE]]
// CHECK: tc.read %[[B]][#[[GRADIENTS]]]
// CHECK: tc.contract_stage %{{.*}}, %{{.*}} over [4, 5, 6]
// CHECK: tc.kernel "reorder" {{.*}} ins(%{{.*}} = %[[W]] : tensor<96x3x3x64xbf16>) outs(%{{.*}} : tensor<96x64x3x3xbf16>)
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @whole_boxes(%x: tensor<2x8x8x64xbf16>, %g: tensor<2x8x8x96xbf16>) -> tensor<96x64x3x3xbf16> {
  %e = tc.empty : tensor<96x64x3x3xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"c", parallel, 64>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>, #tc.dim<"n", reduced, 2>] ins(%a = %x : tensor<2x8x8x64xbf16>, %b = %g : tensor<2x8x8x96xbf16>) outs(%r = %e : tensor<96x64x3x3xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d2 + d4 - 1, d3 + d5 - 1, d1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d4 - 1 >= 0, -d2 - d4 + 8 >= 0, d3 + d5 - 1 >= 0, -d3 - d5 + 8 >= 0)> : tensor<2x8x8x64xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d4, d5, d0)>] : tensor<2x8x8x96xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [6, 4, 5] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<96x64x3x3xbf16>
  }
  return %0 : tensor<96x64x3x3xbf16>
}

// Images and gradients whose channels are planes are copied with their channels last.
// CHECK-LABEL: func.func @planes
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x64x8x8xbf16>, %[[G:[a-z0-9]+]]: tensor<2x96x8x8xbf16>
// CHECK: %[[XC:.*]] = tc.kernel "reorder" {{.*}} ins(%{{.*}} = %[[X]] : {{.*}}) outs(%{{.*}} : tensor<2x8x8x64xbf16>)
// CHECK: %[[GC:.*]] = tc.kernel "reorder" {{.*}} ins(%{{.*}} = %[[G]] : {{.*}}) outs(%{{.*}} : tensor<2x8x8x96xbf16>)
// CHECK: tc.kernel "gradient" {{.*}} ins(%[[A:.*]] = %[[XC]] : tensor<2x8x8x64xbf16>, %[[B:.*]] = %[[GC]] : tensor<2x8x8x96xbf16>) outs(%{{.*}} : tensor<96x3x3x64xbf16>)
// CHECK: tc.read %[[A]][#[[IMAGES]]] within #[[INSIDE]]
// CHECK: tc.read %[[B]][#[[GRADIENTS]]]
func.func @planes(%x: tensor<2x64x8x8xbf16>, %g: tensor<2x96x8x8xbf16>) -> tensor<96x64x3x3xbf16> {
  %e = tc.empty : tensor<96x64x3x3xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"c", parallel, 64>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>] ins(%a = %x : tensor<2x64x8x8xbf16>, %b = %g : tensor<2x96x8x8xbf16>) outs(%r = %e : tensor<96x64x3x3xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d1, d2 + d5 - 1, d3 + d6 - 1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 1 >= 0, -d2 - d5 + 8 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 8 >= 0)> : tensor<2x64x8x8xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d0, d5, d6)>] : tensor<2x96x8x8xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<96x64x3x3xbf16>
  }
  return %0 : tensor<96x64x3x3xbf16>
}

// Three channels are no box: the matrix of all windows has three times nine elements for each place, and zeros behind each nine. The
// product with it is what the filters are taken from.
// CHECK-LABEL: func.func @three_channels
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x8x8x3xbf16>, %[[G:[a-z0-9]+]]: tensor<2x8x8x96xbf16>
// CHECK: %[[V:.*]] = tc.reshape %[[X]] : tensor<2x8x8x3xbf16> -> tensor<2x8x24xbf16>
// CHECK: %[[U:.*]] = tc.kernel "unfold" {{.*}} ins(%[[A:.*]] = %[[V]] : tensor<2x8x24xbf16>) outs(%{{.*}} : tensor<2x8x8x3x16xbf16>)
// CHECK: tc.read %[[A]][#[[PLACES]]] within #[[MATRIX]]
// CHECK: %[[M:.*]] = tc.reshape %[[U]] : tensor<2x8x8x3x16xbf16> -> tensor<2x8x8x48xbf16>
// CHECK: %[[P:.*]] = tc.kernel "gradient" contraction dims [#tc.dim<"i", parallel, 96>, #tc.dim<"j", parallel, 48>, #tc.dim<"k", reduced, 2>, #tc.dim<"l", reduced, 8>, #tc.dim<"m", reduced, 8>]
// CHECK-SAME: ins(%[[B:.*]] = %[[G]] : tensor<2x8x8x96xbf16>, %[[C:.*]] = %[[M]] : tensor<2x8x8x48xbf16>) outs(%{{.*}} : tensor<96x48xbf16>)
// CHECK: tc.contract_stage %{{.*}}, %{{.*}} over [2, 3, 4]
// CHECK: tc.kernel "reorder" {{.*}} ins(%[[D:.*]] = %[[P]] : tensor<96x48xbf16>)
// CHECK: tc.read %[[D]][#[[LANES]]]
func.func @three_channels(%x: tensor<2x8x8x3xbf16>, %g: tensor<2x8x8x96xbf16>) -> tensor<96x3x3x3xbf16> {
  %e = tc.empty : tensor<96x3x3x3xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"c", parallel, 3>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>] ins(%a = %x : tensor<2x8x8x3xbf16>, %b = %g : tensor<2x8x8x96xbf16>) outs(%r = %e : tensor<96x3x3x3xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d2 + d5 - 1, d3 + d6 - 1, d1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 1 >= 0, -d2 - d5 + 8 >= 0, d3 + d6 - 1 >= 0, -d3 - d6 + 8 >= 0)> : tensor<2x8x8x3xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d0)>] : tensor<2x8x8x96xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<96x3x3x3xbf16>
  }
  return %0 : tensor<96x3x3x3xbf16>
}

// The matrix of windows of 49 points would have more than 16 times the elements of the images.
// CHECK-LABEL: func.func @large_window
// CHECK-NOT: "unfold"
// CHECK: tc.kernel "gradient" {{.*}} outs(%{{.*}} : tensor<96x3x7x7xbf16>)
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @large_window(%x: tensor<2x8x8x3xbf16>, %g: tensor<2x8x8x96xbf16>) -> tensor<96x3x7x7xbf16> {
  %e = tc.empty : tensor<96x3x7x7xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"c", parallel, 3>, #tc.dim<"r", parallel, 7>, #tc.dim<"s", parallel, 7>, #tc.dim<"n", reduced, 2>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>] ins(%a = %x : tensor<2x8x8x3xbf16>, %b = %g : tensor<2x8x8x96xbf16>) outs(%r = %e : tensor<96x3x7x7xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d2 + d5 - 3, d3 + d6 - 3, d1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 - 3 >= 0, -d2 - d5 + 10 >= 0, d3 + d6 - 3 >= 0, -d3 - d6 + 10 >= 0)> : tensor<2x8x8x3xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d4, d5, d6, d0)>] : tensor<2x8x8x96xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [4, 5, 6] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : bf16, tensor<96x3x7x7xbf16>
  }
  return %0 : tensor<96x3x7x7xbf16>
}

// Tensor cores do not multiply f32.
// CHECK-LABEL: func.func @of_floats
// CHECK-NOT: tc.kernel "reorder"
// CHECK: tc.kernel "gradient" {{.*}} outs(%{{.*}} : tensor<96x64x3x3xf32>)
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @of_floats(%x: tensor<2x8x8x64xf32>, %g: tensor<2x8x8x96xf32>) -> tensor<96x64x3x3xf32> {
  %e = tc.empty : tensor<96x64x3x3xf32>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"o", parallel, 96>, #tc.dim<"c", parallel, 64>, #tc.dim<"r", parallel, 3>, #tc.dim<"s", parallel, 3>, #tc.dim<"p", reduced, 8>, #tc.dim<"q", reduced, 8>, #tc.dim<"n", reduced, 2>] ins(%a = %x : tensor<2x8x8x64xf32>, %b = %g : tensor<2x8x8x96xf32>) outs(%r = %e : tensor<96x64x3x3xf32>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d2 + d4 - 1, d3 + d5 - 1, d1)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d4 - 1 >= 0, -d2 - d4 + 8 >= 0, d3 + d5 - 1 >= 0, -d3 - d5 + 8 >= 0)> : tensor<2x8x8x64xf32> -> f32
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d6, d4, d5, d0)>] : tensor<2x8x8x96xf32> -> f32
    %s = tc.contract_stage %u, %v over [6, 4, 5] : f32, f32 -> f32
    tc.write %s, %r[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : f32, tensor<96x64x3x3xf32>
  }
  return %0 : tensor<96x64x3x3xf32>
}
}
