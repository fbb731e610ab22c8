// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of the composites of neural networks.

// The dimension of a softmax is one of x.
func.func @dimension_softmax_one_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.softmax' op expects 'dim' in [0, 2), but it is 2}}
  %0 = tc.softmax %x dim 2 : tensor<4x8xf32>
  return
}

// -----

// The dimension of a log_softmax is one of x.
func.func @dimension_logsoftmax_one_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.log_softmax' op expects 'dim' in [0, 2), but it is -1}}
  %0 = tc.log_softmax %x dim -1 : tensor<4x8xf32>
  return
}

// -----

// A layer_norm is over some dimensions of x.
func.func @layernorm_over_some_dimensions_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.layer_norm' op expects 'rank' from 1 to the rank of 'x', 2, but it is 3}}
  %0 = tc.layer_norm %x rank 3 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

// The eps of a layer_norm is a number.
func.func @eps_layernorm_nan(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.layer_norm' op expects 'eps' to be a number, but it is nan}}
  %0 = tc.layer_norm %x rank 1 eps 0x7FF8000000000000 : tensor<4x8xf32>
  return
}

// -----

// The weight of a layer_norm has the last sizes.
func.func @weight_layernorm_last_sizes(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.layer_norm' op expects 'weight' of sizes [8], but its sizes are [4]}}
  %0 = tc.layer_norm %x weight %w : tensor<4xf32> rank 1 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

// The bias of a layer_norm has the last sizes.
func.func @bias_layernorm_last_sizes(%x: tensor<4x8xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{'tc.layer_norm' op expects 'bias' of sizes [4, 8], but its sizes are [8]}}
  %0 = tc.layer_norm %x bias %b : tensor<8xf32> rank 2 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

// An rms_norm is over some dimensions of x.
func.func @rmsnorm_over_some_dimensions_x(%x: tensor<4x8xf32>) {
  // expected-error @+1 {{'tc.rms_norm' op expects 'rank' from 1 to the rank of 'x', 2, but it is 0}}
  %0 = tc.rms_norm %x rank 0 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

// The weight of an rms_norm has the last sizes.
func.func @weight_rmsnorm_last_sizes(%x: tensor<4x8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.rms_norm' op expects 'weight' of sizes [8], but its sizes are [4]}}
  %0 = tc.rms_norm %x weight %w : tensor<4xf32> rank 1 eps 1.0e-5 : tensor<4x8xf32>
  return
}

// -----

// A group_norm has channels.
func.func @groupnorm_channels(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.group_norm' op expects 'x' of rank 2 or more, but its rank is 1}}
  %0 = tc.group_norm %x groups 2 eps 1.0e-5 : tensor<4xf32>
  return
}

// -----

// A group_norm has a group.
func.func @groupnorm_group(%x: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{'tc.group_norm' op expects 'groups' of at least 1, but it is 0}}
  %0 = tc.group_norm %x groups 0 eps 1.0e-5 : tensor<1x8x4x4xf32>
  return
}

// -----

// Groups divide the channels.
func.func @groups_divide_channels(%x: tensor<1x8x4x4xf32>) {
  // expected-error @+1 {{'tc.group_norm' op expects size 1 of 'x' to be a multiple of 'groups', 3, but it is 8}}
  %0 = tc.group_norm %x groups 3 eps 1.0e-5 : tensor<1x8x4x4xf32>
  return
}

// -----

// The weight of a group_norm is of the channels.
func.func @weight_groupnorm_channels(%x: tensor<1x8x4x4xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.group_norm' op expects 'weight' of sizes [8], but its sizes are [4]}}
  %0 = tc.group_norm %x weight %w : tensor<4xf32> groups 2 eps 1.0e-5 : tensor<1x8x4x4xf32>
  return
}

// -----

// The bias of a group_norm is of the channels.
func.func @bias_groupnorm_channels(%x: tensor<1x8x4x4xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.group_norm' op expects 'bias' of sizes [8], but its sizes are [4]}}
  %0 = tc.group_norm %x bias %w : tensor<4xf32> groups 2 eps 1.0e-5 : tensor<1x8x4x4xf32>
  return
}

// -----

// A batch_norm has channels.
func.func @batchnorm_channels(%x: tensor<4xf32>) {
  // expected-error @+1 {{'tc.batch_norm' op expects 'x' of rank 2 or more, but its rank is 1}}
  %0 = tc.batch_norm %x mean %x variance %x eps 1.0e-5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// The mean of a batch_norm is of the channels.
func.func @mean_batchnorm_channels(%x: tensor<1x8x4x4xf32>, %g: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.batch_norm' op expects 'mean' of sizes [8], but its sizes are [4]}}
  %0 = tc.batch_norm %x mean %w variance %g eps 1.0e-5 : tensor<1x8x4x4xf32>, tensor<4xf32>, tensor<8xf32>
  return
}

// -----

// The variance of a batch_norm is of the channels.
func.func @variance_batchnorm_channels(%x: tensor<1x8x4x4xf32>, %g: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.batch_norm' op expects 'variance' of sizes [8], but its sizes are [4]}}
  %0 = tc.batch_norm %x mean %g variance %w eps 1.0e-5 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<4xf32>
  return
}

// -----

// The weight of a batch_norm is of the channels.
func.func @weight_batchnorm_channels(%x: tensor<1x8x4x4xf32>, %g: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.batch_norm' op expects 'weight' of sizes [8], but its sizes are [4]}}
  %0 = tc.batch_norm %x mean %g variance %g weight %w : tensor<4xf32> eps 1.0e-5 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// The bias of a batch_norm is of the channels.
func.func @bias_batchnorm_channels(%x: tensor<1x8x4x4xf32>, %g: tensor<8xf32>, %w: tensor<4xf32>) {
  // expected-error @+1 {{'tc.batch_norm' op expects 'bias' of sizes [8], but its sizes are [4]}}
  %0 = tc.batch_norm %x mean %g variance %g bias %w : tensor<4xf32> eps 1.0e-5 : tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

// Queries, keys and values have one rank.
func.func @queries_keys_values_one_rank(%q: tensor<2x4x16x8xf32>, %k: tensor<4x16x8xf32>, %v: tensor<2x4x16x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects 'q', 'k' and 'v' of one rank of at least 2, but their ranks are 4, 3 and 4}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<4x16x8xf32>, tensor<2x4x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// Queries, keys and values have one element type.
func.func @queries_keys_values_one_element(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xbf16>, %v: tensor<2x4x16x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects 'q', 'k' and 'v' of one element type, but they are 'f32', 'bf16' and 'f32'}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xbf16>, tensor<2x4x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// Queries and keys have one depth.
func.func @queries_keys_one_depth(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x4xf32>, %v: tensor<2x4x16x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects the depth of 'k' to be that of 'q', 8, but it is 4}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x4xf32>, tensor<2x4x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// There is a value for a key.
func.func @there_value_key(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>, %v: tensor<2x4x15x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects as many rows of 'v' as keys, 16, but there are 15}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x15x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// Queries and keys have one batch.
func.func @queries_keys_one_batch(%q: tensor<2x4x16x8xf32>, %k: tensor<1x4x16x8xf32>, %v: tensor<2x4x16x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects batch size 0 of 'k' to be that of 'q', 2, but it is 1}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<1x4x16x8xf32>, tensor<2x4x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// Heads of values divide those of queries.
func.func @heads_values_divide_those_queries(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>, %v: tensor<2x3x16x8xf32>) {
  // expected-error @+1 {{'tc.attention' op expects batch size 1 of 'v' to be or divide that of 'q', 4, but it is 3}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x3x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// The mask broadcasts to the scores.
func.func @mask_broadcasts_scores(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>, %v: tensor<2x4x16x8xf32>, %m: tensor<8x16xi1>) {
  // expected-error @+1 {{'tc.attention' op expects 'mask' to broadcast to [2, 4, 16, 16], but its sizes are [8, 16]}}
  %0 = tc.attention %q, %k, %v mask %m : tensor<8x16xi1> scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

// The result of attention has the sizes of queries and values.
func.func @result_attention_sizes_queries_values(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x16x8xf32>, %v: tensor<2x4x16x6xf32>) {
  // expected-error @+1 {{'tc.attention' op expects a result of type 'tensor<2x4x16x6xf32>', but it is 'tensor<2x4x16x8xf32>'}}
  %0 = tc.attention %q, %k, %v scale 1.0 : tensor<2x4x16x8xf32>, tensor<2x4x16x8xf32>, tensor<2x4x16x6xf32> -> tensor<2x4x16x8xf32>
  return
}

// -----

func.func @attention_logarithms(%q: tensor<2x3x4xbf16>) -> tensor<2x3xbf16> {
  // expected-error @+1 {{'tc.attention' op expects 'logsumexp' of type 'tensor<2x3xf32>', but it is 'tensor<2x3xbf16>'}}
  %o, %l = tc.attention %q, %q, %q scale 0.5 : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3x4xbf16> -> tensor<2x3x4xbf16>, tensor<2x3xbf16>
  return %l : tensor<2x3xbf16>
}

// -----

func.func @attention_sums(%q: tensor<2x3x4xbf16>, %l: tensor<2x3xf32>) -> tensor<2x3x4xbf16> {
  // expected-error @+1 {{'tc.attention_backward' op expects 'grad_q' of type 'tensor<2x3x4xf32>', but it is 'tensor<2x3x4xbf16>'}}
  %gq, %gk, %gv = tc.attention_backward %q, %q, %q, %q, %l, %l scale 0.5 : tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32> -> tensor<2x3x4xbf16>
  return %gq : tensor<2x3x4xbf16>
}

// -----

func.func @dropout_without_seed(%q: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  // expected-error @+1 {{'tc.attention' op expects 'dropout', 'seed' and 'offset' together, but it has only some of them}}
  %r = "tc.attention"(%q, %q, %q) {dropout = 0.1 : f64, scale = 0.5 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0>} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

func.func @dropout_above_1(%q: tensor<2x3x4xf32>, %s: tensor<i64>) -> tensor<2x3x4xf32> {
  // expected-error @+1 {{'tc.attention' op expects 'dropout' from 0 to 1, but it is 1.5}}
  %r = tc.attention %q, %q, %q dropout 1.5 seed %s offset %s : tensor<i64>, tensor<i64> scale 0.5 : tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32> -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// -----

func.func @stage_without_dropout(%x: tensor<2x8x8xbf16>, %l: tensor<2x8xf32>) {
  %e = tc.empty : tensor<2x8x8xf32>
  %0 = tc.kernel "gradients" custom dims [#tc.dim<"g", parallel, 2>, #tc.dim<"q", parallel, 8>, #tc.dim<"k", parallel, 8>, #tc.dim<"d", parallel, 8>, #tc.dim<"c", parallel, 8>] ins(%a = %x : tensor<2x8x8xbf16>, %b = %l : tensor<2x8xf32>) outs(%o = %e : tensor<2x8x8xf32>) {
    %1 = tc.read %a[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4)>] : tensor<2x8x8xbf16> -> bf16
    %2 = tc.read %b[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1)>] : tensor<2x8xf32> -> f32
    // expected-error @+1 {{'tc.attention_backward_stage' op expects 'kept' and 'dropout' together, but it has only one of them}}
    %gq, %gk, %gv = "tc.attention_backward_stage"(%1, %1, %1, %1, %2, %2) {dropout = 0.1 : f64, dims = array<i64: 0, 1, 2, 3, 4>, scale = 0.125 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 0>} : (bf16, bf16, bf16, bf16, f32, f32) -> (f32, bf16, bf16)
    tc.write %gq, %o[affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3)>] : f32, tensor<2x8x8xf32>
  }
  return
}
