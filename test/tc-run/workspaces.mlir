// RUN: tc-run %s --function=prefix --input=8x3xf32=3,1,2,5,4,6,9,8,7,1,3,2,0,-1,1,2,2,1,8,7,9,6,5,4 --input=i64=7 --check --threads=3
// RUN: tc-run %s --function=prefix --input=8x3xf32=1 --input=i64=0 --check
// RUN: tc-run %s --function=branch --input=i1=1 --input=5x3xf32=2,-1,0.5,nan,3,-2,7,7,1,0,-0.0,4,1,2,3 --check --threads=3
// RUN: tc-run %s --function=branch --input=i1=0 --input=5x3xf32=2,-1,0.5,nan,3,-2,7,7,1,0,-0.0,4,1,2,3 --check
// RUN: tc-run %s --function=branch --input=i1=0 --input=0x3xf32=1 --check
// RUN: tc-run %s --function=repeated --input=i64=3 --input=5x3xf32=2,-1,0.5,nan,3,-2,7,7,1,0,-0.0,4,1,2,3 --check --threads=3
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=19 --size=s1=13 --check --threads=3
// RUN: tc-run %s --function=symbolic --random-inputs=1 --size=s0=1 --size=s1=1 --check
// RUN: tc-opt %s "--tc-pipeline=to=bufferize target=cpu:x86-64-v3" | FileCheck %s

// Workspaces of sorts: of a number of rows that depends on data, in branches and
// loops, of rows of symbolic length.
module attributes {tc.cores = 4 : i64} {
  // In the arena that is allocated when u0 is known.
  // CHECK-LABEL: func @prefix
  // CHECK: tc.size_from "u0"
  // CHECK: tc.arena <{{.*}}u0{{.*}}>
  // CHECK: workspace(
  func.func @prefix(%x: tensor<8x3xf32>, %n: tensor<i64>) -> tensor<?x3xf32, #tc.sizes<[u0, 3]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
    tc.size_from "u0" = %n : tensor<i64>
    %s = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<8x3xf32> -> tensor<?x3xf32, #tc.sizes<[u0, 3]>>
    %v, %i = tc.sort %s dim 1 : tensor<?x3xf32, #tc.sizes<[u0, 3]>> -> tensor<?x3xf32, #tc.sizes<[u0, 3]>>, tensor<?x3xi64, #tc.sizes<[u0, 3]>>
    return %v : tensor<?x3xf32, #tc.sizes<[u0, 3]>>
  }

  // Both branches use the same bytes, which are placed in front of them.
  // CHECK-LABEL: func @branch
  // CHECK-SAME: buffers = 2 : i64, peak = 384 : i64, planned = 384 : i64
  // CHECK: tc.arena_view
  // CHECK: tc.arena_view
  // CHECK: tc.if
  // CHECK: workspace(
  // CHECK: workspace(
  func.func @branch(%c: tensor<i1>, %x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>) -> tensor<?x3xf32, #tc.sizes<[s0, 3]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100>]} {
    %r = tc.if %c : tensor<i1> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>> {
      %v, %i = tc.sort %x dim 1 : tensor<?x3xf32, #tc.sizes<[s0, 3]>> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<?x3xi64, #tc.sizes<[s0, 3]>>
      tc.yield %v : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
    } else {
      %v, %i = tc.sort %x dim 1 {descending} : tensor<?x3xf32, #tc.sizes<[s0, 3]>> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<?x3xi64, #tc.sizes<[s0, 3]>>
      tc.yield %v : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
    }
    return %r : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
  }

  // CHECK-LABEL: func @repeated
  // CHECK: tc.while
  // CHECK: workspace(
  func.func @repeated(%n: tensor<i64>, %x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>) -> tensor<?x3xf32, #tc.sizes<[s0, 3]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100>]} {
    %zero = tc.constant dense<0> : tensor<i64>
    %one = tc.constant dense<1> : tensor<i64>
    %r:2 = tc.while carry(%i = %zero : tensor<i64>, %a = %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>) {
      %more = tc.lt %i, %n : tensor<i64>
      tc.yield %more : tensor<i1>
    } do(%i, %a) {
      %j = tc.add %i, %one : tensor<i64>
      %sin = tc.sin %a : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
      %v, %p = tc.sort %sin dim 1 : tensor<?x3xf32, #tc.sizes<[s0, 3]>> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<?x3xi64, #tc.sizes<[s0, 3]>>
      tc.yield %j, %v : tensor<i64>, tensor<?x3xf32, #tc.sizes<[s0, 3]>>
    }
    return %r#1 : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
  }

  // CHECK-LABEL: func @symbolic
  // CHECK: workspace(%{{.*}} = %{{.*}} : memref<?xi8, #tc.sizes<[min(4, s0) * s1 * 32]>>)
  func.func @symbolic(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> (tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?x?xi64, #tc.sizes<[s0, s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 100>, #tc.symbol<"s1", min = 1, max = 100>]} {
    %v, %i = tc.sort %x dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?x?xi64, #tc.sizes<[s0, s1]>>
    return %v, %i : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?x?xi64, #tc.sizes<[s0, s1]>>
  }
}
