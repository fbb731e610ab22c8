// RUN: tc-opt %s --tc-fold-algebraic-identities | FileCheck %s

// CHECK-LABEL: func @neutral
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xi32>
// CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[Y]], %[[Y]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
func.func @neutral(%x: tensor<4xf32>, %i: tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>) {
  %one = tc.full 1.0 : f32 -> tensor<4xf32>
  %zero = tc.full 0.0 : f32 -> tensor<4xf32>
  %negzero = tc.full -0.0 : f32 -> tensor<4xf32>
  %izero = tc.full 0 : i32 -> tensor<4xi32>
  %ione = tc.full 1 : i32 -> tensor<4xi32>
  %0 = tc.mul %x, %one : tensor<4xf32>
  %1 = tc.div %x, %one : tensor<4xf32>
  %2 = tc.sub %x, %zero : tensor<4xf32>
  %3 = tc.add %negzero, %x : tensor<4xf32>
  %4 = tc.add %i, %izero : tensor<4xi32>
  %5 = tc.floor_div %i, %ione : tensor<4xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi32>, tensor<4xi32>
}

// -0.0 + 0.0 is 0.0, and NaN * 0.0 is NaN: these stay.
// CHECK-LABEL: func @not_for_every_float
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full -0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.add %[[X]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[X]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.sub %[[X]], %[[V1]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.sub %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[V2]], %[[V3]], %[[V4]], %[[V5]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @not_for_every_float(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = tc.full 0.0 : f32 -> tensor<4xf32>
  %negzero = tc.full -0.0 : f32 -> tensor<4xf32>
  %0 = tc.add %x, %zero : tensor<4xf32>
  %1 = tc.mul %x, %zero : tensor<4xf32>
  %2 = tc.sub %x, %negzero : tensor<4xf32>
  %3 = tc.sub %x, %x : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Integers have no such cases.
// CHECK-LABEL: func @integers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi32>
// CHECK-NEXT: %[[V0:.*]] = tc.full 0 : i32 -> tensor<4xi32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 0 : i32 -> tensor<4xi32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4xi32>, tensor<4xi32>
func.func @integers(%i: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %zero = tc.full 0 : i32 -> tensor<4xi32>
  %0 = tc.mul %i, %zero : tensor<4xi32>
  %1 = tc.sub %i, %i : tensor<4xi32>
  return %0, %1 : tensor<4xi32>, tensor<4xi32>
}

// Signs move into the op.
// CHECK-LABEL: func @signs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.sub %[[X]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[X]], %[[Y]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.neg %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.abs %[[Y]] : tensor<4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[Y]], %[[V2]], %[[V3]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @signs(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %n = tc.neg %y : tensor<4xf32>
  %minus = tc.full -1.0 : f32 -> tensor<4xf32>
  %0 = tc.add %x, %n : tensor<4xf32>
  %1 = tc.sub %x, %n : tensor<4xf32>
  %2 = tc.neg %n : tensor<4xf32>
  %3 = tc.mul %x, %minus : tensor<4xf32>
  %4 = tc.abs %n : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Of an unsigned integer the negation wraps to another magnitude.
// CHECK-LABEL: func @unsigned_signs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xui8>
// CHECK-NEXT: %[[V0:.*]] = tc.neg %[[X]] : tensor<4xui8>
// CHECK-NEXT: %[[V1:.*]] = tc.abs %[[V0]] : tensor<4xui8>
// CHECK-NEXT: return %[[V1]] : tensor<4xui8>
func.func @unsigned_signs(%x: tensor<4xui8>) -> tensor<4xui8> {
  %n = tc.neg %x : tensor<4xui8>
  %0 = tc.abs %n : tensor<4xui8>
  return %0 : tensor<4xui8>
}

// A power of two has an exact reciprocal; 3 has none, nor has 2^15 in f16 a normal one.
// CHECK-LABEL: func @quotients
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf16>
// CHECK-NEXT: %[[V0:.*]] = tc.full 3.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.full 3.276800e+04 : f16 -> tensor<4xf16>
// CHECK-NEXT: %[[V2:.*]] = tc.full -1.250000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[X]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.div %[[X]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.reciprocal %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.div %[[Y]], %[[V1]] : tensor<4xf16>
// CHECK-NEXT: return %[[V3]], %[[V4]], %[[V5]], %[[V6]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>
func.func @quotients(%x: tensor<4xf32>, %h: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>) {
  %eight = tc.full -8.0 : f32 -> tensor<4xf32>
  %three = tc.full 3.0 : f32 -> tensor<4xf32>
  %one = tc.full 1.0 : f32 -> tensor<4xf32>
  %large = tc.full 32768.0 : f16 -> tensor<4xf16>
  %0 = tc.div %x, %eight : tensor<4xf32>
  %1 = tc.div %x, %three : tensor<4xf32>
  %2 = tc.div %one, %x : tensor<4xf32>
  %3 = tc.div %h, %large : tensor<4xf16>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf16>
}

// The roots of -0 and of minus infinity are not their powers of a half.
// CHECK-LABEL: func @powers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xi64>
// CHECK-NEXT: %[[V0:.*]] = tc.full 4.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.mul %[[X]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[V2]], %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.full 0.000000e+00 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.add %[[X]], %[[V4]] : tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.full 0xFF800000 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.sqrt %[[V5]] : tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.full 0x7F800000 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V9:.*]] = tc.eq %[[X]], %[[V6]] : tensor<4xf32>
// CHECK-NEXT: %[[V10:.*]] = tc.select %[[V9]], %[[V8]], %[[V7]] : tensor<4xi1>, tensor<4xf32>
// CHECK: %[[V14:.*]] = tc.rsqrt
// CHECK: %[[V17:.*]] = tc.select %{{.*}}, %{{.*}}, %[[V14]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: %[[V18:.*]] = tc.reciprocal %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V19:.*]] = tc.mul %[[V18]], %[[V18]] : tensor<4xf32>
// CHECK-NEXT: %[[V20:.*]] = tc.mul %[[Y]], %[[Y]] : tensor<4xi64>
// CHECK-NEXT: %[[V21:.*]] = tc.pow %[[X]], %[[V0]] : tensor<4xf32>
// CHECK-NEXT: return %[[V1]], %[[V3]], %[[V10]], %[[V17]], %[[V19]], %[[V20]], %[[V21]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
func.func @powers(%x: tensor<4xf32>, %i: tensor<4xi64>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %c2 = tc.full 2.0 : f32 -> tensor<4xf32>
  %c3 = tc.full 3.0 : f32 -> tensor<4xf32>
  %half = tc.full 0.5 : f32 -> tensor<4xf32>
  %mhalf = tc.full -0.5 : f32 -> tensor<4xf32>
  %m2 = tc.full -2.0 : f32 -> tensor<4xf32>
  %i2 = tc.full 2 : i64 -> tensor<4xi64>
  %c4 = tc.full 4.0 : f32 -> tensor<4xf32>
  %0 = tc.pow %x, %c2 : tensor<4xf32>
  %1 = tc.pow %x, %c3 : tensor<4xf32>
  %2 = tc.pow %x, %half : tensor<4xf32>
  %3 = tc.pow %x, %mhalf : tensor<4xf32>
  %4 = tc.pow %x, %m2 : tensor<4xf32>
  %5 = tc.pow %i, %i2 : tensor<4xi64>
  %6 = tc.pow %x, %c4 : tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
}

// Functions applied twice, and an operand given twice.
// CHECK-LABEL: func @twice
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.relu %[[X]] : tensor<4xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.floor %[[X]] : tensor<4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[X]] : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
func.func @twice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = tc.relu %x : tensor<4xf32>
  %1 = tc.relu %0 : tensor<4xf32>
  %2 = tc.floor %x : tensor<4xf32>
  %3 = tc.floor %2 : tensor<4xf32>
  %4 = tc.maximum %x, %x : tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @booleans
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xi1>, %[[Y:[a-z0-9]+]]: tensor<4xf32>, %[[Z:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.full true -> tensor<4xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.select %[[X]], %[[Z]], %[[Y]] : tensor<4xi1>, tensor<4xf32>
// CHECK-NEXT: return %[[X]], %[[V0]], %[[X]], %[[V1]] : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
func.func @booleans(%c: tensor<4xi1>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>) {
  %true = tc.full true -> tensor<4xi1>
  %0 = tc.bitwise_and %c, %true : tensor<4xi1>
  %1 = tc.bitwise_or %c, %true : tensor<4xi1>
  %n = tc.bitwise_not %c : tensor<4xi1>
  %2 = tc.bitwise_not %n : tensor<4xi1>
  %3 = tc.select %n, %x, %y : tensor<4xi1>, tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xi1>, tensor<4xi1>, tensor<4xi1>, tensor<4xf32>
}

// The root of bf16 is rounded before its reciprocal is.
// CHECK-LABEL: func @reciprocals_of_roots
// CHECK-NEXT: %[[R:.*]] = tc.rsqrt %{{.*}} : tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = tc.sqrt %{{.*}} : tensor<4xbf16>
// CHECK-NEXT: %[[T:.*]] = tc.reciprocal %[[S]] : tensor<4xbf16>
// CHECK-NEXT: return %[[R]], %[[T]]
func.func @reciprocals_of_roots(%x: tensor<4xf32>, %y: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %0 = tc.sqrt %x : tensor<4xf32>
  %1 = tc.reciprocal %0 : tensor<4xf32>
  %2 = tc.sqrt %y : tensor<4xbf16>
  %3 = tc.reciprocal %2 : tensor<4xbf16>
  return %1, %3 : tensor<4xf32>, tensor<4xbf16>
}
