// RUN: tc-opt %s --tc-plan-likely-sizes | FileCheck %s
// RUN: tc-opt %s --tc-plan-likely-sizes=most-ops=2 | FileCheck %s --check-prefix=SHORT
// RUN: tc-run %s --target=cuda:sm_90a --compile-to=specialize | FileCheck %s --check-prefix=VERSIONS
// RUN: tc-run %s --target=cpu --compile-to=specialize | FileCheck %s --check-prefix=VERSIONS

// Rows are as long as in the example; how many there are is left open.
// CHECK-LABEL: func.func @rows
// CHECK-SAME: tc.specializations = {{\[\[}}#tc.symbol<"s1", min = 1000, max = 1000>]]
// SHORT-LABEL: func.func @rows
// SHORT-SAME: attributes {tc.symbols
// VERSIONS: tc.dispatch @rows
// VERSIONS: tc.case @rows.s1_1000
// VERSIONS: func.func @rows.s1_1000(%{{.*}}: tensor<?x1000xf32, #tc.sizes<[s0, 1000]>>
func.func @rows(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 64>, #tc.symbol<"s1", min = 2, max = 4096, likely = 1000>]} {
  %0 = tc.exp %x : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// A vector has no rows.
// CHECK-LABEL: func.func @vector
// CHECK-NOT: tc.specializations
func.func @vector(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> tensor<?xf32, #tc.sizes<[s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 64>]} {
  %0 = tc.exp %x : tensor<?xf32, #tc.sizes<[s0]>>
  return %0 : tensor<?xf32, #tc.sizes<[s0]>>
}

// No likely size is known.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: tc.specializations
func.func @unknown(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096>]} {
  %0 = tc.exp %x : tensor<4x?xf32, #tc.sizes<[4, s0]>>
  return %0 : tensor<4x?xf32, #tc.sizes<[4, s0]>>
}

// What was asked for stays as it is.
// CHECK-LABEL: func.func @asked
// CHECK-SAME: tc.specializations = {{\[\[}}#tc.symbol<"s0", min = 8, max = 8>]]
func.func @asked(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>> attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 64>]} {
  %0 = tc.exp %x : tensor<4x?xf32, #tc.sizes<[4, s0]>>
  return %0 : tensor<4x?xf32, #tc.sizes<[4, s0]>>
}

// No row of 2 elements has the 3 that are selected.
// CHECK-LABEL: func.func @impossible
// CHECK-NOT: tc.specializations
func.func @impossible(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>) -> tensor<4x3xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 4096, likely = 2>]} {
  %0 = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<4x?xf32, #tc.sizes<[4, s0]>> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// A likely size is of use where the symbol may have it.
// CHECK-LABEL: func.func @divisor
// CHECK-NOT: tc.specializations
func.func @divisor(%x: tensor<4x?xf32, #tc.sizes<[4, s0]>>) -> tensor<4x?xf32, #tc.sizes<[4, s0]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 16, max = 4096, divisor = 16, likely = 1000>]} {
  %0 = tc.exp %x : tensor<4x?xf32, #tc.sizes<[4, s0]>>
  return %0 : tensor<4x?xf32, #tc.sizes<[4, s0]>>
}
