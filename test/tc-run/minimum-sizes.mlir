// Sizes that are a minimum or a maximum, in index maps: at the limits of the
// symbols, at sizes where both are equal, and on both sides.
// RUN: tc-run %s --function=moves --size=s0=0 --size=s1=0 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=moves --size=s0=3 --size=s1=4 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=moves --size=s0=4 --size=s1=4 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=moves --size=s0=5 --size=s1=4 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=moves --size=s0=64 --size=s1=33 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=moves --size=s0=17 --size=s1=0 --random-inputs=1 --check --threads=2 --target=cpu:x86-64-v3
// RUN: tc-run %s --function=windows --size=s0=3 --size=s1=9 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=windows --size=s0=9 --size=s1=9 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=windows --size=s0=64 --size=s1=40 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=specialized --size=s0=8 --size=s1=5 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=specialized --size=s0=8 --size=s1=9 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=specialized --size=s0=4 --size=s1=9 --random-inputs=1 --check --threads=2
// RUN: tc-run %s --function=data --input=4xi64=1,0,0,2 --input=6xf32=1,2,3,4,5,6 --check --threads=2
// RUN: tc-run %s --function=data --input=4xi64=0,0,0,0 --input=6xf32=1,2,3,4,5,6 --check --threads=2
// RUN: tc-run %s --function=data --input=4xi64=1,1,1,1 --input=6xf32=1,2,3,4,5,6 --check --threads=2

#s0 = #tc.symbol<"s0", min = 0, max = 64>
#s1 = #tc.symbol<"s1", min = 0, max = 64>

// A part that ends at a minimum, the last rows, pads of both and of fewer.
func.func @moves(%x: tensor<?x5xf32, #tc.sizes<[s0, 5]>>, %y: tensor<?x5xf32, #tc.sizes<[s1, 5]>>)
    -> (tensor<?x5xf32, #tc.sizes<[min(s0, s1) + s1, 5]>>, tensor<?x5xf32, #tc.sizes<[min(4, s0), 5]>>, tensor<?x8xf32, #tc.sizes<[min(4, s0) + 3, 8]>>, tensor<?x2xf32, #tc.sizes<[max(s0, s1) - min(s0, s1), 2]>>, tensor<?x5xf32, #tc.sizes<[max(0, s0 - 3), 5]>>)
    attributes {tc.symbols = [#s0, #s1]} {
  %first = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<?x5xf32, #tc.sizes<[s0, 5]>> -> tensor<?x5xf32, #tc.sizes<[min(s0, s1), 5]>>
  %positive = tc.relu %first : tensor<?x5xf32, #tc.sizes<[min(s0, s1), 5]>>
  %0 = tc.concat %positive, %y dim 0 : tensor<?x5xf32, #tc.sizes<[min(s0, s1), 5]>>, tensor<?x5xf32, #tc.sizes<[s1, 5]>> -> tensor<?x5xf32, #tc.sizes<[min(s0, s1) + s1, 5]>>
  %1 = tc.slice %x offsets <[max(0, s0 - 4), 0]> strides [1, 1] : tensor<?x5xf32, #tc.sizes<[s0, 5]>> -> tensor<?x5xf32, #tc.sizes<[min(4, s0), 5]>>
  %exp = tc.exp %1 : tensor<?x5xf32, #tc.sizes<[min(4, s0), 5]>>
  %2 = tc.pad constant %exp low [1, 2] high [2, 1] value 3.0 : f32 : tensor<?x5xf32, #tc.sizes<[min(4, s0), 5]>> -> tensor<?x8xf32, #tc.sizes<[min(4, s0) + 3, 8]>>
  %both = tc.concat %x, %y dim 0 : tensor<?x5xf32, #tc.sizes<[s0, 5]>>, tensor<?x5xf32, #tc.sizes<[s1, 5]>> -> tensor<?x5xf32, #tc.sizes<[s0 + s1, 5]>>
  %3 = tc.slice %both offsets <[min(s0, s1), 4]> strides [1, -2] : tensor<?x5xf32, #tc.sizes<[s0 + s1, 5]>> -> tensor<?x2xf32, #tc.sizes<[max(s0, s1) - min(s0, s1), 2]>>
  %4 = tc.slice %x offsets <[3, 0]> strides [1, 1] : tensor<?x5xf32, #tc.sizes<[s0, 5]>> -> tensor<?x5xf32, #tc.sizes<[max(0, s0 - 3), 5]>>
  return %0, %1, %2, %3, %4 : tensor<?x5xf32, #tc.sizes<[min(s0, s1) + s1, 5]>>, tensor<?x5xf32, #tc.sizes<[min(4, s0), 5]>>, tensor<?x8xf32, #tc.sizes<[min(4, s0) + 3, 8]>>, tensor<?x2xf32, #tc.sizes<[max(s0, s1) - min(s0, s1), 2]>>, tensor<?x5xf32, #tc.sizes<[max(0, s0 - 3), 5]>>
}

// Windows, also of a pad that takes the last elements away.
func.func @windows(%x: tensor<1x4x?xf32, #tc.sizes<[1, 4, s0]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>, %w: tensor<4x4x3xf32>)
    -> (tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 3, max = 64>, #tc.symbol<"s1", min = 3, max = 64>]} {
  %z = tc.slice %x offsets <[0, 0, 0]> strides [1, 1, 1] : tensor<1x4x?xf32, #tc.sizes<[1, 4, s0]>> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  %0 = tc.convolution %z, %w stride [1] padding [1] dilation [1] : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<4x4x3xf32> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  %1, %i = tc.max_pool %z kernel [3] stride [1] padding [1] dilation [1] : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xi64, #tc.sizes<[1, 4, min(s0, s1)]>>
  %2 = tc.avg_pool %z kernel [3] stride [1] padding [1] {exclude_padding} : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  %3 = tc.pad constant %z low [0, 0, 2] high [0, 0, -2] value 1.0 : f32 : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>> -> tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
  return %0, %1, %2, %3 : tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>, tensor<1x4x?xf32, #tc.sizes<[1, 4, min(s0, s1)]>>
}

// In the version of a size the minimum may be a constant, or of less.
func.func @specialized(%x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>) -> (tensor<?xf32, #tc.sizes<[min(s0, s1) + s1]>>, tensor<?xf32, #tc.sizes<[min(6, s0) + s1]>>)
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#s0, #s1]} {
  %a = tc.slice %x offsets <[0]> strides [1] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[min(s0, s1)]>>
  %0 = tc.concat %a, %y dim 0 : tensor<?xf32, #tc.sizes<[min(s0, s1)]>>, tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?xf32, #tc.sizes<[min(s0, s1) + s1]>>
  %b = tc.slice %x offsets <[0]> strides [1] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[min(6, s0)]>>
  %1 = tc.concat %b, %y dim 0 : tensor<?xf32, #tc.sizes<[min(6, s0)]>>, tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?xf32, #tc.sizes<[min(6, s0) + s1]>>
  return %0, %1 : tensor<?xf32, #tc.sizes<[min(s0, s1) + s1]>>, tensor<?xf32, #tc.sizes<[min(6, s0) + s1]>>
}

// Of a size that only the call knows.
func.func @data(%m: tensor<4xi64>, %x: tensor<6xf32>) -> tensor<?xf32, #tc.sizes<[min(2, u0) + 6]>>
    attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
  %n = tc.reduce sum %m dims [0] : tensor<4xi64> -> tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  %a = tc.slice %x offsets <[min(2, u0)]> strides [1] : tensor<6xf32> -> tensor<?xf32, #tc.sizes<[min(2, u0)]>>
  %0 = tc.concat %a, %x dim 0 : tensor<?xf32, #tc.sizes<[min(2, u0)]>>, tensor<6xf32> -> tensor<?xf32, #tc.sizes<[min(2, u0) + 6]>>
  return %0 : tensor<?xf32, #tc.sizes<[min(2, u0) + 6]>>
}
