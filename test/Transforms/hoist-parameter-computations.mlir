// RUN: tc-opt %s --tc-hoist-parameter-computations | FileCheck %s
// RUN: tc-opt %s --tc-hoist-parameter-computations="max-growth=1 max-bytes=32" | FileCheck %s --check-prefix=SMALL

tc.parameter_source @w : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 128 : i64, role = "buffer"}
tc.parameter_source @half : tensor<4x8xf16> {file = "m.pt2", offset = 192 : i64, role = "parameter"}
tc.parameter_source @positions : tensor<16x8xf32> {file = "m.pt2", offset = 256 : i64, role = "parameter"}
tc.parameter_source @state : tensor<4xf32> {file = "m.pt2", offset = 768 : i64, role = "buffer"}

// CHECK: tc.prepared @w.prepared : tensor<4x8xf32> {result = 0 : i64}
// CHECK: tc.prepared @w.prepared_0 : tensor<4x8xf16> {result = 1 : i64}
// CHECK: tc.prepared @positions.prepared : tensor<4x8xf32> {result = 2 : i64}
// CHECK: tc.prepared @prepared : tensor<4x4xf32> {result = 3 : i64}
// CHECK: tc.prepared @w.prepared_1 : tensor<64x32xf32> {result = 4 : i64}
// CHECK: tc.prepared @s.prepared : tensor<4xf32> {result = 5 : i64}
// CHECK: tc.prepared @prepared_2 : tensor<4xf32> {result = 6 : i64}
// CHECK: func.func @tc.prepare() -> (tensor<4x8xf32>, tensor<4x8xf16>, tensor<4x8xf32>, tensor<4x4xf32>, tensor<64x32xf32>, tensor<4xf32>, tensor<4xf32>)
// CHECK-NEXT: %[[W:.*]] = tc.parameter @w : tensor<4x8xf32>
// CHECK-NEXT: %[[S:.*]] = tc.parameter @s : tensor<4xf32>
// CHECK-NEXT: %[[FACTORS:.*]] = tc.broadcast %[[S]] dims [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK-NEXT: %[[SCALED:.*]] = tc.mul %[[W]], %[[FACTORS]] : tensor<4x8xf32>
// CHECK-NEXT: %[[NARROW:.*]] = tc.cast %[[W]] : tensor<4x8xf32> to tensor<4x8xf16>
// CHECK-NEXT: tc.parameter @positions
// CHECK-NEXT: tc.iota
// CHECK-NEXT: %[[ROWS:.*]] = tc.index_tensors
// CHECK-NEXT: tc.iota
// CHECK-NEXT: tc.cast
// CHECK-NEXT: %[[TABLE:.*]] = tc.cos
// CHECK-NEXT: tc.neg %[[W]]
// CHECK-NEXT: tc.reshape
// CHECK-NEXT: tc.broadcast
// CHECK-NEXT: %[[GROWN:.*]] = tc.neg
// CHECK-NEXT: %[[EXP:.*]] = tc.exp %[[S]]
// CHECK: %[[SLOPES:.*]] = tc.pow
// CHECK-NEXT: return %[[SCALED]], %[[NARROW]], %[[ROWS]], %[[TABLE]], %[[GROWN]], %[[EXP]], %[[SLOPES]] :

// A scaled weight, named after the larger of its parameters.
// CHECK-LABEL: func @scaled
// CHECK-NEXT: tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: tc.contract
func.func @scaled(%x: tensor<2x8xf32>) -> tensor<2x4xf32> {
  %w = tc.parameter @w : tensor<4x8xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %1 = tc.mul %w, %0 : tensor<4x8xf32>
  %2 = tc.contract "ik,jk->ij" %x, %1 : tensor<2x8xf32>, tensor<4x8xf32> -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// The same weight in another function is prepared once; views stay in the call.
// CHECK-LABEL: func @again
// CHECK-NEXT: tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: tc.transpose
// CHECK-NEXT: tc.contract
func.func @again(%x: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %w = tc.parameter @w : tensor<4x8xf32>
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.broadcast %s dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %1 = tc.mul %w, %0 : tensor<4x8xf32>
  %2 = tc.transpose %1 [1, 0] : tensor<4x8xf32> -> tensor<8x4xf32>
  %3 = tc.contract "ik,jk->ij" %x, %2 : tensor<2x4xf32>, tensor<8x4xf32> -> tensor<2x8xf32>
  return %3 : tensor<2x8xf32>
}

// Narrowed once, widened where it is read.
// CHECK-LABEL: func @casts
// CHECK-NEXT: tc.parameter @w.prepared_0 : tensor<4x8xf16>
// CHECK: tc.parameter @half : tensor<4x8xf16>
// CHECK-NEXT: tc.cast
func.func @casts(%x: tensor<4x8xf16>, %y: tensor<4x8xf32>) -> (tensor<4x8xf16>, tensor<4x8xf32>) {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.cast %w : tensor<4x8xf32> to tensor<4x8xf16>
  %1 = tc.add %x, %0 : tensor<4x8xf16>
  %h = tc.parameter @half : tensor<4x8xf16>
  %2 = tc.cast %h : tensor<4x8xf16> to tensor<4x8xf32>
  %3 = tc.add %y, %2 : tensor<4x8xf32>
  return %1, %3 : tensor<4x8xf16>, tensor<4x8xf32>
}

// Positions that do not depend on the input.
// CHECK-LABEL: func @embedding
// CHECK-NEXT: tc.parameter @positions.prepared : tensor<4x8xf32>
// CHECK-NEXT: tc.broadcast
func.func @embedding(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %w = tc.parameter @positions : tensor<16x8xf32>
  %i = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
  %0 = tc.index_tensors %w[%i] dims [0] : tensor<16x8xf32>, tensor<4xi64> -> tensor<4x8xf32>
  %1 = tc.broadcast %0 dims [1, 2] : tensor<4x8xf32> -> tensor<2x4x8xf32>
  %2 = tc.add %x, %1 : tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}

// Of constants, a table of cosines is worth its memory; a mask is not.
// CHECK-LABEL: func @constants
// CHECK: tc.ge
// CHECK-NEXT: tc.parameter @prepared : tensor<4x4xf32>
// CHECK-NEXT: tc.select
// SMALL-LABEL: func @constants
// SMALL: tc.cos
func.func @constants(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %row = tc.iota dim 0 start 0 step 1 : tensor<4x4xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<4x4xi64>
  %mask = tc.ge %row, %column : tensor<4x4xi64>
  %angle = tc.cast %row : tensor<4x4xi64> to tensor<4x4xf32>
  %table = tc.cos %angle : tensor<4x4xf32>
  %0 = tc.select %mask, %table, %x : tensor<4x4xi1>, tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// A repeated small weight is prepared whole, or only the weight before the repeat.
// CHECK-LABEL: func @grown
// CHECK-NEXT: tc.parameter @w.prepared_1 : tensor<64x32xf32>
// CHECK-NEXT: tc.reshape
// CHECK-NEXT: tc.add
// SMALL-LABEL: func @grown
// SMALL-NEXT: tc.parameter @w.prepared_1 : tensor<4x8xf32>
// SMALL: tc.broadcast
// SMALL-NEXT: tc.neg
func.func @grown(%x: tensor<4x512xf32>) -> tensor<4x512xf32> {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.neg %w : tensor<4x8xf32>
  %1 = tc.reshape %0 : tensor<4x8xf32> -> tensor<32xf32>
  %2 = tc.broadcast %1 dims [1] : tensor<32xf32> -> tensor<64x32xf32>
  %3 = tc.neg %2 : tensor<64x32xf32>
  %4 = tc.reshape %3 : tensor<64x32xf32> -> tensor<4x512xf32>
  %5 = tc.add %x, %4 : tensor<4x512xf32>
  return %5 : tensor<4x512xf32>
}

// A buffer with a new value after each call.
// CHECK-LABEL: func @counts
// CHECK-NEXT: tc.parameter @state
// CHECK-NEXT: tc.exp
func.func @counts(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32> {tc.mutates = @state}) {
  %s = tc.parameter @state : tensor<4xf32>
  %0 = tc.exp %s : tensor<4xf32>
  %1 = tc.add %x, %0 : tensor<4xf32>
  return %1, %0 : tensor<4xf32>, tensor<4xf32>
}

// A size that depends on the call; results that do not.
// CHECK-LABEL: func @symbolic
// CHECK-NEXT: tc.parameter @s.prepared : tensor<4xf32>
// CHECK: tc.exp
func.func @symbolic(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<?xf32, #tc.sizes<[s0]>>, tensor<4xf32>)
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 16>]} {
  %w = tc.parameter @s : tensor<4xf32>
  %0 = tc.exp %w : tensor<4xf32>
  %1 = tc.size_value <s0> : tensor<i64>
  %2 = tc.cast %1 : tensor<i64> to tensor<f32>
  %3 = tc.exp %2 : tensor<f32>
  %4 = tc.broadcast %3 dims [] : tensor<f32> -> tensor<?xf32, #tc.sizes<[s0]>>
  %5 = tc.add %x, %4 : tensor<?xf32, #tc.sizes<[s0]>>
  return %5, %0 : tensor<?xf32, #tc.sizes<[s0]>>, tensor<4xf32>
}

// What is computed of positions and costs little is computed where it is used: what is computed ahead is the smaller operand that costs more, a power for
// each head.
// CHECK-LABEL: func @slopes
// CHECK: tc.parameter @prepared_2 : tensor<4xf32>
// CHECK: tc.mul
// CHECK-NEXT: tc.add
func.func @slopes(%x: tensor<4x16x16xf32>) -> tensor<4x16x16xf32> {
  %two = tc.full 2.0 : f32 -> tensor<4xf32>
  %head = tc.iota dim 0 start 1 step 1 : tensor<4xi64>
  %exponent = tc.cast %head : tensor<4xi64> to tensor<4xf32>
  %slope = tc.pow %two, %exponent : tensor<4xf32>
  %slopes = tc.broadcast %slope dims [0] : tensor<4xf32> -> tensor<4x16x16xf32>
  %row = tc.iota dim 0 start 0 step 1 : tensor<16x16xi64>
  %column = tc.iota dim 1 start 0 step 1 : tensor<16x16xi64>
  %distance = tc.sub %row, %column : tensor<16x16xi64>
  %far = tc.cast %distance : tensor<16x16xi64> to tensor<16x16xf32>
  %distances = tc.broadcast %far dims [1, 2] : tensor<16x16xf32> -> tensor<4x16x16xf32>
  %bias = tc.mul %slopes, %distances : tensor<4x16x16xf32>
  %0 = tc.add %x, %bias : tensor<4x16x16xf32>
  return %0 : tensor<4x16x16xf32>
}
