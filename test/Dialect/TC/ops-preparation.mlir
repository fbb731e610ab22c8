// RUN: tc-opt %s --verify-roundtrip | FileCheck %s

// Round trip of values that are prepared ahead of the calls.

tc.parameter_source @w : tensor<4xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}
// CHECK: tc.prepared @w.prepared : tensor<4xf32> {result = 0 : i64}
tc.prepared @w.prepared : tensor<4xf32> {result = 0 : i64}

// CHECK: func.func @tc.prepare() -> tensor<4xf32>
func.func @tc.prepare() -> tensor<4xf32> {
  %w = tc.parameter @w : tensor<4xf32>
  %0 = tc.exp %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func @main
func.func @main() -> tensor<4xf32> {
  // CHECK: tc.parameter @w.prepared : tensor<4xf32>
  %w = tc.parameter @w.prepared : tensor<4xf32>
  return %w : tensor<4xf32>
}

// Behind bufferize the results are what tc.result_types says.
// CHECK: module @bufferized
module @bufferized {
  tc.prepared @ones : tensor<2xf32> {result = 0 : i64}
  func.func @tc.prepare() attributes {tc.result_types = [tensor<2xf32>]} {
    return
  }
  func.func @main() {
    // CHECK: tc.parameter @ones : memref<2xf32>
    %0 = tc.parameter @ones : memref<2xf32>
    return
  }
}
