// RUN: tc-opt %s --tc-specialize-sizes --mlir-print-local-scope | FileCheck %s

// What a kernel's affine symbols have become is in its maps: a constant, one
// symbol for two that are equal now.
// CHECK-LABEL: func.func @kernel.s0_8(
// CHECK: tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s1>] symbols [#tc.expr<min(8, s1)>]
// CHECK: tc.read %{{.*}}[affine_map<(d0)[s0] -> (d0 - 8)>] within affine_set<(d0)[s0] : (d0 - 8 >= 0, -d0 + s0 * 2 + 3 >= 0)>
func.func @kernel(%x: tensor<?xf32, #tc.sizes<[s1]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s1]>>
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  %e = tc.empty : tensor<?xf32, #tc.sizes<[s1]>>
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s1>] symbols [#tc.expr<s0>, #tc.expr<min(s0, s1)>, #tc.expr<min(4, s0)>, #tc.expr<min(8, s1)>]
      ins(%a = %x : tensor<?xf32, #tc.sizes<[s1]>>) outs(%o = %e : tensor<?xf32, #tc.sizes<[s1]>>) {
    %v = tc.read %a[affine_map<(d0)[s0, s1, s2, s3] -> (d0 - s0)>] within affine_set<(d0)[s0, s1, s2, s3] : (d0 - s0 >= 0, s1 + s3 + s2 - 1 - d0 >= 0)> : tensor<?xf32, #tc.sizes<[s1]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<?xf32, #tc.sizes<[s1]>>
  }
  return %r : tensor<?xf32, #tc.sizes<[s1]>>
}
