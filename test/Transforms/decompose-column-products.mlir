// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --tc-decompose-column-products | FileCheck %s
// RUN: tc-opt %s --tc-assign-target=target=cpu:x86-64-v3 --tc-decompose-column-products | FileCheck %s --check-prefix=CPU

#image = affine_map<(d0, d1, d2, d3) -> (d2, d3 + d1, d0)>
#gradient = affine_map<(d0, d1, d2, d3) -> (d2, d3, d0)>
#inside = affine_set<(d0, d1, d2, d3) : (97 - d3 - d1 >= 0)>

// Each channel of an image times the same channel of a gradient, for two taps.
// CHECK-LABEL: func @depthwise
// CHECK: tc.kernel "taps" column_reduction
// CHECK: %[[X:.*]] = tc.read %{{.*}} -> bf16
// CHECK: %[[G:.*]] = tc.read %{{.*}} -> bf16
// CHECK: %[[A:.*]] = tc.cast %[[X]] : bf16 to f32
// CHECK: %[[B:.*]] = tc.cast %[[G]] : bf16 to f32
// CHECK: %[[P:.*]] = tc.mul %[[A]], %[[B]] : f32
// CHECK: %[[S:.*]] = tc.reduce_stage sum %[[P]] over [2, 3] : f32 -> f32
// CHECK: tc.write %[[S]]
// CPU-LABEL: func @depthwise
// CPU: tc.contract_stage
func.func @depthwise(%x: tensor<8x98x64xbf16>, %g: tensor<8x97x64xbf16>) -> tensor<64x2xf32> {
  %e = tc.empty : tensor<64x2xf32>
  %0 = tc.kernel "taps" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", reduced, 8>, #tc.dim<"l", reduced, 97>] ins(%a = %x : tensor<8x98x64xbf16>, %b = %g : tensor<8x97x64xbf16>) outs(%o = %e : tensor<64x2xf32>) {
    %v = tc.read %a[#image] within #inside : tensor<8x98x64xbf16> -> bf16
    %w = tc.read %b[#gradient] : tensor<8x97x64xbf16> -> bf16
    %s = tc.contract_stage %v, %w over [2, 3] : bf16, bf16 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1)>] : f32, tensor<64x2xf32>
  }
  return %0 : tensor<64x2xf32>
}

// Products of integers are added up in their type.
// CHECK-LABEL: func @integers
// CHECK: tc.mul %{{.*}} : i32
// CHECK: tc.reduce_stage sum %{{.*}} over [1] : i32 -> i32
func.func @integers(%x: tensor<96x64xi32>, %y: tensor<96x64xi32>) -> tensor<64xi32> {
  %e = tc.empty : tensor<64xi32>
  %0 = tc.kernel "dots" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"c", reduced, 96>] ins(%a = %x : tensor<96x64xi32>, %b = %y : tensor<96x64xi32>) outs(%o = %e : tensor<64xi32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<96x64xi32> -> i32
    %w = tc.read %b[affine_map<(d0, d1) -> (d1, d0)>] : tensor<96x64xi32> -> i32
    %s = tc.contract_stage %v, %w over [1] : i32, i32 -> i32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : i32, tensor<64xi32>
  }
  return %0 : tensor<64xi32>
}

// A product of matrices for each column stays one, and so do few products and
// rows.
// CHECK-LABEL: func @matrices
// CHECK: tc.contract_stage
func.func @matrices(%x: tensor<96x4x64xf32>, %y: tensor<96x4x64xf32>) -> tensor<4x4x64xf32> {
  %e = tc.empty : tensor<4x4x64xf32>
  %0 = tc.kernel "batch" contraction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", parallel, 64>, #tc.dim<"c", reduced, 96>] ins(%a = %x : tensor<96x4x64xf32>, %b = %y : tensor<96x4x64xf32>) outs(%o = %e : tensor<4x4x64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d3, d0, d2)>] : tensor<96x4x64xf32> -> f32
    %w = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d3, d1, d2)>] : tensor<96x4x64xf32> -> f32
    %s = tc.contract_stage %v, %w over [3] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] : f32, tensor<4x4x64xf32>
  }
  return %0 : tensor<4x4x64xf32>
}

// CHECK-LABEL: func @few
// CHECK: tc.contract_stage
func.func @few(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> tensor<64xf32> {
  %e = tc.empty : tensor<64xf32>
  %0 = tc.kernel "dots" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"c", reduced, 32>] ins(%a = %x : tensor<32x64xf32>, %b = %y : tensor<32x64xf32>) outs(%o = %e : tensor<64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<32x64xf32> -> f32
    %w = tc.read %b[affine_map<(d0, d1) -> (d1, d0)>] : tensor<32x64xf32> -> f32
    %s = tc.contract_stage %v, %w over [1] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func @rows
// CHECK: tc.contract_stage
func.func @rows(%x: tensor<64x96xf32>, %y: tensor<64x96xf32>) -> tensor<64xf32> {
  %e = tc.empty : tensor<64xf32>
  %0 = tc.kernel "dots" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"c", reduced, 96>] ins(%a = %x : tensor<64x96xf32>, %b = %y : tensor<64x96xf32>) outs(%o = %e : tensor<64xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x96xf32> -> f32
    %w = tc.read %b[affine_map<(d0, d1) -> (d0, d1)>] : tensor<64x96xf32> -> f32
    %s = tc.contract_stage %v, %w over [1] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
