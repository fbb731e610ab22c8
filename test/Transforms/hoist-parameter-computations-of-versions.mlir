// Prepared values that several functions read are found in each of them, whatever
// was erased from the functions before.
// RUN: tc-opt %s --tc-hoist-parameter-computations | FileCheck %s

tc.parameter_source @w : tensor<4x8xf32> {file = "m.pt2", offset = 0 : i64, role = "parameter"}

// CHECK-DAG: tc.prepared @w.prepared : tensor<4x8xf32> {result = 0 : i64}
// CHECK-DAG: tc.prepared @w.prepared_0 : tensor<4x8xf32> {result = 1 : i64}
// CHECK: func.func @tc.prepare() -> (tensor<4x8xf32>, tensor<4x8xf32>) {
// CHECK-NEXT: %[[W:.*]] = tc.parameter @w : tensor<4x8xf32>
// CHECK-NEXT: %[[CEIL:.*]] = tc.ceil %[[W]]
// CHECK-NEXT: %[[NORM:.*]] = tc.layer_norm %[[CEIL]] rank 2
// CHECK-NEXT: return %[[CEIL]], %[[NORM]] :

// CHECK-LABEL: func.func @general
// CHECK: %[[A:.*]] = tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = tc.parameter @w.prepared_0 : tensor<4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]] :
func.func @general(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.hypot %x, %x : tensor<4x8xf32>
  %1 = tc.ceil %w : tensor<4x8xf32>
  %2 = tc.layer_norm %1 rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @version_1
// CHECK: %[[A:.*]] = tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = tc.parameter @w.prepared_0 : tensor<4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]] :
func.func @version_1(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.hypot %x, %x : tensor<4x8xf32>
  %1 = tc.ceil %w : tensor<4x8xf32>
  %2 = tc.layer_norm %1 rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @version_2
// CHECK: %[[A:.*]] = tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = tc.parameter @w.prepared_0 : tensor<4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]] :
func.func @version_2(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.hypot %x, %x : tensor<4x8xf32>
  %1 = tc.ceil %w : tensor<4x8xf32>
  %2 = tc.layer_norm %1 rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// CHECK-LABEL: func.func @version_3
// CHECK: %[[A:.*]] = tc.parameter @w.prepared : tensor<4x8xf32>
// CHECK-NEXT: %[[B:.*]] = tc.parameter @w.prepared_0 : tensor<4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[A]], %[[B]] :
func.func @version_3(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %w = tc.parameter @w : tensor<4x8xf32>
  %0 = tc.hypot %x, %x : tensor<4x8xf32>
  %1 = tc.ceil %w : tensor<4x8xf32>
  %2 = tc.layer_norm %1 rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}
