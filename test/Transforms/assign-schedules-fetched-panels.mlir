// Tiles of few rows fetch the panels of large weights ahead.
// RUN: tc-opt %s --split-input-file --tc-assign-schedules | FileCheck %s

#rows = affine_map<(d0, d1, d2) -> (d0, d2)>
#panel = affine_map<(d0, d1, d2) -> (d1, d2)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
  tc.parameter_source @w : tensor<3072x768xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
  tc.parameter_source @small : tensor<128x768xf32> {file = "m.pt2", offset = 9437184 : i64, role = "parameter"}

  // Three tiles of six rows have a part each.
  // CHECK-LABEL: func @few_rows
  // CHECK: schedule #tc.contraction_schedule<{{.*}}tile = <rows = 6, {{.*}}>, fetch_parts = 3> ins(
  func.func @few_rows(%x: tensor<16x768xf32>) -> tensor<16x3072xf32> {
    %w = tc.parameter @w : tensor<3072x768xf32>
    %e = tc.empty : tensor<16x3072xf32>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 16>, #tc.dim<"n", parallel, 3072>, #tc.dim<"k", reduced, 768>] ins(%a = %x : tensor<16x768xf32>, %b = %w : tensor<3072x768xf32>) outs(%o = %e : tensor<16x3072xf32>) {
      %u = tc.read %a[#rows] : tensor<16x768xf32> -> f32
      %v = tc.read %b[#panel] : tensor<3072x768xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<16x3072xf32>
    }
    return %0 : tensor<16x3072xf32>
  }

  // Many rows multiply a panel for much longer than it takes to read.
  // CHECK-LABEL: func @many_rows
  // CHECK: schedule #tc.contraction_schedule<
  // CHECK-NOT: fetch_parts
  // CHECK: ins(
  func.func @many_rows(%x: tensor<512x768xf32>) -> tensor<512x3072xf32> {
    %w = tc.parameter @w : tensor<3072x768xf32>
    %e = tc.empty : tensor<512x3072xf32>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 512>, #tc.dim<"n", parallel, 3072>, #tc.dim<"k", reduced, 768>] ins(%a = %x : tensor<512x768xf32>, %b = %w : tensor<3072x768xf32>) outs(%o = %e : tensor<512x3072xf32>) {
      %u = tc.read %a[#rows] : tensor<512x768xf32> -> f32
      %v = tc.read %b[#panel] : tensor<3072x768xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<512x3072xf32>
    }
    return %0 : tensor<512x3072xf32>
  }

  // A core's cache keeps 384 KiB from call to call.
  // CHECK-LABEL: func @small_weight
  // CHECK: schedule #tc.contraction_schedule<
  // CHECK-NOT: fetch_parts
  // CHECK: ins(
  func.func @small_weight(%x: tensor<16x768xf32>) -> tensor<16x128xf32> {
    %w = tc.parameter @small : tensor<128x768xf32>
    %e = tc.empty : tensor<16x128xf32>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 16>, #tc.dim<"n", parallel, 128>, #tc.dim<"k", reduced, 768>] ins(%a = %x : tensor<16x768xf32>, %b = %w : tensor<128x768xf32>) outs(%o = %e : tensor<16x128xf32>) {
      %u = tc.read %a[#rows] : tensor<16x768xf32> -> f32
      %v = tc.read %b[#panel] : tensor<128x768xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<16x128xf32>
    }
    return %0 : tensor<16x128xf32>
  }

  // Panels that calls pack are in the cache when they are multiplied.
  // CHECK-LABEL: func @no_weight
  // CHECK: schedule #tc.contraction_schedule<
  // CHECK-NOT: fetch_parts
  // CHECK: ins(
  func.func @no_weight(%x: tensor<64x768xf32>, %w: tensor<3072x768xf32>) -> tensor<64x3072xf32> {
    %e = tc.empty : tensor<64x3072xf32>
    %0 = tc.kernel "product" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 3072>, #tc.dim<"k", reduced, 768>] ins(%a = %x : tensor<64x768xf32>, %b = %w : tensor<3072x768xf32>) outs(%o = %e : tensor<64x3072xf32>) {
      %u = tc.read %a[#rows] : tensor<64x768xf32> -> f32
      %v = tc.read %b[#panel] : tensor<3072x768xf32> -> f32
      %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
      tc.write %s, %o[#out] : f32, tensor<64x3072xf32>
    }
    return %0 : tensor<64x3072xf32>
  }
}
