// RUN: tc-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{argument 0 has tc.strides = 96 : i64; expected an array of #tc.expr}}
func.func private @no_array(tensor<8x72xf32> {tc.strides = 96 : i64})

// -----

// expected-error @+1 {{argument 0 has tc.strides = [96, 1]; expected an array of #tc.expr}}
func.func private @no_expressions(tensor<8x72xf32> {tc.strides = [96, 1]})

// -----

// expected-error @+1 {{argument 1 has tc.strides = [#tc.expr<1>], 1 strides; expected 2, one for each dimension of 'tensor<8x72xf32>'}}
func.func private @other_rank(tensor<4xf32>, tensor<8x72xf32> {tc.strides = [#tc.expr<1>]})

// -----

// expected-error @+1 {{argument 0 has tc.strides = [#tc.expr<-1>], a negative stride of dimension 0; expected at least 0}}
func.func private @negative(tensor<4xf32> {tc.strides = [#tc.expr<-1>]})

// -----

// expected-error @+1 {{argument 0 has tc.strides = [#tc.expr<1>] and type 'i64'; expected a ranked tensor}}
func.func private @number(i64 {tc.strides = [#tc.expr<1>]})

// -----

func.func @row_major(%x: tensor<8x72xf32>) {
  // expected-error @+1 {{'tc.input_storage' op is of a value that is no argument with tc.strides; expected an argument of the function that has it}}
  %0 = tc.input_storage %x : tensor<8x72xf32> -> tensor<8x96xf32>
  return
}

// -----

func.func @no_argument(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) {
  %0 = tc.relu %x : tensor<8x72xf32>
  // expected-error @+1 {{'tc.input_storage' op is of a value that is no argument with tc.strides; expected an argument of the function that has it}}
  %1 = tc.input_storage %0 : tensor<8x72xf32> -> tensor<8x96xf32>
  return
}

// -----

func.func @element_type(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) {
  // expected-error @+1 {{'tc.input_storage' op shows 'tensor<8x72xf32>' as 'tensor<8x96xf64>'; expected the same kind of type and of element}}
  %0 = tc.input_storage %x : tensor<8x72xf32> -> tensor<8x96xf64>
  return
}

// -----

func.func @too_small(%x: tensor<8x72xf32> {tc.strides = [#tc.expr<96>, #tc.expr<1>]}) {
  // expected-error @+1 {{'tc.input_storage' op has a result of 736 elements; expected more than 743, the position of the input's last one}}
  %0 = tc.input_storage %x : tensor<8x72xf32> -> tensor<8x92xf32>
  return
}
