// RUN: tc-opt %s --tc-assign-target=target=cuda:sm_90a --tc-split-folds | FileCheck %s
// RUN: tc-opt %s --tc-assign-target=target=cpu:x86-64-v3 --tc-split-folds | FileCheck %s --check-prefix=CPU

#point = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Two folds, of which the second needs the first, and a value for each point are
// three kernels. What is written of columns alone is written with the folds that
// it needs.
// CHECK-LABEL: func @normalize
// CHECK: %[[FIRST:.*]]:2 = tc.kernel "norm" column_reduction dims [#tc.dim<"i", reduced, 65536>, #tc.dim<"j", parallel, 64>] ins({{.*}} = %arg0 : {{.*}}) outs(%[[MEAN:.*]] = %{{.*}} : tensor<64xbf16>, %[[SUM:.*]] = %{{.*}} : tensor<64xf32>)
// CHECK: %[[S:.*]] = tc.reduce_stage sum %{{.*}} over [0]
// CHECK: %[[M:.*]] = tc.cast %[[S]]
// CHECK: tc.write %[[M]], %[[MEAN]]
// CHECK: tc.write %[[S]], %[[SUM]]
// CHECK: %[[SECOND:.*]]:2 = tc.kernel "norm" column_reduction dims [#tc.dim<"i", reduced, 65536>, #tc.dim<"j", parallel, 64>] ins(%{{.*}} = %[[FIRST]]#1 : tensor<64xf32>, %{{.*}} = %arg0 : {{.*}}) outs(%{{.*}} : tensor<64xf32>, %{{.*}} : tensor<64xf32>)
// CHECK-COUNT-1: tc.reduce_stage
// CHECK: %[[THIRD:.*]] = tc.kernel "norm" pointwise
// CHECK-NOT: tc.reduce_stage
// CHECK: return %[[THIRD]], %[[FIRST]]#0, %[[SECOND]]#0
// CPU-LABEL: func @normalize
// CPU-COUNT-1: tc.kernel
// CPU-NOT: tc.kernel
// CPU: return
func.func @normalize(%x: tensor<65536x64xf32>) -> (tensor<65536x64xf32>, tensor<64xbf16>, tensor<64xf32>) {
  %e = tc.empty : tensor<65536x64xf32>
  %h = tc.empty : tensor<64xbf16>
  %f = tc.empty : tensor<64xf32>
  %0:3 = tc.kernel "norm" column_reduction dims [#tc.dim<"i", parallel, 65536>, #tc.dim<"j", parallel, 64>] ins(%a = %x : tensor<65536x64xf32>) outs(%o = %e : tensor<65536x64xf32>, %p = %h : tensor<64xbf16>, %q = %f : tensor<64xf32>) {
    %v = tc.read %a[#point] : tensor<65536x64xf32> -> f32
    %s = tc.reduce_stage sum %v over [0] : f32 -> f32
    %m = tc.cast %s : f32 to bf16
    tc.write %m, %p[#column] : bf16, tensor<64xbf16>
    %d = tc.sub %v, %s : f32
    %t = tc.reduce_stage max %d over [0] : f32 -> f32
    %r = tc.rsqrt %t : f32
    tc.write %r, %q[#column] : f32, tensor<64xf32>
    %y = tc.mul %d, %r : f32
    tc.write %y, %o[#point] : f32, tensor<65536x64xf32>
  }
  return %0#0, %0#1, %0#2 : tensor<65536x64xf32>, tensor<64xbf16>, tensor<64xf32>
}

// Both states of an extreme and its place are read again. Sizes may be known by
// name alone.
// CHECK-LABEL: func @extremes
// CHECK: %[[BOTH:.*]]:2 = tc.kernel "extremes" column_reduction {{.*}} outs(%{{.*}} : tensor<64xf32>, %{{.*}} : tensor<64xi64>)
// CHECK: tc.kernel "extremes" pointwise {{.*}} ins({{.*}}%[[BOTH]]#0 : tensor<64xf32>, {{.*}}%[[BOTH]]#1 : tensor<64xi64>
func.func @extremes(%x: tensor<?x64xf32, #tc.sizes<[s0, 64]>>) -> tensor<?x64xf32, #tc.sizes<[s0, 64]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 65536, max = 1048576>]} {
  %e = tc.empty : tensor<?x64xf32, #tc.sizes<[s0, 64]>>
  %0 = tc.kernel "extremes" column_reduction dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 64>] ins(%a = %x : tensor<?x64xf32, #tc.sizes<[s0, 64]>>) outs(%o = %e : tensor<?x64xf32, #tc.sizes<[s0, 64]>>) {
    %v = tc.read %a[#point] : tensor<?x64xf32, #tc.sizes<[s0, 64]>> -> f32
    %s:2 = tc.reduce_stage argmax %v over [0] : f32 -> f32, i64
    %i = tc.cast %s#1 : i64 to f32
    %c = tc.sub %v, %s#0 : f32
    %y = tc.add %c, %i : f32
    tc.write %y, %o[#point] : f32, tensor<?x64xf32, #tc.sizes<[s0, 64]>>
  }
  return %0 : tensor<?x64xf32, #tc.sizes<[s0, 64]>>
}

// Columns for all multiprocessors, and few rows, stay one kernel.
// CHECK-LABEL: func @many
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @many(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %e = tc.empty : tensor<64x65536xf32>
  %0 = tc.kernel "center" column_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 65536>] ins(%a = %x : tensor<64x65536xf32>) outs(%o = %e : tensor<64x65536xf32>) {
    %v = tc.read %a[#point] : tensor<64x65536xf32> -> f32
    %s = tc.reduce_stage sum %v over [0] : f32 -> f32
    %c = tc.sub %v, %s : f32
    tc.write %c, %o[#point] : f32, tensor<64x65536xf32>
  }
  return %0 : tensor<64x65536xf32>
}

// So do rows, and folds along different dimensions.
// CHECK-LABEL: func @rows
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @rows(%x: tensor<64x65536xf32>) -> tensor<64x65536xf32> {
  %e = tc.empty : tensor<64x65536xf32>
  %0 = tc.kernel "center" row_reduction dims [#tc.dim<"i", parallel, 64>, #tc.dim<"j", parallel, 65536>] ins(%a = %x : tensor<64x65536xf32>) outs(%o = %e : tensor<64x65536xf32>) {
    %v = tc.read %a[#point] : tensor<64x65536xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    %c = tc.sub %v, %s : f32
    tc.write %c, %o[#point] : f32, tensor<64x65536xf32>
  }
  return %0 : tensor<64x65536xf32>
}

// What a sum of columns alone gives is shared by blocks as it is.
// CHECK-LABEL: func @sums
// CHECK-COUNT-1: tc.kernel
// CHECK-NOT: tc.kernel
// CHECK: return
func.func @sums(%x: tensor<65536x64xf32>) -> tensor<64xf32> {
  %e = tc.empty : tensor<64xf32>
  %0 = tc.kernel "sum" column_reduction dims [#tc.dim<"i", reduced, 65536>, #tc.dim<"j", parallel, 64>] ins(%a = %x : tensor<65536x64xf32>) outs(%o = %e : tensor<64xf32>) {
    %v = tc.read %a[#point] : tensor<65536x64xf32> -> f32
    %s = tc.reduce_stage sum %v over [0] : f32 -> f32
    tc.write %s, %o[#column] : f32, tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
