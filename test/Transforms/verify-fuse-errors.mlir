// RUN: tc-opt %s --tc-verify-fuse --split-input-file --verify-diagnostics

// An op that no pass turned into a kernel.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+2 {{'tc.neg' op is left after the phase 'fuse'; expected kernels, reshapes, parameters, constants and control flow}}
  // expected-note @+1 {{convert-tc-to-kernel converts tc ops to kernels}}
  %0 = tc.neg %x : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Also in a loop, which may remain.
func.func @loop(%x: tensor<8xf32>, %c: tensor<i1>) -> tensor<8xf32> {
  %0 = tc.while carry(%v = %x : tensor<8xf32>) {
    tc.yield %c : tensor<i1>
  } do(%v) {
    // expected-error @+2 {{'tc.neg' op is left after the phase 'fuse'; expected kernels, reshapes, parameters, constants and control flow}}
    // expected-note @+1 {{convert-tc-to-kernel converts tc ops to kernels}}
    %1 = tc.neg %v : tensor<8xf32>
    tc.yield %1 : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A kernel without a schedule.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+2 {{'tc.kernel' op has no schedule}}
  // expected-note @+1 {{tc-assign-schedules gives every kernel one}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A kernel of another class than its body makes it.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+2 {{'tc.kernel' op is called contraction, but its body makes it pointwise}}
  // expected-note @+1 {{tc-classify-kernels settles the class}}
  %0 = tc.kernel "neg" contraction dims [#tc.dim<"i", parallel, 8>] schedule #tc.loop_schedule<vector_dim = 0, vector_width = 8> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// -----

// A schedule of another class.
func.func @f(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tc.empty : tensor<8xf32>
  // expected-error @+1 {{'tc.kernel' op of class pointwise has a #tc.contraction_schedule; expected a kernel of class contraction}}
  %0 = tc.kernel "neg" pointwise dims [#tc.dim<"i", parallel, 8>] schedule #tc.contraction_schedule<vector_dim = 0, vector_width = 8, tile = <rows = 4, lanes = 8, reduced = 32, block_rows = 4, block_lanes = 8>> ins(%a = %x : tensor<8xf32>) outs(%o = %e : tensor<8xf32>) {
    %v = tc.read %a[affine_map<(d0) -> (d0)>] : tensor<8xf32> -> f32
    %n = tc.neg %v : f32
    tc.write %n, %o[affine_map<(d0) -> (d0)>] : f32, tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}
