// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-assign-schedules

// What a schedule says of a product has to be what the kernel's body is.
module attributes {tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule for cublaslt; expected a module whose tc.libraries has it, or another schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has the schedule #tc.library_schedule<library = cublaslt, a = 0, b = 1>; expected #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true>, as its body is}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 0, b = 1> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but what it does to the sums is more than a scale, a bias, and relu or gelu_tanh; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %c = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %s = tc.exp %c : f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but it computes what it multiplies; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %n = tc.neg %q : f32
      %s = tc.contract_stage %p, %n over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but its values are used several times; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %c = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %d = tc.relu %c : f32
      %g = tc.exp %d : f32
      %s = tc.relu %c : f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but its result is not written to every point; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] within affine_set<(d0, d1, d2) : (d1 - 4 >= 0)> : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but an operand or the result is no matrix with contiguous rows or columns and one stride for the batch; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2 mod 8)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but what is added is no bias along the dimension along which the result is contiguous; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %c = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %h = tc.read %a[affine_map<(d0, d1, d2) -> (d0, 0)>] : tensor<128x64xf32> -> f32
      %s = tc.add %c, %h : f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but it is no product of two matrices; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %m = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %n = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %s = tc.add %m, %n : f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>) -> (tensor<128x256xf32>, tensor<128x256xf32>) {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but it writes several results; expected a #tc.gpu_loop_schedule}}
    %0:2 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>) outs(%o = %e : tensor<128x256xf32>, %r = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
      tc.write %s, %r[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0#0, %0#1 : tensor<128x256xf32>, tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf64>, %y: tensor<256x64xf64>) -> tensor<128x256xf64> {
    %e = tc.empty : tensor<128x256xf64>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but it multiplies other types than f32, bf16 or f16; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf64>, %b = %y : tensor<256x64xf64>) outs(%o = %e : tensor<128x256xf64>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf64> -> f64
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf64> -> f64
      %s = tc.contract_stage %p, %q over [2] : f64, f64 -> f64
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f64, tensor<128x256xf64>
    }
    return %0 : tensor<128x256xf64>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x64xf32>, %y: tensor<256x64xf32>, %z: tensor<256xbf16>) -> tensor<128x256xf32> {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but its bias is of another type than its matrices; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, 64>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x64xf32>, %b = %y : tensor<256x64xf32>, %c = %z : tensor<256xbf16>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x64xf32> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x64xf32> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      %n = tc.read %c[affine_map<(d0, d1, d2) -> (d1)>] : tensor<256xbf16> -> bf16
      %w = tc.cast %n : bf16 to f32
      %v = tc.add %s, %w : f32
      tc.write %v, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}

// -----

module attributes {tc.libraries = ["cublaslt"], tc.target = #tc.target<"cuda", chip = "sm_90a", features = "">} {
  func.func @f(%x: tensor<128x?xf32, #tc.sizes<[128, s0]>>, %y: tensor<256x?xf32, #tc.sizes<[256, s0]>>) -> tensor<128x256xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 64>]} {
    %e = tc.empty : tensor<128x256xf32>
    // expected-error @+1 {{'tc.kernel' op has a #tc.library_schedule, but it may sum over nothing; expected a #tc.gpu_loop_schedule}}
    %0 = tc.kernel "product" contraction dims [#tc.dim<"i", parallel, 128>, #tc.dim<"j", parallel, 256>, #tc.dim<"k", reduced, s0>] schedule #tc.library_schedule<library = cublaslt, a = 1, b = 0, transpose_a = true> ins(%a = %x : tensor<128x?xf32, #tc.sizes<[128, s0]>>, %b = %y : tensor<256x?xf32, #tc.sizes<[256, s0]>>) outs(%o = %e : tensor<128x256xf32>) {
      %p = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<128x?xf32, #tc.sizes<[128, s0]>> -> f32
      %q = tc.read %b[affine_map<(d0, d1, d2) -> (d1, d2)>] : tensor<256x?xf32, #tc.sizes<[256, s0]>> -> f32
      %s = tc.contract_stage %p, %q over [2] : f32, f32 -> f32
      tc.write %s, %o[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<128x256xf32>
    }
    return %0 : tensor<128x256xf32>
  }
}
