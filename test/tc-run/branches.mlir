// RUN: tc-run %s --input=i1=1 --input=i1=0 --input=2x2xf32=1,2,3,4 --input=3xi64=0,2,1 | FileCheck %s --check-prefix=THEN
// RUN: tc-run %s --input=i1=0 --input=i1=1 --input=2x2xf32=1,2,3,4 --input=3xi64=0,2,1 | FileCheck %s --check-prefix=INNER
// RUN: tc-run %s --input=i1=0 --input=i1=0 --input=5x2xf32=1,2,3,4,5,6,7,8,9,10 --input=3xi64=0,2,1 | FileCheck %s --check-prefix=ELSE
// RUN: tc-run %s --check --input=i1=1 --input=i1=0 --input=7x2xf32=1 --input=3xi64=0,2,1
// RUN: tc-run %s --check --input=i1=0 --input=i1=1 --input=7x2xf32=1 --input=3xi64=0,2,1
// RUN: tc-run %s --input=i1=0 --input=i1=1 --input=2x2xf32=1,2,3,4 --input=3xi64=0,9,1 | FileCheck %s --check-prefix=INNER
// RUN: not tc-run %s --input=i1=1 --input=i1=1 --input=2x2xf32=1,2,3,4 --input=3xi64=0,9,1 2>&1 | FileCheck %s --check-prefix=RANGE

// One branch of each tc.if runs: sizes, checks of indices and intermediates
// are its own, and its results are read after it.
// THEN: 2x2xf32=[1.5 2.5][3.5 4.5]
// THEN: 3xf32=0 2 1
// INNER: 2x2xf32=[2 4][6 8]
// INNER: 3xf32=-1 -1 -1
// ELSE: 5x2xf32=[-1 -2][-3 -4][-5 -6][-7 -8][-9 -10]
// ELSE: 3xf32=-1 -1 -1
// RANGE: branches.mlir:{{.*}} an index is out of the range of the tensor it selects from
func.func @main(%c: tensor<i1>, %d: tensor<i1>, %x: tensor<?x2xf32, #tc.sizes<[s0, 2]>>, %i: tensor<3xi64>) -> (tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<3xf32>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %twice = tc.add %x, %x : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
  %r:2 = tc.if %c : tensor<i1> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<3xf32> {
    %half = tc.constant dense<0.5> : tensor<f32>
    %halves = tc.broadcast %half dims [] : tensor<f32> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>>
    %more = tc.add %x, %halves : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
    %numbers = tc.constant dense<[0.0, 1.0, 2.0]> : tensor<3xf32>
    %picked = tc.index_tensors %numbers[%i] dims [0] : tensor<3xf32>, tensor<3xi64> -> tensor<3xf32>
    tc.yield %more, %picked : tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<3xf32>
  } else {
    %inner = tc.if %d : tensor<i1> -> tensor<?x2xf32, #tc.sizes<[s0, 2]>> {
      tc.yield %twice : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
    } else {
      %negative = tc.neg %x : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
      tc.yield %negative : tensor<?x2xf32, #tc.sizes<[s0, 2]>>
    }
    %ones = tc.constant dense<-1.0> : tensor<3xf32>
    tc.yield %inner, %ones : tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<3xf32>
  }
  return %r#0, %r#1 : tensor<?x2xf32, #tc.sizes<[s0, 2]>>, tensor<3xf32>
}
