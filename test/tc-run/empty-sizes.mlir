// RUN: tc-run %s --random-inputs=0 --check --function=normalized --size=s0=0 | FileCheck %s --check-prefix=NORMALIZED
// RUN: tc-run %s --random-inputs=0 --check --function=normalized --size=s0=1 | FileCheck %s --check-prefix=NORMALIZED
// RUN: tc-run %s --random-inputs=0 --check --function=spread --size=s0=3 | FileCheck %s --check-prefix=SPREAD
// RUN: tc-run %s --random-inputs=0 --check --function=chosen --size=s0=3 --size=s1=2 | FileCheck %s --check-prefix=CHOSEN

// RUN: tc-run %s --random-inputs=0 --check --function=grouped --size=s0=8 --size=s1=5 --size=s2=2 | FileCheck %s --check-prefix=GROUPED

// Sizes that are 0, or may be: by a constant, by the range of a symbol.
// NORMALIZED: output 0: 11x{{[01]}}x2xf64, largest difference
func.func @normalized(%x: tensor<11x?x2xf64, #tc.sizes<[11, s0, 2]>>, %w: tensor<?xf64, #tc.sizes<[s0]>>) -> tensor<11x?x2xf64, #tc.sizes<[11, s0, 2]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1>]} {
  %0 = tc.group_norm %x weight %w : tensor<?xf64, #tc.sizes<[s0]>> groups 1 eps 2.5e-01 : tensor<11x?x2xf64, #tc.sizes<[11, s0, 2]>>
  %1 = tc.rms_norm %0 rank 3 eps 2.5e-01 : tensor<11x?x2xf64, #tc.sizes<[11, s0, 2]>>
  return %1 : tensor<11x?x2xf64, #tc.sizes<[11, s0, 2]>>
}

// SPREAD: output 0: 3x0xf32, largest difference 0 absolute
func.func @spread(%x: tensor<?x?x?xf32, #tc.sizes<[s0, s1, s0]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1099511627776>, #tc.symbol<"s1", min = 0, max = 0>]} {
  %0 = tc.variance %x dims [2] correction 0.0 : tensor<?x?x?xf32, #tc.sizes<[s0, s1, s0]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// CHOSEN: output 0: 0x2x2xi1, largest difference 0 absolute
// CHOSEN: output 1: 0x5x1xf32, largest difference 0 absolute
func.func @chosen(%x: tensor<?x2x3xi1, #tc.sizes<[s0, 2, 3]>>, %y: tensor<1x2x?xi1, #tc.sizes<[1, 2, s1]>>, %z: tensor<0x3xf32>) -> (tensor<0x2x2xi1>, tensor<0x5x1xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 5>, #tc.symbol<"s1", min = 2, max = 17>]} {
  %values, %indices = tc.topk %x dim 0 k 0 : tensor<?x2x3xi1, #tc.sizes<[s0, 2, 3]>> -> tensor<0x2x3xi1>, tensor<0x2x3xi64>
  %i = tc.slice %indices offsets <[0, 0, 0]> strides [1, 1, 1] : tensor<0x2x3xi64> -> tensor<0x2x2xi64>
  %0 = tc.gather %y[%i] dim 0 : tensor<1x2x?xi1, #tc.sizes<[1, 2, s1]>>, tensor<0x2x2xi64> -> tensor<0x2x2xi1>
  %1 = tc.reshape %z : tensor<0x3xf32> -> tensor<0x5x1xf32>
  %2 = tc.softmax %1 dim 2 : tensor<0x5x1xf32>
  return %0, %2 : tensor<0x2x2xi1>, tensor<0x5x1xf32>
}

// A guard, not a range, says that the channels are whole groups.
// GROUPED: output 0: 2x8xf32, largest difference
func.func @grouped(%x: tensor<?x?x?xf32, #tc.sizes<[s2, s0, s1]>>, %w: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?x?xf32, #tc.sizes<[s2, s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 1099511627776>, #tc.symbol<"s2", min = 0, max = 64>]} {
  %0 = tc.group_norm %x weight %w : tensor<?xf32, #tc.sizes<[s0]>> groups 4 eps 2.5e-01 : tensor<?x?x?xf32, #tc.sizes<[s2, s0, s1]>>
  %1 = tc.gelu %0 : tensor<?x?x?xf32, #tc.sizes<[s2, s0, s1]>>
  %2 = tc.group_norm %1 groups 2 eps 2.5e-01 : tensor<?x?x?xf32, #tc.sizes<[s2, s0, s1]>>
  %3 = tc.reduce sum %2 dims [2] : tensor<?x?x?xf32, #tc.sizes<[s2, s0, s1]>> -> tensor<?x?xf32, #tc.sizes<[s2, s0]>>
  return %3 : tensor<?x?xf32, #tc.sizes<[s2, s0]>>
}
