// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of the composites of neural networks.

// CHECK-LABEL: func @softmax
func.func @softmax(%x: tensor<4x8xf32>) {
  // CHECK: tc.softmax %{{[a-z0-9_#]+}} dim 1 : tensor<4x8xf32>
  %0 = tc.softmax %x dim 1 : tensor<4x8xf32>
  // CHECK: tc.log_softmax %{{[a-z0-9_#]+}} dim 0 : tensor<4x8xf32>
  %1 = tc.log_softmax %x dim 0 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func @layer_norm
func.func @layer_norm(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8xf32>) {
  // CHECK: tc.layer_norm %{{[a-z0-9_#]+}} rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  %0 = tc.layer_norm %x rank 2 eps 1.000000e-05 : tensor<4x8xf32>
  // CHECK: tc.layer_norm %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  %1 = tc.layer_norm %x weight %w : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  // CHECK: tc.layer_norm %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> bias %{{[a-z0-9_#]+}} : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  %2 = tc.layer_norm %x weight %w : tensor<8xf32> bias %b : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  // CHECK: tc.layer_norm %{{[a-z0-9_#]+}} bias %{{[a-z0-9_#]+}} : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  %3 = tc.layer_norm %x bias %b : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<4x8xf32>
  return
}

// CHECK-LABEL: func @rms_norm
func.func @rms_norm(%x: tensor<4x8xbf16>, %w: tensor<8xf32>) {
  // CHECK: tc.rms_norm %{{[a-z0-9_#]+}} rank 1 eps 9.9999999999999995E-7 : tensor<4x8xbf16>
  %0 = tc.rms_norm %x rank 1 eps 9.9999999999999995E-7 : tensor<4x8xbf16>
  // CHECK: tc.rms_norm %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> rank 1 eps 9.9999999999999995E-7 : tensor<4x8xbf16>
  %1 = tc.rms_norm %x weight %w : tensor<8xf32> rank 1 eps 9.9999999999999995E-7 : tensor<4x8xbf16>
  return
}

// CHECK-LABEL: func @group_norm
func.func @group_norm(%x: tensor<1x8x4x4xf32>, %w: tensor<8xf32>) {
  // CHECK: tc.group_norm %{{[a-z0-9_#]+}} groups 2 eps 1.000000e-05 : tensor<1x8x4x4xf32>
  %0 = tc.group_norm %x groups 2 eps 1.000000e-05 : tensor<1x8x4x4xf32>
  // CHECK: tc.group_norm %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> bias %{{[a-z0-9_#]+}} : tensor<8xf32> groups 8 eps 1.000000e-05 : tensor<1x8x4x4xf32>
  %1 = tc.group_norm %x weight %w : tensor<8xf32> bias %w : tensor<8xf32> groups 8 eps 1.000000e-05 : tensor<1x8x4x4xf32>
  return
}

// CHECK-LABEL: func @batch_norm
func.func @batch_norm(%x: tensor<1x8x4x4xf32>, %s: tensor<8xf32>) {
  // CHECK: tc.batch_norm %{{[a-z0-9_#]+}} mean %{{[a-z0-9_#]+}} variance %{{[a-z0-9_#]+}} eps 1.000000e-05 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  %0 = tc.batch_norm %x mean %s variance %s eps 1.000000e-05 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  // CHECK: tc.batch_norm %{{[a-z0-9_#]+}} mean %{{[a-z0-9_#]+}} variance %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> bias %{{[a-z0-9_#]+}} : tensor<8xf32> eps 1.000000e-05 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  %1 = tc.batch_norm %x mean %s variance %s weight %s : tensor<8xf32> bias %s : tensor<8xf32> eps 1.000000e-05 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// With and without a mask; fewer heads of keys and values than of queries.
// CHECK-LABEL: func @attention
func.func @attention(%q: tensor<2x8x16x64xf32>, %k: tensor<2x8x32x64xf32>, %m: tensor<16x32xi1>, %f: tensor<2x1x1x32xf32>, %g: tensor<2x2x32x64xf32>) {
  // CHECK: tc.attention %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x8x32x64xf32>, tensor<2x8x32x64xf32> -> tensor<2x8x16x64xf32>
  %0 = tc.attention %q, %k, %k scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x8x32x64xf32>, tensor<2x8x32x64xf32> -> tensor<2x8x16x64xf32>
  // CHECK: tc.attention %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} scale 1.250000e-01 {causal} : tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32> -> tensor<2x8x16x64xf32>
  %1 = tc.attention %q, %q, %q scale 1.250000e-01 {causal} : tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32>, tensor<2x8x16x64xf32> -> tensor<2x8x16x64xf32>
  // CHECK: tc.attention %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} mask %{{[a-z0-9_#]+}} : tensor<16x32xi1> scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x8x32x64xf32>, tensor<2x8x32x64xf32> -> tensor<2x8x16x64xf32>
  %2 = tc.attention %q, %k, %k mask %m : tensor<16x32xi1> scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x8x32x64xf32>, tensor<2x8x32x64xf32> -> tensor<2x8x16x64xf32>
  // CHECK: tc.attention %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} mask %{{[a-z0-9_#]+}} : tensor<2x1x1x32xf32> scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x2x32x64xf32>, tensor<2x2x32x64xf32> -> tensor<2x8x16x64xf32>
  %3 = tc.attention %q, %g, %g mask %f : tensor<2x1x1x32xf32> scale 1.250000e-01 : tensor<2x8x16x64xf32>, tensor<2x2x32x64xf32>, tensor<2x2x32x64xf32> -> tensor<2x8x16x64xf32>
  return
}

// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %w: tensor<8xf32>, %q: tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  // CHECK: tc.softmax %{{[a-z0-9_#]+}} dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %0 = tc.softmax %x dim 1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.layer_norm %{{[a-z0-9_#]+}} weight %{{[a-z0-9_#]+}} : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.layer_norm %x weight %w : tensor<8xf32> rank 1 eps 1.000000e-05 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.attention %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} scale 2.500000e-01 : tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>, tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>, tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>> -> tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>
  %2 = tc.attention %q, %q, %q scale 2.500000e-01 : tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>, tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>, tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>> -> tensor<?x4x?x16xf32, #tc.sizes<[s0, 4, s1, 16]>>
  return
}

// CHECK-LABEL: func @attention_with_dropout
func.func @attention_with_dropout(%q: tensor<2x16x4xf32>, %s: tensor<i64>, %o: tensor<i64>, %l: tensor<2x16xf32>, %m: tensor<16x16xi1>) -> tensor<2x16x4xf32> {
  // CHECK: tc.attention %arg0, %arg0, %arg0 dropout 1.000000e-01 seed %arg1 offset %arg2 : tensor<i64>, tensor<i64> scale 5.000000e-01 : tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32> -> tensor<2x16x4xf32>
  %r = tc.attention %q, %q, %q dropout 0.1 seed %s offset %o : tensor<i64>, tensor<i64> scale 0.5 : tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32> -> tensor<2x16x4xf32>
  // CHECK: tc.attention_backward %{{.*}}, %arg0, %arg0, %arg0, %arg3, %arg3 mask %arg4 : tensor<16x16xi1> dropout 1.000000e-01 seed %arg1 offset %arg2 : tensor<i64>, tensor<i64> scale 5.000000e-01 : tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16xf32>, tensor<2x16xf32> -> tensor<2x16x4xf32>
  %gq, %gk, %gv = tc.attention_backward %r, %q, %q, %q, %l, %l mask %m : tensor<16x16xi1> dropout 0.1 seed %s offset %o : tensor<i64>, tensor<i64> scale 0.5 : tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16x4xf32>, tensor<2x16xf32>, tensor<2x16xf32> -> tensor<2x16x4xf32>
  return %gq : tensor<2x16x4xf32>
}

// CHECK-LABEL: func @attention_backward
func.func @attention_backward(%g: tensor<2x3x4xbf16>, %q: tensor<2x3x4xbf16>, %k: tensor<1x5x4xbf16>, %v: tensor<1x5x4xbf16>, %p: tensor<2x3xf32>, %m: tensor<3x5xf32>) -> tensor<2x3x4xf32> {
  // CHECK: %[[O:.*]], %[[L:.*]] = tc.attention %arg1, %arg2, %arg3 scale 5.000000e-01 : tensor<2x3x4xbf16>, tensor<1x5x4xbf16>, tensor<1x5x4xbf16> -> tensor<2x3x4xbf16>, tensor<2x3xf32>
  %o, %l = tc.attention %q, %k, %v scale 0.5 : tensor<2x3x4xbf16>, tensor<1x5x4xbf16>, tensor<1x5x4xbf16> -> tensor<2x3x4xbf16>, tensor<2x3xf32>
  // CHECK: tc.attention_backward %arg0, %arg1, %arg2, %arg3, %[[L]], %arg4 mask %arg5 : tensor<3x5xf32> scale 5.000000e-01 {causal} : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<1x5x4xbf16>, tensor<1x5x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3x4xf32>
  %gq, %gk, %gv = tc.attention_backward %g, %q, %k, %v, %l, %p mask %m : tensor<3x5xf32> scale 0.5 {causal} : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<1x5x4xbf16>, tensor<1x5x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3x4xf32>
  return %gq : tensor<2x3x4xf32>
}
