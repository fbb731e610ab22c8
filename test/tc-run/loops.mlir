// RUN: tc-run %s --function=newton --input=f64=2 --input=f64=1 | FileCheck %s --check-prefix=NEWTON
// RUN: tc-run %s --function=newton --input=f64=2 --input=f64=1 --device=reference | FileCheck %s --check-prefix=NEWTON
// RUN: tc-run %s --function=newton --input=f64=1 --input=f64=1 | FileCheck %s --check-prefix=AT-ONCE

// Newton's iteration: how often it runs is known when it has.
// NEWTON: f64=1.41421
// NEWTON: i64=5
// AT-ONCE: f64=1
// AT-ONCE: i64=0
func.func @newton(%a: tensor<f64>, %start: tensor<f64>) -> (tensor<f64>, tensor<i64>) {
  %zero = tc.constant dense<0> : tensor<i64>
  %one = tc.constant dense<1> : tensor<i64>
  %half = tc.constant dense<0.5> : tensor<f64>
  %near = tc.constant dense<1.0e-12> : tensor<f64>
  %r:2 = tc.while carry(%x = %start : tensor<f64>, %n = %zero : tensor<i64>) {
    %square = tc.mul %x, %x : tensor<f64>
    %off = tc.sub %square, %a : tensor<f64>
    %distance = tc.abs %off : tensor<f64>
    %more = tc.gt %distance, %near : tensor<f64>
    tc.yield %more : tensor<i1>
  } do(%x, %n) {
    %quotient = tc.div %a, %x : tensor<f64>
    %sum = tc.add %x, %quotient : tensor<f64>
    %next = tc.mul %sum, %half : tensor<f64>
    %m = tc.add %n, %one : tensor<i64>
    tc.yield %next, %m : tensor<f64>, tensor<i64>
  }
  return %r#0, %r#1 : tensor<f64>, tensor<i64>
}

// Carried values change places, and the sum of both is a third one.
// RUN: tc-run %s --function=exchange --input=i64=0 --input=3xf32=1,2,3 --input=3xf32=4,5,6 | FileCheck %s --check-prefix=EXCHANGE0
// RUN: tc-run %s --function=exchange --input=i64=3 --input=3xf32=1,2,3 --input=3xf32=4,5,6 | FileCheck %s --check-prefix=EXCHANGE3
// RUN: tc-run %s --function=exchange --input=i64=3 --input=3xf32=1,2,3 --input=3xf32=4,5,6 --device=reference | FileCheck %s --check-prefix=EXCHANGE3
// EXCHANGE0: 3xf32=1 2 3
// EXCHANGE0: 3xf32=4 5 6
// EXCHANGE0: 3xf32=1 2 3
// EXCHANGE3: 3xf32=4 5 6
// EXCHANGE3: 3xf32=1 2 3
// EXCHANGE3: 3xf32=5 7 9
func.func @exchange(%n: tensor<i64>, %x: tensor<?xf32, #tc.sizes<[s0]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %zero = tc.constant dense<0> : tensor<i64>
  %one = tc.constant dense<1> : tensor<i64>
  %r:4 = tc.while carry(%i = %zero : tensor<i64>, %a = %x : tensor<?xf32, #tc.sizes<[s0]>>, %b = %y : tensor<?xf32, #tc.sizes<[s0]>>, %c = %x : tensor<?xf32, #tc.sizes<[s0]>>) {
    %more = tc.lt %i, %n : tensor<i64>
    tc.yield %more : tensor<i1>
  } do(%i, %a, %b, %c) {
    %j = tc.add %i, %one : tensor<i64>
    %sum = tc.add %a, %b : tensor<?xf32, #tc.sizes<[s0]>>
    tc.yield %j, %b, %a, %sum : tensor<i64>, tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>
  }
  return %r#1, %r#2, %r#3 : tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>
}

// A triangle of iterations: the inner loop goes on with the outer one's value,
// and a branch in it looks at both counters. Sizes, too, are known inside.
// RUN: tc-run %s --function=nested --input=i64=4 --input=2x3xf32=0 | FileCheck %s --check-prefix=NESTED
// RUN: tc-run %s --function=nested --input=i64=4 --input=2x3xf32=0 --device=reference | FileCheck %s --check-prefix=NESTED
// RUN: tc-run %s --function=nested --input=i64=7 --input=40x3xf32=0.5 --check --threads=3
// RUN: tc-run %s --function=nested --input=i64=0 --input=5x3xf32=1.5 | FileCheck %s --check-prefix=NONE
// NESTED: 2x3xf32=[26 26 26][26 26 26]
// NESTED: i64=10
// NONE: 5x3xf32=[1.5 1.5 1.5]
// NONE: i64=0
func.func @nested(%n: tensor<i64>, %x: tensor<?x3xf32, #tc.sizes<[s0, 3]>>) -> (tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<i64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %zero = tc.constant dense<0> : tensor<i64>
  %one = tc.constant dense<1> : tensor<i64>
  %rows = tc.size_value <s0> : tensor<i64>
  %r:3 = tc.while carry(%i = %zero : tensor<i64>, %v = %x : tensor<?x3xf32, #tc.sizes<[s0, 3]>>, %count = %zero : tensor<i64>) {
    %more = tc.lt %i, %n : tensor<i64>
    tc.yield %more : tensor<i1>
  } do(%i, %v, %count) {
    %inner:3 = tc.while carry(%j = %zero : tensor<i64>, %w = %v : tensor<?x3xf32, #tc.sizes<[s0, 3]>>, %c = %count : tensor<i64>) {
      %less = tc.le %j, %i : tensor<i64>
      tc.yield %less : tensor<i1>
    } do(%j, %w, %c) {
      %same = tc.eq %i, %j : tensor<i64>
      %added = tc.if %same : tensor<i1> -> tensor<f32> {
        %wide = tc.cast %rows : tensor<i64> to tensor<f32>
        tc.yield %wide : tensor<f32>
      } else {
        %three = tc.constant dense<3.0> : tensor<f32>
        tc.yield %three : tensor<f32>
      }
      %all = tc.broadcast %added dims [] : tensor<f32> -> tensor<?x3xf32, #tc.sizes<[s0, 3]>>
      %next = tc.add %w, %all : tensor<?x3xf32, #tc.sizes<[s0, 3]>>
      %k = tc.add %j, %one : tensor<i64>
      %d = tc.add %c, %one : tensor<i64>
      tc.yield %k, %next, %d : tensor<i64>, tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<i64>
    }
    %l = tc.add %i, %one : tensor<i64>
    tc.yield %l, %inner#1, %inner#2 : tensor<i64>, tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<i64>
  }
  return %r#1, %r#2 : tensor<?x3xf32, #tc.sizes<[s0, 3]>>, tensor<i64>
}

// A loop in a branch; an argument that is carried, and given back, keeps its
// elements for what reads it afterwards.
// RUN: tc-run %s --function=in_branch --input=i1=1 --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=TAKEN
// RUN: tc-run %s --function=in_branch --input=i1=0 --input=4xf32=1,2,3,4 | FileCheck %s --check-prefix=PASSED
// RUN: tc-run %s --function=in_branch --input=i1=1 --input=4xf32=1,2,3,4 --check
// TAKEN: 4xf32=0.03125 0.0625 0.09375 0.125
// TAKEN: 4xf32=1 2 3 4
// PASSED: 4xf32=1 2 3 4
// PASSED: 4xf32=1 2 3 4
func.func @in_branch(%c: tensor<i1>, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %halves = tc.constant dense<0.5> : tensor<4xf32>
  %limit = tc.constant dense<0.5> : tensor<f32>
  %r = tc.if %c : tensor<i1> -> tensor<4xf32> {
    %w = tc.while carry(%v = %x : tensor<4xf32>) {
      %sum = tc.reduce sum %v dims [0] : tensor<4xf32> -> tensor<f32>
      %more = tc.gt %sum, %limit : tensor<f32>
      tc.yield %more : tensor<i1>
    } do(%v) {
      %next = tc.mul %v, %halves : tensor<4xf32>
      tc.yield %next : tensor<4xf32>
    }
    tc.yield %w : tensor<4xf32>
  } else {
    tc.yield %x : tensor<4xf32>
  }
  return %r, %x : tensor<4xf32>, tensor<4xf32>
}

// The condition is itself carried, and an index out of range in an iteration is
// an error of the call.
// RUN: tc-run %s --function=walk --input=5xi64=3,2,9,4,1 --input=i64=0 2>&1 | FileCheck %s --check-prefix=WALK
// RUN: not tc-run %s --function=walk --input=5xi64=3,2,9,7,1 --input=i64=0 2>&1 | FileCheck %s --check-prefix=RANGE
// WALK: i64=2
// WALK: i64=4
// RANGE: loops.mlir:{{.*}} an index is out of the range of the tensor it selects from
func.func @walk(%next: tensor<5xi64>, %start: tensor<i64>) -> (tensor<i64>, tensor<i64>) {
  %zero = tc.constant dense<0> : tensor<i64>
  %one = tc.constant dense<1> : tensor<i64>
  %two = tc.constant dense<2> : tensor<i64>
  %true = tc.constant dense<true> : tensor<i1>
  %r:3 = tc.while carry(%goes = %true : tensor<i1>, %at = %start : tensor<i64>, %steps = %zero : tensor<i64>) {
    tc.yield %goes : tensor<i1>
  } do(%goes, %at, %steps) {
    %to = tc.index_tensors %next[%at] dims [0] : tensor<5xi64>, tensor<i64> -> tensor<i64>
    %on = tc.ne %to, %two : tensor<i64>
    %more = tc.add %steps, %one : tensor<i64>
    tc.yield %on, %to, %more : tensor<i1>, tensor<i64>, tensor<i64>
  }
  return %r#1, %r#2 : tensor<i64>, tensor<i64>
}
