// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of contractions and convolutions.

// A spec has two operands and a result.
func.func @spec_two_operands_result(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects 'spec' of the form "mk,kn->mn", but it is "mk,kn"}}
  %0 = tc.contract "mk,kn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// A spec has two operands, not three.
func.func @spec_two_operands_three(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects 'spec' of the form "mk,kn->mn", but it is "mk,kn,n->mn"}}
  %0 = tc.contract "mk,kn,n->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// Labels are letters.
func.func @labels_letters(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects letters as labels of the left operand in 'spec', but found '1'}}
  %0 = tc.contract "m1,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// A label is once in a part.
func.func @label_once_part(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects label 'k' at most once in the right operand of 'spec', but it is in "kk" twice}}
  %0 = tc.contract "mk,kk->m" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// As many labels as dimensions.
func.func @many_labels_dimensions(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects as many labels as dimensions of the left operand, but "bmk" has 3 for 2}}
  %0 = tc.contract "bmk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// A label has one size.
func.func @label_one_size(%a: tensor<4x8xf32>, %b: tensor<9x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects one size for label 'k', but it is 8 in the left operand and 9 in the right one}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<9x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// Symbolic sizes of a label are the same expression.
func.func @symbolic_sizes_label_same_expression(%a: tensor<4x?xf32, #tc.sizes<[4, s0]>>, %b: tensor<?x16xf32, #tc.sizes<[s1, 16]>>) {
  // expected-error @+1 {{'tc.contract' op expects one size for label 'k', but it is s0 in the left operand and s1 in the right one}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x?xf32, #tc.sizes<[4, s0]>>, tensor<?x16xf32, #tc.sizes<[s1, 16]>> -> tensor<4x16xf32>
  return
}

// -----

// A label of the left operand alone is in the result.
func.func @label_left_operand_alone_result(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects label 'm', which is in the left operand only, in the result of "mk,kn->n"}}
  %0 = tc.contract "mk,kn->n" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// A label of the right operand alone is in the result.
func.func @label_right_operand_alone_result(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects label 'n', which is in the right operand only, in the result of "mk,kn->m"}}
  %0 = tc.contract "mk,kn->m" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// A label of the result is in an operand.
func.func @label_result_operand(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects label 'x' of the result in an operand of "mk,kn->mnx"}}
  %0 = tc.contract "mk,kn->mnx" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<4x16xf32>
  return
}

// -----

// Operands have one element type.
func.func @operands_one_element_type(%a: tensor<4x8xf32>, %b: tensor<8x16xbf16>) {
  // expected-error @+1 {{'tc.contract' op expects operands of one element type, but they are 'f32' and 'bf16'}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xbf16> -> tensor<4x16xf32>
  return
}

// -----

// Floats of 8 bits are multiplied by each other alone, and their sums are of f32.
func.func @float8_and_bf16(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xbf16>) {
  // expected-error @+1 {{'tc.contract' op expects operands of one element type, but they are 'f8E4M3FN' and 'bf16'}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf8E4M3FN>, tensor<8x16xbf16> -> tensor<4x16xf32>
  return
}

// -----

func.func @float8_sums(%a: tensor<4x8xf8E4M3FN>, %b: tensor<8x16xf8E4M3FN>) {
  // expected-error @+1 {{'tc.contract' op expects result 0 of type 'tensor<4x16xf32>', but it is 'tensor<4x16xbf16>'}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf8E4M3FN>, tensor<8x16xf8E4M3FN> -> tensor<4x16xbf16>
  return
}

// -----

// Floats of 8 bits are multiplied by each other alone in kernels, too.
func.func @contraction_float8_and_f32(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %y : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.cast %v : f32 to f8E5M2
    // expected-error @+1 {{'tc.contract_stage' op multiplies 'f8E5M2' and 'f32' to 'f32'; expected equal operands and the result 'f32'}}
    %s = tc.contract_stage %w, %v over [1] : f8E5M2, f32 -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return
}

// -----

// The result type of a contract follows from the operands.
func.func @result_type_contract_follows_from(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) {
  // expected-error @+1 {{'tc.contract' op expects result 0 of type 'tensor<4x16xf32>', but it is 'tensor<16x4xf32>'}}
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<4x8xf32>, tensor<8x16xf32> -> tensor<16x4xf32>
  return
}

// -----

// A convolution has 1 to 3 spatial dimensions.
func.func @convolution_1_3_spatial_dimensions(%x: tensor<1x3xf32>, %w: tensor<3x3xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'x' of rank 3 to 5, but its rank is 2}}
  %0 = tc.convolution %x, %w stride [] padding [] dilation [] : tensor<1x3xf32>, tensor<3x3xf32> -> tensor<1x3xf32>
  return
}

// -----

// Weight and x have one rank.
func.func @weight_x_one_rank(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'weight' of the rank of 'x', 3, but its rank is 4}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Weight and x have one element type.
func.func @weight_x_one_element_type(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf64>) {
  // expected-error @+1 {{'tc.convolution' op expects operands of one element type, but they are 'f32' and 'f64'}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1xf64> -> tensor<1x3x8xf32>
  return
}

// -----

// One stride a spatial dimension.
func.func @one_stride_spatial_dimension(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'stride' to have 1 entries, but it has 2}}
  %0 = tc.convolution %x, %w stride [1, 1] padding [0] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Strides are positive.
func.func @strides_positive(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects entries of 'stride' of at least 1, but one is 0}}
  %0 = tc.convolution %x, %w stride [0] padding [0] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Padding is not negative.
func.func @padding_negative(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects entries of 'padding' of at least 0, but one is -1}}
  %0 = tc.convolution %x, %w stride [1] padding [-1] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Dilation is positive.
func.func @dilation_positive(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects entries of 'dilation' of at least 1, but one is 0}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [0] : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Output padding goes with transposed.
func.func @output_padding_goes_with_transposed(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'output_padding' only with 'transposed'}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {output_padding = array<i64: 1>} : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// One output padding a spatial dimension.
func.func @one_output_padding_spatial_dimension(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'output_padding' to have 1 entries, but it has 2}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {output_padding = array<i64: 1, 1>, transposed} : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// There is a group.
func.func @there_group(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'groups' of at least 1, but it is 0}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 0 : i64} : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Channels are those of the weight.
func.func @channels_those_weight(%x: tensor<1x3x8xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects 'x' to have the 8 channels that 'weight' and 'groups' imply, but it has 3}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 2 : i64} : tensor<1x3x8xf32>, tensor<3x4x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// Groups divide the output channels.
func.func @groups_divide_output_channels(%x: tensor<1x8x8xf32>, %w: tensor<3x4x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects size 0 of 'weight' to be a multiple of 'groups', 2, but it is 3}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] {groups = 2 : i64} : tensor<1x8x8xf32>, tensor<3x4x1xf32> -> tensor<1x3x8xf32>
  return
}

// -----

// A kernel fits into the padded input.
func.func @kernel_fits_into_padded_input(%x: tensor<1x3x4xf32>, %w: tensor<3x3x5xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects the number of outputs along spatial dimension 0 of at least 1, but it is -4}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [2] : tensor<1x3x4xf32>, tensor<3x3x5xf32> -> tensor<1x3x1xf32>
  return
}

// -----

// The result type of a convolution follows from the operands.
func.func @result_type_convolution_follows_from(%x: tensor<1x3x8xf32>, %w: tensor<3x3x1xf32>) {
  // expected-error @+1 {{'tc.convolution' op expects result 0 of type 'tensor<1x3x8xf32>', but it is 'tensor<1x3x9xf32>'}}
  %0 = tc.convolution %x, %w stride [1] padding [0] dilation [1] : tensor<1x3x8xf32>, tensor<3x3x1xf32> -> tensor<1x3x9xf32>
  return
}
