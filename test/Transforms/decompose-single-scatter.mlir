// RUN: tc-opt %s --tc-decompose-single-scatter --split-input-file | FileCheck %s

// The gradient of picked classes: each point compares its position with its
// row's index, which is looked up in the positions lest it is out of range.
// CHECK-LABEL: func @replaced(
// CHECK-SAME: %[[I:.*]]: tensor<4x1xi64>, %[[U:.*]]: tensor<4x1xf32>)
// CHECK-DAG: %[[X:.*]] = tc.full 0.0
// CHECK-DAG: %[[ALL:.*]] = tc.iota dim 0 start 0 step 1 : tensor<8xi64>
// CHECK: %[[FLAT:.*]] = tc.reshape %[[I]] : tensor<4x1xi64> -> tensor<4xi64>
// CHECK: %[[CHECKED:.*]] = tc.gather %[[ALL]][%[[FLAT]]] dim 0
// CHECK: %[[INDEX:.*]] = tc.broadcast {{.*}} dims [0] : tensor<4xi64> -> tensor<4x8xi64>
// CHECK: %[[AT:.*]] = tc.iota dim 1 start 0 step 1 : tensor<4x8xi64>
// CHECK: %[[HERE:.*]] = tc.eq %[[AT]], %[[INDEX]]
// CHECK: %[[V:.*]] = tc.broadcast {{.*}} dims [0] : tensor<4xf32> -> tensor<4x8xf32>
// CHECK: %[[R:.*]] = tc.select %[[HERE]], %[[V]], %[[X]]
// CHECK: return %[[R]]
func.func @replaced(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %x = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %0 = tc.scatter replace %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  return %0 : tensor<4x8xf32>
}

// -----

// A sum adds what is everywhere, along the first dimension.
// CHECK-LABEL: func @summed(
// CHECK: tc.iota dim 0 start 0 step 1 : tensor<?x5xi64
// CHECK: %[[V:.*]] = tc.broadcast {{.*}} dims [1] : tensor<5xf32> -> tensor<?x5xf32
// CHECK: %[[SUM:.*]] = tc.add %{{.*}}, %[[V]]
// CHECK: tc.select %{{.*}}, %[[SUM]], %{{.*}}
func.func @summed(%x: tensor<?x5xf32, #tc.sizes<[s0, 5]>>, %i: tensor<1x5xi64>, %u: tensor<1x5xf32>) -> tensor<?x5xf32, #tc.sizes<[s0, 5]>> {
  %one = tc.full 1.0 : f32 -> tensor<?x5xf32, #tc.sizes<[s0, 5]>>
  %0 = tc.scatter sum %one[%i] = %u dim 0 : tensor<?x5xf32, #tc.sizes<[s0, 5]>>, tensor<1x5xi64>, tensor<1x5xf32>
  return %0 : tensor<?x5xf32, #tc.sizes<[s0, 5]>>
}

// -----

// Few elements of a tensor in memory are replaced there; several of one row,
// and those of some rows alone, stay as well, and other combinations.
// CHECK-LABEL: func @kept(
// CHECK-COUNT-4: tc.scatter
// CHECK-NOT: tc.select
func.func @kept(%x: tensor<4x8xf32>, %i: tensor<4x1xi64>, %u: tensor<4x1xf32>, %two: tensor<4x2xi64>, %v: tensor<4x2xf32>,
                %some: tensor<3x1xi64>, %w: tensor<3x1xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %zero = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %0 = tc.scatter replace %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %1 = tc.scatter replace %zero[%two] = %v dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x2xf32>
  %2 = tc.scatter replace %zero[%some] = %w dim 1 : tensor<4x8xf32>, tensor<3x1xi64>, tensor<3x1xf32>
  %3 = tc.scatter max %zero[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// -----

// The sums of rows that have one element are these elements; 0 is not -0.
// CHECK-LABEL: func @sums(
// CHECK-SAME: %{{.*}}: tensor<4x1xi64>, %[[U:.*]]: tensor<4x1xf32>)
// CHECK: tc.select
// CHECK: %[[UPDATE:.*]] = tc.reshape %[[U]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK: %[[ZERO:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK: %[[SUM:.*]] = tc.add %[[UPDATE]], %[[ZERO]]
// CHECK: return %{{.*}}, %[[SUM]]
func.func @sums(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %x = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %0 = tc.scatter replace %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %1 = tc.reduce sum %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// Sums along another dimension, largest elements, sums of another tensor than zeros, and of rows that nothing else checks the
// index of.
// CHECK-LABEL: func @other_sums(
// CHECK: tc.reduce sum
// CHECK: tc.reduce max
// CHECK-COUNT-2: tc.reduce sum
func.func @other_sums(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>)
    -> (tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %one = tc.full 1.0 : f32 -> tensor<4x8xf32>
  %0 = tc.scatter replace %zero[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %1 = tc.reduce sum %0 dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  %2 = tc.reduce max %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %3 = tc.scatter replace %one[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %4 = tc.reduce sum %3 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %5 = tc.scatter replace %zero[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %6 = tc.reduce sum %5 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %6 : tensor<4x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4xf32>
}
