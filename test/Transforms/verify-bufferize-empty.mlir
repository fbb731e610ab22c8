// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize | FileCheck %s

// An access that uses a dimension without points is never made, whatever its
// other indices are.
// CHECK-LABEL: func.func @no_points(
func.func @no_points(%x: memref<0x3xf32>) attributes {tc.result_types = [tensor<0x5xf32>]} {
  %y = tc.output_buffer 0 : memref<0x5xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 0>, #tc.dim<"j", parallel, 5>] ins(%a = %x : memref<0x3xf32>) outs(%o = %y : memref<0x5xf32>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<0x3xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<0x5xf32>
  }
  return
}

// The same where only the range of a symbol says so.
// CHECK-LABEL: func.func @no_points_of_symbol(
func.func @no_points_of_symbol(%x: memref<?x3xf32, #tc.sizes<[s0, 3]>>) attributes {tc.result_types = [tensor<?x5xf32, #tc.sizes<[s0, 5]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 0>]} {
  %y = tc.output_buffer 0 : memref<?x5xf32, #tc.sizes<[s0, 5]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0>, #tc.dim<"j", parallel, 5>] ins(%a = %x : memref<?x3xf32, #tc.sizes<[s0, 3]>>) outs(%o = %y : memref<?x5xf32, #tc.sizes<[s0, 5]>>) {
    %v = tc.read %a[affine_map<(d0, d1) -> (d0, d1)>] : memref<?x3xf32, #tc.sizes<[s0, 3]>> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<?x5xf32, #tc.sizes<[s0, 5]>>
  }
  return
}

// Nothing has to be written of a buffer without elements.
// CHECK-LABEL: func.func @no_elements(
func.func @no_elements() attributes {tc.result_types = [tensor<?x5xf32, #tc.sizes<[s0, 5]>>, tensor<0xf32>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 0>]} {
  %y = tc.output_buffer 0 : memref<?x5xf32, #tc.sizes<[s0, 5]>>
  %z = tc.output_buffer 1 : memref<0xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 0>] ins(%a = %y : memref<?x5xf32, #tc.sizes<[s0, 5]>>) outs(%o = %z : memref<0xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0, 0)>] : memref<?x5xf32, #tc.sizes<[s0, 5]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (0)>] : f32, memref<0xf32>
  }
  return
}

// A guard in a branch is known there.
// CHECK-LABEL: func.func @branch(
func.func @branch(%x: memref<?xf32, #tc.sizes<[s0]>>, %c: memref<i1>) attributes {tc.result_types = [tensor<f32>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<f32>
  tc.if %c : memref<i1> {
    tc.size_guard "tc.select" needs "size 0 of 'x'" <s0> at_least <3>
    tc.kernel "k" pointwise dims [] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<f32>) {
      %v = tc.read %a[affine_map<() -> (2)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
      tc.write %v, %o[affine_map<() -> ()>] : f32, memref<f32>
    }
    tc.yield
  } else {
    tc.kernel "k" pointwise dims [] ins() outs(%o = %y : memref<f32>) {
      %v = tc.scalar 1.0 : f32
      tc.write %v, %o[affine_map<() -> ()>] : f32, memref<f32>
    }
    tc.yield
  }
  return
}

// -----

// The other branch does not know it.
func.func @other_branch(%x: memref<?xf32, #tc.sizes<[s0]>>, %c: memref<i1>) attributes {tc.result_types = [tensor<f32>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<f32>
  tc.if %c : memref<i1> {
    tc.size_guard "tc.select" needs "size 0 of 'x'" <s0> at_least <3>
    tc.yield
  } else {
    tc.kernel "k" pointwise dims [] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<f32>) {
      // expected-error @+1 {{'tc.read' op has index 2 for dimension 0 of a buffer, of size s0, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
      %v = tc.read %a[affine_map<() -> (2)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
      tc.write %v, %o[affine_map<() -> ()>] : f32, memref<f32>
    }
    tc.yield
  }
  return
}

// -----

// A read that does not use the dimension without points may run before its loop.
func.func @ahead(%x: memref<2xf32>) attributes {tc.result_types = [tensor<3x0xf32>]} {
  %y = tc.output_buffer 0 : memref<3x0xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 3>, #tc.dim<"j", parallel, 0>] ins(%a = %x : memref<2xf32>) outs(%o = %y : memref<3x0xf32>) {
    // expected-error @+1 {{'tc.read' op has index d0 for dimension 0 of a buffer, of size 2, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0, d1) -> (d0)>] : memref<2xf32> -> f32
    tc.write %v, %o[affine_map<(d0, d1) -> (d0, d1)>] : f32, memref<3x0xf32>
  }
  return
}
