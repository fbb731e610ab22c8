// RUN: tc-opt %s --tc-decompose-static-scatter | FileCheck %s
// RUN: tc-run %s --function=padded --random-inputs=1 --check --threads=2 | FileCheck %s --check-prefix=RIGHT
// RUN: tc-run %s --function=in_order --size=s0=3 --random-inputs=1 --check --threads=2 | FileCheck %s --check-prefix=RIGHT
// RUN: tc-run %s --function=planes --random-inputs=1 --check --threads=2 | FileCheck %s --check-prefix=RIGHT
// RUN: tc-run %s --function=sliced --random-inputs=1 --check --threads=2 | FileCheck %s --check-prefix=RIGHT
// RIGHT: largest difference

// Each place reads the elements that go to it. The first place has one, so a zero is its second.
// CHECK-LABEL: func.func @padded
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK: %[[AT:.*]] = tc.constant dense<{{\[\[}}0, 0], [1, 2]]> : tensor<2x2xi32>
// CHECK: %[[READ:.*]] = tc.index_tensors %[[V]][%[[AT]]] dims [1] : tensor<2x3xf32>, tensor<2x2xi32> -> tensor<2x2x2xf32>
// CHECK: %[[MASK:.*]] = tc.constant dense<{{\[\[}}true, false], [true, true]]> : tensor<2x2xi1>
// CHECK: %[[MASKS:.*]] = tc.broadcast %[[MASK]] dims [1, 2]
// CHECK: %[[ZERO:.*]] = tc.full 0.000000e+00
// CHECK: %[[KEPT:.*]] = tc.select %[[MASKS]], %[[READ]], %[[ZERO]]
// CHECK: %[[SUM:.*]] = tc.reduce sum %[[KEPT]] dims [2] : tensor<2x2x2xf32> -> tensor<2x2xf32>
// CHECK: return %[[SUM]]
func.func @padded(%v: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x2xf32>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xi64>
  return %0 : tensor<2x2xf32>
}

// The gradient of an image that is repeated twice along rows and columns: nothing is read by an index. The batch may
// have a size by name.
// CHECK-LABEL: func.func @in_order
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<?x6x8xf32
// CHECK-NOT: tc.index_tensors
// CHECK: %[[ROWS:.*]] = tc.reshape %[[V]] : {{.*}} -> tensor<?x3x2x8xf32, #tc.sizes<[s0, 3, 2, 8]>>
// CHECK: %[[BOTH:.*]] = tc.reshape %[[ROWS]] : {{.*}} -> tensor<?x3x2x4x2xf32, #tc.sizes<[s0, 3, 2, 4, 2]>>
// CHECK: %[[SUM:.*]] = tc.reduce sum %[[BOTH]] dims [2, 4]
// CHECK: return %[[SUM]]
func.func @in_order(%v: tensor<?x6x8xf32, #tc.sizes<[s0, 6, 8]>>) -> tensor<?x3x4xf32, #tc.sizes<[s0, 3, 4]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %x = tc.full 0.0 : f32 -> tensor<?x3x4xf32, #tc.sizes<[s0, 3, 4]>>
  %two = tc.full 2 : i64 -> tensor<6xi64>
  %row = tc.iota dim 0 start 0 step 1 : tensor<6xi64>
  %rows = tc.floor_div %row, %two : tensor<6xi64>
  %i = tc.broadcast %rows dims [0] : tensor<6xi64> -> tensor<6x8xi64>
  %twos = tc.full 2 : i64 -> tensor<8xi64>
  %column = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
  %columns = tc.floor_div %column, %twos : tensor<8xi64>
  %j = tc.broadcast %columns dims [1] : tensor<8xi64> -> tensor<6x8xi64>
  %0 = tc.index_put sum %x[%i, %j] = %v dims [1, 2] : tensor<?x3x4xf32, #tc.sizes<[s0, 3, 4]>>, tensor<?x6x8xf32, #tc.sizes<[s0, 6, 8]>>, tensor<6x8xi64>, tensor<6x8xi64>
  return %0 : tensor<?x3x4xf32, #tc.sizes<[s0, 3, 4]>>
}

// Two indexed dimensions with another one between them: each has its own table, and the sums are put in order.
// CHECK-LABEL: func.func @planes
// CHECK: tc.index_tensors %{{.*}}[%{{.*}}] dims [0] : tensor<3x4x2xf32>, tensor<2x2xi32> -> tensor<2x2x4x2xf32>
// CHECK: tc.index_tensors %{{.*}}[%{{.*}}] dims [2] : tensor<2x2x4x2xf32>, tensor<3x2xi32> -> tensor<2x2x3x2x2xf32>
// CHECK: tc.bitwise_and
// CHECK: %[[SUM:.*]] = tc.reduce sum %{{.*}} dims [1, 3] : tensor<2x2x3x2x2xf32> -> tensor<2x3x2xf32>
// CHECK: tc.transpose %[[SUM]] [0, 2, 1]
func.func @planes(%v: tensor<3x4x2xf32>) -> tensor<2x2x3xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x2x3xf32>
  %a = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %b = tc.constant dense<[2, 0, 2, 1]> : tensor<4xi64>
  %i = tc.broadcast %a dims [0] : tensor<3xi64> -> tensor<3x4xi64>
  %j = tc.broadcast %b dims [1] : tensor<4xi64> -> tensor<3x4xi64>
  %0 = tc.index_put sum %x[%i, %j] = %v dims [0, 2] : tensor<2x2x3xf32>, tensor<3x4x2xf32>, tensor<3x4xi64>, tensor<3x4xi64>
  return %0 : tensor<2x2x3xf32>
}

// Two dimensions of windows go to one of the result: a table for each of them.
// CHECK-LABEL: func.func @windows
// CHECK: tc.constant dense<{{\[\[}}0, 0], [0, 1], [1, 1]]> : tensor<3x2xi32>
// CHECK: tc.constant dense<{{\[\[}}0, 0], [1, 0], [1, 1]]> : tensor<3x2xi32>
// CHECK: tc.index_tensors %{{.*}}[%{{.*}}, %{{.*}}] dims [1, 2] : tensor<2x2x2xf32>, tensor<3x2xi32>, tensor<3x2xi32> -> tensor<2x3x2xf32>
func.func @windows(%v: tensor<2x2x2xf32>) -> tensor<2x3xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x3xf32>
  %i = tc.constant dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x3xf32>, tensor<2x2x2xf32>, tensor<2x2xi64>
  return %0 : tensor<2x3xf32>
}

// What is cut off is not summed: of six places, the second and the fourth are read.
// CHECK-LABEL: func.func @sliced
// CHECK-SAME: %[[V:[a-z0-9]+]]: tensor<2x6xf32>
// CHECK: %[[AT:.*]] = tc.constant dense<{{\[\[}}1, 3], [4, 4]]> : tensor<2x2xi32>
// CHECK: tc.index_tensors %[[V]][%[[AT]]] dims [1]
// CHECK: tc.constant dense<{{\[\[}}true, true], [true, false]]> : tensor<2x2xi1>
// CHECK: %[[SUM:.*]] = tc.reduce sum %{{.*}} dims [2] : tensor<2x2x2xf32> -> tensor<2x2xf32>
// CHECK: return %[[SUM]]
func.func @sliced(%v: tensor<2x6xf32>) -> tensor<2x2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x6xf32>
  %i = tc.constant dense<[0, 1, 2, 1, 3, 5]> : tensor<6xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x6xf32>, tensor<2x6xf32>, tensor<6xi64>
  %1 = tc.slice %0 offsets <[0, 1]> strides [1, 2] : tensor<2x6xf32> -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// A slice along another dimension is not part of the sums.
// CHECK-LABEL: func.func @sliced_elsewhere
// CHECK: %[[SUM:.*]] = tc.reduce sum %{{.*}} dims [2] : tensor<2x2x2xf32> -> tensor<2x2xf32>
// CHECK: tc.slice %[[SUM]] offsets <[1, 0]>
func.func @sliced_elsewhere(%v: tensor<2x3xf32>) -> tensor<1x2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x2xf32>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xi64>
  %1 = tc.slice %0 offsets <[1, 0]> strides [1, 1] : tensor<2x2xf32> -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// The corners that an interpolation reads: the elements are added, and one fold sums them.
// CHECK-LABEL: func.func @corners
// CHECK: %[[FIRST:.*]] = tc.select
// CHECK: %[[SECOND:.*]] = tc.select
// CHECK: %[[ADDED:.*]] = tc.add %[[FIRST]], %[[SECOND]] : tensor<2x2x2xf32>
// CHECK: %[[SUM:.*]] = tc.reduce sum %[[ADDED]] dims [2]
// CHECK: return %[[SUM]]
func.func @corners(%v: tensor<2x3xf32>, %w: tensor<2x3xf32>) -> tensor<2x2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x2xf32>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %j = tc.constant dense<[0, 0, 1]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xi64>
  %1 = tc.index_put sum %x[%j] = %w dims [1] : tensor<2x2xf32>, tensor<2x3xf32>, tensor<3xi64>
  %2 = tc.add %0, %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// Narrow floats would be rounded once more for each element.
// CHECK-LABEL: func.func @narrow_corners
// CHECK: %[[FIRST:.*]] = tc.reduce sum
// CHECK: %[[SECOND:.*]] = tc.reduce sum
// CHECK: tc.add %[[FIRST]], %[[SECOND]] : tensor<2x2xbf16>
func.func @narrow_corners(%v: tensor<2x3xbf16>, %w: tensor<2x3xbf16>) -> tensor<2x2xbf16> {
  %x = tc.full 0.0 : bf16 -> tensor<2x2xbf16>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %j = tc.constant dense<[0, 0, 1]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [1] : tensor<2x2xbf16>, tensor<2x3xbf16>, tensor<3xi64>
  %1 = tc.index_put sum %x[%j] = %w dims [1] : tensor<2x2xbf16>, tensor<2x3xbf16>, tensor<3xi64>
  %2 = tc.add %0, %1 : tensor<2x2xbf16>
  return %2 : tensor<2x2xbf16>
}

// Negative indices count from the end. The types are those of the elements, integers too.
// CHECK-LABEL: func.func @negative
// CHECK: %[[AT:.*]] = tc.constant dense<{{\[\[}}1, 2], [0, 0]]> : tensor<2x2xi32>
// CHECK: tc.index_tensors %{{.*}}[%[[AT]]] dims [0]
// CHECK: tc.constant dense<{{\[\[}}true, true], [true, false]]>
// CHECK: tc.reduce sum %{{.*}} dims [1] : tensor<2x2xi32> -> tensor<2xi32>
func.func @negative(%v: tensor<3xi32>) -> tensor<2xi32> {
  %x = tc.full 0 : i32 -> tensor<2xi32>
  %i = tc.constant dense<[-1, 0, -2]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<2xi32>, tensor<3xi32>, tensor<3xi64>
  return %0 : tensor<2xi32>
}

// Elements are added in place to what is no zero.
// CHECK-LABEL: func.func @to_others
// CHECK-COUNT-2: tc.index_put sum
// CHECK-NOT: tc.reduce
// CHECK: return
func.func @to_others(%x: tensor<2xf32>, %v: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %one = tc.full 1.0 : f32 -> tensor<2xf32>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  %1 = tc.index_put sum %one[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// Sums alone are taken of several elements.
// CHECK-LABEL: func.func @no_sums
// CHECK: tc.index_put replace
// CHECK: tc.index_put max
// CHECK-NOT: tc.reduce
// CHECK: return
func.func @no_sums(%v: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %x = tc.full 0.0 : f32 -> tensor<2xf32>
  %i = tc.constant dense<[0, 1, 1]> : tensor<3xi64>
  %0 = tc.index_put replace %x[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  %1 = tc.index_put max %x[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// The program fails when it runs, as without the pass.
// CHECK-LABEL: func.func @out_of_range
// CHECK-COUNT-2: tc.index_put sum
// CHECK: return
func.func @out_of_range(%v: tensor<3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %x = tc.full 0.0 : f32 -> tensor<2xf32>
  %i = tc.constant dense<[0, 1, 2]> : tensor<3xi64>
  %j = tc.constant dense<[0, 1, -3]> : tensor<3xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  %1 = tc.index_put sum %x[%j] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @of_argument
// CHECK: tc.index_put sum
// CHECK: return
func.func @of_argument(%v: tensor<3xf32>, %i: tensor<3xi64>) -> tensor<2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2xf32>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<2xf32>, tensor<3xf32>, tensor<3xi64>
  return %0 : tensor<2xf32>
}

// Ninety-nine places would read zeros alone, as often as the first one reads elements.
// CHECK-LABEL: func.func @crowded
// CHECK: tc.index_put sum
// CHECK: return
func.func @crowded(%v: tensor<100xf32>) -> tensor<100xf32> {
  %x = tc.full 0.0 : f32 -> tensor<100xf32>
  %i = tc.full 0 : i64 -> tensor<100xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<100xf32>, tensor<100xf32>, tensor<100xi64>
  return %0 : tensor<100xf32>
}

// Indices that constants repeat along a dimension move one dimension each.
// CHECK-LABEL: func.func @repeated
// CHECK: %[[ROWS:.*]] = tc.reshape %{{.*}} : tensor<4x2xf32> -> tensor<2x2x2xf32>
// CHECK: %[[PARTS:.*]] = tc.reshape %[[ROWS]] : tensor<2x2x2xf32> -> tensor<2x2x2x1xf32>
// CHECK: tc.reduce sum %[[PARTS]] dims [1, 3] : tensor<2x2x2x1xf32> -> tensor<2x2xf32>
// CHECK-NOT: tc.index_put
// CHECK: return
func.func @repeated(%v: tensor<4x2xf32>) -> tensor<2x2xf32> {
  %x = tc.full 0.0 : f32 -> tensor<2x2xf32>
  %i = tc.constant dense<[[0, 0], [0, 0], [1, 1], [1, 1]]> : tensor<4x2xi64>
  %j = tc.constant dense<[[0, 1], [0, 1], [0, 1], [0, 1]]> : tensor<4x2xi64>
  %0 = tc.index_put sum %x[%i, %j] = %v dims [0, 1] : tensor<2x2xf32>, tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x2xi64>
  return %0 : tensor<2x2xf32>
}

// A single place that has all of them is a sum of a vector.
// CHECK-LABEL: func.func @one_place
// CHECK: %[[ALL:.*]] = tc.reshape %{{.*}} : tensor<100xf32> -> tensor<1x100xf32>
// CHECK: tc.reduce sum %[[ALL]] dims [1]
func.func @one_place(%v: tensor<100xf32>) -> tensor<1xf32> {
  %x = tc.full 0.0 : f32 -> tensor<1xf32>
  %i = tc.full 0 : i64 -> tensor<100xi64>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<1xf32>, tensor<100xf32>, tensor<100xi64>
  return %0 : tensor<1xf32>
}

// The places of a diagonal share a dimension of the indices.
// CHECK-LABEL: func.func @diagonal
// CHECK: tc.index_put sum
// CHECK: return
func.func @diagonal(%v: tensor<3xf32>) -> tensor<3x3xf32> {
  %x = tc.full 0.0 : f32 -> tensor<3x3xf32>
  %i = tc.iota dim 0 start 0 step 1 : tensor<3xi64>
  %0 = tc.index_put sum %x[%i, %i] = %v dims [0, 1] : tensor<3x3xf32>, tensor<3xf32>, tensor<3xi64>, tensor<3xi64>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func.func @of_symbolic_size
// CHECK: tc.index_put sum
// CHECK: return
func.func @of_symbolic_size(%v: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  %x = tc.full 0.0 : f32 -> tensor<?xf32, #tc.sizes<[s0]>>
  %i = tc.iota dim 0 start 0 step 1 : tensor<?xi64, #tc.sizes<[s0]>>
  %0 = tc.index_put sum %x[%i] = %v dims [0] : tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xi64, #tc.sizes<[s0]>>
  return %0 : tensor<?xf32, #tc.sizes<[s0]>>
}
