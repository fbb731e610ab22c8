// RUN: tc-opt %s --split-input-file --tc-propagate-casts | FileCheck %s

// CHECK-DAG: #[[AT:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[BACKWARDS:.*]] = affine_map<(d0) -> (-d0 + 7)>

// What was rounded is stored as it was rounded, and each read of both readers widens it.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @two_readers
// CHECK: %[[E:.*]] = tc.empty : tensor<8xbf16>
// CHECK: %[[R:.*]] = tc.kernel "round" {{.*}} outs(%[[O:.*]] = %[[E]] : tensor<8xbf16>)
// CHECK: %[[N:.*]] = tc.cast %{{.*}} rounds : f32 to bf16
// CHECK-NEXT: tc.write %[[N]], %[[O]][#[[AT]]] : bf16, tensor<8xbf16>
// CHECK: tc.kernel "exp" {{.*}} ins(%[[A:.*]] = %[[R]] : tensor<8xbf16>) outs({{.*}} : tensor<8xf32>)
// CHECK-NEXT: %[[V:.*]] = tc.read %[[A]][#[[AT]]] : tensor<8xbf16> -> bf16
// CHECK-NEXT: %[[W:.*]] = tc.cast %[[V]] : bf16 to f32
// CHECK-NEXT: tc.exp %[[W]] : f32
// CHECK: tc.kernel "sub" {{.*}} ins(%[[A:.*]] = %[[R]] : tensor<8xbf16>) outs({{.*}} : tensor<8xf32>)
// CHECK: tc.read %[[A]][#[[AT]]] : tensor<8xbf16> -> bf16
// CHECK: %[[X:.*]] = tc.cast %{{.*}} : bf16 to f32
// CHECK: tc.read %[[A]][#[[BACKWARDS]]] : tensor<8xbf16> -> bf16
// CHECK: %[[Y:.*]] = tc.cast %{{.*}} : bf16 to f32
// CHECK: tc.sub %[[X]], %[[Y]] : f32
func.func @two_readers(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %w = tc.cast %n : bf16 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.exp %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %2 = tc.kernel "sub" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %u = tc.read %a[affine_map<(d0) -> (-d0 + 7)>] : tensor<8xf32> -> f32
    %w = tc.sub %v, %u : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %1, %2 : tensor<8xf32>, tensor<8xf32>
}
}

// -----

// Folds widen what they read as well, and outside of memory, where nothing is read,
// the zero.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
// CHECK-LABEL: func.func @folds
// CHECK: %[[R:.*]] = tc.kernel "round" {{.*}} outs({{.*}} : tensor<8xf16>)
// CHECK: tc.kernel "sum" row_reduction {{.*}} ins(%{{.*}} = %[[R]] : tensor<8xf16>)
// CHECK: tc.read %{{.*}} within {{.*}} : tensor<8xf16> -> f16
// CHECK: %[[W:.*]] = tc.cast %{{.*}} : f16 to f32
// CHECK: tc.reduce_stage sum %[[W]] over [0] : f32 -> f32
func.func @folds(%x: tensor<8xf32>) -> tensor<f32> {
  %e = tc.empty : tensor<8xf32>
  %f = tc.empty : tensor<f32>
  %0 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.cast %v rounds : f32 to f16
    %w = tc.cast %n : f16 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "sum" row_reduction dims [#tc.dim<"k", reduced, 9>] ins(%a = %0 : tensor<8xf32>) outs(%o = %f : tensor<f32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0 - 1)>] within affine_set<(d0) : (d0 - 1 >= 0)> : tensor<8xf32> -> f32
    %s = tc.reduce_stage sum %v over [0] : f32 -> f32
    tc.write %s, %o[affine_map<(d0) -> ()>] : f32, tensor<f32>
  }
  return %1 : tensor<f32>
}
}

// -----

// The function gives the first result, which keeps its type, and not the second one.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @result
// CHECK: %[[R:.*]]:2 = tc.kernel "round" {{.*}} outs(%{{.*}} = %{{.*}} : tensor<8xf32>, %{{.*}} = %{{.*}} : tensor<8xbf16>)
// CHECK: tc.kernel "add" {{.*}} ins(%{{.*}} = %[[R]]#0 : tensor<8xf32>, %{{.*}} = %[[R]]#1 : tensor<8xbf16>)
// CHECK: return %[[R]]#0
func.func @result(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %e = tc.empty : tensor<8xf32>
  %0:2 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>, %p = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %w = tc.cast %n : bf16 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
    %u = tc.exp %v : f32
    %m = tc.cast %u rounds : f32 to bf16
    %t = tc.cast %m : bf16 to f32
    tc.write %t, %p[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0#0 : tensor<8xf32>, %b = %0#1 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %u = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.add %v, %u : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0#0, %1 : tensor<8xf32>, tensor<8xf32>
}
}

// -----

// A product takes its operands as they are in memory.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @product
// CHECK: tc.kernel "round" {{.*}} outs({{.*}} : tensor<4x8xf32>)
// CHECK: tc.kernel "product" {{.*}} ins({{.*}} : tensor<4x8xf32>, {{.*}} : tensor<8x4xf32>)
func.func @product(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %e = tc.empty : tensor<4x8xf32>
  %f = tc.empty : tensor<4x4xf32>
  %0 = tc.kernel "round" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %w = tc.cast %n : bf16 to f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  %1 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", reduced, 8>] ins(%a = %0 : tensor<4x8xf32>, %b = %y : tensor<8x4xf32>) outs(%o = %f : tensor<4x4xf32>) {
    %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<4x8xf32> -> f32
    %q = tc.read %b[affine_map<(d0, d1, d2) -> (d2, d1)>] : tensor<8x4xf32> -> f32
    %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<4x4xf32>
  }
  return %1 : tensor<4x4xf32>
}
}

// -----

// Nothing was widened in the first kernel, and the second one widens an integer.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @not_widened
// CHECK: tc.kernel "double" {{.*}} outs({{.*}} : tensor<8xf32>)
// CHECK: tc.kernel "count" {{.*}} outs({{.*}} : tensor<8xf32>)
// CHECK: tc.kernel "add" {{.*}} ins({{.*}} : tensor<8xf32>, {{.*}} : tensor<8xf32>)
func.func @not_widened(%x: tensor<8xf32>, %y: tensor<8xi8>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  %0 = tc.kernel "double" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.cast %v rounds : f32 to bf16
    %u = tc.cast %n : bf16 to f32
    %w = tc.add %u, %u : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %1 = tc.kernel "count" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %y : tensor<8xi8>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xi8> -> i8
    %w = tc.cast %v : i8 to f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  %2 = tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %0 : tensor<8xf32>, %b = %1 : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %u = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %w = tc.add %v, %u : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}
}

// -----

// Sums of several elements in memory are as wide as what holds them.
module attributes {tc.target = #tc.target<"cpu", chip = "x86-64-v3", features = "">} {
// CHECK-LABEL: func.func @combines
// CHECK: tc.kernel "scatter" {{.*}} outs({{.*}} : tensor<4xf32>)
// CHECK: tc.write {{.*}} combine sum : f32, tensor<4xf32>
// CHECK: tc.kernel "exp" {{.*}} ins({{.*}} : tensor<4xf32>)
func.func @combines(%x: tensor<8xbf16>, %i: tensor<8xi64>) -> tensor<4xf32> {
  %e = tc.empty : tensor<4xf32>
  %z = tc.kernel "zero" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %e : tensor<4xf32>) {
    %v = tc.scalar 0.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  %0 = tc.kernel "scatter" scatter dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xbf16>, %b = %i : tensor<8xi64>) outs(%o = %z : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xbf16> -> bf16
    %k = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<8xi64> -> i64
    %w = tc.cast %v : bf16 to f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d1)>] at %k : i64 combine sum : f32, tensor<4xf32>
  }
  %1 = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %0 : tensor<4xf32>) outs(%o = %e : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    %w = tc.exp %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}
}
