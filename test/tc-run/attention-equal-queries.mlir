// RUN: tc-run %s --function=one_key --random-inputs=1 --check --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=KEY
// RUN: tc-run %s --function=equal_queries --random-inputs=1 --check --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=QUERIES

// Queries that are the same for all rows: their scores vary over less than the mask does.
// KEY: output 0: 5x4x1xf32, largest difference
func.func @one_key(%q: tensor<1x3xf32>, %k: tensor<5x1x3xf32>, %v: tensor<1x1xf32>, %m: tensor<4x1xi1>) -> tensor<5x4x1xf32> {
  %0 = tc.broadcast %q dims [1, 2] : tensor<1x3xf32> -> tensor<5x4x3xf32>
  %1 = tc.broadcast %v dims [1, 2] : tensor<1x1xf32> -> tensor<5x1x1xf32>
  %2 = tc.attention %0, %k, %1 mask %m : tensor<4x1xi1> scale 2.500000e-01 : tensor<5x4x3xf32>, tensor<5x1x3xf32>, tensor<5x1x1xf32> -> tensor<5x4x1xf32>
  return %2 : tensor<5x4x1xf32>
}

// QUERIES: output 0: 5x4x1xf32, largest difference
func.func @equal_queries(%q: tensor<5x3xf32>, %k: tensor<2x3xf32>, %v: tensor<2x1xf32>, %m: tensor<4x2xi1>) -> tensor<5x4x1xf32> {
  %0 = tc.broadcast %q dims [0, 2] : tensor<5x3xf32> -> tensor<5x4x3xf32>
  %1 = tc.broadcast %k dims [1, 2] : tensor<2x3xf32> -> tensor<5x2x3xf32>
  %2 = tc.broadcast %v dims [1, 2] : tensor<2x1xf32> -> tensor<5x2x1xf32>
  %3 = tc.attention %0, %1, %2 mask %m : tensor<4x2xi1> scale 2.500000e-01 : tensor<5x4x3xf32>, tensor<5x2x3xf32>, tensor<5x2x1xf32> -> tensor<5x4x1xf32>
  return %3 : tensor<5x4x1xf32>
}
