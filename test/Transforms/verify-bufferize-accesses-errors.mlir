// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-verify-bufferize

// The corners are inside, a point between them is not.
func.func @modulo(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
    // expected-error @+1 {{'tc.read' op has index (d0 * 5) mod 75 for dimension 0 of a buffer, of size 16, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0) -> ((d0 * 5) mod 75)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// The set lets points through that are outside.
func.func @within(%x: memref<4xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<4xf32>) outs(%o = %y : memref<16xf32>) {
    // expected-error @+1 {{'tc.read' op has index d0 - 2 for dimension 0 of a buffer, of size 4, which is not proved to be at least 0 and below the size at every point of the kernel's domain within its set; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0) -> (d0 - 2)>] within affine_set<(d0) : (d0 - 2 >= 0, 6 - d0 >= 0)> : memref<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

func.func @symbols(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0>] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    // expected-error @+1 {{'tc.read' op has index d0 + 1 for dimension 0 of a buffer, of size s0, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0) -> (d0 + 1)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return
}

// -----

func.func @divisor(%x: memref<16xf32>) attributes {tc.result_types = [tensor<16xf32>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] symbols [#tc.expr<s0>] ins(%a = %x : memref<16xf32>) outs(%o = %y : memref<16xf32>) {
    // expected-error @+1 {{'tc.read' op divides by s0, which is not proved to be at least 1 at every point of the kernel's domain; expected a positive constant or a symbol of which tc.symbols says so}}
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0 floordiv s0)>] : memref<16xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

// A dividend beyond 64 bits wraps to another number.
func.func @overflow(%x: memref<8xf32>) attributes {tc.result_types = [tensor<16xf32>]} {
  %y = tc.output_buffer 0 : memref<16xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<8xf32>) outs(%o = %y : memref<16xf32>) {
    // expected-error @+1 {{'tc.read' op has index (d0 * 4611686018427387904) floordiv 9223372036854775807 for dimension 0 of a buffer, of size 8, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0) -> ((d0 * 4611686018427387904) floordiv 9223372036854775807)>] : memref<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<16xf32>
  }
  return
}

// -----

func.func @write(%x: memref<16xf32>) attributes {tc.result_types = [tensor<8xf32>]} {
  %y = tc.output_buffer 0 : memref<8xf32>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 16>] ins(%a = %x : memref<16xf32>) outs(%o = %y : memref<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<16xf32> -> f32
    // expected-error @+1 {{'tc.write' op has index d0 for dimension 0 of a buffer, of size 8, which is not proved to be at least 0 and below the size at every point of the kernel's domain within its set; change the map, the domain or the buffer's sizes}}
    tc.write %v, %o[affine_map<(d0) -> (d0)>] within affine_set<(d0) : (8 - d0 >= 0)> : f32, memref<8xf32>
  }
  return
}

// -----

// A constraint beyond 64 bits is another one: it proves nothing.
func.func @large_constraint(%x: memref<8xf32>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 9223372036854775807>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0>] symbols [#tc.expr<s0>] ins(%a = %x : memref<8xf32>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    // expected-error @+1 {{'tc.read' op has index d0 for dimension 0 of a buffer, of size 8, which is not proved to be at least 0 and below the size at every point of the kernel's domain within its set; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0)>] within affine_set<(d0)[s0] : (d0 * -131072 + 1048575 >= 0)> : memref<8xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return
}

// -----

// The last four points begin at s0 - 4, which is one less.
func.func @maximum(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[min(4, s0)]>>], tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[min(4, s0)]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, min(4, s0)>] symbols [#tc.expr<max(0, s0 - 3)>] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[min(4, s0)]>>) {
    // expected-error @+1 {{'tc.read' op has index d0 + s0 for dimension 0 of a buffer, of size s0, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0 + s0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[min(4, s0)]>>
  }
  return
}

// -----

// A minimum may be negative.
func.func @negative(%x: memref<?xf32, #tc.sizes<[s0]>>) attributes {tc.result_types = [tensor<?xf32, #tc.sizes<[s0]>>], tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>]} {
  %y = tc.output_buffer 0 : memref<?xf32, #tc.sizes<[s0]>>
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, s0>] symbols [#tc.expr<min(0, s0 - 3)>] ins(%a = %x : memref<?xf32, #tc.sizes<[s0]>>) outs(%o = %y : memref<?xf32, #tc.sizes<[s0]>>) {
    // expected-error @+1 {{'tc.read' op has index d0 + s0 for dimension 0 of a buffer, of size s0, which is not proved to be at least 0 and below the size at every point of the kernel's domain; change the map, the domain or the buffer's sizes}}
    %v = tc.read %a[affine_map<(d0)[s0] -> (d0 + s0)>] : memref<?xf32, #tc.sizes<[s0]>> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<?xf32, #tc.sizes<[s0]>>
  }
  return
}
