// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s

// Each call of a function has a stream of its own.
// CHECK-LABEL: func.func @streams(
// CHECK: %[[SEED:.*]] = tc.full 0 : i64 -> tensor<i64>
// CHECK: %[[FIRST:.*]] = tc.full 0 : i64 -> tensor<i64>
// CHECK: tc.random uniform %[[SEED]], %[[FIRST]] : tensor<i64>, tensor<i64> -> tensor<4xf32>
// CHECK: %[[SECOND:.*]] = tc.full 1 : i64 -> tensor<i64>
// CHECK: tc.random normal %{{.*}}, %[[SECOND]] : tensor<i64>, tensor<i64> -> tensor<4xbf16>
func.func @streams() -> (tensor<4xf32>, tensor<4xbf16>) {
  %u = tc.aten "aten.rand.default"() {size = [4]} : () -> tensor<4xf32>
  %n = tc.aten "aten.randn.default"() {size = [4]} : () -> tensor<4xbf16>
  return %u, %n : tensor<4xf32>, tensor<4xbf16>
}
