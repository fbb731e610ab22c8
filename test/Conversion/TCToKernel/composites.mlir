// RUN: tc-opt %s --convert-tc-to-kernel | FileCheck %s

// A composite is one kernel of several stages.
// CHECK-LABEL: func @norms
func.func @norms(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>, %b: tensor<8xbf16>) -> (tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>) {
  // CHECK: tc.kernel "softmax" row_reduction
  %s = tc.softmax %x dim 1 : tensor<4x8xbf16>
  // CHECK: tc.kernel "layer_norm" row_reduction
  %l = tc.layer_norm %x weight %w : tensor<8xbf16> bias %b : tensor<8xbf16> rank 1 eps 1.0e-5 : tensor<4x8xbf16>
  // CHECK: tc.kernel "rms_norm" row_reduction
  %r = tc.rms_norm %x weight %w : tensor<8xbf16> rank 1 eps 1.0e-5 : tensor<4x8xbf16>
  return %s, %l, %r : tensor<4x8xbf16>, tensor<4x8xbf16>, tensor<4x8xbf16>
}

// Causal attention, with a mask of keys, and with grouped queries.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x2x6x8xf32>, %v: tensor<2x2x6x3xf32>, %m: tensor<5x6xf32>) -> (tensor<2x4x5x3xf32>, tensor<2x4x5x3xf32>) {
  // CHECK: tc.kernel "attention" attention
  // CHECK: tc.within
  // CHECK: tc.reduce_stage max
  // CHECK: tc.contract_stage
  %a = tc.attention %q, %k, %v scale 0.25 {causal} : tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32> -> tensor<2x4x5x3xf32>
  %b = tc.attention %q, %k, %v mask %m : tensor<5x6xf32> scale 0.25 : tensor<2x4x5x8xf32>, tensor<2x2x6x8xf32>, tensor<2x2x6x3xf32> -> tensor<2x4x5x3xf32>
  return %a, %b : tensor<2x4x5x3xf32>, tensor<2x4x5x3xf32>
}

// A row that a mask of i1 empties is zero.
// CHECK-LABEL: func @masked_attention
func.func @masked_attention(%q: tensor<2x5x8xf32>, %k: tensor<2x6x8xf32>, %v: tensor<2x6x3xf32>, %m: tensor<2x1x6xi1>) -> tensor<2x5x3xf32> {
  // CHECK: tc.eq
  %a = tc.attention %q, %k, %v mask %m : tensor<2x1x6xi1> scale 0.25 : tensor<2x5x8xf32>, tensor<2x6x8xf32>, tensor<2x6x3xf32> -> tensor<2x5x3xf32>
  return %a : tensor<2x5x3xf32>
}

// Convolutions: padded, grouped, depthwise, transposed.
// CHECK-LABEL: func @convolutions
func.func @convolutions(%x: tensor<1x4x7x7xf32>, %w: tensor<6x4x3x3xf32>, %g: tensor<6x2x3x3xf32>, %d: tensor<4x1x3x3xf32>, %t: tensor<4x3x2x2xf32>)
    -> (tensor<1x6x4x4xf32>, tensor<1x6x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x3x14x14xf32>) {
  // CHECK: tc.kernel "convolution" contraction
  // CHECK: within
  %a = tc.convolution %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x4x7x7xf32>, tensor<6x4x3x3xf32> -> tensor<1x6x4x4xf32>
  // CHECK: tc.kernel "convolution" contraction
  %b = tc.convolution %x, %g stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 2 : i64} : tensor<1x4x7x7xf32>, tensor<6x2x3x3xf32> -> tensor<1x6x5x5xf32>
  // CHECK: tc.kernel "convolution" {{column|row}}_reduction
  %c = tc.convolution %x, %d stride [1, 1] padding [0, 0] dilation [1, 1] {groups = 4 : i64} : tensor<1x4x7x7xf32>, tensor<4x1x3x3xf32> -> tensor<1x4x5x5xf32>
  // CHECK: tc.kernel "convolution" contraction
  %e = tc.convolution %x, %t stride [2, 2] padding [0, 0] dilation [1, 1] {transposed} : tensor<1x4x7x7xf32>, tensor<4x3x2x2xf32> -> tensor<1x3x14x14xf32>
  return %a, %b, %c, %e : tensor<1x6x4x4xf32>, tensor<1x6x5x5xf32>, tensor<1x4x5x5xf32>, tensor<1x3x14x14xf32>
}

// Pooling, with and without the places of the largest elements.
// CHECK-LABEL: func @pools
func.func @pools(%x: tensor<1x2x7x7xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xi64>, tensor<1x2x4x4xf32>) {
  // CHECK: tc.kernel "max_pool"
  // CHECK: tc.reduce_stage max
  %a, %u = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x2x7x7xf32> -> tensor<1x2x4x4xf32>, tensor<1x2x4x4xi64>
  // CHECK: tc.reduce_stage max
  // CHECK: tc.reduce_stage min
  %b, %i = tc.max_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : tensor<1x2x7x7xf32> -> tensor<1x2x4x4xf32>, tensor<1x2x4x4xi64>
  // CHECK: tc.kernel "avg_pool"
  %c = tc.avg_pool %x kernel [3, 3] stride [2, 2] padding [1, 1] {exclude_padding} : tensor<1x2x7x7xf32> -> tensor<1x2x4x4xf32>
  return %a, %b, %i, %c : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xi64>, tensor<1x2x4x4xf32>
}

// Indexing reads at values of the body, scatter writes at them.
// CHECK-LABEL: func @indexing
func.func @indexing(%x: tensor<6x8xf32>, %i: tensor<2x3xi64>, %g: tensor<6x2xi64>, %u: tensor<6x2xf32>, %v: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x2xf32>, tensor<6x8xf32>, tensor<6x8xf32>) {
  // CHECK: tc.kernel "index" pointwise
  // CHECK: tc.select
  // CHECK: at %{{.*}} : i64
  %a = tc.index_tensors %x[%i] dims [0] : tensor<6x8xf32>, tensor<2x3xi64> -> tensor<2x3x8xf32>
  // CHECK: tc.kernel "gather"
  %b = tc.gather %x[%g] dim 1 : tensor<6x8xf32>, tensor<6x2xi64> -> tensor<6x2xf32>
  // CHECK: tc.kernel "scatter" scatter
  // CHECK: combine sum
  %c = tc.scatter sum %x[%g] = %u dim 1 : tensor<6x8xf32>, tensor<6x2xi64>, tensor<6x2xf32>
  // CHECK: tc.kernel "index_put" scatter
  %d = tc.index_put sum %x[%i] = %v dims [0] : tensor<6x8xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %a, %b, %c, %d : tensor<2x3x8xf32>, tensor<6x2xf32>, tensor<6x8xf32>, tensor<6x8xf32>
}

// Indices that are not negative are read as they are.
// CHECK-LABEL: func @non_negative_indices
func.func @non_negative_indices(%x: tensor<6x8xf32>, %i: tensor<2x3xi64>, %v: tensor<2x3x8xf32>) -> (tensor<2x3x8xf32>, tensor<6x8xf32>) {
  // CHECK-NOT: tc.select
  // CHECK: return
  %a = tc.index_tensors %x[%i] dims [0] non_negative : tensor<6x8xf32>, tensor<2x3xi64> -> tensor<2x3x8xf32>
  %d = tc.index_put sum %x[%i] = %v dims [0] non_negative : tensor<6x8xf32>, tensor<2x3x8xf32>, tensor<2x3xi64>
  return %a, %d : tensor<2x3x8xf32>, tensor<6x8xf32>
}

// Sorting and scans.
// CHECK-LABEL: func @orders
func.func @orders(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xi64>, tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x8xf32>) {
  // CHECK: tc.kernel "sort" custom
  %a, %i = tc.sort %x dim 1 : tensor<4x8xf32> -> tensor<4x8xf32>, tensor<4x8xi64>
  // CHECK: tc.kernel "topk" custom
  %b, %j = tc.topk %x dim 1 k 2 : tensor<4x8xf32> -> tensor<4x2xf32>, tensor<4x2xi64>
  // CHECK: tc.kernel "scan" scan
  %c = tc.scan sum %x dim 1 : tensor<4x8xf32>
  return %a, %i, %b, %j, %c : tensor<4x8xf32>, tensor<4x8xi64>, tensor<4x2xf32>, tensor<4x2xi64>, tensor<4x8xf32>
}
