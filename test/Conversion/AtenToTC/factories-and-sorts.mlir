// RUN: tc-opt --convert-aten-to-tc %s | FileCheck %s
// RUN: tc-opt --tc-assign-target=target=cuda:sm_90a --convert-aten-to-tc %s | FileCheck %s --check-prefix=GPU

// A number of the captured type.
// CHECK-LABEL: func.func @full(
// CHECK-NEXT: %[[V0:.*]] = tc.full 1.000000e+00 : f32 -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4x8xf32>
func.func @full() -> tensor<4x8xf32> {
  %r = tc.aten "aten.full.default"() {size = [4, 8], fill_value = 1 : i64} : () -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// arange of constants is an iota.
// CHECK-LABEL: func.func @arange(
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 2 step 2 : tensor<4xi64>
// CHECK-NEXT: return %[[V0]] : tensor<4xi64>
func.func @arange() -> tensor<4xi64> {
  %r = tc.aten "aten.arange.start_step"() {start = 2 : i64, end = 10 : i64, step = 2 : i64} : () -> tensor<4xi64>
  return %r : tensor<4xi64>
}

// arange of floats is computed in f64.
// CHECK-LABEL: func.func @arange_float(
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<2xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<2xi64> to tensor<2xf64>
// CHECK-NEXT: %[[V2:.*]] = tc.full 1.000000e+00 : f64 -> tensor<2xf64>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[V1]], %[[V2]] : tensor<2xf64>
// CHECK-NEXT: %[[V4:.*]] = tc.full 0.000000e+00 : f64 -> tensor<2xf64>
// CHECK-NEXT: %[[V5:.*]] = tc.add %[[V3]], %[[V4]] : tensor<2xf64>
// CHECK-NEXT: %[[V6:.*]] = tc.cast %[[V5]] : tensor<2xf64> to tensor<2xf32>
// CHECK-NEXT: return %[[V6]] : tensor<2xf32>
func.func @arange_float() -> tensor<2xf32> {
  %r = tc.aten "aten.arange.default"() {end = 2.0 : f64} : () -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// arange to a symbolic end.
// CHECK-LABEL: func.func @arange_symbolic(
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<?xi64, #tc.sizes<[s0]>>
// CHECK-NEXT: return %[[V0]] : tensor<?xi64, #tc.sizes<[s0]>>
func.func @arange_symbolic() -> tensor<?xi64, #tc.sizes<[s0]>> {
  %r = tc.aten "aten.arange.default"() {end = #tc.expr<s0>} : () -> tensor<?xi64, #tc.sizes<[s0]>>
  return %r : tensor<?xi64, #tc.sizes<[s0]>>
}

// Where row and column are equal.
// CHECK-LABEL: func.func @eye(
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<3x3xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.iota dim 1 start 0 step 1 : tensor<3x3xi64>
// CHECK-NEXT: %[[V2:.*]] = tc.eq %[[V0]], %[[V1]] : tensor<3x3xi64>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[V2]] : tensor<3x3xi1> to tensor<3x3xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3x3xf32>
func.func @eye() -> tensor<3x3xf32> {
  %r = tc.aten "aten.eye.default"() {n = 3 : i64} : () -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// copy broadcasts and casts.
// CHECK-LABEL: func.func @copy(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>, %[[ARG1:.*]]: tensor<8xi64>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG1]] : tensor<8xi64> to tensor<8xf32>
// CHECK-NEXT: %[[V1:.*]] = tc.broadcast %[[V0]] dims [1] : tensor<8xf32> -> tensor<4x8xf32>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xf32>
func.func @copy(%x0: tensor<4x8xf32>, %x1: tensor<8xi64>) -> tensor<4x8xf32> {
  %r = tc.aten "aten.copy.default"(%x0, %x1) {self = #tc.operand<0>, src = #tc.operand<1>} : (tensor<4x8xf32>, tensor<8xi64>) -> tensor<4x8xf32>
  return %r : tensor<4x8xf32>
}

// Values and where they were.
// CHECK-LABEL: func.func @sort(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %values, %indices = tc.sort %[[ARG0]] dim 1 {descending} : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
// CHECK-NEXT: return %values, %indices : tensor<4x8xf32>, tensor<4x8xi64>
func.func @sort(%x0: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>) {
  %r:2 = tc.aten "aten.sort.default"(%x0) {self = #tc.operand<0>, descending = true} : (tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>)
  return %r#0, %r#1 : tensor<4x8xf32>, tensor<4x8xi64>
}

// Positions of the smallest ones in the order of PyTorch's CPU kernel, and the
// elements there. On a GPU the first of equal elements come first.
// GPU-LABEL: func.func @topk(
// GPU-NEXT: tc.topk %{{.*}} dim 1 k 2 {smallest}
// CHECK-LABEL: func.func @topk(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xf32> to tensor<4x8xf64>
// CHECK-NEXT: %[[V1:.*]] = tc.full 0.000000e+00 : f64 -> tensor<4x2xf64>
// CHECK-NEXT: %[[V2:.*]] = tc.routine smallest(%[[V0]], %[[V1]]) : (tensor<4x8xf64>, tensor<4x2xf64>) -> tensor<4x2xf64>
// CHECK-NEXT: %[[V3:.*]] = tc.cast %[[V2]] : tensor<4x2xf64> to tensor<4x2xi64>
// CHECK-NEXT: %[[V4:.*]] = tc.gather %[[ARG0]][%[[V3]]] dim 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
// CHECK-NEXT: return %[[V4]], %[[V3]] : tensor<4x2xf32>, tensor<4x2xi64>
func.func @topk(%x0: tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>) {
  %r:2 = tc.aten "aten.topk.default"(%x0) {self = #tc.operand<0>, k = 2 : i64, largest = false} : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi64>)
  return %r#0, %r#1 : tensor<4x2xf32>, tensor<4x2xi64>
}

// Without a sort, and along another dimension than the last.
// CHECK-LABEL: func.func @topk_unsorted(
// CHECK: tc.routine largest_unsorted(%{{.*}}, %{{.*}}) : (tensor<8x4xf64>, tensor<8x2xf64>) -> tensor<8x2xf64>
// CHECK: tc.transpose %{{.*}} [1, 0] : tensor<8x2xi64> -> tensor<2x8xi64>
func.func @topk_unsorted(%x0: tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>) {
  %r:2 = tc.aten "aten.topk.default"(%x0) {self = #tc.operand<0>, k = 2 : i64, dim = 0 : i64, sorted = false} : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xi64>)
  return %r#0, %r#1 : tensor<2x8xf32>, tensor<2x8xi64>
}

// Not all integers of 64 bits are numbers of f64.
// CHECK-LABEL: func.func @topk_i64(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xi64>)
// CHECK-NEXT: %values, %indices = tc.topk %[[ARG0]] dim 1 k 2 {smallest} : tensor<4x8xi64> -> tensor<4x2xi64>, tensor<4x2xi64>
// CHECK-NEXT: return %values, %indices : tensor<4x2xi64>, tensor<4x2xi64>
func.func @topk_i64(%x0: tensor<4x8xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>) {
  %r:2 = tc.aten "aten.topk.default"(%x0) {self = #tc.operand<0>, k = 2 : i64, largest = false} : (tensor<4x8xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>)
  return %r#0, %r#1 : tensor<4x2xi64>, tensor<4x2xi64>
}

// cumsum of integers is in i64.
// CHECK-LABEL: func.func @cumsum(
// CHECK-SAME: %[[ARG0:.*]]: tensor<4x8xi32>)
// CHECK-NEXT: %[[V0:.*]] = tc.cast %[[ARG0]] : tensor<4x8xi32> to tensor<4x8xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.scan  sum %[[V0]] dim 1 : tensor<4x8xi64>
// CHECK-NEXT: return %[[V1]] : tensor<4x8xi64>
func.func @cumsum(%x0: tensor<4x8xi32>) -> tensor<4x8xi64> {
  %r = tc.aten "aten.cumsum.default"(%x0) {self = #tc.operand<0>, dim = 1 : i64} : (tensor<4x8xi32>) -> tensor<4x8xi64>
  return %r : tensor<4x8xi64>
}

// A window of signal processing is one period of a cosine, without its last
// point unless it is asked for.
// CHECK-LABEL: func.func @hann_window(
// CHECK-NEXT: %[[V0:.*]] = tc.iota dim 0 start 0 step 1 : tensor<4xi64>
// CHECK-NEXT: %[[V1:.*]] = tc.cast %[[V0]] : tensor<4xi64> to tensor<4xf32>
// CHECK-NEXT: %[[V2:.*]] = tc.full 1.57079637 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V3:.*]] = tc.mul %[[V1]], %[[V2]] : tensor<4xf32>
// CHECK-NEXT: %[[V4:.*]] = tc.cos %[[V3]] : tensor<4xf32>
// CHECK-NEXT: %[[V5:.*]] = tc.full -5.000000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V6:.*]] = tc.mul %[[V4]], %[[V5]] : tensor<4xf32>
// CHECK-NEXT: %[[V7:.*]] = tc.full 5.000000e-01 : f32 -> tensor<4xf32>
// CHECK-NEXT: %[[V8:.*]] = tc.add %[[V6]], %[[V7]] : tensor<4xf32>
// CHECK-NEXT: return %[[V8]] : tensor<4xf32>
func.func @hann_window() -> tensor<4xf32> {
  %r = tc.aten "aten.hann_window.default"() {window_length = 4 : i64} : () -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// The last position at which the running maximum is x.
// CHECK-LABEL: func.func @positions_of_running_maxima(
// CHECK: %[[MAX:.*]] = tc.scan max %arg0 dim 0 : tensor<4x3xf32>
// CHECK: tc.eq %arg0, %[[MAX]]
// CHECK: %[[AT:.*]] = tc.select
// CHECK: %[[POSITIONS:.*]] = tc.scan max %[[AT]] dim 0 : tensor<4x3xi64>
// CHECK: return %[[MAX]], %[[POSITIONS]]
func.func @positions_of_running_maxima(%x: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  %r:2 = tc.aten "aten.cummax.default"(%x) {self = #tc.operand<0>, dim = 0} : (tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %r#0, %r#1 : tensor<4x3xf32>, tensor<4x3xi64>
}
