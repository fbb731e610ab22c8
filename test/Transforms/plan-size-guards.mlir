// RUN: tc-opt %s --tc-plan-size-guards | FileCheck %s
// RUN: tc-opt %s --tc-plan-size-guards --tc-plan-size-guards | FileCheck %s --check-prefix=TWICE

// A second run adds nothing.
// TWICE-COUNT-20: tc.size_guard
// TWICE-NOT: tc.size_guard

// A condition that no range proves becomes a guard before all other ops.
// CHECK-LABEL: func @unproved(
// CHECK-NEXT: tc.size_guard "tc.topk" needs "'k'" <3> at_most "size 0 of 'x'" <s0>
// CHECK-NEXT: tc.neg
// CHECK-NEXT: tc.topk
func.func @unproved(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<3xf32>, tensor<3xi64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %n = tc.neg %x : tensor<?xf32, #tc.sizes<[s0]>>
  %v, %i = tc.topk %n dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
  return %v, %i : tensor<3xf32>, tensor<3xi64>
}

// A range proves it.
// CHECK-LABEL: func @proved_by_range(
// CHECK-NEXT: tc.topk
func.func @proved_by_range(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<3xf32>, tensor<3xi64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 3, max = 64>]} {
  %v, %i = tc.topk %x dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
  return %v, %i : tensor<3xf32>, tensor<3xi64>
}

// A divisor proves it.
// CHECK-LABEL: func @proved_by_divisor(
// CHECK-NEXT: tc.reshape
func.func @proved_by_divisor(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64, divisor = 8>]} {
  %r = tc.reshape %x : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
  return %r : tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
}

// A guard of the inputs proves it.
// CHECK-LABEL: func @proved_by_guard(
// CHECK-NEXT: tc.guard
// CHECK-NEXT: tc.reshape
func.func @proved_by_guard(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  tc.guard scalar() {expr = #tc.expr<s0 mod 4>, min = 0 : i64, max = 0 : i64}
  %r = tc.reshape %x : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
  return %r : tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
}

// Neither proves it.
// CHECK-LABEL: func @reshaped(
// CHECK-NEXT: tc.size_guard "tc.reshape" needs "the number of elements of the result" <(s0 floordiv 4) * 4> equal "that of 'x'" <s0>
func.func @reshaped(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %r = tc.reshape %x : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
  return %r : tensor<?x4xf32, #tc.sizes<[s0 floordiv 4, 4]>>
}

// The ends of a slice, where it has elements, and its size.
// CHECK-LABEL: func @sliced(
// CHECK-NEXT: tc.size_guard "tc.slice" needs "the end of the slice along dimension 0" <s0 + 1> at_most "size 0 of 'x'" <s1> where <s0 - 3>
// CHECK-NEXT: tc.size_guard "tc.slice" needs "size 0 of the result" <s0 - 3> at_least <0>
// CHECK-NEXT: tc.slice
func.func @sliced(%x: tensor<?xf32, #tc.sizes<[s1]>>, %y: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0 - 3]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>]} {
  %r = tc.slice %x offsets <[4]> strides [1] : tensor<?xf32, #tc.sizes<[s1]>> -> tensor<?xf32, #tc.sizes<[s0 - 3]>>
  return %r : tensor<?xf32, #tc.sizes<[s0 - 3]>>
}

// All of a tensor, backwards: an empty one has no element at -1, and reads none.
// CHECK-LABEL: func @backwards(
// CHECK-NEXT: tc.slice
func.func @backwards(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %r = tc.slice %x offsets <[s0 - 1]> strides [-1] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[s0]>>
  return %r : tensor<?xf32, #tc.sizes<[s0]>>
}

// Of conditions that differ by a constant the strongest is enough, and what
// follows from it needs none.
// CHECK-LABEL: func @strongest(
// CHECK-NEXT: tc.size_guard "tc.topk" needs "'k'" <5> at_most "size 0 of 'x'" <s0>
// CHECK-NEXT: tc.topk
func.func @strongest(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<3xf32>, tensor<5xf32>, tensor<?xf32, #tc.sizes<[s0 * 2 - 10]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %v, %i = tc.topk %x dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
  %w, %j = tc.topk %x dim 0 k 5 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<5xf32>, tensor<5xi64>
  %f = tc.full 1.0 : f32 -> tensor<?xf32, #tc.sizes<[s0 * 2 - 10]>>
  return %v, %w, %f : tensor<3xf32>, tensor<5xf32>, tensor<?xf32, #tc.sizes<[s0 * 2 - 10]>>
}

// No size of any op is negative, and no size is divided by 0.
// CHECK-LABEL: func @sizes(
// CHECK-NEXT: tc.size_guard "tc.full" needs "size 0 of the result" <s0 - 100> at_least <0>
// CHECK-NEXT: tc.size_guard "tc.full" needs "the divisor in s0 floordiv s1" <s1> at_least <1>
func.func @sizes(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> (tensor<?xf32, #tc.sizes<[s0 - 100]>>, tensor<?xf32, #tc.sizes<[s0 floordiv s1]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 640>, #tc.symbol<"s1", min = 0, max = 640>]} {
  %f = tc.full 1.0 : f32 -> tensor<?xf32, #tc.sizes<[s0 - 100]>>
  %g = tc.full 1.0 : f32 -> tensor<?xf32, #tc.sizes<[s0 floordiv s1]>>
  return %f, %g : tensor<?xf32, #tc.sizes<[s0 - 100]>>, tensor<?xf32, #tc.sizes<[s0 floordiv s1]>>
}

// The conditions of a branch's ops are checked where it is taken.
// CHECK-LABEL: func @branches(
// CHECK-NEXT: tc.if
// CHECK-NEXT: tc.size_guard "tc.reduce" needs "size 0 of 'x', which 'max' folds," <s0> at_least <1>
// CHECK-NEXT: tc.reduce max
// CHECK: else
// CHECK-NEXT: tc.reduce sum
func.func @branches(%x: tensor<?xf32, #tc.sizes<[s0]>>, %c: tensor<i1>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %r = tc.if %c : tensor<i1> -> tensor<f32> {
    %m = tc.reduce max %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    tc.yield %m : tensor<f32>
  } else {
    %s = tc.reduce sum %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    tc.yield %s : tensor<f32>
  }
  return %r : tensor<f32>
}

// A symbol that no argument's size gives is known in front of the op at the
// latest.
// CHECK-LABEL: func @known_later(
// CHECK-NEXT: tc.size_from
// CHECK-NEXT: tc.slice
// CHECK-NEXT: tc.size_guard "tc.topk" needs "'k'" <3> at_most "size 0 of 'x'" <u0>
// CHECK-NEXT: tc.topk
func.func @known_later(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<3xf32> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.size_from "u0" = %n : tensor<i64>
  %s = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  %v, %i = tc.topk %s dim 0 k 3 : tensor<?xf32, #tc.sizes<[u0]>> -> tensor<3xf32>, tensor<3xi64>
  return %v : tensor<3xf32>
}

// The conditions of each other op.
// CHECK-LABEL: func @others(
// CHECK-DAG: "tc.pad" needs "size 0 of 'x'" <s0> at_least <2>
// CHECK-DAG: "tc.pad" needs "entry 1 of 'low'" <3> at_most "size 1 of 'x' less 1" <s1 - 1>
// CHECK-DAG: "tc.gather" needs "size 1 of 'index'" <s3> at_most "size 1 of 'x'" <s1> where <s2 * s3>
// CHECK-DAG: "tc.scatter" needs "size 0 of 'index'" <s2> at_most "size 0 of 'x'" <s0> where <s2 * s3>
// CHECK-DAG: "tc.max_pool" needs "the number of windows along spatial dimension 0" <s4 - 7> at_least <1>
// CHECK-DAG: "tc.adaptive_avg_pool" needs "size 2 of 'x'" <s5> at_least <1>
// CHECK-DAG: "tc.convolution" needs "the number of outputs along spatial dimension 0" <s6 - 2> at_least <1>
// CHECK-DAG: "tc.group_norm" needs "size 1 of 'x'" <s7> multiple_of "'groups'" <3>
// CHECK-DAG: "tc.arg_reduce" needs "size 0 of 'x', which 'argmin' folds," <s8> at_least <1>
func.func @others(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %i: tensor<?x?xi64, #tc.sizes<[s2, s3]>>, %u: tensor<?x?xf32, #tc.sizes<[s2, s3]>>,
                  %p: tensor<1x1x?xf32, #tc.sizes<[1, 1, s4]>>, %a: tensor<1x1x?xf32, #tc.sizes<[1, 1, s5]>>, %c: tensor<1x1x?xf32, #tc.sizes<[1, 1, s6]>>,
                  %w: tensor<1x1x3xf32>, %g: tensor<1x?x2xf32, #tc.sizes<[1, s7, 2]>>, %e: tensor<?xf32, #tc.sizes<[s8]>>) attributes {tc.symbols = [
    #tc.symbol<"s0", min = 0, max = 64>, #tc.symbol<"s1", min = 0, max = 64>, #tc.symbol<"s2", min = 0, max = 64>, #tc.symbol<"s3", min = 0, max = 64>,
    #tc.symbol<"s4", min = 0, max = 64>, #tc.symbol<"s5", min = 0, max = 64>, #tc.symbol<"s6", min = 0, max = 64>, #tc.symbol<"s7", min = 0, max = 64>, #tc.symbol<"s8", min = 0, max = 64>]} {
  %0 = tc.pad constant %x low [-2, 0] high [0, 0] value 0.0 : f32 : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?x?xf32, #tc.sizes<[s0 - 2, s1]>>
  %1 = tc.pad reflect %x low [0, 3] high [0, 0] : tensor<?x?xf32, #tc.sizes<[s0, s1]>> -> tensor<?x?xf32, #tc.sizes<[s0, s1 + 3]>>
  %2 = tc.gather %x[%i] dim 0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?x?xi64, #tc.sizes<[s2, s3]>> -> tensor<?x?xf32, #tc.sizes<[s2, s3]>>
  %3 = tc.scatter replace %x[%i] = %u dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?x?xi64, #tc.sizes<[s2, s3]>>, tensor<?x?xf32, #tc.sizes<[s2, s3]>>
  %4, %5 = tc.max_pool %p kernel [8] stride [1] padding [0] dilation [1] : tensor<1x1x?xf32, #tc.sizes<[1, 1, s4]>> -> tensor<1x1x?xf32, #tc.sizes<[1, 1, s4 - 7]>>, tensor<1x1x?xi64, #tc.sizes<[1, 1, s4 - 7]>>
  %6 = tc.adaptive_avg_pool %a : tensor<1x1x?xf32, #tc.sizes<[1, 1, s5]>> -> tensor<1x1x2xf32>
  %7 = tc.convolution %c, %w stride [1] padding [0] dilation [1] : tensor<1x1x?xf32, #tc.sizes<[1, 1, s6]>>, tensor<1x1x3xf32> -> tensor<1x1x?xf32, #tc.sizes<[1, 1, s6 - 2]>>
  %8 = tc.group_norm %g groups 3 eps 1.0e-5 : tensor<1x?x2xf32, #tc.sizes<[1, s7, 2]>>
  %9 = tc.arg_reduce argmin %e dim 0 : tensor<?xf32, #tc.sizes<[s8]>> -> tensor<i64>
  return
}

// The conditions of a loop's regions are checked when they run.
// CHECK-LABEL: func @loop(
// CHECK-NEXT: tc.while
// CHECK-NEXT: tc.size_guard "tc.reduce" needs "size 0 of 'x', which 'max' folds," <s0> at_least <1>
// CHECK-NEXT: tc.reduce max
// CHECK: do(
// CHECK-NEXT: tc.size_guard "tc.reduce" needs "size 0 of 'x', which 'min' folds," <s0> at_least <1>
// CHECK-NEXT: tc.reduce min
func.func @loop(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %r = tc.while carry(%v = %x : tensor<?xf32, #tc.sizes<[s0]>>) {
    %m = tc.reduce max %v dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    %more = tc.isnan %m : tensor<f32>
    tc.yield %more : tensor<i1>
  } do(%v) {
    %s = tc.reduce min %v dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    %b = tc.broadcast %s dims [] : tensor<f32> -> tensor<?xf32, #tc.sizes<[s0]>>
    tc.yield %b : tensor<?xf32, #tc.sizes<[s0]>>
  }
  return %r : tensor<?xf32, #tc.sizes<[s0]>>
}
