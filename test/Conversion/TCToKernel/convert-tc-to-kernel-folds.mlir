// RUN: tc-opt %s --convert-tc-to-kernel --mlir-print-local-scope | FileCheck %s

// Minima and maxima in sizes are affine symbols of the kernels.

#s0 = #tc.symbol<"s0", min = 3, max = 64>
#s1 = #tc.symbol<"s1", min = 3, max = 64>

// CHECK-LABEL: func.func @concat(
// CHECK: tc.kernel "concat" pointwise dims [#tc.dim<"i", parallel, min(s0, s1) + s0>] symbols [#tc.expr<min(s0, s1)>, #tc.expr<s0>]
// CHECK: tc.read %{{.*}}[affine_map<(d0)[s0] -> (d0)>] within affine_set<(d0)[s0] : (d0 >= 0, -d0 + s0 - 1 >= 0)>
// CHECK: tc.read %{{.*}}[affine_map<(d0)[s0, s1] -> (d0 - s0)>] within affine_set<(d0)[s0, s1] : (d0 - s0 >= 0, -d0 + s0 + s1 - 1 >= 0)>
func.func @concat(%x: tensor<?xf32, #tc.sizes<[min(s0, s1)]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>, %z: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>> attributes {tc.symbols = [#s0, #s1]} {
  %0 = tc.concat %x, %y dim 0 : tensor<?xf32, #tc.sizes<[min(s0, s1)]>>, tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>>
  return %0 : tensor<?xf32, #tc.sizes<[min(s0, s1) + s0]>>
}

// CHECK-LABEL: func.func @slice(
// CHECK: tc.kernel "slice" pointwise dims [#tc.dim<"i", parallel, min(4, s0)>] symbols [#tc.expr<max(0, s0 - 4)>]
// CHECK: tc.read %{{.*}}[affine_map<(d0)[s0] -> (d0 + s0)>] : tensor
func.func @slice(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[min(4, s0)]>> attributes {tc.symbols = [#s0]} {
  %0 = tc.slice %x offsets <[max(0, s0 - 4)]> strides [1] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[min(4, s0)]>>
  return %0 : tensor<?xf32, #tc.sizes<[min(4, s0)]>>
}

// CHECK-LABEL: func.func @convolution(
// CHECK: tc.kernel "convolution" {{.*}} symbols [#tc.expr<min(s0, s1)>]
// CHECK: tc.read %{{.*}} within affine_set<(d0, d1, d2, d3, d4, d5)[s0] : ({{.*}}s0{{.*}})>
func.func @convolution(%x: tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, %w: tensor<4x4x3xf32>, %y: tensor<?xf32, #tc.sizes<[s0]>>, %z: tensor<?xf32, #tc.sizes<[s1]>>) -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>> attributes {tc.symbols = [#s0, #s1]} {
  %0 = tc.convolution %x, %w stride [1] padding [1] dilation [1] : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<4x4x3xf32> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  return %0 : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
}
