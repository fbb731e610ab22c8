// RUN: tc-opt %s --split-input-file --tc-fuse-epilogue | FileCheck %s

// The row that the sum folds is the row that is divided.
// CHECK-LABEL: func @f
// CHECK: tc.kernel "sum_div" row_reduction
// CHECK: tc.reduce_stage sum
// CHECK: tc.div
// CHECK-NOT: tc.kernel
func.func @f(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = tc.empty : tensor<4xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  %e = tc.empty : tensor<4x8xf32>
  %1 = tc.kernel "div" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8xf32>, %b = %0 : tensor<4xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<4xf32> -> f32
    %w = tc.div %v, %s : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return %1 : tensor<4x8xf32>
}

// -----

// A row of another tensor is as long as the one that the sum folds: the merged row has the sum once, and not each of its points.
// CHECK-LABEL: func @other_row
// CHECK: tc.kernel "sum_mul" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>]
// CHECK: tc.reduce_stage sum %{{.*}} over [1]
// CHECK: tc.mul
// CHECK-NOT: tc.kernel
func.func @other_row(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %d = tc.empty : tensor<4xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", reduced, 8>] ins(%a = %x : tensor<4x8xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %w = tc.reduce_stage sum %v over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  %e = tc.empty : tensor<4x8xf32>
  %1 = tc.kernel "mul" pointwise dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %y : tensor<4x8xf32>, %b = %0 : tensor<4xf32>) outs(%o = %e : tensor<4x8xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x8xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<4xf32> -> f32
    %w = tc.mul %v, %s : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x8xf32>
  }
  return %1 : tensor<4x8xf32>
}

// -----

// A dimension of one point that only the consumer has repeats nothing.
// CHECK-LABEL: func @one_image
// CHECK: tc.kernel "product_relu" contraction
// CHECK: tc.contract_stage
// CHECK: tc.relu
// CHECK-NOT: tc.kernel
func.func @one_image(%x: tensor<1x4x8xf32>, %y: tensor<8x16xf32>) -> tensor<1x4x16xf32> {
  %d = tc.empty : tensor<1x4x16xf32>
  %0 = tc.kernel "product" contraction dims [#tc.dim<"n", parallel, 1>, #tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 16>, #tc.dim<"k", reduced, 8>] ins(%a = %x : tensor<1x4x8xf32>, %b = %y : tensor<8x16xf32>) outs(%o = %d : tensor<1x4x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>] : tensor<1x4x8xf32> -> f32
    %w = tc.read %b[affine_map<(d0, d1, d2, d3) -> (d3, d2)>] : tensor<8x16xf32> -> f32
    %p = tc.contract_stage %v, %w over [3] : f32, f32 -> f32
    tc.write %p, %o[affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>] : f32, tensor<1x4x16xf32>
  }
  %e = tc.empty : tensor<1x4x16xf32>
  %1 = tc.kernel "relu" pointwise dims [#tc.dim<"i", reduced, 1>, #tc.dim<"j", parallel, 4>, #tc.dim<"k", parallel, 16>] ins(%a = %0 : tensor<1x4x16xf32>) outs(%o = %e : tensor<1x4x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (0, d1, d2)>] : tensor<1x4x16xf32> -> f32
    %w = tc.relu %v : f32
    tc.write %w, %o[affine_map<(d0, d1, d2) -> (0, d1, d2)>] : f32, tensor<1x4x16xf32>
  }
  return %1 : tensor<1x4x16xf32>
}

// -----

// A fold along j of quotients by folds along k has one loop in the other; the
// next fold along k would have both in its own, and is another kernel's.
// CHECK-LABEL: func @folds_along_one_dimension_after_the_other
// CHECK: tc.kernel "columns_rows"
// CHECK: tc.reduce_stage sum %{{.*}} over [1]
// CHECK: tc.reduce_stage sum %{{.*}} over [0]
// CHECK: tc.kernel "columns"
// CHECK-NEXT: tc.read
// CHECK-NEXT: tc.read
// CHECK-NEXT: tc.div
// CHECK-NEXT: tc.reduce_stage sum %{{.*}} over [1]
// CHECK-NOT: tc.kernel
func.func @folds_along_one_dimension_after_the_other(%x: tensor<4x4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %d = tc.empty : tensor<4xf32>
  %0 = tc.kernel "columns" row_reduction dims [#tc.dim<"j", parallel, 4>, #tc.dim<"k", reduced, 4>] ins(%a = %x : tensor<4x4xf32>, %b = %y : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x4xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1) -> (d1)>] : tensor<4xf32> -> f32
    %q = tc.div %v, %s : f32
    %w = tc.reduce_stage sum %q over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  %1 = tc.kernel "rows" row_reduction dims [#tc.dim<"j", reduced, 4>, #tc.dim<"k", parallel, 4>] ins(%a = %x : tensor<4x4xf32>, %b = %0 : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x4xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1) -> (d0)>] : tensor<4xf32> -> f32
    %q = tc.div %v, %s : f32
    %w = tc.reduce_stage sum %q over [0] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d1)>] : f32, tensor<4xf32>
  }
  %2 = tc.kernel "columns" row_reduction dims [#tc.dim<"j", parallel, 4>, #tc.dim<"k", reduced, 4>] ins(%a = %x : tensor<4x4xf32>, %b = %1 : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<4x4xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1) -> (d1)>] : tensor<4xf32> -> f32
    %q = tc.div %v, %s : f32
    %w = tc.reduce_stage sum %q over [1] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0)>] : f32, tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}

// -----

// Both number rows by the same two digits, one of them behind the dimension that it folds.
// CHECK-LABEL: func @digits
// CHECK: tc.kernel "sum_mul" row_reduction dims [#tc.dim<"b", parallel, 4>, #tc.dim<"t", parallel, 8>, #tc.dim<"c", parallel, 16>]
// CHECK: tc.reduce_stage sum %{{.*}} over [2]
// CHECK: tc.mul
// CHECK-NOT: tc.kernel
func.func @digits(%x: tensor<4x8x16xf32>) -> tensor<4x8x16xf32> {
  %d = tc.empty : tensor<32xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"k", reduced, 16>, #tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>] ins(%a = %x : tensor<4x8x16xf32>) outs(%o = %d : tensor<32xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d1, d2, d0)>] : tensor<4x8x16xf32> -> f32
    %w = tc.reduce_stage sum %v over [0] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1, d2) -> (d1 * 8 + d2)>] : f32, tensor<32xf32>
  }
  %e = tc.empty : tensor<4x8x16xf32>
  %1 = tc.kernel "mul" pointwise dims [#tc.dim<"b", parallel, 4>, #tc.dim<"t", parallel, 8>, #tc.dim<"c", parallel, 16>] ins(%a = %x : tensor<4x8x16xf32>, %b = %0 : tensor<32xf32>) outs(%o = %e : tensor<4x8x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<4x8x16xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1, d2) -> (d0 * 8 + d1)>] : tensor<32xf32> -> f32
    %w = tc.mul %v, %s : f32
    tc.write %w, %o[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : f32, tensor<4x8x16xf32>
  }
  return %1 : tensor<4x8x16xf32>
}

// -----

// Digits of other sizes are other rows: 8 of 4, where the sum has 4 of 8.
// CHECK-LABEL: func @other_digits
// CHECK: tc.kernel "sum" row_reduction
// CHECK: tc.kernel "mul" pointwise
func.func @other_digits(%x: tensor<4x8x16xf32>, %y: tensor<8x4x16xf32>) -> tensor<8x4x16xf32> {
  %d = tc.empty : tensor<32xf32>
  %0 = tc.kernel "sum" row_reduction dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 8>, #tc.dim<"k", reduced, 16>] ins(%a = %x : tensor<4x8x16xf32>) outs(%o = %d : tensor<32xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<4x8x16xf32> -> f32
    %w = tc.reduce_stage sum %v over [2] : f32 -> f32
    tc.write %w, %o[affine_map<(d0, d1, d2) -> (d0 * 8 + d1)>] : f32, tensor<32xf32>
  }
  %e = tc.empty : tensor<8x4x16xf32>
  %1 = tc.kernel "mul" pointwise dims [#tc.dim<"b", parallel, 8>, #tc.dim<"t", parallel, 4>, #tc.dim<"c", parallel, 16>] ins(%a = %y : tensor<8x4x16xf32>, %b = %0 : tensor<32xf32>) outs(%o = %e : tensor<8x4x16xf32>) {
    %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : tensor<8x4x16xf32> -> f32
    %s = tc.read %b[affine_map<(d0, d1, d2) -> (d0 * 4 + d1)>] : tensor<32xf32> -> f32
    %w = tc.mul %v, %s : f32
    tc.write %w, %o[affine_map<(d0, d1, d2) -> (d0, d1, d2)>] : f32, tensor<8x4x16xf32>
  }
  return %1 : tensor<8x4x16xf32>
}

// -----

// What is written of 'double' and 'div' is one loop, though the number that both need is written in between.
// CHECK-LABEL: func @gathered_writes
// CHECK: tc.kernel "double_add_div" pointwise
// CHECK: tc.write %{{.*}}, %[[DOUBLE:.*]][#{{.*}}] : f32, tensor<12xf32>
// CHECK-NEXT: tc.write %{{.*}}, %{{.*}}[#{{.*}}] : f32, tensor<12xf32>
// CHECK-NEXT: tc.write %{{.*}}, %{{.*}}[#{{.*}}] : f32, tensor<f32>
// CHECK-NEXT: }
// CHECK-NOT: tc.kernel
func.func @gathered_writes(%s: tensor<f32>, %p: tensor<12xf32>) -> (tensor<f32>, tensor<12xf32>, tensor<12xf32>) {
  %d = tc.empty : tensor<f32>
  %1 = tc.kernel "add" pointwise dims [] ins(%a = %s : tensor<f32>) outs(%o = %d : tensor<f32>) {
    %v = tc.read %a[affine_map<() -> ()>] : tensor<f32> -> f32
    %w = tc.add %v, %v : f32
    tc.write %w, %o[affine_map<() -> ()>] : f32, tensor<f32>
  }
  %c = tc.empty : tensor<12xf32>
  %0 = tc.kernel "double" pointwise dims [#tc.dim<"i", parallel, 12>] ins(%a = %p : tensor<12xf32>) outs(%o = %c : tensor<12xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<12xf32> -> f32
    %w = tc.add %v, %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<12xf32>
  }
  %e = tc.empty : tensor<12xf32>
  %2 = tc.kernel "div" pointwise dims [#tc.dim<"i", parallel, 12>] ins(%a = %0 : tensor<12xf32>, %b = %1 : tensor<f32>) outs(%o = %e : tensor<12xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<12xf32> -> f32
    %s1 = tc.read %b[affine_map<(d0) -> ()>] : tensor<f32> -> f32
    %w = tc.div %v, %s1 : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<12xf32>
  }
  return %1, %0, %2 : tensor<f32>, tensor<12xf32>, tensor<12xf32>
}
