// RUN: tc-run %s --check --random-inputs=0 | FileCheck %s
// RUN: tc-opt %s --tc-pipeline=to=generate | FileCheck %s --check-prefix=LAUNCHES

// Kernels of the same ops on other operands are other kernels; equal ones are
// one function.
// CHECK: output 0: 4096xf32, largest difference {{[0-9.e-]+}} absolute, {{[0-9.e-]+}} relative{{$}}
// CHECK: output 1: 4096xf32, largest difference {{[0-9.e-]+}} absolute, {{[0-9.e-]+}} relative{{$}}
// CHECK: output 2: 4096xf32, largest difference {{[0-9.e-]+}} absolute, {{[0-9.e-]+}} relative{{$}}
// LAUNCHES: tc.launch @[[FIRST:.*]] count
// LAUNCHES-NOT: @[[FIRST]]
// LAUNCHES: tc.launch @[[SECOND:.*]] count
// LAUNCHES: tc.launch @[[FIRST]] count
func.func @main(%x: tensor<4096xf32>, %y: tensor<4096xf32>, %z: tensor<4096xf32>) -> (tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>) {
  %a = tc.exp %x : tensor<4096xf32>
  %b = tc.sqrt %a : tensor<4096xf32>
  %0 = tc.sub %a, %b : tensor<4096xf32>
  %c = tc.exp %y : tensor<4096xf32>
  %d = tc.sqrt %c : tensor<4096xf32>
  %1 = tc.sub %d, %c : tensor<4096xf32>
  %e = tc.exp %z : tensor<4096xf32>
  %f = tc.sqrt %e : tensor<4096xf32>
  %2 = tc.sub %e, %f : tensor<4096xf32>
  return %0, %1, %2 : tensor<4096xf32>, tensor<4096xf32>, tensor<4096xf32>
}
