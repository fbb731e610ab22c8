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

// In loops each iteration draws with a seed of its own: counters that are
// carried after the other values make it.
// CHECK-LABEL: func.func @loops(
// CHECK: %[[START:.*]] = tc.constant dense<0> : tensor<i64>
// CHECK: %[[RESULT:.*]]:2 = tc.while carry(%[[V:.*]] = %{{.*}} : tensor<4xf32>, %[[I:.*]] = %[[START]] : tensor<i64>) {
// CHECK: tc.random uniform %[[I]], %{{.*}} : tensor<i64>, tensor<i64> -> tensor<f32>
// CHECK: } do(%[[W:.*]], %[[J:.*]]) {
// CHECK: %[[INNER:.*]]:2 = tc.while carry(%{{.*}} = %[[W]] : tensor<4xf32>, %{{.*}} = %{{.*}} : tensor<i64>) {
// CHECK: } do(%{{.*}}, %[[K:.*]]) {
// CHECK: %[[FAR:.*]] = tc.constant dense<-7046029254386353131> : tensor<i64>
// CHECK: %[[SPREAD:.*]] = tc.mul %[[J]], %[[FAR]] : tensor<i64>
// CHECK: %[[SEED:.*]] = tc.add %[[SPREAD]], %[[K]] : tensor<i64>
// CHECK: tc.random uniform %[[SEED]], %{{.*}} : tensor<i64>, tensor<i64> -> tensor<4xf32>
// CHECK: %[[ONE:.*]] = tc.constant dense<1> : tensor<i64>
// CHECK: %[[NEXT:.*]] = tc.add %[[K]], %[[ONE]] : tensor<i64>
// CHECK: tc.yield %{{.*}}, %[[NEXT]] : tensor<4xf32>, tensor<i64>
// CHECK: tc.yield %[[INNER]]#0, %{{.*}} : tensor<4xf32>, tensor<i64>
// CHECK: return %[[RESULT]]#0
func.func @loops(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = tc.while carry(%v = %x : tensor<4xf32>) {
    %u = tc.aten "aten.rand.default"() {size = []} : () -> tensor<f32>
    %more = tc.aten "aten.lt.Scalar"(%u) {self = #tc.operand<0>, other = 0.5 : f64} : (tensor<f32>) -> tensor<i1>
    tc.yield %more : tensor<i1>
  } do(%v) {
    %inner = tc.while carry(%w = %v : tensor<4xf32>) {
      tc.yield %c : tensor<i1>
    } do(%w) {
      %u = tc.aten "aten.rand.default"() {size = [4]} : () -> tensor<4xf32>
      tc.yield %u : tensor<4xf32>
    }
    tc.yield %inner : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// The seed of all random numbers may be an input; the counter of an outermost
// loop begins there.
// CHECK-LABEL: func.func @seeded(
// CHECK-SAME: %{{.*}}: tensor<4xf32>, %[[GIVEN:.*]]: tensor<i64> {tc.random_seed}
// CHECK: tc.random uniform %[[GIVEN]], %{{.*}} : tensor<i64>, tensor<i64> -> tensor<4xf32>
// CHECK: tc.while carry(%{{.*}} = %{{.*}} : tensor<4xf32>, %{{.*}} = %[[GIVEN]] : tensor<i64>) {
func.func @seeded(%x: tensor<4xf32>, %seed: tensor<i64> {tc.random_seed}) -> (tensor<4xf32>, tensor<4xf32>) {
  %u = tc.aten "aten.rand.default"() {size = [4]} : () -> tensor<4xf32>
  %r = tc.while carry(%v = %x : tensor<4xf32>) {
    %s = tc.aten "aten.sum.default"(%v) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<f32>
    %c = tc.aten "aten.lt.Scalar"(%s) {self = #tc.operand<0>, other = 0.5 : f64} : (tensor<f32>) -> tensor<i1>
    tc.yield %c : tensor<i1>
  } do(%w) {
    %n = tc.aten "aten.rand.default"() {size = [4]} : () -> tensor<4xf32>
    tc.yield %n : tensor<4xf32>
  }
  return %u, %r : tensor<4xf32>, tensor<4xf32>
}
