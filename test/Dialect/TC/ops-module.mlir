// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of captured calls, parameters, guards and control flow.

// CHECK: tc.parameter_source @fc.weight : tensor<16x8xf32> {file = "m.pt2", offset = 640 : i64, role = "parameter"}
tc.parameter_source @fc.weight : tensor<16x8xf32> {file = "m.pt2", offset = 640 : i64, role = "parameter"}
// CHECK: tc.parameter_source @fc.bias : tensor<16xf32> {file = "m.pt2", hash = "00ff", offset = 0 : i64, role = "buffer", strides = array<i64: 1>}
tc.parameter_source @fc.bias : tensor<16xf32> {file = "m.pt2", hash = "00ff", offset = 0 : i64, role = "buffer", strides = array<i64: 1>}

// CHECK-LABEL: func @parameter
func.func @parameter() {
  // CHECK: tc.parameter @fc.weight : tensor<16x8xf32>
  %0 = tc.parameter @fc.weight : tensor<16x8xf32>
  return
}

// CHECK-LABEL: func @aten
func.func @aten(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: tc.aten "aten.add.Tensor"(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}) {alpha = 1 : i64, other = #tc.operand<1>, self = #tc.operand<0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = tc.aten "aten.add.Tensor"(%x, %y) {alpha = 1 : i64, other = #tc.operand<1>, self = #tc.operand<0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: tc.aten "aten.split.Tensor"(%{{[a-z0-9_#]+}}) {dim = 0 : i64, self = #tc.operand<0>, split_size = #tc.expr<s0 * 2>} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %1:2 = tc.aten "aten.split.Tensor"(%x) {dim = 0 : i64, self = #tc.operand<0>, split_size = #tc.expr<s0 * 2>} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// One guard of each kind.
// CHECK-LABEL: func @guards
func.func @guards(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %y: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // CHECK: tc.guard rank(%{{[a-z0-9_#]+}}) {value = 2 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard rank(%x) {value = 2 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard dtype(%{{[a-z0-9_#]+}}) {value = f32} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard dtype(%x) {value = f32} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard device(%{{[a-z0-9_#]+}}) {value = "cpu"} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard device(%x) {value = "cpu"} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard size_equal(%{{[a-z0-9_#]+}}) {dim = 1 : i64, expr = #tc.expr<8>} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard size_equal(%x) {dim = 1 : i64, expr = #tc.expr<8>} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard size_range(%{{[a-z0-9_#]+}}) {dim = 0 : i64, max = 64 : i64, min = 2 : i64, origin = "range_constraints"} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard size_range(%x) {dim = 0 : i64, max = 64 : i64, min = 2 : i64, origin = "range_constraints"} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard size_multiple(%{{[a-z0-9_#]+}}) {dim = 0 : i64, divisor = 4 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard size_multiple(%x) {dim = 0 : i64, divisor = 4 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard stride(%{{[a-z0-9_#]+}}) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard stride(%x) {dim = 0 : i64, expr = #tc.expr<8>} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard contiguous(%{{[a-z0-9_#]+}}) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard contiguous(%x) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard alignment(%{{[a-z0-9_#]+}}) {divisor = 64 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard alignment(%x) {divisor = 64 : i64} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard scalar() {value = 2 : i64}
  tc.guard scalar() {value = 2 : i64}
  // CHECK: tc.guard no_alias(%{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard no_alias(%x, %y) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.guard identity(%{{[a-z0-9_#]+}}) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  tc.guard identity(%x) : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  return
}

// CHECK-LABEL: func @size_guards
func.func @size_guards(%x: tensor<?xf32, #tc.sizes<[s0]>>) {
  // CHECK: tc.size_guard "tc.topk" needs "'k'" <3> at_most "size 0 of 'x'" <s0>
  tc.size_guard "tc.topk" needs "'k'" <3> at_most "size 0 of 'x'" <s0>
  // CHECK: tc.size_guard "tc.full" needs "size 0 of the result" <s0 - 3> at_least <0>
  tc.size_guard "tc.full" needs "size 0 of the result" <s0 - 3> at_least <0>
  // CHECK: tc.size_guard "tc.reshape" needs "the number of elements of the result" <(s0 floordiv 4) * 4> equal "that of 'x'" <s0>
  tc.size_guard "tc.reshape" needs "the number of elements of the result" <s0 floordiv 4 * 4> equal "that of 'x'" <s0>
  // CHECK: tc.size_guard "tc.group_norm" needs "size 1 of 'x'" <s0> multiple_of "'groups'" <4>
  tc.size_guard "tc.group_norm" needs "size 1 of 'x'" <s0> multiple_of "'groups'" <4>
  // CHECK: tc.size_guard "tc.slice" needs "the end of the slice along dimension 0" <s0 + 1> at_most "size 0 of 'x'" <7> where <s0 - 3>
  tc.size_guard "tc.slice" needs "the end of the slice along dimension 0" <s0 + 1> at_most "size 0 of 'x'" <7> where <s0 - 3>
  return
}

// CHECK-LABEL: func @if
func.func @if(%c: tensor<i1>, %x: tensor<4xf32>, %y: tensor<4xf32>) {
  // CHECK: tc.if %{{[a-z0-9_#]+}} : tensor<i1> -> tensor<4xf32>
  %0 = tc.if %c : tensor<i1> -> tensor<4xf32> {
  // CHECK: tc.yield %{{[a-z0-9_#]+}} : tensor<4xf32>
    tc.yield %x : tensor<4xf32>
  } else {
  // CHECK: tc.yield %{{[a-z0-9_#]+}} : tensor<4xf32>
    tc.yield %y : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: func @while
func.func @while(%x: tensor<4xf32>, %n: tensor<i64>, %one: tensor<i64>) -> (tensor<i64>, tensor<4xf32>) {
  // CHECK: tc.while carry(%[[I:[a-z0-9_#]+]] = %{{[a-z0-9_#]+}} : tensor<i64>, %[[V:[a-z0-9_#]+]] = %{{[a-z0-9_#]+}} : tensor<4xf32>) attributes {note = "kept"} {
  %r:2 = tc.while carry(%i = %one : tensor<i64>, %v = %x : tensor<4xf32>) attributes {note = "kept"} {
    // CHECK: %[[MORE:.*]] = tc.lt %[[I]], %{{[a-z0-9_#]+}} : tensor<i64>
    %more = tc.lt %i, %n : tensor<i64>
    // CHECK: tc.yield %[[MORE]] : tensor<i1>
    tc.yield %more : tensor<i1>
  // CHECK: } do(%[[J:[a-z0-9_#]+]], %[[W:[a-z0-9_#]+]]) {
  } do(%j, %w) {
    // CHECK: %[[NEXT:.*]] = tc.add %[[J]], %{{[a-z0-9_#]+}} : tensor<i64>
    %next = tc.add %j, %one : tensor<i64>
    // CHECK: tc.yield %[[NEXT]], %[[W]] : tensor<i64>, tensor<4xf32>
    tc.yield %next, %w : tensor<i64>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<i64>, tensor<4xf32>
}

// CHECK-LABEL: func @while_on_buffers
func.func @while_on_buffers(%c: memref<i1>) {
  // CHECK: tc.while {
  tc.while {
    // CHECK: tc.yield %{{[a-z0-9_#]+}} : memref<i1>
    tc.yield %c : memref<i1>
  // CHECK: } do {
  } do {
    // CHECK: tc.yield{{$}}
  }
  return
}
