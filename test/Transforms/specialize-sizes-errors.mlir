// RUN: tc-opt %s --tc-specialize-sizes --split-input-file --verify-diagnostics
// RUN: not tc-opt %S/Inputs/one-symbol.mlir "--tc-specialize-sizes=specialize=main:s0" 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: not tc-opt %S/Inputs/one-symbol.mlir "--tc-specialize-sizes=specialize=main:s0=9..4" 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not tc-opt %S/Inputs/one-symbol.mlir "--tc-specialize-sizes=specialize=step:s0=8" 2>&1 | FileCheck %s --check-prefix=NAME

// FORM: error: 'main:s0' names no specialisation; expected FUNCTION:SYMBOL=VALUE, FUNCTION:SYMBOL=MIN..MAX or FUNCTION:SYMBOL%DIVISOR, further symbols after ':'
// RANGE: error: 'main:s0=9..4' names no specialisation; expected FUNCTION:SYMBOL=VALUE, FUNCTION:SYMBOL=MIN..MAX or FUNCTION:SYMBOL%DIVISOR, further symbols after ':'
// NAME: error: 'step:s0=8' names no function; the module has main

// A symbol that the function has not.
// expected-error @+1 {{function 'main' has no symbol 's7' to specialise; it has s0, s1}}
func.func @main(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>)
    attributes {tc.specializations = [[#tc.symbol<"s7", min = 8, max = 8>]],
                tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
  return
}

// -----

// A function without symbols.
// expected-error @+1 {{function 'main' has no symbol 's0' to specialise; it has none}}
func.func @main(%x: tensor<4xf32>) attributes {tc.specializations = [[#tc.symbol<"s0", min = 8, max = 8>]]} {
  return
}

// -----

// A value outside of the range.
// expected-error @+2 {{function 'main' cannot be specialised to s0 in [100, 100]}}
// expected-note @+1 {{it has s0 in [2, 64]}}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>)
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 100, max = 100>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  return
}

// -----

// A value that the divisor excludes.
// expected-error @+2 {{function 'main' cannot be specialised to s0 in [6, 6]}}
// expected-note @+1 {{it has s0 in [2, 64], a multiple of 4}}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>)
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 6, max = 6>]], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64, divisor = 4>]} {
  return
}

// -----

// A symbol that is known only when the function runs.
// expected-error @+1 {{function 'main' cannot be specialised to u0 in [8, 8], which depends on data and is known only when the function runs}}
func.func @main(%n: tensor<i64>)
    attributes {tc.specializations = [[#tc.symbol<"u0", min = 8, max = 8>]], tc.symbols = [#tc.symbol<"u0", min = 0, max = 64>]} {
  tc.size_from "u0" = %n : tensor<i64>
  return
}

// -----

// A value for which an op could never run.
// expected-note @+1 {{function 'main' cannot be specialised to the sizes of 'main.s0_1'}}
func.func @main(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<3xf32>, tensor<3xi64>)
    attributes {tc.specializations = [[#tc.symbol<"s0", min = 1, max = 1>]], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  // expected-error @+1 {{'tc.topk' op expects 'k' of at most size 0 of 'x', 1, but it is 3}}
  %v, %i = tc.topk %x dim 0 k 3 : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<3xf32>, tensor<3xi64>
  return %v, %i : tensor<3xf32>, tensor<3xi64>
}
