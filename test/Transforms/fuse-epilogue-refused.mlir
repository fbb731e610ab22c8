// RUN: tc-opt %s --split-input-file --convert-tc-to-kernel --tc-fuse-reshapes --tc-fuse-elementwise --tc-fuse-epilogue -o /dev/null --remarks-filter=tc-fuse 2>&1 | FileCheck %s

// Each reason why a consumer is not made the epilogue of its producer.

// A scatter is complete when its last update is.
// CHECK: did not fuse 'scatter' into 'exp': one of them scatters or sorts
func.func @scatters(%x: tensor<8xf32>, %i: tensor<4xi64>, %u: tensor<4xf32>) -> tensor<8xf32> {
  %0 = tc.scatter sum %x[%i] = %u dim 0 : tensor<8xf32>, tensor<4xi64>, tensor<4xf32>
  %1 = tc.exp %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// A contraction reads its operands many times.
// CHECK: did not fuse 'softmax' into 'contract': the consumer is a contraction
func.func @contraction(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16xf32> {
  %0 = tc.softmax %x dim 1 : tensor<4x8xf32>
  %1 = tc.contract "mk,nk->mn" %0, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// -----

// The sums of a scan are not all there when the first is.
// CHECK: did not fuse 'scan' into 'max': the consumer folds what the producer scans
func.func @scanned(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tc.scan sum %x dim 1 : tensor<4x8xf32>
  %1 = tc.reduce max %0 dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The rows of a contraction are longer than its tile.
// CHECK: did not fuse 'contract' into 'sum': a contraction's tile does not hold whole rows
func.func @rows_of_tiles(%x: tensor<4x8xf32>, %w: tensor<16x8xf32>) -> tensor<4xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<4x8xf32>, tensor<16x8xf32> -> tensor<4x16xf32>
  %1 = tc.reduce sum %0 dims [1] : tensor<4x16xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A sort between reads the producer and feeds the consumer.
// CHECK: did not fuse 'sum' into 'add': an op between them needs one and feeds the other
func.func @between(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1, %2 = tc.sort %0 dim 0 : tensor<4xf32> -> tensor<4xf32>, tensor<4xi64>
  %3 = tc.add %0, %1 : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Three folds along crossing dimensions.
// CHECK: did not fuse 'softmax' into 'softmax': folds along one dimension after the other would be computed again for each other's points
func.func @crossing3(%x: tensor<1024x32x32xf32>) -> (tensor<1024x32x32xf32>) {
  %0 = tc.softmax %x dim 1 : tensor<1024x32x32xf32>
  %1 = tc.softmax %0 dim 2 : tensor<1024x32x32xf32>
  %2 = tc.softmax %1 dim 1 : tensor<1024x32x32xf32>
  return %2 : tensor<1024x32x32xf32>
}

// -----

// A transpose of a reshape would make two dimensions of one of the contraction's.
// CHECK: did not fuse 'contract' into 'transpose': the consumer only moves elements and would split a dimension of the contraction
func.func @splits(%x: tensor<32x8xf32>, %w: tensor<16x8xf32>) -> tensor<4x16x8xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<32x8xf32>, tensor<16x8xf32> -> tensor<32x16xf32>
  %1 = tc.reshape %0 : tensor<32x16xf32> -> tensor<4x8x16xf32>
  %2 = tc.transpose %1 [0, 2, 1] : tensor<4x8x16xf32> -> tensor<4x16x8xf32>
  return %2 : tensor<4x16x8xf32>
}

// -----

// The result is repeated along a dimension that the tile does not have.
// CHECK: did not fuse 'contract' into 'broadcast_add': the consumer needs more than a tile of the contraction
func.func @more_than_tile(%x: tensor<32x8xf32>, %w: tensor<16x8xf32>, %y: tensor<4x32x16xf32>) -> tensor<4x32x16xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<32x8xf32>, tensor<16x8xf32> -> tensor<32x16xf32>
  %1 = tc.broadcast %0 dims [1, 2] : tensor<32x16xf32> -> tensor<4x32x16xf32>
  %2 = tc.add %1, %y : tensor<4x32x16xf32>
  return %2 : tensor<4x32x16xf32>
}

// -----

// A long row's sum would be computed for each of the elements that it is added to.
// CHECK: did not fuse 'sum' into 'broadcast_add': the consumer repeats each element, and the producer is much work
func.func @repeats(%x: tensor<4x4096xf32>, %y: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<4x4096xf32> -> tensor<4xf32>
  %1 = tc.broadcast %0 dims [0] : tensor<4xf32> -> tensor<4x2xf32>
  %2 = tc.add %1, %y : tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// -----

// A row of 16 MiB is read from memory twice either way.
// CHECK: did not fuse 'sum' into 'broadcast_sub': a row of 4194304 elements does not stay on chip
func.func @long_row(%x: tensor<4x4194304xf32>) -> tensor<4x4194304xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<4x4194304xf32> -> tensor<4xf32>
  %1 = tc.broadcast %0 dims [0] : tensor<4xf32> -> tensor<4x4194304xf32>
  %2 = tc.sub %x, %1 : tensor<4x4194304xf32>
  return %2 : tensor<4x4194304xf32>
}

// -----

// A softmax over the sums of all rows would leave one core to compute them.
// CHECK: did not fuse 'sum' into 'softmax': one kernel has 1 independent parts and would take longer
func.func @few_parts(%x: tensor<2048x512xf32>) -> tensor<2048xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<2048x512xf32> -> tensor<2048xf32>
  %1 = tc.softmax %0 dim 0 : tensor<2048xf32>
  return %1 : tensor<2048xf32>
}

// -----

// The sums in reverse order.
// CHECK: did not fuse 'sum' into 'slice_exp': the consumer reads elements at other points than the producer computes them
func.func @other_points(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tc.slice %0 offsets <[3]> strides [-1] : tensor<4xf32> -> tensor<4xf32>
  %2 = tc.exp %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The producer adds to what its output holds.
// CHECK: did not fuse 'update' into 'neg': the producer does not write each element once
func.func @updating(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tc.exp %y : tensor<4xf32>
  %0 = tc.kernel "update" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    %w = tc.read %o[affine_map<(d0, d1) -> (d0)>] : tensor<4xf32> -> f32
    %t = tc.add %s, %w : f32
    tc.write %t, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  %1 = tc.neg %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The sums at indices that are read.
// CHECK: did not fuse 'sum' into 'index': the consumer reads at computed indices or partly outside
func.func @computed(%x: tensor<4x8xf32>, %i: tensor<2xi64>) -> tensor<2xf32> {
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tc.index_tensors %0[%i] dims [0] : tensor<4xf32>, tensor<2xi64> -> tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// The consumer adds to the sums in place.
// CHECK: did not fuse 'sum' into 'add': the consumer updates the producer's result
func.func @updates(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tc.empty : tensor<4xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %e : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %s = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %s, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  %1 = tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %y : tensor<4xf32>) outs(%o = %0 : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    %w = tc.read %o[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    %s = tc.add %v, %w : f32
    tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// The consumer binds the sums and reads none.
// CHECK: did not fuse 'sum' into 'add': the consumer reads only a part of the result
func.func @unused(%x: tensor<4x8xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %e = tc.empty : tensor<4xf32>
  %0 = tc.reduce sum %x dims [1] : tensor<4x8xf32> -> tensor<4xf32>
  %1 = tc.kernel "add" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %y : tensor<4xf32>, %b = %0 : tensor<4xf32>) outs(%o = %e : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return %1 : tensor<4xf32>
}

// -----

// A scan runs along one dimension, which the consumer has as two.
// CHECK: did not fuse 'scan' into 'exp': a stage would run along several dimensions, or a part of one
func.func @flattened(%x: tensor<512x128xf32>) -> tensor<512x8x16xf32> {
  %0 = tc.scan sum %x dim 1 : tensor<512x128xf32>
  %1 = tc.reshape %0 : tensor<512x128xf32> -> tensor<512x8x16xf32>
  %2 = tc.exp %1 : tensor<512x8x16xf32>
  return %2 : tensor<512x8x16xf32>
}

// -----

// The rows of a norm are in memory for what it scales: the sum of their squares
// reads them.
// CHECK: did not fuse 'contract' into 'mul': what reads it is better off with what it is computed from
func.func @squares(%x: tensor<64x32xf32>, %w: tensor<128x32xf32>) -> (tensor<64x128xf32>, tensor<64xf32>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<64x32xf32>, tensor<128x32xf32> -> tensor<64x128xf32>
  %1 = tc.mul %0, %0 : tensor<64x128xf32>
  %2 = tc.reduce sum %1 dims [1] : tensor<64x128xf32> -> tensor<64xf32>
  return %0, %2 : tensor<64x128xf32>, tensor<64xf32>
}

// -----

// Two kernels read half as many bytes of what the product gives as of its cast. What one alone reads is cast in the epilogue.
// CHECK: did not fuse 'contract' into 'cast': what reads it is better off with what it is computed from
// CHECK: fused 'contract' into 'cast'
func.func @wider(%x: tensor<64x32xbf16>, %w: tensor<128x32xbf16>) -> (tensor<64xf32>, tensor<128xf32>) {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<64x32xbf16>, tensor<128x32xbf16> -> tensor<64x128xbf16>
  %1 = tc.cast %0 : tensor<64x128xbf16> to tensor<64x128xf32>
  %2 = tc.reduce sum %1 dims [1] : tensor<64x128xf32> -> tensor<64xf32>
  %3 = tc.reduce sum %1 dims [0] : tensor<64x128xf32> -> tensor<128xf32>
  return %2, %3 : tensor<64xf32>, tensor<128xf32>
}
func.func @result(%x: tensor<64x32xbf16>, %w: tensor<128x32xbf16>) -> tensor<64x128xf32> {
  %0 = tc.contract "mk,nk->mn" %x, %w : tensor<64x32xbf16>, tensor<128x32xbf16> -> tensor<64x128xbf16>
  %1 = tc.cast %0 : tensor<64x128xbf16> to tensor<64x128xf32>
  return %1 : tensor<64x128xf32>
}

// -----

// The sum over the first dimension has a value for each element of a row: the sum of the row would be computed again for each of them.
// CHECK: fused 'sum' into 'broadcast_sub'
// CHECK: did not fuse 'sum_broadcast_sub' into 'sum': folds along one dimension after the other would be computed again for each other's points
func.func @sums_of_rows(%x: tensor<8x64x128xf32>) -> (tensor<8x64x128xf32>, tensor<64x128xf32>) {
  %0 = tc.reduce sum %x dims [2] : tensor<8x64x128xf32> -> tensor<8x64xf32>
  %1 = tc.broadcast %0 dims [0, 1] : tensor<8x64xf32> -> tensor<8x64x128xf32>
  %2 = tc.sub %x, %1 : tensor<8x64x128xf32>
  %3 = tc.reduce sum %2 dims [0] : tensor<8x64x128xf32> -> tensor<64x128xf32>
  return %2, %3 : tensor<8x64x128xf32>, tensor<64x128xf32>
}

// -----

// The same of a softmax, on a GPU.
// CHECK: did not fuse 'softmax' into 'sum': folds along one dimension after the other would be computed again for each other's points
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @rows_then_batch(%x: tensor<8x128x768xf32>) -> (tensor<8x128x768xf32>, tensor<128x768xf32>) {
    %0 = tc.softmax %x dim 2 : tensor<8x128x768xf32>
    %1 = tc.reduce sum %0 dims [0] : tensor<8x128x768xf32> -> tensor<128x768xf32>
    return %0, %1 : tensor<8x128x768xf32>, tensor<128x768xf32>
  }
}

// -----

// The matrix of an expert that a row is multiplied by is taken from where it is.
// CHECK: did not fuse 'max' into 'index': it picks a matrix for each row of a contraction
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @experts(%x: tensor<300x64xbf16>, %w: tensor<4x72x64xbf16>, %g: tensor<300x5xi64>) -> tensor<300x72xbf16> {
    %i = tc.reduce max %g dims [1] : tensor<300x5xi64> -> tensor<300xi64>
    %p = tc.index_tensors %w[%i] dims [0] : tensor<4x72x64xbf16>, tensor<300xi64> -> tensor<300x72x64xbf16>
    %r = tc.contract "mk,mnk->mn" %x, %p : tensor<300x64xbf16>, tensor<300x72x64xbf16> -> tensor<300x72xbf16>
    return %r : tensor<300x72xbf16>
  }
}

// -----

// The copy engine stores the tiles of one result; two are stored by threads. A small result is worth no launch more.
// CHECK: did not fuse 'contract' into 'gelu': two results of a contraction are stored by threads, which would take longer than a kernel of its own
// CHECK: fused 'contract' into 'gelu'
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @saved(%x: tensor<8192x768xbf16>, %w: tensor<3072x768xbf16>) -> (tensor<8192x3072xbf16>, tensor<8192x3072xbf16>) {
    %0 = tc.contract "mk,nk->mn" %x, %w : tensor<8192x768xbf16>, tensor<3072x768xbf16> -> tensor<8192x3072xbf16>
    %1 = tc.gelu %0 : tensor<8192x3072xbf16>
    return %0, %1 : tensor<8192x3072xbf16>, tensor<8192x3072xbf16>
  }
  func.func @saved_of_few_rows(%x: tensor<128x768xbf16>, %w: tensor<768x768xbf16>) -> (tensor<128x768xbf16>, tensor<128x768xbf16>) {
    %0 = tc.contract "mk,nk->mn" %x, %w : tensor<128x768xbf16>, tensor<768x768xbf16> -> tensor<128x768xbf16>
    %1 = tc.gelu %0 : tensor<128x768xbf16>
    return %0, %1 : tensor<128x768xbf16>, tensor<128x768xbf16>
  }
}

// -----

// Blocks of a GPU share the folds of few columns, but not where the points that these fold are written as well.
// CHECK: did not fuse 'exp' into 'sum': one kernel has 12 independent parts and would take longer
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "+ptx86">} {
  func.func @few_columns(%x: tensor<8192x768xf32>) -> (tensor<8192x768xf32>, tensor<768xf32>) {
    %0 = tc.exp %x : tensor<8192x768xf32>
    %1 = tc.reduce sum %0 dims [0] : tensor<8192x768xf32> -> tensor<768xf32>
    return %0, %1 : tensor<8192x768xf32>, tensor<768xf32>
  }
}

// -----

// A number that others read too is one iteration of a kernel: with it, all 2^20 points would be that one.
// CHECK: did not fuse 'add' into 'div': one kernel has 1 independent parts and would take longer
func.func @kept_number(%s: tensor<f32>, %p: tensor<1048576xf32>) -> (tensor<f32>, tensor<1048576xf32>) {
  %d = tc.empty : tensor<f32>
  %0 = tc.kernel "add" pointwise dims [] ins(%a = %s : tensor<f32>) outs(%o = %d : tensor<f32>) {
    %v = tc.read %a[affine_map<() -> ()>] : tensor<f32> -> f32
    %w = tc.add %v, %v : f32
    tc.write %w, %o[affine_map<() -> ()>] : f32, tensor<f32>
  }
  %e = tc.empty : tensor<1048576xf32>
  %1 = tc.kernel "div" pointwise dims [#tc.dim<"i", parallel, 1048576>] ins(%a = %p : tensor<1048576xf32>, %b = %0 : tensor<f32>) outs(%o = %e : tensor<1048576xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<1048576xf32> -> f32
    %s1 = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %w = tc.div %v, %s1 : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<1048576xf32>
  }
  return %0, %1 : tensor<f32>, tensor<1048576xf32>
}
