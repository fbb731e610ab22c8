// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of pooling and resampling.

// Pooling has 1 to 3 spatial dimensions.
func.func @pooling_1_3_spatial_dimensions(%x: tensor<1x2xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects 'x' of rank 3 to 5, but its rank is 2}}
  %r, %i = tc.max_pool %x kernel [] stride [] padding [] dilation [] : tensor<1x2xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// One kernel size a spatial dimension.
func.func @one_kernel_size_spatial_dimension(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects 'kernel' to have 1 entries, but it has 2}}
  %r, %i = tc.max_pool %x kernel [2, 2] stride [2] padding [0] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// Windows have a size.
func.func @windows_size(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects entries of 'kernel' of at least 1, but one is 0}}
  %r, %i = tc.max_pool %x kernel [0] stride [2] padding [0] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// Windows move on.
func.func @windows_move_on(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects entries of 'stride' of at least 1, but one is 0}}
  %r, %i = tc.max_pool %x kernel [2] stride [0] padding [0] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// Padding of windows is not negative.
func.func @padding_windows_negative(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects entries of 'padding' of at least 0, but one is -1}}
  %r, %i = tc.max_pool %x kernel [2] stride [2] padding [-1] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// Dilation of windows is positive.
func.func @dilation_windows_positive(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects entries of 'dilation' of at least 1, but one is 0}}
  %r, %i = tc.max_pool %x kernel [2] stride [2] padding [0] dilation [0] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// Padding is at most half the window.
func.func @padding_most_half_window(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects padding of at most half the window, but along spatial dimension 0 it is 2 for a window of 3}}
  %r, %i = tc.max_pool %x kernel [3] stride [2] padding [2] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// A window fits into the padded input.
func.func @window_fits_into_padded_input(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects the number of windows along spatial dimension 0 of at least 1, but it is 0}}
  %r, %i = tc.max_pool %x kernel [9] stride [1] padding [0] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x4xf32>, tensor<1x2x4xi64>
  return
}

// -----

// The result type of pooling follows from the windows.
func.func @result_type_pooling_follows_from(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.max_pool' op expects result 0 of type 'tensor<1x2x4xf32>', but it is 'tensor<1x2x5xf32>'}}
  %r, %i = tc.max_pool %x kernel [2] stride [2] padding [0] dilation [1] : tensor<1x2x8xf32> -> tensor<1x2x5xf32>, tensor<1x2x5xi64>
  return
}

// -----

// Padding of an avg_pool is at most half the window.
func.func @padding_avgpool_most_half_window(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.avg_pool' op expects padding of at most half the window, but along spatial dimension 0 it is 2 for a window of 2}}
  %0 = tc.avg_pool %x kernel [2] stride [2] padding [2] : tensor<1x2x8xf32> -> tensor<1x2x6xf32>
  return
}

// -----

// The divisor is not 0.
func.func @divisor_0(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.avg_pool' op expects 'divisor' other than 0}}
  %0 = tc.avg_pool %x kernel [2] stride [2] padding [0] {divisor = 0 : i64} : tensor<1x2x8xf32> -> tensor<1x2x4xf32>
  return
}

// -----

// An adaptive pool has spatial dimensions.
func.func @adaptive_pool_spatial_dimensions(%x: tensor<1x2xf32>) {
  // expected-error @+1 {{'tc.adaptive_avg_pool' op expects 'x' of rank 3 to 5, but its rank is 2}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x2xf32> -> tensor<1x2xf32>
  return
}

// -----

// An adaptive pool keeps the rank.
func.func @adaptive_pool_keeps_rank(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.adaptive_avg_pool' op expects a result of the rank of 'x', 3, but its rank is 4}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x2x8xf32> -> tensor<1x2x1x1xf32>
  return
}

// -----

// An adaptive pool keeps the element type.
func.func @adaptive_pool_keeps_element_type(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.adaptive_avg_pool' op expects a result of the element type of 'x', 'f32', but it is 'f64'}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x2x8xf32> -> tensor<1x2x1xf64>
  return
}

// -----

// An adaptive pool keeps the channels.
func.func @adaptive_pool_keeps_channels(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.adaptive_avg_pool' op expects size 1 of the result to be that of 'x', 2, but it is 3}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x2x8xf32> -> tensor<1x3x1xf32>
  return
}

// -----

// An adaptive pool has elements.
func.func @adaptive_pool_elements(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.adaptive_avg_pool' op expects size 2 of the result of at least 1, but it is 0}}
  %0 = tc.adaptive_avg_pool %x : tensor<1x2x8xf32> -> tensor<1x2x0xf32>
  return
}

// -----

// A resample keeps the batch.
func.func @resample_keeps_batch(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.resample' op expects size 0 of the result to be that of 'x', 1, but it is 2}}
  %0 = tc.resample nearest %x : tensor<1x2x8xf32> -> tensor<2x2x8xf32>
  return
}

// -----

// Corners are aligned in mode linear.
func.func @corners_aligned_mode_linear(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.resample' op expects 'align_corners' only with mode linear}}
  %0 = tc.resample nearest %x {align_corners} : tensor<1x2x8xf32> -> tensor<1x2x16xf32>
  return
}

// -----

// One scale a spatial dimension.
func.func @one_scale_spatial_dimension(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.resample' op expects 'scales' to have 1 entries, but it has 2}}
  %0 = tc.resample linear %x {scales = array<f64: 0.5, 0.5>} : tensor<1x2x8xf32> -> tensor<1x2x16xf32>
  return
}

// -----

// Scales are positive.
func.func @scales_positive(%x: tensor<1x2x8xf32>) {
  // expected-error @+1 {{'tc.resample' op expects entries of 'scales' above 0, but one is 0.000000e+00}}
  %0 = tc.resample linear %x {scales = array<f64: 0.0>} : tensor<1x2x8xf32> -> tensor<1x2x16xf32>
  return
}

// -----

// An average has a window.
func.func @average_window(%x: tensor<1x2x3xf32>) {
  // expected-error @+1 {{'tc.avg_pool' op expects the number of windows along spatial dimension 0 of at least 1, but it is 0}}
  %0 = tc.avg_pool %x kernel [4] stride [1] padding [0] : tensor<1x2x3xf32> -> tensor<1x2x1xf32>
  return
}

// -----

// A resampled tensor has elements.
func.func @resampled_elements(%x: tensor<1x2x0xf32>) {
  // expected-error @+1 {{'tc.resample' op expects size 2 of 'x' of at least 1, but it is 0}}
  %0 = tc.resample nearest %x : tensor<1x2x0xf32> -> tensor<1x2x3xf32>
  return
}
