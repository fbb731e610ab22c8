// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of launches, and of what phase generate marks kernels with.

// The sizes that a kernel gets are expressions.
func.func @sizes(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 4 : i64 in 'sizes'; expected a #tc.expr}}
  tc.launch @kernel count <4> grain <1>(%x) sizes [4] : memref<4xf32>
  return
}

// -----

// A launch has no negative number of iterations.
func.func @count(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has count #tc.expr<-4> and grain #tc.expr<1>; expected at least 0 and at least 1}}
  tc.launch @kernel count <-4> grain <1>(%x) : memref<4xf32>
  return
}

// -----

// A block has no more threads than any device has.
func.func @threads(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 2048 threads; expected 1 to 1024}}
  tc.launch @kernel count <4> grain <1>(%x) {threads = 2048 : i64} : memref<4xf32>
  return
}

// -----

// A block has a thread.
func.func @no_threads(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 0 threads; expected 1 to 1024}}
  tc.launch @kernel count <4> grain <1>(%x) {threads = 0 : i64} : memref<4xf32>
  return
}

// -----

// The runtime's routines run on the host.
func.func @routines(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 'threads' and 'calls_routines'; expected one: the runtime's routines run on the host}}
  tc.launch @kernel count <4> grain <1>(%x) {calls_routines, threads = 32 : i64} : memref<4xf32>
  return
}

// -----

// A cluster has as many blocks as any device can start together.
func.func @cluster(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has a cluster of 17 blocks; expected 1 to 16}}
  tc.launch @kernel count <4> grain <1>(%x) {cluster = 17 : i64, threads = 32 : i64} : memref<4xf32>
  return
}

// -----

// A block has no more shared memory than any device has.
func.func @shared_bytes(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 300000 bytes of shared memory; expected 0 to 232448}}
  tc.launch @kernel count <4> grain <1>(%x) {shared_bytes = 300000 : i64, threads = 32 : i64} : memref<4xf32>
  return
}

// -----

// Clusters, shared memory, overlap and counters are a GPU's.
func.func @no_blocks(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 'cluster', 'shared_bytes', 'programmatic', 'uses_counters', 'aligned_buffers' or 'tensor_maps' and no 'threads'; expected these on a kernel of a GPU}}
  tc.launch @kernel count <4> grain <1>(%x) {programmatic} : memref<4xf32>
  return
}

// -----

func.func @no_counters(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has 'cluster', 'shared_bytes', 'programmatic', 'uses_counters', 'aligned_buffers' or 'tensor_maps' and no 'threads'; expected these on a kernel of a GPU}}
  tc.launch @kernel count <4> grain <1>(%x) {uses_counters} : memref<4xf32>
  return
}

// -----

// The host copies inputs and outputs, which are buffers of the launch.
func.func @on_host(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.launch' op has on_host [1, 1] with 1 buffers and no threads; expected the numbers of inputs and outputs, at most as many as buffers, and no threads}}
  tc.launch @kernel count <4> grain <1>(%x) {on_host = array<i64: 1, 1>} : memref<4xf32>
  return
}

// -----

// What a kernel writes over is an input.
func.func @writes_over_input(%x: memref<4xf32>) {
  // expected-error @+1 {{'tc.kernel' op lists input 1 in 'writes_over_input'; expected one of its 1 inputs}}
  tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : memref<4xf32>) outs(%o = %x : memref<4xf32>) attributes {writes_over_input = array<i64: 1>} {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : memref<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, memref<4xf32>
  }
  return
}

// -----

// A scan has a running value.
func.func @scan_kind(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = tc.kernel "k" scan dims [#tc.dim<"i", parallel, 4>] ins(%a = %x : tensor<4xf32>) outs(%o = %y : tensor<4xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    // expected-error @+1 {{'tc.scan_stage' op is of kind argmax; expected sum, prod, max or min}}
    %s = tc.scan_stage argmax %v along 0 : f32
    tc.write %s, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}

// -----

// An access is of a buffer that the kernel binds; of another one the region is no part.
func.func @foreign_buffer(%y: tensor<4xf32>) {
  %r = tc.kernel "k" pointwise dims [#tc.dim<"i", parallel, 4>] outs(%o = %y : tensor<4xf32>) {
    %e = tc.empty : tensor<4xf32>
    // expected-error @+1 {{'tc.read' op accesses a value that is no argument of the kernel}}
    %v = tc.read %e[affine_map<(d0) -> (d0)>] : tensor<4xf32> -> f32
    tc.write %v, %o[affine_map<(d0) -> (d0)>] : f32, tensor<4xf32>
  }
  return
}
