// RUN: tc-run %s --function=select --input=6xf32=1,-2,3,-4,5,6 --check
// RUN: tc-run %s --function=select --input=6xf32=1,-2,3,-4,5,6 | FileCheck %s --check-prefix=SELECT
// RUN: tc-run %s --function=select --input=6xf32=-1,-1,-1,-1,-1,-1 --check
// RUN: tc-run %s --function=select --input=6xf32=-1,-1,-1,-1,-1,-1 | FileCheck %s --check-prefix=NONE
// RUN: tc-run %s --function=rows --input=4x3xf32=1,1,1,-1,2,2,3,3,3,-4,4,4 --check
// RUN: tc-run %s --function=rows --input=4x3xf32=1,1,1,-1,2,2,3,3,3,-4,4,4 | FileCheck %s --check-prefix=ROWS
// RUN: tc-run %s --function=prefix --input=8xf32=1,2,3,4,5,6,7,8 --input=i64=3 --check
// RUN: tc-run %s --function=prefix --input=8xf32=1,2,3,4,5,6,7,8 --input=i64=3 | FileCheck %s --check-prefix=PREFIX
// RUN: not tc-run %s --function=prefix --input=8xf32=1 --input=i64=9 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: not tc-run %s --function=prefix --input=8xf32=1 --input=i64=-1 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not tc-run %s --function=prefix --input=8xf32=1 --input=i64=9 --device=reference 2>&1 | FileCheck %s --check-prefix=INTERPRETED
// RUN: not tc-run %s --function=twice --input=8xf32=1 --input=i64=3 2>&1 | FileCheck %s --check-prefix=GUARD
// RUN: tc-run %s --function=twice --input=8xf32=1 --input=i64=4 --check
// RUN: tc-run %s --function=square --input=i64=3 --check
// RUN: not tc-run %s --function=square --input=i64=1073741824 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: not tc-run %s --function=square --input=i64=9223372036854775807 2>&1 | FileCheck %s --check-prefix=BYTES
// RUN: tc-run %s --function=parts --input=24x16xf32=1 --input=16x16xf32=0.25 --input=i64=7 --check
// RUN: tc-run %s --function=parts --input=24x16xf32=1 --input=16x16xf32=0.25 --input=i64=0 --check

// Sizes that depend on data: tc.size_from gives a symbol its value in the
// middle of the call, and what follows is allocated then.

// SELECT: f32=15
// NONE: f32=0
func.func @select(%x: tensor<6xf32>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 6>]} {
  %zero = tc.full 0.0 : f32 -> tensor<6xf32>
  %m = tc.gt %x, %zero : tensor<6xf32>
  %i = tc.cast %m : tensor<6xi1> to tensor<6xi64>
  %n = tc.reduce sum %i dims [0] : tensor<6xi64> -> tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  %p = tc.nonzero %m : tensor<6xi1> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
  %f = tc.reshape %p : tensor<?x1xi64, #tc.sizes<[u0, 1]>> -> tensor<?xi64, #tc.sizes<[u0]>>
  %s = tc.index_tensors %x[%f] dims [0] : tensor<6xf32>, tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?xf32, #tc.sizes<[u0]>>
  %r = tc.reduce sum %s dims [0] : tensor<?xf32, #tc.sizes<[u0]>> -> tensor<f32>
  return %r : tensor<f32>
}

// ROWS: 2x3xf32=[1 1 1][3 3 3]
func.func @rows(%x: tensor<4x3xf32>) -> tensor<?x3xf32, #tc.sizes<[u0, 3]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
  %c = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<4x3xf32> -> tensor<4x1xf32>
  %k = tc.reshape %c : tensor<4x1xf32> -> tensor<4xf32>
  %zero = tc.full 0.0 : f32 -> tensor<4xf32>
  %m = tc.gt %k, %zero : tensor<4xf32>
  %i = tc.cast %m : tensor<4xi1> to tensor<4xi64>
  %n = tc.reduce sum %i dims [0] : tensor<4xi64> -> tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  %p = tc.nonzero %m : tensor<4xi1> -> tensor<?x1xi64, #tc.sizes<[u0, 1]>>
  %f = tc.reshape %p : tensor<?x1xi64, #tc.sizes<[u0, 1]>> -> tensor<?xi64, #tc.sizes<[u0]>>
  %r = tc.index_tensors %x[%f] dims [0] : tensor<4x3xf32>, tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?x3xf32, #tc.sizes<[u0, 3]>>
  return %r : tensor<?x3xf32, #tc.sizes<[u0, 3]>>
}

// PREFIX: 3xf32=2 4 6
// LARGE: data-dependent-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: {{.*}}u0, which depends on data, is 9, expected at most 8
// SMALL: data-dependent-sizes.mlir:{{[0-9]+}}:{{[0-9]+}}: {{.*}}u0, which depends on data, is -1, expected at least 0
// INTERPRETED: 'tc.size_from' op has u0, which depends on data, equal to 9, expected at most 8
func.func @prefix(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?xf32, #tc.sizes<[u0]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.size_from "u0" = %n : tensor<i64>
  %s = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  %r = tc.add %s, %s : tensor<?xf32, #tc.sizes<[u0]>>
  return %r : tensor<?xf32, #tc.sizes<[u0]>>
}

// A guard on such a size is checked after its definition.
// GUARD: u0 mod 2 is 1, expected at most 0
func.func @twice(%x: tensor<8xf32>, %n: tensor<i64>) -> tensor<?x2xf32, #tc.sizes<[u0 floordiv 2, 2]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.size_from "u0" = %n : tensor<i64>
  tc.guard scalar() {expr = #tc.expr<u0 mod 2>, min = 0 : i64, max = 0 : i64}
  %s = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0 floordiv 2 * 2]>>
  %r = tc.reshape %s : tensor<?xf32, #tc.sizes<[u0 floordiv 2 * 2]>> -> tensor<?x2xf32, #tc.sizes<[u0 floordiv 2, 2]>>
  return %r : tensor<?x2xf32, #tc.sizes<[u0 floordiv 2, 2]>>
}

// A size computed from such a size fits 64 bits, or the call ends with an error.
// BYTES: 'square' computes the bytes of a tensor, u0 * u0 * 8, beyond 64 bits where u0 is {{1073741824|9223372036854775807}}
func.func @square(%n: tensor<i64>) -> tensor<?x?xi64, #tc.sizes<[u0, u0]>> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 9223372036854775807>]} {
  tc.size_from "u0" = %n : tensor<i64>
  %e = tc.iota dim 0 start 0 step 1 : tensor<?xi64, #tc.sizes<[u0]>>
  %b = tc.broadcast %e dims [0] : tensor<?xi64, #tc.sizes<[u0]>> -> tensor<?x?xi64, #tc.sizes<[u0, u0]>>
  return %b : tensor<?x?xi64, #tc.sizes<[u0, u0]>>
}

// Two parts of one tensor: the buffer for both has a constant size.
func.func @parts(%x: tensor<24x16xf32>, %w: tensor<16x16xf32>, %n: tensor<i64>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 24>]} {
  %g = tc.contract "mk,kn->mn" %x, %w : tensor<24x16xf32>, tensor<16x16xf32> -> tensor<24x16xf32>
  %h = tc.contract "mk,kn->mn" %g, %w : tensor<24x16xf32>, tensor<16x16xf32> -> tensor<24x16xf32>
  tc.size_from "u0" = %n : tensor<i64>
  %a = tc.slice %h offsets <[0, 0]> strides [1, 1] : tensor<24x16xf32> -> tensor<?x16xf32, #tc.sizes<[u0, 16]>>
  %b = tc.slice %h offsets <[u0, 0]> strides [1, 1] : tensor<24x16xf32> -> tensor<?x16xf32, #tc.sizes<[u0 * -1 + 24, 16]>>
  %p = tc.contract "mk,kn->mn" %a, %w : tensor<?x16xf32, #tc.sizes<[u0, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[u0, 16]>>
  %q = tc.contract "mk,kn->mn" %b, %w : tensor<?x16xf32, #tc.sizes<[u0 * -1 + 24, 16]>>, tensor<16x16xf32> -> tensor<?x16xf32, #tc.sizes<[u0 * -1 + 24, 16]>>
  %c = tc.concat %p, %q dim 0 : tensor<?x16xf32, #tc.sizes<[u0, 16]>>, tensor<?x16xf32, #tc.sizes<[u0 * -1 + 24, 16]>> -> tensor<24x16xf32>
  %r = tc.contract "mk,kn->mn" %c, %w : tensor<24x16xf32>, tensor<16x16xf32> -> tensor<24x16xf32>
  %s = tc.reduce sum %r dims [0, 1] : tensor<24x16xf32> -> tensor<f32>
  return %s : tensor<f32>
}
