// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of indexing, gather and scatter.

// The index of a gather has the rank of x.
func.func @index_gather_rank_x(%x: tensor<4x8xf32>, %i: tensor<4xi64>) {
  // expected-error @+1 {{'tc.gather' op expects 'index' of the rank of 'x', 2, but its rank is 1}}
  %0 = tc.gather %x[%i] dim 0 : tensor<4x8xf32>, tensor<4xi64> -> tensor<4xf32>
  return
}

// -----

// The dimension of a gather is one of x.
func.func @dimension_gather_one_x(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>) {
  // expected-error @+1 {{'tc.gather' op expects 'dim' in [0, 2), but it is 2}}
  %0 = tc.gather %x[%i] dim 2 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x2xf32>
  return
}

// -----

// The index of a gather is no larger than x elsewhere.
func.func @index_gather_no_larger_than(%x: tensor<4x8xf32>, %i: tensor<5x2xi64>) {
  // expected-error @+1 {{'tc.gather' op expects size 0 of 'index' of at most size 0 of 'x', 4, but it is 5}}
  %0 = tc.gather %x[%i] dim 1 : tensor<4x8xf32>, tensor<5x2xi64> -> tensor<5x2xf32>
  return
}

// -----

// A gather gives the sizes of the index.
func.func @gather_gives_sizes_index(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>) {
  // expected-error @+1 {{'tc.gather' op expects result 0 of type 'tensor<4x2xf32>', but it is 'tensor<4x3xf32>'}}
  %0 = tc.gather %x[%i] dim 1 : tensor<4x8xf32>, tensor<4x2xi64> -> tensor<4x3xf32>
  return
}

// -----

// An index tensor an entry of dims.
func.func @index_tensor_entry_dims(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'tc.index_tensors' op expects one index tensor an entry of 'dims', at least one, but there are 1 for 2}}
  %0 = tc.index_tensors %x[%i] dims [0, 1] : tensor<4x8xf32>, tensor<3xi64> -> tensor<3xf32>
  return
}

// -----

// Indexed dimensions are of x.
func.func @indexed_dimensions_x(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'tc.index_tensors' op expects entries of 'dims' in [0, 2), but entry 0 is 2}}
  %0 = tc.index_tensors %x[%i] dims [2] : tensor<4x8xf32>, tensor<3xi64> -> tensor<3xf32>
  return
}

// -----

// Indexed dimensions increase.
func.func @indexed_dimensions_increase(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'tc.index_tensors' op expects 'dims' in increasing order, but 0 follows 1}}
  %0 = tc.index_tensors %x[%i, %i] dims [1, 0] : tensor<4x8xf32>, tensor<3xi64>, tensor<3xi64> -> tensor<3xf32>
  return
}

// -----

// Index tensors have one shape.
func.func @index_tensors_one_shape(%x: tensor<4x8xf32>, %i: tensor<3xi64>, %j: tensor<2xi64>) {
  // expected-error @+1 {{'tc.index_tensors' op expects index tensors of one shape, but index 0 has sizes [3] and index 1 [2]}}
  %0 = tc.index_tensors %x[%i, %j] dims [0, 1] : tensor<4x8xf32>, tensor<3xi64>, tensor<2xi64> -> tensor<3xf32>
  return
}

// -----

// The result of indexing has the shape of the indices in place.
func.func @result_indexing_shape_indices_place(%x: tensor<4x8xf32>, %i: tensor<3xi64>) {
  // expected-error @+1 {{'tc.index_tensors' op expects result 0 of type 'tensor<3x8xf32>', but it is 'tensor<8x3xf32>'}}
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<4x8xf32>, tensor<3xi64> -> tensor<8x3xf32>
  return
}

// -----

// The index of a scatter has the rank of x.
func.func @index_scatter_rank_x(%x: tensor<4x8xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) {
  // expected-error @+1 {{'tc.scatter' op expects 'index' of the rank of 'x', 2, but its rank is 1}}
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<4x8xf32>, tensor<4xi64>, tensor<4xf32>
  return
}

// -----

// Updates of a scatter have the sizes of the index.
func.func @updates_scatter_sizes_index(%x: tensor<4x8xf32>, %i: tensor<4x2xi64>, %u: tensor<4x3xf32>) {
  // expected-error @+1 {{'tc.scatter' op expects 'updates' of type 'tensor<4x2xf32>', the sizes of 'index' and the element type of 'x', but it is 'tensor<4x3xf32>'}}
  %0 = tc.scatter sum %x[%i] = %u dim 1 : tensor<4x8xf32>, tensor<4x2xi64>, tensor<4x3xf32>
  return
}

// -----

// Bools are not added up.
func.func @bools_added_up(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @+1 {{'tc.scatter' op expects numbers for 'sum', but the element type is 'i1'}}
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<4xi1>, tensor<2xi64>, tensor<2xi1>
  return
}

// -----

// The values of an index_put are what indexing gives.
func.func @values_indexput_what_indexing_gives(%x: tensor<4x8xf32>, %i: tensor<2xi64>, %u: tensor<2x4xf32>) {
  // expected-error @+1 {{'tc.index_put' op expects 'values' of type 'tensor<2x8xf32>', but it is 'tensor<2x4xf32>'}}
  %0 = tc.index_put sum %x[%i] = %u dims [0] : tensor<4x8xf32>, tensor<2x4xf32>, tensor<2xi64>
  return
}

// -----

// Bools are not multiplied.
func.func @bools_multiplied(%x: tensor<4xi1>, %i: tensor<2xi64>, %u: tensor<2xi1>) {
  // expected-error @+1 {{'tc.index_put' op expects numbers for 'prod', but the element type is 'i1'}}
  %0 = tc.index_put prod %x[%i] = %u dims [0] : tensor<4xi1>, tensor<2xi1>, tensor<2xi64>
  return
}

// -----

// Indices are integers.
func.func @indices_integers(%x: tensor<4x8xf32>, %i: tensor<4x2xf32>) {
  // expected-error @+1 {{'tc.gather' op operand #1 must be tensor of i32 or i64 with every '?' named in #tc.sizes, but got 'tensor<4x2xf32>'}}
  %0 = tc.gather %x[%i] dim 1 : tensor<4x8xf32>, tensor<4x2xf32> -> tensor<4x2xf32>
  return
}

// -----

// A row has an index for each dimension.
func.func @nonzero_row(%m: tensor<4x8xi1>) {
  // expected-error @+1 {{'tc.nonzero' op has a result of type 'tensor<3x1xi64>'; expected one row an element that is true, of 2 indices}}
  %0 = tc.nonzero %m : tensor<4x8xi1> -> tensor<3x1xi64>
  return
}

// -----

// Float8 and complex elements are moved alone.
func.func @scatter_moved(%x: tensor<4xcomplex<f32>>, %i: tensor<2xi64>, %u: tensor<2xcomplex<f32>>) {
  // expected-error @+1 {{'tc.scatter' op expects numbers for 'sum', but the element type is 'complex<f32>'}}
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<4xcomplex<f32>>, tensor<2xi64>, tensor<2xcomplex<f32>>
  return
}

// -----

// Float8 and complex elements are moved alone.
func.func @index_put_moved(%x: tensor<4xf8E5M2>, %i: tensor<2xi64>, %u: tensor<2xf8E5M2>) {
  // expected-error @+1 {{'tc.index_put' op expects numbers for 'max', but the element type is 'f8E5M2'}}
  %0 = tc.index_put max %x[%i] = %u dims [0] : tensor<4xf8E5M2>, tensor<2xf8E5M2>, tensor<2xi64>
  return
}

// -----

// A scatter has no more index rows than rows.
func.func @scatter_index_rows(%x: tensor<4x8xf32>, %i: tensor<4x9xi64>, %u: tensor<4x9xf32>) {
  // expected-error @+1 {{'tc.scatter' op expects size 1 of 'index' of at most size 1 of 'x', 8, but it is 9}}
  %0 = tc.scatter replace %x[%i] = %u dim 0 : tensor<4x8xf32>, tensor<4x9xi64>, tensor<4x9xf32>
  return
}
