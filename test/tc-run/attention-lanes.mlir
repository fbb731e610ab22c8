// RUN: tc-run %s --input=f32=1 --input=3x2xf32=1,2,3,4,5,6 --input=3x3xf32=1,2,3,40,50,60,700,800,900 --input=1x3xf32=0,0,0 | FileCheck %s
// RUN: tc-run %s --check --input=f32=1 --input=3x2xf32=1,2,3,4,5,6 --input=20x3xf32=1 --input=1x3xf32=0,0,0

// Lanes are along the columns of the result. The weights of the one query vary
// along the keys, and so do the values: their sum must not be over the lanes.
// CHECK: 1x3xf32=[2.57{{[0-9]*}} 55.75{{[0-9]*}} 857.5{{[0-9]*}}]
func.func @main(%arg0: tensor<f32>, %arg1: tensor<3x?xf32, #tc.sizes<[3, s0]>>, %arg2: tensor<?x3xf32, #tc.sizes<[s1, 3]>>, %arg3: tensor<1x3xf32>) -> tensor<1x?xf32, #tc.sizes<[1, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>, #tc.symbol<"s1", min = 1, max = 64>]} {
  %0 = tc.broadcast %arg0 dims [] : tensor<f32> -> tensor<1x?xf32, #tc.sizes<[1, s0]>>
  %1 = tc.transpose %arg2 [1, 0] : tensor<?x3xf32, #tc.sizes<[s1, 3]>> -> tensor<3x?xf32, #tc.sizes<[3, s1]>>
  %2 = tc.attention %0, %arg1, %1 mask %arg3 : tensor<1x3xf32> scale 2.500000e-01 : tensor<1x?xf32, #tc.sizes<[1, s0]>>, tensor<3x?xf32, #tc.sizes<[3, s0]>>, tensor<3x?xf32, #tc.sizes<[3, s1]>> -> tensor<1x?xf32, #tc.sizes<[1, s1]>>
  return %2 : tensor<1x?xf32, #tc.sizes<[1, s1]>>
}
