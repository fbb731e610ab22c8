// RUN: tc-opt %s --tc-specialize-sizes | FileCheck %s
// RUN: tc-opt %s "--tc-specialize-sizes=specialize=two:s1=16..64,two:s0=6:s1%%16" | FileCheck %s --check-prefix=OPTION

// A symbol becomes a constant in types, attributes and regions.
// CHECK-LABEL: func.func @one(
// CHECK-SAME: attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
// CHECK: tc.reshape %{{.*}} : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0 * 4]>>
// CHECK-LABEL: func.func @one.s0_8(%{{.*}}: tensor<8x4xf32>, %{{.*}}: tensor<i1>) -> (tensor<32xf32>, tensor<i64>)
// CHECK-SAME: attributes {tc.specialization = [#tc.symbol<"s0", min = 8, max = 8>], tc.version_of = @one} {
// CHECK: tc.reshape %{{.*}} : tensor<8x4xf32> -> tensor<32xf32>
// CHECK: tc.size_value <32> : tensor<i64>
// CHECK: tc.if
// CHECK: tc.neg %{{.*}} : tensor<32xf32>
func.func @one(%x: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %c: tensor<i1>) -> (tensor<?xf32, #tc.sizes<[s0 * 4]>>, tensor<i64>)
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %0 = tc.reshape %x : tensor<?x4xf32, #tc.sizes<[s0, 4]>> -> tensor<?xf32, #tc.sizes<[s0 * 4]>>
  %1 = tc.size_value <s0 * 4> : tensor<i64>
  %2 = tc.if %c : tensor<i1> -> tensor<?xf32, #tc.sizes<[s0 * 4]>> {
    %3 = tc.neg %0 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
    tc.yield %3 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
  } else {
    tc.yield %0 : tensor<?xf32, #tc.sizes<[s0 * 4]>>
  }
  return %2, %1 : tensor<?xf32, #tc.sizes<[s0 * 4]>>, tensor<i64>
}

// Without requests nothing changes.
// CHECK-LABEL: func.func @two(
// CHECK-NOT: func.func @two.
// Requests of the option: a range keeps the symbol, a value and a multiple name the version.
// OPTION-LABEL: func.func @two(
// OPTION-LABEL: func.func @two.s1_16_64(%{{.*}}: tensor<?x?xf32, #tc.sizes<[s0, s1]>>)
// OPTION-SAME: tc.symbols = [#tc.symbol<"s0", min = 2, max = 64, divisor = 2>, #tc.symbol<"s1", min = 16, max = 64>]
// OPTION-LABEL: func.func @two.s0_6_s1_mod_16(%{{.*}}: tensor<6x?xf32, #tc.sizes<[6, s1]>>)
// OPTION-SAME: tc.specialization = [#tc.symbol<"s0", min = 6, max = 6>, #tc.symbol<"s1", min = 0, max = 9223372036854775807, divisor = 16>]
// OPTION-SAME: tc.symbols = [#tc.symbol<"s1", min = 0, max = 9223372036854775807, divisor = 16>]
func.func @two(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64, divisor = 2>, #tc.symbol<"s1", min = 0, max = 9223372036854775807>]} {
  return %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// The carried values of a loop have the version's sizes in both regions.
// CHECK-LABEL: func.func @loop.s0_8(
// CHECK: tc.while carry(%[[V:.*]] = %{{.*}} : tensor<8xf32>) {
// CHECK: tc.reduce sum %[[V]] dims [0] : tensor<8xf32> -> tensor<f32>
// CHECK: } do(%[[W:.*]]) {
// CHECK: tc.neg %[[W]] : tensor<8xf32>
func.func @loop(%x: tensor<?xf32, #tc.sizes<[s0]>>, %limit: tensor<f32>) -> tensor<?xf32, #tc.sizes<[s0]>>
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %0 = tc.while carry(%v = %x : tensor<?xf32, #tc.sizes<[s0]>>) {
    %1 = tc.reduce sum %v dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<f32>
    %2 = tc.gt %1, %limit : tensor<f32>
    tc.yield %2 : tensor<i1>
  } do(%v) {
    %3 = tc.neg %v : tensor<?xf32, #tc.sizes<[s0]>>
    tc.yield %3 : tensor<?xf32, #tc.sizes<[s0]>>
  }
  return %0 : tensor<?xf32, #tc.sizes<[s0]>>
}
