// RUN: tc-opt %s --tc-hoist-parameter-computations | FileCheck %s

// Functions that compute the same of a parameter share its prepared values.
// What is erased from one of them says nothing about the values of the next,
// which may lie at the same addresses.
tc.parameter_source @w : tensor<6x4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
// CHECK: tc.prepared @w.prepared : tensor<6xf32> {result = 0 : i64}
// CHECK: tc.prepared @w.prepared_0 : tensor<6xf32> {result = 1 : i64}
// CHECK: func.func @tc.prepare() -> (tensor<6xf32>, tensor<6xf32>)
// CHECK-NEXT: %[[W:.*]] = tc.parameter @w : tensor<6x4xf32>
// CHECK-NEXT: %[[SUM:.*]] = tc.reduce sum %[[W]] dims [1]
// CHECK-NEXT: %[[EXP:.*]] = tc.exp %[[SUM]]
// CHECK-NEXT: return %[[SUM]], %[[EXP]]
// CHECK: func.func @first
// CHECK-NEXT: %[[SUM:.*]] = tc.parameter @w.prepared :
// CHECK-NEXT: %[[EXP:.*]] = tc.parameter @w.prepared_0 :
// CHECK-NEXT: %[[FIRST:.*]] = tc.add %{{.*}}, %[[SUM]]
// CHECK-NEXT: tc.add %[[FIRST]], %[[EXP]]
func.func @first(%x: tensor<6xf32>) -> tensor<6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %0 = tc.reduce sum %w dims [1] : tensor<6x4xf32> -> tensor<6xf32>
  %1 = tc.exp %0 : tensor<6xf32>
  %2 = tc.add %x, %0 : tensor<6xf32>
  %3 = tc.add %2, %1 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
// CHECK: func.func @second
// CHECK-NEXT: %[[SUM:.*]] = tc.parameter @w.prepared :
// CHECK-NEXT: %[[EXP:.*]] = tc.parameter @w.prepared_0 :
// CHECK-NEXT: %[[FIRST:.*]] = tc.add %{{.*}}, %[[SUM]]
// CHECK-NEXT: tc.add %[[FIRST]], %[[EXP]]
func.func @second(%x: tensor<6xf32>) -> tensor<6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %0 = tc.reduce sum %w dims [1] : tensor<6x4xf32> -> tensor<6xf32>
  %1 = tc.exp %0 : tensor<6xf32>
  %2 = tc.add %x, %0 : tensor<6xf32>
  %3 = tc.add %2, %1 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
// CHECK: func.func @third
// CHECK-NEXT: %[[SUM:.*]] = tc.parameter @w.prepared :
// CHECK-NEXT: %[[EXP:.*]] = tc.parameter @w.prepared_0 :
// CHECK-NEXT: %[[FIRST:.*]] = tc.add %{{.*}}, %[[SUM]]
// CHECK-NEXT: tc.add %[[FIRST]], %[[EXP]]
func.func @third(%x: tensor<6xf32>) -> tensor<6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %0 = tc.reduce sum %w dims [1] : tensor<6x4xf32> -> tensor<6xf32>
  %1 = tc.exp %0 : tensor<6xf32>
  %2 = tc.add %x, %0 : tensor<6xf32>
  %3 = tc.add %2, %1 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
// CHECK: func.func @fourth
// CHECK-NEXT: %[[SUM:.*]] = tc.parameter @w.prepared :
// CHECK-NEXT: %[[EXP:.*]] = tc.parameter @w.prepared_0 :
// CHECK-NEXT: %[[FIRST:.*]] = tc.add %{{.*}}, %[[SUM]]
// CHECK-NEXT: tc.add %[[FIRST]], %[[EXP]]
func.func @fourth(%x: tensor<6xf32>) -> tensor<6xf32> {
  %w = tc.parameter @w : tensor<6x4xf32>
  %0 = tc.reduce sum %w dims [1] : tensor<6x4xf32> -> tensor<6xf32>
  %1 = tc.exp %0 : tensor<6xf32>
  %2 = tc.add %x, %0 : tensor<6xf32>
  %3 = tc.add %2, %1 : tensor<6xf32>
  return %3 : tensor<6xf32>
}
