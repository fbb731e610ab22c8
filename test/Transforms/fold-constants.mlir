// RUN: tc-opt %s --tc-fold-constants --canonicalize | FileCheck %s

// One value a tensor: of any sizes.
// CHECK-LABEL: func @splats
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: %[[V0:.*]] = tc.full 2.000000e+00 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
// CHECK-NEXT: return %[[V0]] : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
func.func @splats(%like: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) -> tensor<?x8xf32, #tc.sizes<[s0, 8]>> {
  %x = tc.full 2.0 : f32 -> tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %0 = tc.mul %x, %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.sqrt %0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return %1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
}

// The result of a comparison and of a cast has its own type; bf16 rounds.
// CHECK-LABEL: func @types
// CHECK-NEXT: %[[V0:.*]] = tc.full true -> tensor<4xi1>
// CHECK-NEXT: %[[V1:.*]] = tc.full 44 : ui8 -> tensor<4xui8>
// CHECK-NEXT: %[[V2:.*]] = tc.full 3.000000e+02 : bf16 -> tensor<4xbf16>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[V2]] : tensor<4xi1>, tensor<4xui8>, tensor<4xbf16>
func.func @types() -> (tensor<4xi1>, tensor<4xui8>, tensor<4xbf16>) {
  %x = tc.full 300.7 : f32 -> tensor<4xf32>
  %y = tc.full 1.0 : f32 -> tensor<4xf32>
  %0 = tc.lt %y, %x : tensor<4xf32>
  %i = tc.full 300 : i32 -> tensor<4xi32>
  %1 = tc.cast %i : tensor<4xi32> to tensor<4xui8>
  %2 = tc.cast %x : tensor<4xf32> to tensor<4xbf16>
  return %0, %1, %2 : tensor<4xi1>, tensor<4xui8>, tensor<4xbf16>
}

// Several values.
// CHECK-LABEL: func @dense
// CHECK-NEXT: %[[V0:.*]] = tc.constant dense<[3, 7]> : tensor<2xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.constant dense<{{\[\[}}true, false, true], [true, false, true]]> : tensor<2x3xi1>
// CHECK-NEXT: %[[V2:.*]] = tc.constant dense<[1.000000e+00, 2.000000e+00, -1.000000e+00, -2.000000e+00]> : tensor<4xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[V2]] : tensor<2xi64>, tensor<2x3xi1>, tensor<4xf32>
func.func @dense() -> (tensor<2xi64>, tensor<2x3xi1>, tensor<4xf32>) {
  %y = tc.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>
  %0 = tc.reduce sum %y dims [1] : tensor<2x2xi64> -> tensor<2xi64>
  %b = tc.constant dense<[true, false, true]> : tensor<3xi1>
  %1 = tc.broadcast %b dims [1] : tensor<3xi1> -> tensor<2x3xi1>
  %c = tc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %2 = tc.neg %c : tensor<2xf32>
  %3 = tc.concat %c, %2 dim 0 : tensor<2xf32>, tensor<2xf32> -> tensor<4xf32>
  return %0, %1, %3 : tensor<2xi64>, tensor<2x3xi1>, tensor<4xf32>
}

// Ops on other operands than constants, and large results, stay.
// CHECK-LABEL: func @kept
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT: %[[V0:.*]] = tc.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.add %[[X]], %[[V0]] : tensor<2xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.broadcast %[[V0]] dims [1] : tensor<2xf32> -> tensor<2000x2xf32>
// CHECK-NEXT: return %[[V1]], %[[V2]] : tensor<2xf32>, tensor<2000x2xf32>
func.func @kept(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2000x2xf32>) {
  %c = tc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %0 = tc.add %x, %c : tensor<2xf32>
  %1 = tc.broadcast %c dims [1] : tensor<2xf32> -> tensor<2000x2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2000x2xf32>
}

// Without elements nothing is read: the sizes of one side are no bounds of the
// other's indices.
// CHECK-LABEL: func @no_elements
// CHECK-NEXT: %[[V0:.*]] = tc.full 0.000000e+00 : f32 -> tensor<0x5xf32>
// CHECK-NEXT: return %[[V0]] : tensor<0x5xf32>
func.func @no_elements(%x: tensor<0x?xf32, #tc.sizes<[0, s0]>>) -> tensor<0x5xf32> {
  %0 = tc.reshape %x : tensor<0x?xf32, #tc.sizes<[0, s0]>> -> tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}
