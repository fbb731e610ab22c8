// One element put into each row of a constant tensor is a choice of each
// point; an index out of range is an error as of any scatter.
// RUN: tc-run %s --function=replaced --random-inputs=1 --check
// RUN: tc-run %s --function=replaced --input="3xi64=[2 0 4]" --input="3xf32=[1.5 -0.0 inf]" | FileCheck %s
// RUN: not tc-run %s --function=replaced --input="3xi64=[2 0 5]" --input="3xf32=[1 2 3]" 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tc-run %s --function=replaced --input="3xi64=[2 -1 4]" --input="3xf32=[1 2 3]" 2>&1 | FileCheck %s --check-prefix=LARGE
// CHECK: 3x5xf32=[7 7 1.5 7 7][-0 7 7 7 7][7 7 7 7 inf]
// LARGE: an index is out of the range of the tensor it selects from

func.func @replaced(%i: tensor<3xi64>, %u: tensor<3xf32>) -> tensor<3x5xf32> {
  %x = tc.full 7.0 : f32 -> tensor<3x5xf32>
  %index = tc.reshape %i : tensor<3xi64> -> tensor<3x1xi64>
  %updates = tc.reshape %u : tensor<3xf32> -> tensor<3x1xf32>
  %0 = tc.scatter replace %x[%index] = %updates dim 1 : tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>
  return %0 : tensor<3x5xf32>
}

// The gradient of a picked class, with the sum of its rows.
// RUN: tc-run %s --function=sums --random-inputs=1 --check
// RUN: tc-run %s --function=sums --input="3xi64=[2 0 4]" --input="3xf32=[2 inf nan]" | FileCheck %s --check-prefix=SUMS
// RUN: not tc-run %s --function=sums --input="3xi64=[2 0 5]" --input="3xf32=[1 2 3]" 2>&1 | FileCheck %s --check-prefix=LARGE
// SUMS: 3x5xf32=[0 0 2 0 0][inf 0 0 0 0][0 0 0 0 nan]
// SUMS: 3xf32=2 inf nan
func.func @sums(%i: tensor<3xi64>, %u: tensor<3xf32>) -> (tensor<3x5xf32>, tensor<3xf32>) {
  %x = tc.full 0.0 : f32 -> tensor<3x5xf32>
  %index = tc.reshape %i : tensor<3xi64> -> tensor<3x1xi64>
  %updates = tc.reshape %u : tensor<3xf32> -> tensor<3x1xf32>
  %0 = tc.scatter replace %x[%index] = %updates dim 1 : tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>
  %1 = tc.reduce sum %0 dims [1] : tensor<3x5xf32> -> tensor<3xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3xf32>
}
