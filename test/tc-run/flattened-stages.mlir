// RUN: tc-run %s --function=masked_scatter --random-inputs=1 --check
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=6 --check
// RUN: tc-run %s --function=sorted --random-inputs=1 --check
// RUN: tc-run %s --function=folded --random-inputs=1 --check
// RUN: tc-run %s --target=cpu:x86-64-v3 --compile-to=fuse --function=masked_scatter --explain 2>&1 | FileCheck %s

// Scans, sorts and folds of flattened dimensions whose results are used
// in the dimensions that were flattened: a stage runs along one dimension.

// A running sum over all dimensions is the index of the selected elements.
// CHECK: a stage would run along several dimensions, or a part of one
// CHECK-LABEL: func.func @masked_scatter(
// CHECK: tc.kernel {{.*}} dims [#tc.dim<"i", parallel, 60>]
// CHECK: tc.scan_stage sum %{{.*}} along 0
// CHECK: tc.kernel {{.*}} dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, 5>, #tc.dim<"k", parallel, 4>]
func.func @masked_scatter(%x: tensor<3x5x4xf32>, %m: tensor<3x5xi1>, %s: tensor<60xf32>) -> tensor<3x5x4xf32> {
  %b = tc.broadcast %m dims [0, 1] : tensor<3x5xi1> -> tensor<3x5x4xi1>
  %c = tc.cast %b : tensor<3x5x4xi1> to tensor<3x5x4xi64>
  %f = tc.reshape %c : tensor<3x5x4xi64> -> tensor<60xi64>
  %p = tc.scan sum %f dim 0 : tensor<60xi64>
  %one = tc.full 1 : i64 -> tensor<60xi64>
  %p1 = tc.sub %p, %one : tensor<60xi64>
  %zero = tc.full 0 : i64 -> tensor<60xi64>
  %at = tc.maximum %p1, %zero : tensor<60xi64>
  %picked = tc.index_tensors %s[%at] dims [0] : tensor<60xf32>, tensor<60xi64> -> tensor<60xf32>
  %r = tc.reshape %picked : tensor<60xf32> -> tensor<3x5x4xf32>
  %y = tc.select %b, %r, %x : tensor<3x5x4xi1>, tensor<3x5x4xf32>
  return %y : tensor<3x5x4xf32>
}

func.func @symbolic(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %m: tensor<?xi1, #tc.sizes<[s0]>>) -> tensor<?x4xf32, #tc.sizes<[s0, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %b = tc.broadcast %m dims [0] : tensor<?xi1, #tc.sizes<[s0]>> -> tensor<?x4xi1, #tc.sizes<[s0, 4]>>
  %c = tc.cast %b : tensor<?x4xi1, #tc.sizes<[s0, 4]>> to tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %f = tc.reshape %c : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0 * 4]>>
  %p = tc.scan sum %f dim 0 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
  %r = tc.reshape %p : tensor<?xf32, #tc.sizes<[s0 * 4]>> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  %y = tc.select %b, %r, %x : tensor<?x4xi1, #tc.sizes<[s0, 4]>>, tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  return %y : tensor<?x4xf32, #tc.sizes<[s0, 4]>>
}

func.func @sorted(%x: tensor<6x7xf32>) -> tensor<6x7xf32> {
  %f = tc.reshape %x : tensor<6x7xf32> -> tensor<42xf32>
  %v, %i = tc.sort %f dim 0 : tensor<42xf32> -> tensor<42xf32>, tensor<42xi64>
  %r = tc.reshape %v : tensor<42xf32> -> tensor<6x7xf32>
  %y = tc.mul %r, %x : tensor<6x7xf32>
  return %y : tensor<6x7xf32>
}

// Rows of 12 as they are for one statistic, as 3 rows of 4 for the other.
func.func @folded(%x: tensor<5x12xf32>) -> tensor<5x12xf32> {
  %0 = tc.softmax %x dim 1 : tensor<5x12xf32>
  %1 = tc.reshape %0 : tensor<5x12xf32> -> tensor<5x3x4xf32>
  %2 = tc.scan sum %1 dim 1 : tensor<5x3x4xf32>
  %3 = tc.softmax %2 dim 2 : tensor<5x3x4xf32>
  %4 = tc.reshape %3 : tensor<5x3x4xf32> -> tensor<5x12xf32>
  %5 = tc.scan sum %4 dim 1 : tensor<5x12xf32>
  %6 = tc.reshape %5 : tensor<5x12xf32> -> tensor<15x4xf32>
  %7 = tc.layer_norm %6 rank 1 eps 1.0e-5 : tensor<15x4xf32>
  %8 = tc.reshape %7 : tensor<15x4xf32> -> tensor<5x12xf32>
  %9 = tc.add %8, %x : tensor<5x12xf32>
  return %9 : tensor<5x12xf32>
}
