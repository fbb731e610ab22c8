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

// The sums of rows that have one element times a factor of theirs are products; 0 s is not a number where u s of eager
// PyTorch is none, as its zeros are multiplied as well.
// CHECK-LABEL: func @sums(
// CHECK-SAME: %{{.*}}: tensor<4x1xi64>, %[[U:.*]]: tensor<4x1xf32>, %[[S:.*]]: tensor<4x1xf32>)
// CHECK: tc.broadcast %[[S]] dims [0, 1]
// CHECK: %[[ROW:.*]] = tc.reshape %[[S]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK: %[[UPDATE:.*]] = tc.reshape %[[U]] : tensor<4x1xf32> -> tensor<4xf32>
// CHECK: %[[PICKED:.*]] = tc.mul %[[UPDATE]], %[[ROW]]
// CHECK: %[[ZERO:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK: %[[OTHERS:.*]] = tc.mul %[[ZERO]], %[[ROW]]
// CHECK: %[[SUM:.*]] = tc.add %[[PICKED]], %[[OTHERS]]
// CHECK: return %{{.*}}, %[[SUM]]
func.func @sums(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>, %s: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %x = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %0 = tc.scatter replace %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %1 = tc.broadcast %s dims [0, 1] : tensor<4x1xf32> -> tensor<4x8xf32>
  %2 = tc.mul %0, %1 : tensor<4x8xf32>
  %3 = tc.reduce sum %2 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %2, %3 : tensor<4x8xf32>, tensor<4xf32>
}

// -----

// A sum of other dimensions, of what varies in a row, of another tensor than zeros, or of rows that nothing else checks the
// index of.
// CHECK-LABEL: func @other_sums(
// CHECK-COUNT-4: tc.reduce sum
func.func @other_sums(%i: tensor<4x1xi64>, %u: tensor<4x1xf32>, %s: tensor<4x8xf32>, %c: tensor<4xf32>)
    -> (tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %zero = tc.full 0.0 : f32 -> tensor<4x8xf32>
  %one = tc.full 1.0 : f32 -> tensor<4x8xf32>
  %rows = tc.broadcast %c dims [0] : tensor<4xf32> -> tensor<4x8xf32>
  %0 = tc.scatter replace %zero[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %1 = tc.mul %0, %rows : tensor<4x8xf32>
  %2 = tc.reduce sum %1 dims [0] : tensor<4x8xf32> -> tensor<8xf32>
  %3 = tc.mul %0, %s : tensor<4x8xf32>
  %4 = tc.reduce sum %3 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %5 = tc.scatter replace %one[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x1xi64>, tensor<4x1xf32>
  %6 = tc.mul %5, %rows : tensor<4x8xf32>
  %7 = tc.reduce sum %6 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %8 = tc.neg %rows : tensor<4x8xf32>
  %9 = tc.mul %0, %8 : tensor<4x8xf32>
  %10 = tc.reduce sum %9 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %2, %1, %4, %3, %7, %6, %10 : tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<4x8xf32>, tensor<4xf32>
}
