// RUN: tc-opt %s --convert-tc-to-kernel | FileCheck %s

// Heads of queries that share keys are a dimension of their own.
// CHECK: #[[GRAD:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 3 + d2, d3, d6)>
// CHECK: #[[QUERY:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 3 + d2, d3, d5)>
// CHECK: #[[KEY:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d4, d5)>
// CHECK: #[[VALUE:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d4, d6)>
// CHECK: #[[ROW:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1 * 3 + d2, d3)>
// CHECK: #[[MASK:.*]] = affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1 * 3 + d2, 0, d4)>
// CHECK: #[[CAUSAL:.*]] = affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d3 - d4 >= 0)>
// CHECK-LABEL: func.func @shared
// CHECK: tc.kernel "attention_backward" custom dims [#tc.dim<"i", parallel, 1>, #tc.dim<"j", parallel, 2>, #tc.dim<"k", parallel, 3>, #tc.dim<"l", parallel, 16>, #tc.dim<"m", parallel, 32>, #tc.dim<"n", parallel, 64>, #tc.dim<"p", parallel, 64>]
// CHECK: tc.read %{{.*}}[#[[GRAD]]]
// CHECK: tc.read %{{.*}}[#[[QUERY]]]
// CHECK: tc.read %{{.*}}[#[[KEY]]]
// CHECK: tc.read %{{.*}}[#[[VALUE]]]
// CHECK-COUNT-2: tc.read %{{.*}}[#[[ROW]]]
// CHECK: %[[IN:.*]] = tc.within #[[CAUSAL]]
// CHECK: %[[ADDED:.*]] = tc.select %[[IN]], %{{.*}}, %{{.*}} : i1, f32
// CHECK: %[[Q:.*]], %[[K:.*]], %[[V:.*]] = tc.attention_backward_stage %{{.*}} added %[[ADDED]] dims [2, 3, 4, 5, 6] scale 1.250000e-01 : bf16
// CHECK: tc.write %[[Q]], %{{.*}}[#[[QUERY]]] : f32
// CHECK: tc.write %[[K]], %{{.*}}[#[[KEY]]] : bf16
// CHECK: tc.write %[[V]], %{{.*}}[#[[VALUE]]] : bf16
func.func @shared(%g: tensor<1x6x16x64xbf16>, %q: tensor<1x6x16x64xbf16>, %k: tensor<1x2x32x64xbf16>, %v: tensor<1x2x32x64xbf16>, %l: tensor<1x6x16xf32>, %p: tensor<1x6x16xf32>) -> (tensor<1x6x16x64xf32>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>) {
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p scale 0.125 {causal} : tensor<1x6x16x64xbf16>, tensor<1x6x16x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x6x16xf32>, tensor<1x6x16xf32> -> tensor<1x6x16x64xf32>
  return %gq, %gk, %gv : tensor<1x6x16x64xf32>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>
}

// A mask is what is added, at the heads of the queries.
// CHECK-LABEL: func.func @masked
// CHECK: %[[MASKED:.*]] = tc.read %{{.*}}[#[[MASK]]]
// CHECK: %[[WIDE:.*]] = tc.cast %[[MASKED]] : bf16 to f32
// CHECK: tc.attention_backward_stage %{{.*}} added %[[WIDE]] dims
func.func @masked(%g: tensor<1x6x16x64xbf16>, %q: tensor<1x6x16x64xbf16>, %k: tensor<1x2x32x64xbf16>, %v: tensor<1x2x32x64xbf16>, %l: tensor<1x6x16xf32>, %p: tensor<1x6x16xf32>, %m: tensor<6x1x32xbf16>) -> tensor<1x6x16x64xf32> {
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<6x1x32xbf16> scale 0.125 : tensor<1x6x16x64xbf16>, tensor<1x6x16x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x2x32x64xbf16>, tensor<1x6x16xf32>, tensor<1x6x16xf32> -> tensor<1x6x16x64xf32>
  return %gq : tensor<1x6x16x64xf32>
}
