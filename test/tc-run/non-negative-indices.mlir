// Indices below zero count from the end, or are out of range where all are to
// be non-negative: compiled code and the interpreter say so.
// RUN: tc-run %s --function=picked --random-inputs=1 --check
// RUN: tc-run %s --function=picked --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 0" | FileCheck %s
// RUN: not tc-run %s --function=picked --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 -1" 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not tc-run %s --device=reference --function=picked --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 -1" 2>&1 | FileCheck %s --check-prefix=NAMED
// CHECK: 2x2xf32=[6 7][0 1]
// BELOW: an index is out of the range of the tensor it selects from
// NAMED: 'tc.index_tensors' op has index -1 out of range for dimension 0 of size 4
func.func @picked(%x: tensor<4x2xf32>, %i: tensor<2xi64>) -> tensor<2x2xf32> {
  %0 = tc.index_tensors %x[%i] dims [0] non_negative : tensor<4x2xf32>, tensor<2xi64> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// RUN: tc-run %s --function=put --random-inputs=1 --check
// RUN: not tc-run %s --function=put --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 -1" --input="2x2xf32=1 1 1 1" 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not tc-run %s --device=reference --function=put --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 -1" --input="2x2xf32=1 1 1 1" 2>&1 | FileCheck %s --check-prefix=PUT
// PUT: 'tc.index_put' op has index -1 out of range for dimension 0 of size 4
func.func @put(%x: tensor<4x2xf32>, %i: tensor<2xi64>, %v: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %0 = tc.index_put sum %x[%i] = %v dims [0] non_negative : tensor<4x2xf32>, tensor<2x2xf32>, tensor<2xi64>
  return %0 : tensor<4x2xf32>
}

// RUN: tc-run %s --function=counted --input="4x2xf32=0 1 2 3 4 5 6 7" --input="2xi64=3 -2" | FileCheck %s --check-prefix=COUNTED
// COUNTED: 2x2xf32=[6 7][4 5]
func.func @counted(%x: tensor<4x2xf32>, %i: tensor<2xi64>) -> tensor<2x2xf32> {
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<4x2xf32>, tensor<2xi64> -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
