// Slices with steps, and windows that overlap and reach beyond the tensor: their reads are strided.
// RUN: tc-run %s --random-inputs=3 --check --benchmark_min_time=0.01

func.func @main(%x: tensor<3x211xf32>, %image: tensor<2x3x35x37xf32>, %weight: tensor<3x1x3x3xf32>, %n: tensor<5x99xi8>) -> (tensor<3x106xf32>, tensor<2x3x18x19xf32>, tensor<2x3x12x13xf32>, tensor<5x25xi8>) {
  %half = tc.slice %x offsets <[0, 0]> strides [1, 2] : tensor<3x211xf32> -> tensor<3x106xf32>
  %a = tc.relu %half : tensor<3x106xf32>
  %b = tc.convolution %image, %weight stride [2, 2] padding [1, 1] dilation [1, 1] {groups = 3 : i64} : tensor<2x3x35x37xf32>, tensor<3x1x3x3xf32> -> tensor<2x3x18x19xf32>
  %c = tc.convolution %image, %weight stride [3, 3] padding [1, 1] dilation [1, 1] {groups = 3 : i64} : tensor<2x3x35x37xf32>, tensor<3x1x3x3xf32> -> tensor<2x3x12x13xf32>
  %quarter = tc.slice %n offsets <[0, 1]> strides [1, 4] : tensor<5x99xi8> -> tensor<5x25xi8>
  %d = tc.neg %quarter : tensor<5x25xi8>
  return %a, %b, %c, %d : tensor<3x106xf32>, tensor<2x3x18x19xf32>, tensor<2x3x12x13xf32>, tensor<5x25xi8>
}
