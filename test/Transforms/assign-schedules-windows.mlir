// RUN: tc-run %s --function=weights --target=cpu:x86-64-v3 --compile-to=fuse | FileCheck %s --check-prefix=WEIGHTS
// RUN: tc-run %s --function=few_channels --target=cpu:x86-64-v3 --compile-to=fuse | FileCheck %s --check-prefix=FEW
// RUN: tc-run %s --function=weights --random-inputs=0 --check --threads=2 | FileCheck %s --check-prefix=RIGHT
// RUN: tc-run %s --function=few_channels --random-inputs=0 --check --threads=2 | FileCheck %s --check-prefix=RIGHT

// The results are contiguous along the three columns of a window, which fill few lanes of a vector of 8: lanes run along the 16 input channels.
// WEIGHTS: #tc.dim<"i", parallel, 24>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", parallel, 3>, #tc.dim<"l", parallel, 3>
// WEIGHTS-SAME: #tc.contraction_schedule<vector_dim = 1, vector_width = 8
// RIGHT: largest difference
func.func @weights(%g: tensor<2x24x10x10xf32>, %x: tensor<2x16x10x10xf32>, %w: tensor<24x16x3x3xf32>) -> tensor<24x16x3x3xf32> {
  %r:3 = tc.aten "aten.convolution_backward.default"(%g, %x, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x24x10x10xf32>, tensor<2x16x10x10xf32>, tensor<24x16x3x3xf32>) -> (tensor<2x16x10x10xf32>, tensor<24x16x3x3xf32>, tensor<24xf32>)
  return %r#1 : tensor<24x16x3x3xf32>
}

// Three channels fill no more lanes.
// FEW: #tc.dim<"i", parallel, 24>, #tc.dim<"j", parallel, 3>, #tc.dim<"k", parallel, 3>, #tc.dim<"l", parallel, 3>
// FEW-SAME: #tc.contraction_schedule<vector_dim = 3, vector_width = 8
func.func @few_channels(%g: tensor<2x24x10x10xf32>, %x: tensor<2x3x10x10xf32>, %w: tensor<24x3x3x3xf32>) -> tensor<24x3x3x3xf32> {
  %r:3 = tc.aten "aten.convolution_backward.default"(%g, %x, %w) {grad_output = #tc.operand<0>, input = #tc.operand<1>, weight = #tc.operand<2>, bias_sizes = unit, stride = [1, 1], padding = [1, 1], dilation = [1, 1], transposed = false, output_padding = [0, 0], groups = 1 : i64, output_mask = [false, true, false]} : (tensor<2x24x10x10xf32>, tensor<2x3x10x10xf32>, tensor<24x3x3x3xf32>) -> (tensor<2x3x10x10xf32>, tensor<24x3x3x3xf32>, tensor<24xf32>)
  return %r#1 : tensor<24x3x3x3xf32>
}
