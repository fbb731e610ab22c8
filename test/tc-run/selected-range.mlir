// RUN: tc-run %s --function=iota --input=3xi64=2 --check
// RUN: not tc-run %s --function=iota --input=3xi64=4 2>&1 | FileCheck %s
// RUN: not tc-run %s --function=broadcast --input=1xf32=1 --input=3xi64=4 2>&1 | FileCheck %s
// RUN: not tc-run %s --function=slice --input=8xf32=1 --input=3xi64=4 2>&1 | FileCheck %s
// RUN: not tc-run %s --function=full --input=3xi64=4 2>&1 | FileCheck %s
// RUN: not tc-run %s --function=sum --input=4xf32=1 --input=1xf32=1 --input=3xi64=-1 2>&1 | FileCheck %s
// RUN: tc-run %s --function=sum --input=4xf32=1 --input=1xf32=1 --input=3xi64=3 --check

// The tensor that an index selects from is computed where it is read: the index is checked
// against its size all the same, also where nothing of that size is read.
// CHECK: selected-range.mlir:{{.*}} an index is out of the range of the tensor it selects from
func.func @iota(%i: tensor<3xi64>) -> tensor<3xi64> {
  %x = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %0 = tc.gather %x[%i] dim 0 : tensor<4xi64>, tensor<3xi64> -> tensor<3xi64>
  return %0 : tensor<3xi64>
}
func.func @broadcast(%y: tensor<1xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %x = tc.broadcast %y dims [0] : tensor<1xf32> -> tensor<4xf32>
  %0 = tc.gather %x[%i] dim 0 : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @slice(%y: tensor<8xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %x = tc.slice %y offsets <[0]> strides [1] : tensor<8xf32> -> tensor<4xf32>
  %0 = tc.gather %x[%i] dim 0 : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @full(%i: tensor<3xi64>) -> tensor<3xf32> {
  %x = tc.full 1.0 : f32 -> tensor<4xf32>
  %0 = tc.gather %x[%i] dim 0 : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @sum(%x: tensor<4xf32>, %y: tensor<1xf32>, %i: tensor<3xi64>) -> tensor<3xf32> {
  %b = tc.broadcast %y dims [0] : tensor<1xf32> -> tensor<4xf32>
  %s = tc.add %x, %b : tensor<4xf32>
  %0 = tc.gather %s[%i] dim 0 : tensor<4xf32>, tensor<3xi64> -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
