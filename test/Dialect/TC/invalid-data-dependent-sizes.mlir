// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of symbols that depend on data.

// The name of such a symbol is u and a number.
func.func @name(%n: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 8>]} {
  // expected-error @+1 {{'tc.size_from' op defines 's0'; the name of a data-dependent symbol is u and a number, as u0}}
  tc.size_from "s0" = %n : tensor<i64>
  return
}

// -----

// A definition is in the body of the function, where all that follows sees it.
func.func @size_from_place(%c: tensor<i1>, %n: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.if %c : tensor<i1> {
    // expected-error @+1 {{'tc.size_from' op is in a region; expected it in the body of a function, where all that follows sees 'u0'}}
    tc.size_from "u0" = %n : tensor<i64>
    tc.yield
  } else {
    tc.yield
  }
  return
}

// -----

// The function declares the symbol and its range.
func.func @size_from_declared(%n: tensor<i64>) {
  // expected-error @+1 {{'tc.size_from' op defines 'u0', which 'tc.symbols' of @size_from_declared does not declare}}
  tc.size_from "u0" = %n : tensor<i64>
  return
}

// -----

// A symbol has one definition.
func.func @size_from_once(%n: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  tc.size_from "u0" = %n : tensor<i64>
  // expected-error @+1 {{'tc.size_from' op defines 'u0' once more}}
  tc.size_from "u0" = %n : tensor<i64>
  return
}

// -----

// Nothing names a symbol before its definition.
func.func @size_from_before(%x: tensor<8xf32>, %n: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  // expected-error @+1 {{'tc.slice' op names 'u0', which no tc.size_from before it defines}}
  %0 = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  tc.size_from "u0" = %n : tensor<i64>
  return
}

// -----

// An attribute names a symbol as a type does.
func.func @size_from_before_attribute(%n: tensor<i64>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  // expected-error @+1 {{'tc.size_value' op names 'u0', which no tc.size_from before it defines}}
  %0 = tc.size_value <u0 * 4> : tensor<i64>
  tc.size_from "u0" = %n : tensor<i64>
  return
}

// -----

// A symbol that nothing defines has no value.
func.func @undefined(%x: tensor<8xf32>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  // expected-error @+1 {{'tc.slice' op names 'u0', which no tc.size_from before it defines}}
  %0 = tc.slice %x offsets <[0]> strides [1] : tensor<8xf32> -> tensor<?xf32, #tc.sizes<[u0]>>
  return
}

// -----

// The sizes of arguments are known before the function runs.
// expected-error @+1 {{argument 0 has the type 'tensor<?xf32, #tc.sizes<[u0]>>', but 'u0' is known only when the function runs; expected symbols that are not u and a number}}
func.func @argument(%x: tensor<?xf32, #tc.sizes<[u0]>>) attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 8>]} {
  return
}
