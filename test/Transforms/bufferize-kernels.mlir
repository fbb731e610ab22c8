// RUN: tc-opt %s --split-input-file --tc-bufferize-kernels --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-bufferize-kernels -o /dev/null --remarks-filter=tc-bufferize-kernels 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK

// An intermediate gets a buffer; the result is written where the caller wants
// it, seen with the kernel's sizes.
// CHECK-LABEL: func.func @chain(
// CHECK-SAME: %[[X:.*]]: memref<2x4xf32>) attributes {tc.result_types = [tensor<8xf32>]}
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<8xf32>
// CHECK: %[[B:.*]] = tc.buffer : memref<2x4xf32>
// CHECK: tc.kernel "neg" {{.*}} ins(%{{.*}} = %[[X]] : memref<2x4xf32>) outs(%{{.*}} = %[[B]] : memref<2x4xf32>)
// CHECK: tc.read %{{.*}}[affine_map<(d0, d1) -> (d0, d1)>] : memref<2x4xf32> -> f32
// CHECK: %[[V:.*]] = tc.buffer_reshape %[[Y]] : memref<8xf32> -> memref<4x2xf32>
// CHECK: tc.kernel "transpose" {{.*}} ins(%{{.*}} = %[[B]] : memref<2x4xf32>) outs(%{{.*}} = %[[V]] : memref<4x2xf32>)
// CHECK-NOT: copy
// CHECK: return{{$}}
func.func @chain(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %d = tc.empty : tensor<2x4xf32>
  %n = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 4>] ins(%a = %x : tensor<2x4xf32>) outs(%o = %d : tensor<2x4xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : tensor<2x4xf32> -> f32
    %w = tc.neg %v : f32
    tc.write %w, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<2x4xf32>
  }
  %e = tc.empty : tensor<4x2xf32>
  %t = tc.kernel "transpose" transpose dims [#tc.dim<"i", parallel, 4>, #tc.dim<"j", parallel, 2>] ins(%a = %n : tensor<2x4xf32>) outs(%o = %e : tensor<4x2xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d1, d0)>] : tensor<2x4xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, tensor<4x2xf32>
  }
  %r = tc.reshape %t : tensor<4x2xf32> -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// -----

// A result that no kernel computes is copied: an argument, a parameter, a constant. Copies
// run over the elements in one dimension.
// REMARK-COUNT-3: remark: [Missed] copy | Category:tc-bufferize-kernels | Function=copies
// CHECK: memref.global "private" constant @[[C:.*]] : memref<2xf32> = dense<[1.000000e+00, 2.000000e+00]> {alignment = 64 : i64}
// CHECK-LABEL: func.func @copies(
// CHECK-SAME: %[[X:.*]]: memref<2x3xi64>)
// CHECK: %[[Y0:.*]] = tc.output_buffer 0 : memref<2x3xi64>
// CHECK: %[[Y1:.*]] = tc.output_buffer 1 : memref<4xf32>
// CHECK: %[[Y2:.*]] = tc.output_buffer 2 : memref<2xf32>
// CHECK: %[[P:.*]] = tc.parameter @p : memref<4xf32>
// CHECK: %[[G:.*]] = memref.get_global @[[C]] : memref<2xf32>
// CHECK: %[[FROM:.*]] = tc.buffer_reshape %[[X]] : memref<2x3xi64> -> memref<6xi64>
// CHECK: %[[TO:.*]] = tc.buffer_reshape %[[Y0]] : memref<2x3xi64> -> memref<6xi64>
// CHECK: tc.kernel "copy" pointwise dims [#tc.dim<"i", parallel, 6>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 4, grain = 170> ins(%{{.*}} = %[[FROM]] : memref<6xi64>) outs(%{{.*}} = %[[TO]] : memref<6xi64>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[P]] : memref<4xf32>) outs(%{{.*}} = %[[Y1]] : memref<4xf32>)
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[G]] : memref<2xf32>) outs(%{{.*}} = %[[Y2]] : memref<2xf32>)
tc.parameter_source @p : tensor<4xf32> {file = "p.bin", offset = 0 : i64, role = "parameter"}
func.func @copies(%x: tensor<2x3xi64>) -> (tensor<2x3xi64>, tensor<4xf32>, tensor<2xf32>) {
  %p = tc.parameter @p : tensor<4xf32>
  %c = tc.constant dense<[1.0, 2.0]> : tensor<2xf32>
  return %x, %p, %c : tensor<2x3xi64>, tensor<4xf32>, tensor<2xf32>
}

// -----

// A value returned twice is written once and copied once; a mutation is noted
// in the signature.
// CHECK-LABEL: func.func @twice(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<?xf32, #tc.sizes<[s0]>>)
// CHECK-SAME: tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>]
// CHECK-SAME: tc.signature = {inputs = ["x"], mutates = [unit, 0]}
// CHECK: %[[Y0:.*]] = tc.output_buffer 0
// CHECK: %[[Y1:.*]] = tc.output_buffer 1
// CHECK-NOT: tc.buffer
// CHECK: tc.kernel "neg" {{.*}} ins(%{{.*}} = %[[X]] : {{.*}}) outs(%{{.*}} = %[[Y0]] :
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[Y0]] : {{.*}}) outs(%{{.*}} = %[[Y1]] :
func.func @twice(%x: tensor<?xf32, #tc.sizes<[s0]>>) -> (tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>> {tc.mutates = 0}) attributes {tc.signature = {inputs = ["x"]}, tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  tc.guard size_range(%x) {dim = 0 : i64, min = 2 : i64, max = 64 : i64, origin = "test"} : tensor<?xf32, #tc.sizes<[s0]>>
  %d = tc.empty : tensor<?xf32, #tc.sizes<[s0]>>
  %n = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%a = %x : tensor<?xf32, #tc.sizes<[s0]>>) outs(%o = %d : tensor<?xf32, #tc.sizes<[s0]>>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<?xf32, #tc.sizes<[s0]>> -> f32
    %w = tc.neg %v : f32
    tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<?xf32, #tc.sizes<[s0]>>
  }
  return %n, %n : tensor<?xf32, #tc.sizes<[s0]>>, tensor<?xf32, #tc.sizes<[s0]>>
}

// -----

// A scatter updates a copy of an argument, but a kernel's result in place.
// CHECK-LABEL: func.func @scatters(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<4xf32>, %[[I:[a-z0-9]*]]: memref<2xi64>, %[[U:[a-z0-9]*]]: memref<2xf32>)
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.kernel "first" {{.*}} outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: tc.kernel "second" {{.*}} outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: return{{$}}
func.func @scatters(%x: tensor<4xf32>, %i: tensor<2xi64>, %u: tensor<2xf32>) -> tensor<4xf32> {
  %s = tc.kernel "first" scatter dims [#tc.dim<"i", parallel, 2>] ins(%a = %i : tensor<2xi64>, %b = %u : tensor<2xf32>) outs(%o = %x : tensor<4xf32>) {
    %k = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<2xi64> -> i64
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %k : i64 : f32, tensor<4xf32>
  }
  %t = tc.kernel "second" scatter dims [#tc.dim<"i", parallel, 2>] ins(%a = %i : tensor<2xi64>, %b = %u : tensor<2xf32>) outs(%o = %s : tensor<4xf32>) {
    %k = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<2xi64> -> i64
    %v = tc.read %b[affine_map<(d0) -> (d0)>] : tensor<2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d1)>] at %k : i64 combine sum : f32, tensor<4xf32>
  }
  return %t : tensor<4xf32>
}

// -----

// Both branches write where the result is wanted; what only a branch needs is
// a buffer of the function. An argument that a branch yields is copied.
// CHECK-LABEL: func.func @branches(
// CHECK-SAME: %[[C:[a-z0-9]*]]: memref<i1>, %[[X:[a-z0-9]*]]: memref<4xf32>)
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<4xf32>
// CHECK: %[[INNER:.*]] = tc.buffer : memref<4xf32>
// CHECK: tc.if %[[C]] : memref<i1> {
// CHECK: tc.kernel "neg" {{.*}} outs(%{{.*}} = %[[INNER]] : memref<4xf32>)
// CHECK: tc.kernel "exp" {{.*}} ins(%{{.*}} = %[[INNER]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: } else {
// CHECK: tc.kernel "copy" {{.*}} ins(%{{.*}} = %[[X]] : memref<4xf32>) outs(%{{.*}} = %[[Y]] : memref<4xf32>)
// CHECK: return{{$}}
func.func @branches(%c: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = tc.if %c : tensor<i1> -> tensor<4xf32> {
    %d = tc.empty : tensor<4xf32>
    %n = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
      %w = tc.neg %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    }
    %e = tc.kernel "exp" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %n : tensor<4xf32>) outs(%o = %d : tensor<4xf32>) {
      %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
      %w = tc.exp %v : f32
      tc.write %w, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
    }
    tc.yield %e : tensor<4xf32>
  } else {
    tc.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// A kernel goes on with the elements that another one has written, through a
// reshape: in its buffer, without a copy.
// CHECK-LABEL: func.func @through_reshapes(
// CHECK: %[[Y:.*]] = tc.output_buffer 0 : memref<8xf32>
// CHECK: %[[SQUARE:.*]] = tc.buffer_reshape %[[Y]] : memref<8xf32> -> memref<2x4xf32>
// CHECK: tc.kernel "even" {{.*}} outs(%{{.*}} = %[[SQUARE]] : memref<2x4xf32>)
// CHECK-NOT: "copy"
// CHECK: tc.kernel "odd" {{.*}} outs(%{{.*}} : memref<8xf32>)
// CHECK: return{{$}}
func.func @through_reshapes() -> tensor<8xf32> {
  %e = tc.empty : tensor<2x4xf32>
  %0 = tc.kernel "even" pointwise dims [#tc.dim<"i", parallel, 2>, #tc.dim<"j", parallel, 2>] outs(%o = %e : tensor<2x4xf32>) {
    %v = tc.scalar 1.0 : f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1 * 2)>] : f32, tensor<2x4xf32>
  }
  %1 = tc.reshape %0 : tensor<2x4xf32> -> tensor<8xf32>
  %2 = tc.kernel "odd" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %1 : tensor<8xf32>) {
    %v = tc.scalar 2.0 : f32
    tc.write %v, %o[affine_map<(d0) -> (d0 * 2 + 1)>] : f32, tensor<8xf32>
  }
  return %2 : tensor<8xf32>
}
