// RUN: tc-opt %s --split-input-file --tc-propagate-casts | FileCheck %s

// Another kernel writes the rest of the tensor that a kernel has begun, and its elements are not of the narrow type.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @phases
// CHECK: %[[EVEN:.*]] = tc.kernel "even" {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: tc.kernel "odd" {{.*}} outs(%{{.*}} = %[[EVEN]] : tensor<8xf32>)
func.func @phases(%x: tensor<4xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "even" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %w = tc.cast %n : bf16 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0 * 2)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "odd" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %0 : tensor<8xf32>) {
    %v = tc.scalar 0.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2 + 1)>] : f32, tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
}

// -----

// So are elements that are added in place.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @scatter
// CHECK: %[[START:.*]] = tc.kernel "round" {{.*}} outs(%{{.*}} : tensor<8xf32>)
// CHECK: tc.kernel "scatter" {{.*}} outs(%{{.*}} = %[[START]] : tensor<8xf32>)
func.func @scatter(%x: tensor<8xf32>, %u: tensor<2xf32>, %i: tensor<2xi64>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %w = tc.cast %n : bf16 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 2>] ins(%a = %i : tensor<2xi64>, %b = %u : tensor<2xf32>) outs(%o = %0 : tensor<8xf32>) {
    %k = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<2xi64> -> i64
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %k : i64 combine sum : f32, tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}
}
