// RUN: tc-opt %s --tc-pack-filters | FileCheck %s
// RUN: tc-opt %s --tc-pack-filters --tc-decompose-transposed-convolution | FileCheck %s --check-prefix=PHASES

// CHECK-DAG: #[[BACKWARDS:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, -d1 + 2)>
// CHECK-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2) -> (d2, d0, -d1 + 3)>
// CHECK-DAG: #[[STORED:.*]] = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// CHECK-DAG: #[[FORWARDS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 - 1, d4)>
// CHECK-DAG: #[[FORWARDS_2:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 - 2, d4)>
// CHECK-DAG: #[[DILATED:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3 * 2 - 2, d4)>
// CHECK-DAG: #[[STEPS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, (d1 + d3 + 1) floordiv 2 - 1, d4)>
// CHECK-DAG: #[[FILTERS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3, d4)>
// CHECK-DAG: #[[INSIDE:.*]] = affine_set<(d0, d1, d2, d3, d4) : (d1 + d3 - 1 >= 0, -d1 - d3 + 8 >= 0)>
// CHECK-DAG: #[[DIVIDED:.*]] = affine_set<(d0, d1, d2, d3, d4) : ((d1 + d3 + 1) mod 2 == 0, d1 + d3 - 1 >= 0, -d1 - d3 + 255 >= 0)>
// CHECK-DAG: #[[DIVIDED_FEW:.*]] = affine_set<(d0, d1, d2, d3, d4) : ((d1 + d3 + 1) mod 2 == 0, d1 + d3 - 1 >= 0, -d1 - d3 + 7 >= 0)>

// PHASES-DAG: #[[MIDDLE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, 1, d4)>
// PHASES-DAG: #[[ENDS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d2, d3 * 2, d4)>
// PHASES-DAG: #[[SAME:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>
// PHASES-DAG: #[[NEXT:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 + d3, d4)>
// PHASES-DAG: #[[EVEN:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2, d2)>
// PHASES-DAG: #[[ODD:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 * 2 + 1, d2)>

// The gradient of a convolution's input reads the gradient of its result at place - point. The points are counted
// backwards, so that this is read forwards, and the filters are stored backwards.
#target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">
module attributes {tc.target = #target} {
// CHECK-LABEL: func.func @dense
// CHECK-SAME: %[[G:[a-z0-9]+]]: tensor<2x8x32xbf16>, %[[W:[a-z0-9]+]]: tensor<32x16x3xbf16>
// CHECK: %[[R:.*]] = tc.kernel "reorder" {{.*}} ins(%[[A:.*]] = %[[W]] : {{.*}}) outs(%[[O:.*]] = %{{.*}} : tensor<16x3x32xbf16>)
// CHECK-NEXT: %[[V:.*]] = tc.read %[[A]][#[[BACKWARDS]]]
// CHECK-NEXT: tc.write %[[V]], %[[O]][#[[STORED]]]
// CHECK: tc.kernel "gradient" {{.*}}#tc.dim<"s", reduced, 3>, #tc.dim<"o", reduced, 32>] ins(%[[A:.*]] = %[[G]] : tensor<2x8x32xbf16>, %[[B:.*]] = %[[R]] : tensor<16x3x32xbf16>)
// CHECK: tc.read %[[A]][#[[FORWARDS]]] within #[[INSIDE]]
// CHECK: tc.read %[[B]][#[[FILTERS]]]
// PHASES-LABEL: func.func @dense
// PHASES-COUNT-1: tc.kernel "gradient"
// PHASES-NOT: tc.kernel
func.func @dense(%g: tensor<2x8x32xbf16>, %w: tensor<32x16x3xbf16>) -> tensor<2x8x16xbf16> {
  %e = tc.empty : tensor<2x8x16xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 8>, #tc.dim<"c", parallel, 16>, #tc.dim<"o", reduced, 32>, #tc.dim<"s", reduced, 3>] ins(%a = %g : tensor<2x8x32xbf16>, %b = %w : tensor<32x16x3xbf16>) outs(%r = %e : tensor<2x8x16xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 - d4 + 1, d3)>] within affine_set<(d0, d1, d2, d3, d4) : (d1 - d4 + 1 >= 0, -d1 + d4 + 6 >= 0)> : tensor<2x8x32xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<32x16x3xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x8x16xbf16>
  }
  return %0 : tensor<2x8x16xbf16>
}

// A window of an even number of points.
// CHECK-LABEL: func.func @even
// CHECK: tc.kernel "reorder"
// CHECK: tc.read %{{.*}}[#[[EVEN]]]
// CHECK: tc.kernel "gradient"
// CHECK: tc.read %{{.*}}[#[[FORWARDS_2]]]
// PHASES-LABEL: func.func @even
func.func @even(%g: tensor<2x7x32xbf16>, %w: tensor<32x16x4xbf16>) -> tensor<2x8x16xbf16> {
  %e = tc.empty : tensor<2x8x16xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 8>, #tc.dim<"c", parallel, 16>, #tc.dim<"o", reduced, 32>, #tc.dim<"s", reduced, 4>] ins(%a = %g : tensor<2x7x32xbf16>, %b = %w : tensor<32x16x4xbf16>) outs(%r = %e : tensor<2x8x16xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 - d4 + 1, d3)>] within affine_set<(d0, d1, d2, d3, d4) : (d1 - d4 + 1 >= 0, -d1 + d4 + 5 >= 0)> : tensor<2x7x32xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<32x16x4xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x8x16xbf16>
  }
  return %0 : tensor<2x8x16xbf16>
}

// CHECK-LABEL: func.func @dilated
// CHECK: tc.kernel "reorder"
// CHECK: tc.read %{{.*}}[#[[BACKWARDS]]]
// CHECK: tc.kernel "gradient"
// CHECK: tc.read %{{.*}}[#[[DILATED]]]
// PHASES-LABEL: func.func @dilated
func.func @dilated(%g: tensor<2x8x32xbf16>, %w: tensor<32x16x3xbf16>) -> tensor<2x8x16xbf16> {
  %e = tc.empty : tensor<2x8x16xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 8>, #tc.dim<"c", parallel, 16>, #tc.dim<"o", reduced, 32>, #tc.dim<"s", reduced, 3>] ins(%a = %g : tensor<2x8x32xbf16>, %b = %w : tensor<32x16x3xbf16>) outs(%r = %e : tensor<2x8x16xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1 - d4 * 2 + 2, d3)>] within affine_set<(d0, d1, d2, d3, d4) : (d1 - d4 * 2 + 2 >= 0, -d1 + d4 * 2 + 5 >= 0)> : tensor<2x8x32xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<32x16x3xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x8x16xbf16>
  }
  return %0 : tensor<2x8x16xbf16>
}

// With a stride, a place has an element where the stride divides it. This form stays, so that the phases are found: even
// places have the point in the middle, odd ones the two others.
// CHECK-LABEL: func.func @strided
// CHECK: tc.kernel "reorder"
// CHECK: tc.read %{{.*}}[#[[BACKWARDS]]]
// CHECK: tc.kernel "gradient"
// CHECK: tc.read %{{.*}}[#[[STEPS]]] within #[[DIVIDED]]
// CHECK: tc.read %{{.*}}[#[[FILTERS]]]
// CHECK-NOT: tc.kernel
// PHASES-LABEL: func.func @strided
// PHASES: %[[R:.*]] = tc.kernel "reorder"
// PHASES: %[[FIRST:.*]] = tc.kernel "gradient" {{.*}}#tc.dim<"w", parallel, 128>, {{.*}}#tc.dim<"s", reduced, 1>, {{.*}} ins(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %[[R]] : tensor<256x3x256xbf16>) outs(%[[O:.*]] = %{{.*}} : tensor<8x256x256xbf16>)
// PHASES: tc.read %[[A]][#[[SAME]]] :
// PHASES: tc.read %[[B]][#[[MIDDLE]]]
// PHASES: tc.write %{{.*}}, %[[O]][#[[EVEN]]]
// PHASES: tc.kernel "gradient" {{.*}}#tc.dim<"w", parallel, 128>, {{.*}}#tc.dim<"s", reduced, 2>, {{.*}} outs(%[[O:.*]] = %[[FIRST]] : tensor<8x256x256xbf16>)
// PHASES: tc.read %{{.*}}[#[[NEXT]]] within
// PHASES: tc.read %{{.*}}[#[[ENDS]]]
// PHASES: tc.write %{{.*}}, %[[O]][#[[ODD]]]
// PHASES-NOT: tc.kernel
func.func @strided(%g: tensor<8x128x256xbf16>, %w: tensor<256x256x3xbf16>) -> tensor<8x256x256xbf16> {
  %e = tc.empty : tensor<8x256x256xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 8>, #tc.dim<"w", parallel, 256>, #tc.dim<"c", parallel, 256>, #tc.dim<"o", reduced, 256>, #tc.dim<"s", reduced, 3>] ins(%a = %g : tensor<8x128x256xbf16>, %b = %w : tensor<256x256x3xbf16>) outs(%r = %e : tensor<8x256x256xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, (d1 - d4 + 1) floordiv 2, d3)>] within affine_set<(d0, d1, d2, d3, d4) : ((d1 - d4 + 1) mod 2 == 0, d1 - d4 + 1 >= 0, -d1 + d4 + 253 >= 0)> : tensor<8x128x256xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<256x256x3xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<8x256x256xbf16>
  }
  return %0 : tensor<8x256x256xbf16>
}

// Few products with zeros take a GPU no longer than another launch.
// CHECK-LABEL: func.func @few
// CHECK: tc.kernel "gradient"
// CHECK: tc.read %{{.*}}[#[[STEPS]]] within #[[DIVIDED_FEW]]
// PHASES-LABEL: func.func @few
// PHASES-COUNT-1: tc.kernel "gradient"
// PHASES-NOT: tc.kernel
func.func @few(%g: tensor<2x4x32xbf16>, %w: tensor<32x16x3xbf16>) -> tensor<2x8x16xbf16> {
  %e = tc.empty : tensor<2x8x16xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"w", parallel, 8>, #tc.dim<"c", parallel, 16>, #tc.dim<"o", reduced, 32>, #tc.dim<"s", reduced, 3>] ins(%a = %g : tensor<2x4x32xbf16>, %b = %w : tensor<32x16x3xbf16>) outs(%r = %e : tensor<2x8x16xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, (d1 - d4 + 1) floordiv 2, d3)>] within affine_set<(d0, d1, d2, d3, d4) : ((d1 - d4 + 1) mod 2 == 0, d1 - d4 + 1 >= 0, -d1 + d4 + 5 >= 0)> : tensor<2x4x32xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<32x16x3xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<2x8x16xbf16>
  }
  return %0 : tensor<2x8x16xbf16>
}

// Windows of two points by which an image is divided: a few products less than 2^27, and as many as that.
// PHASES-LABEL: func.func @just_under
// PHASES-COUNT-1: tc.kernel "gradient"
// PHASES-NOT: tc.kernel
// PHASES-LABEL: func.func @just_enough
// PHASES-COUNT-2: tc.kernel "gradient"
// PHASES-NOT: tc.kernel
func.func @just_under(%g: tensor<8x127x256xbf16>, %w: tensor<256x128x2xbf16>) -> tensor<8x254x128xbf16> {
  %e = tc.empty : tensor<8x254x128xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 8>, #tc.dim<"w", parallel, 254>, #tc.dim<"c", parallel, 128>, #tc.dim<"o", reduced, 256>, #tc.dim<"s", reduced, 2>] ins(%a = %g : tensor<8x127x256xbf16>, %b = %w : tensor<256x128x2xbf16>) outs(%r = %e : tensor<8x254x128xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, (d1 - d4) floordiv 2, d3)>] within affine_set<(d0, d1, d2, d3, d4) : ((d1 - d4) mod 2 == 0, d1 - d4 >= 0, -d1 + d4 + 252 >= 0)> : tensor<8x127x256xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<256x128x2xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<8x254x128xbf16>
  }
  return %0 : tensor<8x254x128xbf16>
}

func.func @just_enough(%g: tensor<8x128x256xbf16>, %w: tensor<256x128x2xbf16>) -> tensor<8x256x128xbf16> {
  %e = tc.empty : tensor<8x256x128xbf16>
  %0 = tc.kernel "gradient" contraction dims [#tc.dim<"n", parallel, 8>, #tc.dim<"w", parallel, 256>, #tc.dim<"c", parallel, 128>, #tc.dim<"o", reduced, 256>, #tc.dim<"s", reduced, 2>] ins(%a = %g : tensor<8x128x256xbf16>, %b = %w : tensor<256x128x2xbf16>) outs(%r = %e : tensor<8x256x128xbf16>) {
    %u = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, (d1 - d4) floordiv 2, d3)>] within affine_set<(d0, d1, d2, d3, d4) : ((d1 - d4) mod 2 == 0, d1 - d4 >= 0, -d1 + d4 + 254 >= 0)> : tensor<8x128x256xbf16> -> bf16
    %v = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d3, d2, d4)>] : tensor<256x128x2xbf16> -> bf16
    %s = tc.contract_stage %u, %v over [3, 4] : bf16, bf16 -> f32
    %t = tc.cast %s : f32 to bf16
    tc.write %t, %r[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2)>] : bf16, tensor<8x256x128xbf16>
  }
  return %0 : tensor<8x256x128xbf16>
}
}
