// RUN: tc-opt %s --tc-assign-schedules | FileCheck %s
// RUN: cd %S/../Pipelines/Inputs && tc-opt %s --tc-assign-schedules=schedules=schedules.mlir | FileCheck %s

// Lanes along the only dimension.
// CHECK-LABEL: func @f
// CHECK: schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, unroll = 4>
func.func @f(%x: tensor<8192xf32>) -> tensor<8192xf32> {
  %e = tc.empty : tensor<8192xf32>
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8192>] ins(%a = %x : tensor<8192xf32>) outs(%o = %e : tensor<8192xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8192xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8192xf32>
  }
  return %0 : tensor<8192xf32>
}

// Lanes of a product run along what is written, 49 points here; where the rows are of a parameter, along these.
tc.parameter_source @w : tensor<96x32xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}

// CHECK-LABEL: func @few_lanes
// CHECK: tc.kernel "ahead" {{.*}} schedule #tc.contraction_schedule<vector_dim = 0,
// CHECK: tc.kernel "given" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1,
func.func @few_lanes(%x: tensor<32x49xf32>, %y: tensor<96x32xf32>) -> (tensor<96x49xf32>, tensor<96x49xf32>) {
  %w = tc.parameter @w : tensor<96x32xf32>
  %e = tc.empty : tensor<96x49xf32>
  %0 = tc.kernel "ahead" contraction dims [#tc.dim<"i", parallel, 96>, #tc.dim<"j", parallel, 49>, #tc.dim<"k", reduced, 32>] ins(%a = %w : tensor<96x32xf32>, %b = %x : tensor<32x49xf32>) outs(%o = %e : tensor<96x49xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<96x32xf32> -> f32
    %u = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<32x49xf32> -> f32
    %p = tc.contract_stage %v, %u over [2] : f32, f32 -> f32
    tc.write %p, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<96x49xf32>
  }
  %1 = tc.kernel "given" contraction dims [#tc.dim<"i", parallel, 96>, #tc.dim<"j", parallel, 49>, #tc.dim<"k", reduced, 32>] ins(%a = %y : tensor<96x32xf32>, %b = %x : tensor<32x49xf32>) outs(%o = %e : tensor<96x49xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<96x32xf32> -> f32
    %u = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<32x49xf32> -> f32
    %p = tc.contract_stage %v, %u over [2] : f32, f32 -> f32
    tc.write %p, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<96x49xf32>
  }
  return %0, %1 : tensor<96x49xf32>, tensor<96x49xf32>
}

// Lanes run along rows, and across those of four points.
// CHECK-LABEL: func @short_rows
// CHECK: tc.kernel "short" {{.*}} schedule #tc.loop_schedule<vector_dim = 0,
// CHECK: tc.kernel "long" {{.*}} schedule #tc.loop_schedule<vector_dim = 1,
func.func @short_rows(%x: tensor<512x4xf32>, %y: tensor<512x64xf32>) -> (tensor<512xf32>, tensor<512xf32>) {
  %e = tc.empty : tensor<512xf32>
  %0 = tc.kernel "short" row_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 4>] ins(%a = %x : tensor<512x4xf32>) outs(%o = %e : tensor<512xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<512x4xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<512xf32>
  }
  %1 = tc.kernel "long" row_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 64>] ins(%a = %y : tensor<512x64xf32>) outs(%o = %e : tensor<512xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<512x64xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<512xf32>
  }
  return %0, %1 : tensor<512xf32>, tensor<512xf32>
}

// Sums of every other element are unrolled where a dimension fills the registers.
// CHECK-LABEL: func @strided_columns
// CHECK: tc.kernel "few" {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, grain = 
// CHECK: tc.kernel "many" {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8, unroll = 4>
func.func @strided_columns(%x: tensor<9x56xf32>, %y: tensor<9x1024xf32>) -> (tensor<28xf32>, tensor<512xf32>) {
  %e = tc.empty : tensor<28xf32>
  %0 = tc.kernel "few" column_reduction dims [#tc.dim<"i", parallel, 28>, #tc.dim<"j", reduced, 9>] ins(%a = %x : tensor<9x56xf32>) outs(%o = %e : tensor<28xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0 * 2)>] : tensor<9x56xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<28xf32>
  }
  %f = tc.empty : tensor<512xf32>
  %1 = tc.kernel "many" column_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 9>] ins(%a = %y : tensor<9x1024xf32>) outs(%o = %f : tensor<512xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0 * 2)>] : tensor<9x1024xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<512xf32>
  }
  return %0, %1 : tensor<28xf32>, tensor<512xf32>
}
