// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-assign-schedules

// The target has the library.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule for cudnn; expected a module whose tc.libraries has it, or another schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// What a schedule says of a convolution has to be what the kernel's body is.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has the schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true, workspace = 8192>; expected #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192>, as its body is}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// Activations that it has.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but it has another activation than relu; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.gelu_tanh %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// Other epilogues.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but what it does to the sums is more than a scale, a bias, and relu or gelu_tanh; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.exp %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// A relu is behind a bias.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but it has a relu and no bias; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %l = tc.relu %s : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// So is an addend.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>, %z: tensor<2x5x4x16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but it adds a result and no bias; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>, %kz = %z : tensor<2x5x4x16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rz = tc.read %kz[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : tensor<2x5x4x16xf32> -> f32
      %u = tc.add %s, %rz : f32
      tc.write %u, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// A bias has a number for each filter.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but what it adds is more than a bias of the filters and a result; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d2)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// It reads its operands from memory.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but it computes what it multiplies; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %n = tc.neg %q : f32
      %s = tc.contract_stage %p, %n over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// Its values are used once.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but its values are used several times; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %n = tc.neg %q : f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// The same padding on both sides.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x12x7x8xf32>, %w: tensor<16x3x3x8xf32>, %b: tensor<16xf32>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but it is no convolution of whole images and filters, with channels all last or all second, and the same padding on both sides; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x12x7x8xf32>, %kw = %w : tensor<16x3x3x8xf32>, %kb = %b : tensor<16xf32>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x12x7x8xf32> -> f32
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf32> -> f32
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
      %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1)>] : tensor<16xf32> -> f32
      %v = tc.add %s, %rb : f32
      %l = tc.relu %v : f32
      tc.write %l, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}

// -----

// All types are one.
module attributes {tc.libraries = ["cudnn"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<2x9x7x8xf16>, %w: tensor<16x3x3x8xf16>) -> tensor<2x5x4x16xf32> {
    %e = tc.empty : tensor<2x5x4x16xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.convolution_library_schedule, but its images, filters and results are not all of f32, bf16 or f16; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 16>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 8>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xf16>, %kw = %w : tensor<16x3x3x8xf16>) outs(%ky = %e : tensor<2x5x4x16xf32>) {
      %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2 * 2 + d5 - 1, d3 * 2 + d6 - 1, d4)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 * 2 + d5 - 1 >= 0, 8 - (d2 * 2 + d5 - 1) >= 0, d3 * 2 + d6 - 1 >= 0, 6 - (d3 * 2 + d6 - 1) >= 0)> : tensor<2x9x7x8xf16> -> f16
      %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d5, d6, d4)>] : tensor<16x3x3x8xf16> -> f16
      %s = tc.contract_stage %p, %q over [4, 5, 6] : f16, f16 -> f32
      tc.write %s, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d2, d3, d1)>] : f32, tensor<2x5x4x16xf32>
    }
    return %0 : tensor<2x5x4x16xf32>
  }
}
