// RUN: tc-opt %s --split-input-file --tc-bufferize-kernels --mlir-print-local-scope | FileCheck %s

// The kernel that makes the initial value writes it where the loop goes on with
// it; so does the body's kernel, which reads each element where it writes it.
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4xf32>, %[[C:[a-z0-9]*]]: memref<i1>)
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK-NEXT: tc.kernel "first" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.while {
// CHECK-NEXT: tc.yield %[[C]] : memref<i1>
// CHECK-NEXT: } do {
// CHECK-NEXT: tc.kernel "next" {{.*}} ins(%{{.*}} = %[[Y]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.yield{{$}}
// CHECK: return{{$}}
func.func @in_place(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %d = tc.empty : tensor<4xf32>
  %f = tc.kernel "first" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  %r = tc.while carry(%p = %f : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  } do(%p) {
    %n = tc.kernel "next" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %p : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
      %w = tc.neg %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    }
    tc.yield %n : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// An argument is copied, never overwritten. A kernel that reads elements after
// it has written others writes elsewhere, and so does one with a reader of the
// old value after it.
// CHECK-LABEL: func.func @elsewhere(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4xf32>, %[[C:[a-z0-9]*]]: memref<i1>)
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK: %[[Z:.*]] = tc.output_buffer 1 : memref<4xf32>
// CHECK-DAG: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK-DAG: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[Z]] : memref<4xf32>)
// CHECK: %[[FLIPPED:.*]] = tc.buffer : memref<4xf32>
// CHECK: %[[NEGATIVE:.*]] = tc.buffer : memref<4xf32>
// CHECK: tc.while {
// CHECK: } do {
// CHECK: tc.kernel "flip" {{.*}} ins(%{{.*}} = %[[Y]] : memref<4xf32>) outs(%{{.*}} = %[[FLIPPED]] : memref<4xf32>)
// CHECK: tc.kernel "neg" {{.*}} ins(%{{.*}} = %[[Z]] : memref<4xf32>) outs(%{{.*}} = %[[NEGATIVE]] : memref<4xf32>)
// CHECK: tc.kernel "late" {{.*}} ins(%{{.*}} = %[[Z]] : memref<4xf32>) outs(%{{.*}} = %[[FLIPPED]] : memref<4xf32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[FLIPPED]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[NEGATIVE]] : memref<4xf32>) outs(%{{.*}} = %[[Z]] : memref<4xf32>)
func.func @elsewhere(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %d = tc.empty : tensor<4xf32>
  %r:2 = tc.while carry(%p = %x : tensor<4xf32>, %q = %x : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  } do(%p, %q) {
    %f = tc.kernel "flip" transpose dims [#tc.dim<"i", parallel, 4>] ins(%a = %p : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (3 - d0)>] : tensor<4xf32> -> f32
      tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    }
    %n = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %q : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
      %w = tc.neg %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    }
    %l = tc.kernel "late" scatter dims [] ins(%a = %q : tensor<4xf32>) outs(%o = %f : tensor<4xf32>) {
      %v = tc.read %a[affine_map<() -> (0)>] : tensor<4xf32> -> f32
      tc.write %v, %o[affine_map<() -> (1)>] : f32, tensor<4xf32>
    }
    tc.yield %l, %n : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A kernel that writes a part of the carried value updates it in place.
// CHECK-LABEL: func.func @update(
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK: tc.while {
// CHECK: } do {
// CHECK-NEXT: tc.kernel "set" {{.*}} outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK-NOT: "copy"
func.func @update(%x: tensor<4xf32>, %c: tensor<i1>) -> tensor<4xf32> {
  %r = tc.while carry(%p = %x : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  } do(%p) {
    %s = tc.kernel "set" scatter dims [] outs(%o = %p : tensor<4xf32>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<() -> (1)>] : f32, tensor<4xf32>
    }
    tc.yield %s : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Three values go round: one of them waits in a buffer of its own. One that is
// handed on in a line needs none.
// CHECK-LABEL: func.func @round(
// CHECK: %[[A:.*]] = tc.output_buffer 0 : memref<f32>
// CHECK: %[[B:.*]] = tc.output_buffer 1 : memref<f32>
// CHECK: %[[D:.*]] = tc.output_buffer 2 : memref<f32>
// CHECK: %[[E:.*]] = tc.output_buffer 3 : memref<f32>
// CHECK: %[[KEPT:.*]] = tc.buffer : memref<f32>
// CHECK-NOT: tc.buffer
// CHECK: } do {
// CHECK-NEXT: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[A]] : memref<f32>) outs(%{{.*}} = %[[E]] : memref<f32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[B]] : memref<f32>) outs(%{{.*}} = %[[KEPT]] : memref<f32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[D]] : memref<f32>) outs(%{{.*}} = %[[B]] : memref<f32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[A]] : memref<f32>) outs(%{{.*}} = %[[D]] : memref<f32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[KEPT]] : memref<f32>) outs(%{{.*}} = %[[A]] : memref<f32>)
func.func @round(%x: tensor<f32>, %c: tensor<i1>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) {
  %r:4 = tc.while carry(%p = %x : tensor<f32>, %q = %x : tensor<f32>, %s = %x : tensor<f32>, %t = %x : tensor<f32>) {
    tc.yield %c : tensor<i1>
  } do(%p, %q, %s, %t) {
    tc.yield %q, %s, %p, %p : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
  return %r#0, %r#1, %r#2, %r#3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
}

// -----

// An inner loop goes on in the outer one's buffer; the value of a branch that
// passes the carried one on does not.
// CHECK-LABEL: func.func @nested(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4xf32>, %[[C:[a-z0-9]*]]: memref<i1>)
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK: %[[Z:.*]] = tc.output_buffer 1 : memref<4xf32>
// CHECK: %[[CHOSEN:.*]] = tc.buffer : memref<4xf32>
// CHECK: tc.while {
// CHECK: } do {
// CHECK-NEXT: tc.while {
// CHECK: } do {
// CHECK-NEXT: tc.kernel "next" {{.*}} ins(%{{.*}} = %[[Y]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.if %[[C]] : memref<i1> {
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[Z]] : memref<4xf32>) outs(%{{.*}} = %[[CHOSEN]] : memref<4xf32>)
// CHECK: } else {
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[CHOSEN]] : memref<4xf32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[CHOSEN]] : memref<4xf32>) outs(%{{.*}} = %[[Z]] : memref<4xf32>)
func.func @nested(%x: tensor<4xf32>, %c: tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r:2 = tc.while carry(%p = %x : tensor<4xf32>, %q = %x : tensor<4xf32>) {
    tc.yield %c : tensor<i1>
  } do(%p, %q) {
    %inner = tc.while carry(%i = %p : tensor<4xf32>) {
      tc.yield %c : tensor<i1>
    } do(%i) {
      %d = tc.empty : tensor<4xf32>
      %n = tc.kernel "next" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %i : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
        %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
        %w = tc.neg %v : f32
        tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
      }
      tc.yield %n : tensor<4xf32>
    }
    %chosen = tc.if %c : tensor<i1> -> tensor<4xf32> {
      tc.yield %q : tensor<4xf32>
    } else {
      tc.yield %x : tensor<4xf32>
    }
    tc.yield %inner, %chosen : tensor<4xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<4xf32>, tensor<4xf32>
}
