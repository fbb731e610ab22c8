// RUN: tc-opt %s --tc-hoist-parameter-computations | FileCheck %s

// A module that has prepared values already gets more of them.
tc.parameter_source @s : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
// CHECK: tc.prepared @s.prepared : tensor<4xf32> {result = 0 : i64}
// CHECK: tc.prepared @s.prepared_0 : tensor<4xf32> {result = 1 : i64}
tc.prepared @s.prepared : tensor<4xf32> {result = 0 : i64}
// CHECK: func.func @tc.prepare() -> (tensor<4xf32>, tensor<4xf32>)
func.func @tc.prepare() -> tensor<4xf32> {
  // CHECK-NEXT: tc.parameter @s
  // CHECK-NEXT: %[[EXP:.*]] = tc.exp
  // CHECK-NEXT: %[[SINE:.*]] = tc.sin %[[EXP]]
  // CHECK-NEXT: return %[[EXP]], %[[SINE]]
  %s = tc.parameter @s : tensor<4xf32>
  %0 = tc.exp %s : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = tc.parameter @s.prepared : tensor<4xf32>
  %0 = tc.sin %s : tensor<4xf32>
  %1 = tc.add %x, %0 : tensor<4xf32>
  %2 = tc.mul %1, %s : tensor<4xf32>
  return %2 : tensor<4xf32>
}
