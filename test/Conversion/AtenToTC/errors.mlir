// RUN: tc-opt --convert-aten-to-tc --split-input-file --verify-diagnostics %s

// All overloads without a conversion are named in one message.
func.func @unsupported(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.special_bessel_j0.default' is not supported; replace it in the model, or decompose it with run_decompositions() before the export}}
  %a = tc.aten "aten.special_bessel_j0.default"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-note @below {{'aten.special_bessel_j1.default' is not supported either}}
  %b = tc.aten "aten.special_bessel_j1.default"(%a) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @missing_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.add.Tensor' expects argument 'other' of type Tensor, but it is missing}}
  %r = tc.aten "aten.add.Tensor"(%x) {self = #tc.operand<0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

// Factors are one for all, or one for each row and column.
func.func @scale_of_blocks(%x: tensor<32x64xf8E4M3FN>, %y: tensor<64x16xf8E4M3FN>, %s: tensor<32x2xf32>) -> tensor<32x16xbf16> {
  // expected-error @below {{'aten._scaled_mm.default' is not supported with a 'scale_a' that is neither one f32 nor one for each row of the left and each column of the right operand}}
  %r = tc.aten "aten._scaled_mm.default"(%x, %y, %s) {self = #tc.operand<0>, mat2 = #tc.operand<1>, scale_a = #tc.operand<2>, scale_b = #tc.operand<2>, out_dtype = bf16} : (tensor<32x64xf8E4M3FN>, tensor<64x16xf8E4M3FN>, tensor<32x2xf32>) -> tensor<32x16xbf16>
  return %r : tensor<32x16xbf16>
}

// -----

func.func @scaled_bf16(%x: tensor<32x64xbf16>, %y: tensor<64x16xbf16>, %s: tensor<f32>) -> tensor<32x16xbf16> {
  // expected-error @below {{'aten._scaled_mm.default' is not supported with other operands than matrices of f8E4M3FN and f8E5M2}}
  %r = tc.aten "aten._scaled_mm.default"(%x, %y, %s) {self = #tc.operand<0>, mat2 = #tc.operand<1>, scale_a = #tc.operand<2>, scale_b = #tc.operand<2>, out_dtype = bf16} : (tensor<32x64xbf16>, tensor<64x16xbf16>, tensor<f32>) -> tensor<32x16xbf16>
  return %r : tensor<32x16xbf16>
}

// -----

func.func @wrong_argument(%x: tensor<4xf32>) -> tensor<f32> {
  // expected-error @below {{'aten.sum.dim_IntList' expects argument 'dim' of type int[], but it is "all"}}
  %r = tc.aten "aten.sum.dim_IntList"(%x) {self = #tc.operand<0>, dim = "all"} : (tensor<4xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// -----

func.func @unknown_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.relu.default' has no argument 'alpha'}}
  %r = tc.aten "aten.relu.default"(%x) {self = #tc.operand<0>, alpha = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @operand_out_of_range(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'tc.aten' op names operand 1 in its arguments; expected one of its 1 operands}}
  %r = tc.aten "aten.relu.default"(%x) {self = #tc.operand<1>} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @dim_out_of_range(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.sum.dim_IntList' is not supported with 'dim' 2 of a tensor of rank 2}}
  %r = tc.aten "aten.sum.dim_IntList"(%x) {self = #tc.operand<0>, dim = [2]} : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @sizes_that_do_not_broadcast(%x: tensor<4xf32>, %y: tensor<3xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.add.Tensor' is not supported with size 3 where 4 or 1 is expected}}
  %r = tc.aten "aten.add.Tensor"(%x, %y) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @wrong_result(%x: tensor<4x8xf32>) -> tensor<5xf32> {
  // expected-error @below {{'aten.view.default' gives 'tensor<4x8xf32>' by its arguments, but the capture says 'tensor<5xf32>'}}
  %r = tc.aten "aten.view.default"(%x) {self = #tc.operand<0>, size = [5]} : (tensor<4x8xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// -----

// A size that depends on data is known in the body of a function alone.
func.func @mask_in_a_branch(%c: tensor<i1>, %x: tensor<4xf32>, %m: tensor<4xi1>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
  %r = tc.if %c : tensor<i1> -> tensor<f32> {
    // expected-error @below {{'aten.masked_select.default' is not supported with a size that depends on data, in a branch}}
    %s = tc.aten "aten.masked_select.default"(%x, %m) {self = #tc.operand<0>, mask = #tc.operand<1>} : (tensor<4xf32>, tensor<4xi1>) -> tensor<?xf32, #tc.sizes<[u0]>>
    %t = tc.aten "aten.sum.default"(%s) {self = #tc.operand<0>} : (tensor<?xf32, #tc.sizes<[u0]>>) -> tensor<f32>
    tc.yield %t : tensor<f32>
  } else {
    %z = tc.full 0.0 : f32 -> tensor<f32>
    tc.yield %z : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

func.func @mask_in_a_loop(%c: tensor<i1>, %x: tensor<4xf32>, %m: tensor<4xi1>, %z: tensor<f32>) -> tensor<f32> attributes {tc.symbols = [#tc.symbol<"u0", min = 0, max = 4>]} {
  %r = tc.while carry(%v = %z : tensor<f32>) {
    tc.yield %c : tensor<i1>
  } do(%v) {
    // expected-error @below {{'aten.masked_select.default' is not supported with a size that depends on data, in a loop}}
    %s = tc.aten "aten.masked_select.default"(%x, %m) {self = #tc.operand<0>, mask = #tc.operand<1>} : (tensor<4xf32>, tensor<4xi1>) -> tensor<?xf32, #tc.sizes<[u0]>>
    %t = tc.aten "aten.sum.default"(%s) {self = #tc.operand<0>} : (tensor<?xf32, #tc.sizes<[u0]>>) -> tensor<f32>
    tc.yield %t : tensor<f32>
  }
  return %r : tensor<f32>
}

// -----

// Neither product makes one symbol follow from others.
func.func @unequal_products(%x: tensor<9x5xf32>, %i: tensor<?xi64, #tc.sizes<[s0 * s1]>>, %y: tensor<?x5xf32, #tc.sizes<[s2 * s3, 5]>>) -> tensor<9x5xf32> {
  // expected-error @below {{'aten.index_put.default' takes the sizes s2 * s3 and s0 * s1 as equal, and no size of an argument follows from that; compare single sizes of inputs in the model, with torch._check(a.shape[0] == b.shape[0]), before the export}}
  %r = tc.aten "aten.index_put.default"(%x, %i, %y) {self = #tc.operand<0>, indices = [#tc.operand<1>], values = #tc.operand<2>} : (tensor<9x5xf32>, tensor<?xi64, #tc.sizes<[s0 * s1]>>, tensor<?x5xf32, #tc.sizes<[s2 * s3, 5]>>) -> tensor<9x5xf32>
  return %r : tensor<9x5xf32>
}

// -----

func.func @select_scatter_of_a_row_in_a_cube(%x: tensor<4x8x2xf32>, %y: tensor<8xf32>) -> tensor<4x8x2xf32> {
  // expected-error @below {{'aten.select_scatter.default' is not supported with a source of rank 1 for a tensor of rank 3}}
  %r = tc.aten "aten.select_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, dim = 0 : i64, index = 1 : i64} : (tensor<4x8x2xf32>, tensor<8xf32>) -> tensor<4x8x2xf32>
  return %r : tensor<4x8x2xf32>
}

// -----

// More padding than PyTorch takes.
func.func @pool_padding(%x: tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32> {
  // expected-error @below {{'tc.max_pool' op expects padding of at most half the window, but along spatial dimension 0 it is 2 for a window of 2}}
  %r = tc.aten "aten.max_pool2d.default"(%x) {self = #tc.operand<0>, kernel_size = [2, 2], padding = [2, 2]} : (tensor<1x4x8x8xf32>) -> tensor<1x4x7x7xf32>
  return %r : tensor<1x4x7x7xf32>
}

// -----

func.func @dropout_of_more_than_all(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.dropout.default' is not supported with a probability of 1.500000; expected one from 0 to 1}}
  %r = tc.aten "aten.dropout.default"(%x) {input = #tc.operand<0>, p = 1.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @dropout_of_channels_of_a_row(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'aten.feature_dropout.default' is not supported with an input of rank 1 where 2 is the least}}
  %r = tc.aten "aten.feature_dropout.default"(%x) {input = #tc.operand<0>, p = 0.5 : f64, train = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// -----

func.func @symbolic_channels(%x: tensor<1x?x8xf32, #tc.sizes<[1, s0*2, 8]>>, %w: tensor<4x?x3xf32, #tc.sizes<[4, s0, 3]>>) -> tensor<1x4x6xf32>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @below {{'aten.conv1d.default' is not supported with groups of a symbolic number of channels}}
  %r = tc.aten "aten.conv1d.default"(%x, %w) {input = #tc.operand<0>, weight = #tc.operand<1>, groups = 2 : i64} : (tensor<1x?x8xf32, #tc.sizes<[1, s0*2, 8]>>, tensor<4x?x3xf32, #tc.sizes<[4, s0, 3]>>) -> tensor<1x4x6xf32>
  return %r : tensor<1x4x6xf32>
}

// -----

func.func @symbolic_groups(%x: tensor<1x?x8xf32, #tc.sizes<[1, s0, 8]>>) -> tensor<1x?x8xf32, #tc.sizes<[1, s0, 8]>>
    attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 64>]} {
  // expected-error @below {{'aten.group_norm.default' is not supported with a symbolic number of channels, which 2 groups may not divide}}
  %r = tc.aten "aten.group_norm.default"(%x) {input = #tc.operand<0>, num_groups = 2 : i64} : (tensor<1x?x8xf32, #tc.sizes<[1, s0, 8]>>) -> tensor<1x?x8xf32, #tc.sizes<[1, s0, 8]>>
  return %r : tensor<1x?x8xf32, #tc.sizes<[1, s0, 8]>>
}

// -----

// An element type that no op computes on is refused.
func.func @arithmetic_of_float8(%x: tensor<4xf8E5M2>) -> tensor<4xf8E5M2> {
  // expected-error @below {{'aten.add.Tensor' is not supported with these operands: 'tc.add' op operand #0 must be number, or tensor of it with every '?' named in #tc.sizes, but got 'tensor<4xf8E5M2>'}}
  %r = tc.aten "aten.add.Tensor"(%x, %x) {self = #tc.operand<0>, other = #tc.operand<1>} : (tensor<4xf8E5M2>, tensor<4xf8E5M2>) -> tensor<4xf8E5M2>
  return %r : tensor<4xf8E5M2>
}

// -----

func.func @diagonal_scatter_of_a_short_row(%x: tensor<6x4xf32>, %y: tensor<2xf32>) -> tensor<6x4xf32> {
  // expected-error @below {{'aten.diagonal_scatter.default' is not supported with a source that is not of the diagonal's sizes}}
  %r = tc.aten "aten.diagonal_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, offset = 1 : i64} : (tensor<6x4xf32>, tensor<2xf32>) -> tensor<6x4xf32>
  return %r : tensor<6x4xf32>
}

// -----

func.func @slice_scatter_of_two(%x: tensor<9xf32>, %y: tensor<2xf32>) -> tensor<9xf32> {
  // expected-error @below {{'aten.slice_scatter.default' is not supported with a source of 2 elements for a slice of 4}}
  %r = tc.aten "aten.slice_scatter.default"(%x, %y) {self = #tc.operand<0>, src = #tc.operand<1>, start = -8 : i64, end = 20 : i64, step = 2 : i64} : (tensor<9xf32>, tensor<2xf32>) -> tensor<9xf32>
  return %r : tensor<9xf32>
}

// -----

func.func @product_of_two_types(%x: tensor<2x3xf32>, %y: tensor<3x4xf64>) -> tensor<2x4xf64> {
  // expected-error @below {{'aten.mm.default' is not supported with operands of different element types}}
  %r = tc.aten "aten.mm.default"(%x, %y) {self = #tc.operand<0>, mat2 = #tc.operand<1>} : (tensor<2x3xf32>, tensor<3x4xf64>) -> tensor<2x4xf64>
  return %r : tensor<2x4xf64>
}

// -----

func.func @scale_of_rows_alone(%x: tensor<1x1x4x4xf32>) -> tensor<1x1x3x4xf32> {
  // expected-error @below {{'aten._upsample_bilinear2d_aa.default' is not supported with scales of some dimensions alone}}
  %r = tc.aten "aten._upsample_bilinear2d_aa.default"(%x) {self = #tc.operand<0>, output_size = [3 : i64, 4 : i64], align_corners = false, scales_h = 0.8 : f64, scales_w = unit} : (tensor<1x1x4x4xf32>) -> tensor<1x1x3x4xf32>
  return %r : tensor<1x1x3x4xf32>
}
