// A row's maximum and mean are of rounded numbers. What is subtracted from a
// product that is computed again is not contracted with it: the product's
// rounding, here up to 3e7, would be left of a difference of equal numbers, and
// the exponential of that is infinite.
// RUN: tc-run %s --input=4x8xf32=31234567 --input=4x8xf32=31234567 | FileCheck %s
// RUN: tc-run %s --input=4x8xf32=31234567 --input=4x8xf32=31234567 --device=reference | FileCheck %s
// RUN: tc-run %s --input=4x8xf32=31234567 --input=4x8xf32=31234567 --target=cpu:x86-64-v3 --compile-to=generate | FileCheck %s --check-prefix=FENCES
// RUN: tc-run %s --input=4x8xf32=31234567 --input=4x8xf32=31234567 --target=cpu:x86-64 --compile-to=generate | FileCheck %s --check-prefix=UNFUSED

// FENCES: arith.mulf
// FENCES: llvm.call_intrinsic "llvm.arithmetic.fence"
// FENCES-NEXT: arith.subf

// Without multiply-adds there is nothing to keep apart.
// UNFUSED: arith.mulf
// UNFUSED-NOT: arithmetic.fence

// CHECK: 4x8xf32=[0.125 0.125 0.125 0.125 0.125 0.125 0.125 0.125][0.125 0.125 0.125 0.125 0.125 0.125 0.125 0.125][0.125 0.125 0.125 0.125 0.125 0.125 0.125 0.125][0.125 0.125 0.125 0.125 0.125 0.125 0.125 0.125]
// CHECK-NEXT: 4x8xf32=[0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25][0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25][0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25][0.25 0.25 0.25 0.25 0.25 0.25 0.25 0.25]
// CHECK-NEXT: 4xf32=0 0 0 0
// CHECK-NEXT: 4x8xf32=[0 0 0 0 0 0 0 0][0 0 0 0 0 0 0 0][0 0 0 0 0 0 0 0][0 0 0 0 0 0 0 0]
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>) {
  %product = tc.mul %x, %y : tensor<4x8xf32>
  %rows = tc.softmax %product dim 1 : tensor<4x8xf32>
  %columns = tc.softmax %product dim 0 : tensor<4x8xf32>
  %variance = tc.variance %product dims [1] correction 1.0 : tensor<4x8xf32> -> tensor<4xf32>
  // The statistic less its numbers.
  %max = tc.reduce max %product dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %all = tc.broadcast %max dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %distance = tc.sub %all, %product : tensor<4x8xf32>
  return %rows, %columns, %variance, %distance : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>
}

// The mean of single numbers is each of them.
// RUN: tc-run %s --function=single --input=3x1xf64=0.7,0.3,0.1 --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=SINGLE
// SINGLE: 3x1xf64=[0][0][0]
func.func @single(%x: tensor<3x1xf64>) -> tensor<3x1xf64> {
  %root = tc.rms_norm %x rank 2 eps 1.0e-05 : tensor<3x1xf64>
  %norm = tc.layer_norm %root rank 1 eps 1.0e-02 : tensor<3x1xf64>
  return %norm : tensor<3x1xf64>
}
