// RUN: tc-opt %s --canonicalize | FileCheck %s

// Folds of casts and selections.

// CHECK-LABEL: func @cast_to_same
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]]
func.func @cast_to_same(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = tc.cast %x : tensor<4xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// To a type that holds every value and back.
// CHECK-LABEL: func @cast_there_and_back
// CHECK-SAME: %[[X:.*]]: tensor<4xbf16>
// CHECK-NEXT: return %[[X]]
func.func @cast_there_and_back(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = tc.cast %x : tensor<4xbf16> to tensor<4xf32>
  %1 = tc.cast %0 : tensor<4xf32> to tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// A cast of an exact cast starts from the original.
// CHECK-LABEL: func @cast_of_exact_cast
// CHECK-NEXT: %[[R:.*]] = tc.cast %{{.*}} : tensor<4xui8> to tensor<4xf16>
// CHECK-NEXT: return %[[R]]
func.func @cast_of_exact_cast(%x: tensor<4xui8>) -> tensor<4xf16> {
  %0 = tc.cast %x : tensor<4xui8> to tensor<4xi16>
  %1 = tc.cast %0 : tensor<4xi16> to tensor<4xf32>
  %2 = tc.cast %1 : tensor<4xf32> to tensor<4xf16>
  return %2 : tensor<4xf16>
}

// Casts that lose something stay: rounding, sign, precision, comparison with 0.
// CHECK-LABEL: func @casts_that_lose
// CHECK-COUNT-8: tc.cast
// CHECK-NEXT: return
func.func @casts_that_lose(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xi32>, tensor<4xf32>) {
  %0 = tc.cast %x : tensor<4xf32> to tensor<4xbf16>
  %1 = tc.cast %0 : tensor<4xbf16> to tensor<4xf32>
  %2 = tc.cast %i : tensor<4xi32> to tensor<4xui32>
  %3 = tc.cast %2 : tensor<4xui32> to tensor<4xi64>
  %4 = tc.cast %i : tensor<4xi32> to tensor<4xf32>
  %5 = tc.cast %4 : tensor<4xf32> to tensor<4xi32>
  %6 = tc.cast %x : tensor<4xf32> to tensor<4xi1>
  %7 = tc.cast %6 : tensor<4xi1> to tensor<4xf32>
  return %1, %3, %5, %7 : tensor<4xf32>, tensor<4xi64>, tensor<4xi32>, tensor<4xf32>
}

// CHECK-LABEL: func @select_of_constant
// CHECK-SAME: %[[C:.*]]: tensor<4xi1>, %[[X:.*]]: tensor<4xf32>, %[[Y:.*]]: tensor<4xf32>
// CHECK-NEXT: return %[[X]], %[[Y]], %[[X]]
func.func @select_of_constant(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %true = tc.full true -> tensor<4xi1>
  %false = tc.constant dense<false> : tensor<4xi1>
  %0 = tc.select %true, %x, %y : tensor<4xi1>, tensor<4xf32>
  %1 = tc.select %false, %x, %y : tensor<4xi1>, tensor<4xf32>
  %2 = tc.select %c, %x, %x : tensor<4xi1>, tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
