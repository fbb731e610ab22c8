// What a file of schedules is looked up by: text in which the index maps, the stages and the body count, and names do not.
// RUN: tc-opt %s --tc-assign-schedules --remark-policy=all --remarks-filter='.*' -o /dev/null 2>&1 | FileCheck %s
// RUN: cd %S/Inputs && tc-opt %s --tc-assign-schedules=schedules=schedule-keys.mlir | FileCheck %s --check-prefix=LIBRARY

#m_k = affine_map<(d0, d1, d2) -> (d0, d2)>
#k_n = affine_map<(d0, d1, d2) -> (d2, d1)>
#n_k = affine_map<(d0, d1, d2) -> (d1, d2)>
#m_n = affine_map<(d0, d1, d2) -> (d0, d1)>
#ij = affine_map<(d0, d1) -> (d0, d1)>
#i = affine_map<(d0, d1) -> (d0)>

// A.B and A.B^T of square matrices differ in their maps alone.
// CHECK: Remark=plain, {{.*}}Remark="contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d2,d1], 64x64xf32[d0,d1]){contract over [2]}#[[PLAIN:[0-9a-f]+]]@cpu"
// CHECK: Remark=transposed, {{.*}}Remark="contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d1,d2], 64x64xf32[d0,d1]){contract over [2]}#
// CHECK: Remark=renamed, {{.*}}Remark="contraction[64x64x64r](64x64xf32[d0,d2], 64x64xf32[d2,d1], 64x64xf32[d0,d1]){contract over [2]}#[[PLAIN]]@cpu"
// LIBRARY: "plain" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 8, reduced = 16, block_rows = 4, block_lanes = 8>>
// LIBRARY: "transposed" {{.*}} schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4>
// LIBRARY: "renamed" {{.*}} schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 4, tile = <rows = 2, lanes = 8, reduced = 16, block_rows = 4, block_lanes = 8>>
func.func @products(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %e = tc.empty : tensor<64x64xf32>
  %0 = tc.kernel "plain" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 64>] ins(%a = %x : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %u = tc.read %a[#m_k] : tensor<64x64xf32> -> f32
    %v = tc.read %b[#k_n] : tensor<64x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#m_n] : f32, tensor<64x64xf32>
  }
  %1 = tc.kernel "transposed" contraction dims [#tc.dim<"m", parallel, 64>, #tc.dim<"n", parallel, 64>, #tc.dim<"k", reduced, 64>] ins(%a = %x : tensor<64x64xf32>, %b = %y : tensor<64x64xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %u = tc.read %a[#m_k] : tensor<64x64xf32> -> f32
    %v = tc.read %b[#n_k] : tensor<64x64xf32> -> f32
    %s = tc.contract_stage %u, %v over [2] : f32, f32 -> f32
    tc.write %s, %o[#m_n] : f32, tensor<64x64xf32>
  }
  %2 = tc.kernel "renamed" contraction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 64>, #tc.dim<"l", reduced, 64>] ins(%a = %y : tensor<64x64xf32>, %b = %x : tensor<64x64xf32>) outs(%o = %e : tensor<64x64xf32>) {
    %left = tc.read %a[#m_k] : tensor<64x64xf32> -> f32
    %right = tc.read %b[#k_n] : tensor<64x64xf32> -> f32
    %sum = tc.contract_stage %left, %right over [2] : f32, f32 -> f32
    tc.write %sum, %o[#m_n] : f32, tensor<64x64xf32>
  }
  return %0, %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// What is folded is there to read; ops at each point are in the hash.
// CHECK: Remark=sum, {{.*}}Remark="row_reduction[512x64r](512x64xf32[d0,d1], 512xf32[d0]){sum over [1]}#[[SUM:[0-9a-f]+]]@cpu"
// CHECK: Remark=max, {{.*}}Remark="row_reduction[512x64r](512x64xf32[d0,d1], 512xf32[d0]){max over [1]}#
// CHECK-NOT: #[[SUM]]
// CHECK: Remark=exponentials, {{.*}}Remark="row_reduction[512x64r](512x64xf32[d0,d1], 512xf32[d0]){sum over [1]}#
func.func @folds(%x: tensor<512x64xf32>) -> (tensor<512xf32>, tensor<512xf32>, tensor<512xf32>) {
  %e = tc.empty : tensor<512xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 64>] ins(%a = %x : tensor<512x64xf32>) outs(%o = %e : tensor<512xf32>) {
    %v = tc.read %a[#ij] : tensor<512x64xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[#i] : f32, tensor<512xf32>
  }
  %1 = tc.kernel "max" row_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 64>] ins(%a = %x : tensor<512x64xf32>) outs(%o = %e : tensor<512xf32>) {
    %v = tc.read %a[#ij] : tensor<512x64xf32> -> f32
    %s = tc.reduce_stage max %v over [1] : f32 -> f32
    tc.write %s, %o[#i] : f32, tensor<512xf32>
  }
  %2 = tc.kernel "exponentials" row_reduction dims [#tc.dim<"i", parallel, 512>, #tc.dim<"j", reduced, 64>] ins(%a = %x : tensor<512x64xf32>) outs(%o = %e : tensor<512xf32>) {
    %v = tc.read %a[#ij] : tensor<512x64xf32> -> f32
    %w = tc.exp %v : f32
    %s = tc.reduce_stage sum %w over [1] : f32 -> f32
    tc.write %s, %o[#i] : f32, tensor<512xf32>
  }
  return %0, %1, %2 : tensor<512xf32>, tensor<512xf32>, tensor<512xf32>
}
