// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of constants, shapes and views.

// The value of a full has the element type.
func.func @value_full_element_type() {
  // expected-error @+1 {{'tc.full' op has a value of type 'f64' in a tensor of 'f32'}}
  %0 = tc.full 1.0 : f64 -> tensor<4xf32>
  return
}

// -----

// The dimension of an iota is one of the result.
func.func @dimension_iota_one_result() {
  // expected-error @+1 {{'tc.iota' op has dim 1; the result has rank 1}}
  %0 = tc.iota dim 1 start 0 step 1 : tensor<8xi64>
  return
}

// -----

// The dimension of an iota is not negative.
func.func @dimension_iota_negative() {
  // expected-error @+1 {{'tc.iota' op has dim -1; the result has rank 1}}
  %0 = tc.iota dim -1 start 0 step 1 : tensor<8xi64>
  return
}

// -----

// A broadcast keeps the element type.
func.func @broadcast_keeps_element_type(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tc.broadcast' op changes the element type from 'f32' to 'f64'}}
  %0 = tc.broadcast %x dims [1] : tensor<8xf32> -> tensor<4x8xf64>
  return
}

// -----

// A broadcast places every dimension.
func.func @broadcast_places_every_dimension(%x: tensor<8xf32>) {
  // expected-error @+1 {{'tc.broadcast' op has 0 dims; expected one for each of the operand's 1 dimensions}}
  %0 = tc.broadcast %x dims [] : tensor<8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A broadcast keeps the order of dimensions.
func.func @broadcast_keeps_order_dimensions(%x: tensor<8x4xf32>) {
  // expected-error @+1 {{'tc.broadcast' op has dims [1, 0]; expected them increasing and below 2}}
  %0 = tc.broadcast %x dims [1, 0] : tensor<8x4xf32> -> tensor<4x8xf32>
  return
}

// -----

// A broadcast repeats size 1 only.
func.func @broadcast_repeats_size_1_only(%x: tensor<2xf32>) {
  // expected-error @+1 {{'tc.broadcast' op takes dimension 0 of size 2 to size 8; expected equal sizes or 1}}
  %0 = tc.broadcast %x dims [1] : tensor<2xf32> -> tensor<4x8xf32>
  return
}

// -----

// A broadcast does not take one symbol for another.
func.func @broadcast_does_take_one_symbol(%x: tensor<?xf32, #tc.sizes<[s0]>>) {
  // expected-error @+1 {{'tc.broadcast' op takes dimension 0 of size s0 to size s1; expected equal sizes or 1}}
  %0 = tc.broadcast %x dims [0] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<?xf32, #tc.sizes<[s1]>>
  return
}

// -----

// A permutation has every dimension once.
func.func @permutation_every_dimension_once(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.transpose' op permutation [0, 0] is none of the operand's dimensions, of type 'tensor<4x8xf32>'}}
  %0 = tc.transpose %x [0, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A transpose permutes the sizes.
func.func @transpose_permutes_sizes(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.transpose' op expects result 0 of type 'tensor<8x4xf32>', but it is 'tensor<4x8xf32>'}}
  %0 = tc.transpose %x [1, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A reshape keeps the element type.
func.func @reshape_keeps_element_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reshape' op changes the element type from 'f32' to 'i32'}}
  %0 = tc.reshape %x : tensor<4x8xf32> -> tensor<32xi32>
  return
}

// -----

// A reshape keeps the number of elements.
func.func @reshape_keeps_number_elements(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.reshape' op expects the number of elements of the result to be that of 'x', 32, but it is 33}}
  %0 = tc.reshape %x : tensor<4x8xf32> -> tensor<33xf32>
  return
}

// -----

// A reshape keeps the symbolic number of elements.
func.func @reshape_keeps_symbolic_number_elements(%x: tensor<?x8xf32, #tc.sizes<[s0, 8]>>) {
  // expected-error @+1 {{'tc.reshape' op expects the number of elements of the result to be that of 'x', s0 * 8, but it is s0 * 4}}
  %0 = tc.reshape %x : tensor<?x8xf32, #tc.sizes<[s0, 8]>> -> tensor<?x4xf32, #tc.sizes<[s0, 4]>>
  return
}

// -----

// A slice keeps the rank.
func.func @slice_keeps_rank(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.slice' op takes 'tensor<4x8xf32>' to 'tensor<8xf32>'; expected the same element type and rank}}
  %0 = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<4x8xf32> -> tensor<8xf32>
  return
}

// -----

// A slice has an offset and a stride a dimension.
func.func @slice_offset_stride_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.slice' op has 1 offsets and 2 strides; expected 2 of each}}
  %0 = tc.slice %x offsets <[0]> strides [1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A slice moves on.
func.func @slice_moves_on(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.slice' op has stride 0 in dimension 0; expected another}}
  %0 = tc.slice %x offsets <[0, 0]> strides [0, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A slice stays inside.
func.func @slice_stays_inside(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.slice' op expects the end of the slice along dimension 1 of at most size 1 of 'x', 8, but it is 11}}
  %0 = tc.slice %x offsets <[0, 4]> strides [1, 2] : tensor<4x8xf32> -> tensor<4x4xf32>
  return
}

// -----

// A slice with a negative stride stays inside.
func.func @slice_with_negative_stride_stays(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.slice' op expects the begin of the slice along dimension 0 of at least 0, but it is -1}}
  %0 = tc.slice %x offsets <[2, 0]> strides [-1, 1] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A pad has entries a dimension.
func.func @pad_entries_dimension(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.pad' op has 1 low and 2 high entries; expected one each for the dimensions of 'tensor<4x8xf32>'}}
  %0 = tc.pad reflect %x low [1] high [0, 0] : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// A pad adds to the sizes.
func.func @pad_adds_sizes(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.pad' op expects result 0 of type 'tensor<5x8xf32>', but it is 'tensor<4x8xf32>'}}
  %0 = tc.pad reflect %x low [1, 0] high [0, 0] : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// A constant pad has a value.
func.func @constant_pad_value(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.pad' op has no value in mode constant; expected one exactly in mode constant}}
  %0 = tc.pad constant %x low [1, 0] high [0, 0] : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// A reflecting pad has no value.
func.func @reflecting_pad_no_value(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.pad' op has a value in mode reflect; expected one exactly in mode constant}}
  %0 = tc.pad reflect %x low [1, 0] high [0, 0] value 0.0 : f32 : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// The value of a pad has the element type.
func.func @value_pad_element_type(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.pad' op has a value of type 'f64' for a tensor of 'f32'}}
  %0 = tc.pad constant %x low [1, 0] high [0, 0] value 0.0 : f64 : tensor<4x8xf32> -> tensor<5x8xf32>
  return
}

// -----

// A concat has inputs.
func.func @concat_inputs() {
  // expected-error @+1 {{'tc.concat' op has no operands; expected at least one}}
  %0 = "tc.concat"() <{dim = 0 : i64}> : () -> tensor<4xf32>
  return
}

// -----

// The dimension of a concat is one of the inputs.
func.func @dimension_concat_one_inputs(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.concat' op has dim -1 on operands of type 'tensor<4x8xf32>'}}
  %0 = tc.concat %x, %x dim -1 : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<8x8xf32>
  return
}

// -----

// Inputs of a concat have one rank.
func.func @inputs_concat_one_rank(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error @+1 {{'tc.concat' op joins 'tensor<4x8xf32>' and 'tensor<8xf32>'; expected the same rank and element type}}
  %0 = tc.concat %x, %y dim 0 : tensor<4x8xf32>, tensor<8xf32> -> tensor<5x8xf32>
  return
}

// -----

// Inputs of a concat agree in the other sizes.
func.func @inputs_concat_agree_other_sizes(%x: tensor<4x8xf32>, %y: tensor<2x9xf32>) {
  // expected-error @+1 {{'tc.concat' op joins sizes 8 and 9 in dimension 1; expected equal sizes in all but dimension 0}}
  %0 = tc.concat %x, %y dim 0 : tensor<4x8xf32>, tensor<2x9xf32> -> tensor<6x8xf32>
  return
}

// -----

// A pad removes no more than there is.
func.func @pad_removes_what_is_there(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.pad' op expects size 0 of 'x' of at least 5, but it is 4}}
  %0 = tc.pad constant %x low [-5] high [9] value 0.0 : f32 : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// A reflecting pad ends before the other end.
func.func @reflecting_pad_within(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.pad' op expects entry 0 of 'high' of at most size 0 of 'x' less 1, 3, but it is 4}}
  %0 = tc.pad reflect %x low [0] high [4] : tensor<4xf32> -> tensor<8xf32>
  return
}

// -----

// A circular pad goes round once.
func.func @circular_pad_once(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.pad' op expects entry 0 of 'low' of at most size 0 of 'x', 4, but it is 5}}
  %0 = tc.pad circular %x low [5] high [0] : tensor<4xf32> -> tensor<9xf32>
  return
}

// -----

// A replicating pad has something to repeat.
func.func @replicating_pad_of_something(%x: tensor<0xf32>) {
  // expected-error @+1 {{'tc.pad' op expects size 0 of 'x' of at least 1, but it is 0}}
  %0 = tc.pad replicate %x low [2] high [0] : tensor<0xf32> -> tensor<2xf32>
  return
}

// -----

// A slice ends where its tensor does, whatever the size is.
func.func @slice_beyond_symbolic_end(%x: tensor<?xf32, #tc.sizes<[s0]>>) {
  // expected-error @+1 {{'tc.slice' op expects the end of the slice along dimension 0 of at most size 0 of 'x', s0, but it is s0 + 3}}
  %0 = tc.slice %x offsets <[s0 - 1]> strides [1] : tensor<?xf32, #tc.sizes<[s0]>> -> tensor<4xf32>
  return
}
