// RUN: tc-run %s --function=factorise --random-inputs=0 --check
// RUN: tc-run %s --function=transform --input=3x12xf32=1 --check
// RUN: tc-run %s --function=transform --input=0x12xf32=1 --check
// RUN: tc-run %s --function=inverse --input=2x2xf32=[[1,2],[3,4]] | FileCheck %s
// RUN: not tc-run %s --function=inverse --input=2x2xf32=1 2>&1 | FileCheck %s --check-prefix=SINGULAR
// RUN: not tc-run %s --function=inverse --input=2x2xf32=1 --device=reference 2>&1 | FileCheck %s --check-prefix=REFERENCE
// RUN: tc-run %s --function=select --input=2x8xf32=[[1,2,2,nan,2,1,0,2],[0,0,0,0,0,0,0,0]] | FileCheck %s --check-prefix=SELECT
// RUN: tc-run %s --function=select --input=2x40xf32=1 --check
// RUN: not tc-run %s --function=select --input=2x3xf32=1 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: tc-run %s --function=empty --input=3x0x0xf64 | FileCheck %s --check-prefix=EMPTY

// Factorisations and Fourier transforms agree with the interpreter, with what
// surrounds them in the same kernel.

// A matrix made positive definite, its factor and the solution by it.
func.func @factorise(%a: tensor<5x6x6xf32>, %b: tensor<5x6x2xf32>) -> (tensor<5x6x6xf32>, tensor<5x6x2xf32>, tensor<5xf32>) {
  %t = tc.transpose %a [0, 2, 1] : tensor<5x6x6xf32> -> tensor<5x6x6xf32>
  %s = tc.contract "bij,bjk->bik" %a, %t : tensor<5x6x6xf32>, tensor<5x6x6xf32> -> tensor<5x6x6xf32>
  %eye = tc.constant dense<[[9.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 9.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 9.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 9.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 9.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 9.0]]> : tensor<6x6xf32>
  %eyes = tc.broadcast %eye dims [1, 2] : tensor<6x6xf32> -> tensor<5x6x6xf32>
  %spread = tc.add %s, %eyes : tensor<5x6x6xf32>
  %l, %info = tc.routine cholesky(%spread) {checked} : (tensor<5x6x6xf32>) -> (tensor<5x6x6xf32>, tensor<5xf32>)
  %x, %info1 = tc.routine solve(%l, %b) : (tensor<5x6x6xf32>, tensor<5x6x2xf32>) -> (tensor<5x6x2xf32>, tensor<5xf32>)
  %det, %sign, %log = tc.routine determinant(%l) : (tensor<5x6x6xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>)
  return %l, %x, %det : tensor<5x6x6xf32>, tensor<5x6x2xf32>, tensor<5xf32>
}

// Power of a spectrum, of as many rows as the call has.
func.func @transform(%x: tensor<?x12xf32, #tc.sizes<[s0, 12]>>) -> tensor<?x12xf32, #tc.sizes<[s0, 12]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %e = tc.exp %x : tensor<?x12xf32, #tc.sizes<[s0, 12]>>
  %zero = tc.full 0.0 : f32 -> tensor<?x12xf32, #tc.sizes<[s0, 12]>>
  %re, %im = tc.routine fft(%e, %zero) : (tensor<?x12xf32, #tc.sizes<[s0, 12]>>, tensor<?x12xf32, #tc.sizes<[s0, 12]>>) -> (tensor<?x12xf32, #tc.sizes<[s0, 12]>>, tensor<?x12xf32, #tc.sizes<[s0, 12]>>)
  %p = tc.hypot %re, %im : tensor<?x12xf32, #tc.sizes<[s0, 12]>>
  return %p : tensor<?x12xf32, #tc.sizes<[s0, 12]>>
}

// A singular matrix is an error of the call, at the op.
// CHECK: 2x2xf32=[-2 1][1.5 -0.5]
// SINGULAR: error: {{.*}}routines.mlir:[[# @LINE+3]]:{{.*}} a matrix is singular, or not positive definite where that is asked for
// REFERENCE: routines.mlir:[[# @LINE+2]]:{{.*}}error: 'tc.routine' op has a matrix that is singular, or not positive definite where that is asked for
func.func @inverse(%a: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %x, %info = tc.routine inverse(%a) {checked} : (tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<f32>)
  return %x : tensor<2x2xf32>
}

// The determinant of a matrix without elements is 1.
// EMPTY: 3xf64=1 1 1
func.func @empty(%a: tensor<3x0x0xf64>) -> tensor<3xf64> {
  %det, %sign, %log = tc.routine determinant(%a) : (tensor<3x0x0xf64>) -> (tensor<3xf64>, tensor<3xf64>, tensor<3xf64>)
  return %det : tensor<3xf64>
}

// Positions in the order of torch.topk on a CPU, of equal elements too.
// SELECT: 2x5xf64=[3 4 7 1 2][4 7 6 5 2]
// SELECT: 2x4xf64=[0 5 6 7][6 5 4 7]
// FEW: error: {{.*}}'tc.routine' op expects the last size of operand 1 of at most
func.func @select(%x: tensor<2x?xf32, #tc.sizes<[2, s0]>>) -> (tensor<2x5xf64>, tensor<2x4xf64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %keys = tc.cast %x : tensor<2x?xf32, #tc.sizes<[2, s0]>> to tensor<2x?xf64, #tc.sizes<[2, s0]>>
  %five = tc.full 0.0 : f64 -> tensor<2x5xf64>
  %four = tc.full 0.0 : f64 -> tensor<2x4xf64>
  %l = tc.routine largest(%keys, %five) : (tensor<2x?xf64, #tc.sizes<[2, s0]>>, tensor<2x5xf64>) -> tensor<2x5xf64>
  %s = tc.routine smallest_unsorted(%keys, %four) : (tensor<2x?xf64, #tc.sizes<[2, s0]>>, tensor<2x4xf64>) -> tensor<2x4xf64>
  return %l, %s : tensor<2x5xf64>, tensor<2x4xf64>
}
