// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s --emit-bytecode | tc-opt | FileCheck %s

// Round trip of the elementwise ops.

// Functions of one float.
// CHECK-LABEL: func @float_functions
func.func @float_functions(%x: tensor<4x8xf32>) {
  // CHECK: tc.exp %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %0 = tc.exp %x : tensor<4x8xf32>
  // CHECK: tc.exp2 %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %1 = tc.exp2 %x : tensor<4x8xf32>
  // CHECK: tc.expm1 %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %2 = tc.expm1 %x : tensor<4x8xf32>
  // CHECK: tc.log %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %3 = tc.log %x : tensor<4x8xf32>
  // CHECK: tc.log2 %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %4 = tc.log2 %x : tensor<4x8xf32>
  // CHECK: tc.log10 %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %5 = tc.log10 %x : tensor<4x8xf32>
  // CHECK: tc.log1p %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %6 = tc.log1p %x : tensor<4x8xf32>
  // CHECK: tc.sqrt %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %7 = tc.sqrt %x : tensor<4x8xf32>
  // CHECK: tc.rsqrt %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %8 = tc.rsqrt %x : tensor<4x8xf32>
  // CHECK: tc.reciprocal %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %9 = tc.reciprocal %x : tensor<4x8xf32>
  // CHECK: tc.sin %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %10 = tc.sin %x : tensor<4x8xf32>
  // CHECK: tc.cos %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %11 = tc.cos %x : tensor<4x8xf32>
  // CHECK: tc.tan %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %12 = tc.tan %x : tensor<4x8xf32>
  // CHECK: tc.asin %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %13 = tc.asin %x : tensor<4x8xf32>
  // CHECK: tc.acos %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %14 = tc.acos %x : tensor<4x8xf32>
  // CHECK: tc.atan %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %15 = tc.atan %x : tensor<4x8xf32>
  // CHECK: tc.sinh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %16 = tc.sinh %x : tensor<4x8xf32>
  // CHECK: tc.cosh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %17 = tc.cosh %x : tensor<4x8xf32>
  // CHECK: tc.tanh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %18 = tc.tanh %x : tensor<4x8xf32>
  // CHECK: tc.asinh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %19 = tc.asinh %x : tensor<4x8xf32>
  // CHECK: tc.acosh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %20 = tc.acosh %x : tensor<4x8xf32>
  // CHECK: tc.atanh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %21 = tc.atanh %x : tensor<4x8xf32>
  // CHECK: tc.erf %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %22 = tc.erf %x : tensor<4x8xf32>
  // CHECK: tc.erfc %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %23 = tc.erfc %x : tensor<4x8xf32>
  // CHECK: tc.erfinv %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %24 = tc.erfinv %x : tensor<4x8xf32>
  // CHECK: tc.lgamma %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %25 = tc.lgamma %x : tensor<4x8xf32>
  // CHECK: tc.sigmoid %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %26 = tc.sigmoid %x : tensor<4x8xf32>
  // CHECK: tc.floor %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %27 = tc.floor %x : tensor<4x8xf32>
  // CHECK: tc.ceil %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %28 = tc.ceil %x : tensor<4x8xf32>
  // CHECK: tc.trunc %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %29 = tc.trunc %x : tensor<4x8xf32>
  // CHECK: tc.round %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %30 = tc.round %x : tensor<4x8xf32>
  // CHECK: tc.silu %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %31 = tc.silu %x : tensor<4x8xf32>
  // CHECK: tc.gelu %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %32 = tc.gelu %x : tensor<4x8xf32>
  // CHECK: tc.gelu_tanh %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %33 = tc.gelu_tanh %x : tensor<4x8xf32>
  return
}

// Numeric functions of one operand, and predicates.
// CHECK-LABEL: func @unary
func.func @unary(%x: tensor<4x8xf32>, %i: tensor<4xi32>) {
  // CHECK: tc.neg %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %0 = tc.neg %x : tensor<4x8xf32>
  // CHECK: tc.abs %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %1 = tc.abs %x : tensor<4x8xf32>
  // CHECK: tc.sign %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %2 = tc.sign %x : tensor<4x8xf32>
  // CHECK: tc.relu %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %3 = tc.relu %x : tensor<4x8xf32>
  // CHECK: tc.bitwise_not %{{[a-z0-9_#]+}} : tensor<4xi32>
  %4 = tc.bitwise_not %i : tensor<4xi32>
  // CHECK: tc.isnan %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %5 = tc.isnan %x : tensor<4x8xf32>
  // CHECK: tc.isinf %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %6 = tc.isinf %x : tensor<4x8xf32>
  // CHECK: tc.isfinite %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %7 = tc.isfinite %x : tensor<4x8xf32>
  // CHECK: tc.signbit %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %8 = tc.signbit %x : tensor<4x8xf32>
  return
}

// Functions of two operands.
// CHECK-LABEL: func @binary
func.func @binary(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %i: tensor<4xi32>, %j: tensor<4xi32>) {
  // CHECK: tc.add %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %0 = tc.add %x, %y : tensor<4x8xf32>
  // CHECK: tc.sub %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %1 = tc.sub %x, %y : tensor<4x8xf32>
  // CHECK: tc.mul %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %2 = tc.mul %x, %y : tensor<4x8xf32>
  // CHECK: tc.div %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %3 = tc.div %x, %y : tensor<4x8xf32>
  // CHECK: tc.floor_div %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %4 = tc.floor_div %x, %y : tensor<4x8xf32>
  // CHECK: tc.trunc_div %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %5 = tc.trunc_div %x, %y : tensor<4x8xf32>
  // CHECK: tc.remainder %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %6 = tc.remainder %x, %y : tensor<4x8xf32>
  // CHECK: tc.fmod %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %7 = tc.fmod %x, %y : tensor<4x8xf32>
  // CHECK: tc.pow %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %8 = tc.pow %x, %y : tensor<4x8xf32>
  // CHECK: tc.maximum %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %9 = tc.maximum %x, %y : tensor<4x8xf32>
  // CHECK: tc.minimum %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %10 = tc.minimum %x, %y : tensor<4x8xf32>
  // CHECK: tc.fmax %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %11 = tc.fmax %x, %y : tensor<4x8xf32>
  // CHECK: tc.fmin %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %12 = tc.fmin %x, %y : tensor<4x8xf32>
  // CHECK: tc.atan2 %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %13 = tc.atan2 %x, %y : tensor<4x8xf32>
  // CHECK: tc.gelu_grad %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %34 = tc.gelu_grad %x, %y : tensor<4x8xf32>
  // CHECK: tc.copysign %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %14 = tc.copysign %x, %y : tensor<4x8xf32>
  // CHECK: tc.hypot %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %15 = tc.hypot %x, %y : tensor<4x8xf32>
  // CHECK: tc.eq %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %16 = tc.eq %x, %y : tensor<4x8xf32>
  // CHECK: tc.ne %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %17 = tc.ne %x, %y : tensor<4x8xf32>
  // CHECK: tc.lt %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %18 = tc.lt %x, %y : tensor<4x8xf32>
  // CHECK: tc.le %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %19 = tc.le %x, %y : tensor<4x8xf32>
  // CHECK: tc.gt %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %20 = tc.gt %x, %y : tensor<4x8xf32>
  // CHECK: tc.ge %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xf32>
  %21 = tc.ge %x, %y : tensor<4x8xf32>
  // CHECK: tc.bitwise_and %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi32>
  %22 = tc.bitwise_and %i, %j : tensor<4xi32>
  // CHECK: tc.bitwise_or %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi32>
  %23 = tc.bitwise_or %i, %j : tensor<4xi32>
  // CHECK: tc.bitwise_xor %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi32>
  %24 = tc.bitwise_xor %i, %j : tensor<4xi32>
  // CHECK: tc.shift_left %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi32>
  %25 = tc.shift_left %i, %j : tensor<4xi32>
  // CHECK: tc.shift_right %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi32>
  %26 = tc.shift_right %i, %j : tensor<4xi32>
  return
}

// Selection, casts and random bits.
// CHECK-LABEL: func @mixed
func.func @mixed(%c: tensor<4x8xi1>, %x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %s: tensor<4xi64>) {
  // CHECK: tc.select %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4x8xi1>, tensor<4x8xf32>
  %0 = tc.select %c, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: tc.cast %{{[a-z0-9_#]+}} : tensor<4x8xf32> to tensor<4x8xbf16>
  %1 = tc.cast %x : tensor<4x8xf32> to tensor<4x8xbf16>
  // CHECK: tc.cast %{{[a-z0-9_#]+}} : tensor<4x8xi1> to tensor<4x8xui8>
  %2 = tc.cast %c : tensor<4x8xi1> to tensor<4x8xui8>
  // CHECK: tc.philox %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi64>
  %3 = tc.philox %s, %s, %s : tensor<4xi64>
  return
}

// Element types: floats, signed and unsigned integers, bool, and those that are only moved.
// CHECK-LABEL: func @element_types
func.func @element_types(%a: tensor<4xf64>, %b: tensor<4xf16>, %c: tensor<4xui8>, %d: tensor<i64>, %e: tensor<4xi1>, %f: tensor<4xf8E4M3FN>, %g: tensor<4xcomplex<f32>>) {
  // CHECK: tc.exp %{{[a-z0-9_#]+}} : tensor<4xf64>
  %0 = tc.exp %a : tensor<4xf64>
  // CHECK: tc.add %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xf16>
  %1 = tc.add %b, %b : tensor<4xf16>
  // CHECK: tc.add %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xui8>
  %2 = tc.add %c, %c : tensor<4xui8>
  // CHECK: tc.mul %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<i64>
  %3 = tc.mul %d, %d : tensor<i64>
  // CHECK: tc.maximum %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi1>
  %4 = tc.maximum %e, %e : tensor<4xi1>
  // CHECK: tc.eq %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi1>
  %5 = tc.eq %e, %e : tensor<4xi1>
  // CHECK: tc.cast %{{[a-z0-9_#]+}} : tensor<4xf8E4M3FN> to tensor<4xf32>
  %6 = tc.cast %f : tensor<4xf8E4M3FN> to tensor<4xf32>
  // CHECK: tc.select %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<4xi1>, tensor<4xcomplex<f32>>
  %7 = tc.select %e, %g, %g : tensor<4xi1>, tensor<4xcomplex<f32>>
  return
}

// Symbolic sizes pass through.
// CHECK-LABEL: func @symbolic
func.func @symbolic(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>, %c: tensor<?x8xi1, #tc.sizes<[s0, 8]>>) attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  // CHECK: tc.exp %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %0 = tc.exp %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.add %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %1 = tc.add %x, %0 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.lt %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %2 = tc.lt %x, %1 : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.isnan %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %3 = tc.isnan %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.select %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}}, %{{[a-z0-9_#]+}} : tensor<?x8xi1, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  %4 = tc.select %2, %x, %1 : tensor<?x8xi1, #tc.sizes<[s0, 8]>>, tensor<?x8xf32, #tc.sizes<[s0, 8]>>
  // CHECK: tc.cast %{{[a-z0-9_#]+}} : tensor<?x8xf32, #tc.sizes<[s0, 8]>> to tensor<?x8xf16, #tc.sizes<[s0, 8]>>
  %5 = tc.cast %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>> to tensor<?x8xf16, #tc.sizes<[s0, 8]>>
  return
}
