// Convolutions with the library's schedule are calls of cuDNN, here of one that computes on the host's memory.
// DEFINE: %{run} = env STAND_IN_RUNS=1 STAND_IN_LOG=%t.log LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn tc-run %s --device=cuda --random-inputs=0 --check --tolerance=2e-2,1e-2
// RUN: rm -f %t.log
// RUN: %{run} --function=fused
// RUN: %{run} --function=planes
// RUN: %{run} --function=rows
// RUN: %{run} --function=volumes
// RUN: FileCheck %s --input-file=%t.log

// What the library refuses to fuse, it computes in turn, and does not try again.
// RUN: rm -f %t.unfused
// RUN: env STAND_IN_RUNS=1 STAND_IN_LOG=%t.unfused LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn STAND_IN_FAIL=cudnnConvolutionBiasActivationForward:1=3000,cudnnConvolutionBiasActivationForward:2=3000 tc-run %s --device=cuda --function=fused --random-inputs=0 --check --tolerance=2e-2,2e-2
// RUN: FileCheck %s --input-file=%t.unfused --check-prefix=UNFUSED
// UNFUSED-COUNT-2: cudnnConvolutionBiasActivationForward(
// UNFUSED-NEXT: cudnnConvolutionForward({{.*}}, algorithm 1,
// UNFUSED-NEXT: cudnnAddTensor(2x16x5x4 last)
// UNFUSED-NEXT: cudnnAddTensor(1x16x1x1 last)
// UNFUSED-NEXT: cudnnActivationForward(2x16x5x4 last)

// Profilers see the call under the kernel's name.
// RUN: env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn tc-run %s --device=cuda --function=planes --random-inputs=0 --profile | FileCheck %s --check-prefix=PROFILE
// PROFILE: convolution{{ +}}1{{ +}}1000.00{{ +}}100.0%

// A CUDA graph ends ahead of a call, as a remark says; a call that repeats makes no plan again.
// RUN: rm -f %t.graphs
// RUN: env STAND_IN_LOG=%t.graphs LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn tc-run %s --device=cuda --function=planes --random-inputs=0 --mode=reduce-overhead --explain --output= | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: mode: a CUDA graph ends where cuDNN computes 'convolution' ({{.*}}library-convolutions.mlir
// RUN: FileCheck %s --input-file=%t.graphs --check-prefix=GRAPHS
// GRAPHS-COUNT-1: cudnnGetConvolutionForwardAlgorithm_v7
// GRAPHS-NOT: cudnnGetConvolutionForwardAlgorithm_v7

// With libraries=host TC's own kernels compute convolutions where there is no library, and a warning says so.
// RUN: rm -rf %t.broken && mkdir -p %t.broken && cp %stand_in_driver/libcuda.so.1 %t.broken && echo text > %t.broken/libcudnn.so.9
// RUN: env LD_LIBRARY_PATH=%t.broken tc-run %S/Inputs/convolution.mlir --device=cuda --libraries=host --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=FALLBACK
// FALLBACK: warning: convolutions are computed by TC's own kernels: cuDNN cannot be opened ({{.*}}libcudnn.so.9

// What fails names the kernel, the shape and the library's function.
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn STAND_IN_FAIL=cudnnConvolutionForward:1=4000 tc-run %s --device=cuda --function=planes --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=FAILS
// FAILS: error: cuDNN cannot compute 'convolution', 1x3x8x10 by 5x3x3x3 of f32: cudnnConvolutionForward gives CUDNN_STATUS_INTERNAL_ERROR (status 4000); compiled with libraries=none the program does not need it
// RUN: not env LD_LIBRARY_PATH=%stand_in_driver:%stand_in_cudnn STAND_IN_FAIL=cudnnCreate:1=4000 tc-run %s --device=cuda --function=planes --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=HANDLE
// HANDLE: error: cuDNN cannot compute 'convolution', 1x3x8x10 by 5x3x3x3 of f32: cudnnCreate gives CUDNN_STATUS_INTERNAL_ERROR (status 4000)

// Without the library the call fails. (One that is no library hides that of this machine.)
// RUN: rm -rf %t.broken && mkdir -p %t.broken && cp %stand_in_driver/libcuda.so.1 %t.broken && echo text > %t.broken/libcudnn.so.9
// RUN: not env LD_LIBRARY_PATH=%t.broken tc-run %s --device=cuda --function=planes --random-inputs=0 --output= 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: the program has 'convolution' computed by cuDNN: cuDNN cannot be opened ({{.*}}libcudnn.so.9{{.*}}); put the library's folder into LD_LIBRARY_PATH, or compile with libraries=none

module attributes {tc.libraries = ["cudnn"]} {
  // Channels last: the bias, the residual and relu are the library's. Winograd's algorithm, the first that it offers, is not taken.
  // CHECK: cudnnConvolutionBiasActivationForward(memory [[#]] 2x8x9x7 last, memory [[#]] 16x4x3x3 last, memory [[#]] 2x16x5x4 last, padding 1 1, stride 2 2, dilation 1 1, groups 2, math 1, algorithm 1, bias memory [[#]], addend memory [[#]], relu, workspace 8000)
func.func @fused(%x: tensor<2x9x7x8xbf16>, %w: tensor<16x3x3x4xbf16>, %b: tensor<16xbf16>, %z: tensor<2x5x4x16xbf16>) -> tensor<2x5x4x16xbf16> {
  %e = tc.empty : tensor<2x5x4x16xbf16>
  %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"g", parallel, 2>, #tc.dim<"o", parallel, 8>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 4>, #tc.dim<"c", reduced, 4>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, addend = 3, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x9x7x8xbf16>, %kw = %w : tensor<16x3x3x4xbf16>, %kb = %b : tensor<16xbf16>, %kz = %z : tensor<2x5x4x16xbf16>) outs(%ky = %e : tensor<2x5x4x16xbf16>) {
    %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3 * 2 + d6 - 1, d4 * 2 + d7 - 1, d1 * 4 + d5)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6, d7) : (d3 * 2 + d6 - 1 >= 0, 8 - (d3 * 2 + d6 - 1) >= 0, d4 * 2 + d7 - 1 >= 0, 6 - (d4 * 2 + d7 - 1) >= 0)> : tensor<2x9x7x8xbf16> -> bf16
    %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 8 + d2, d6, d7, d5)>] : tensor<16x3x3x4xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [5, 6, 7] : bf16, bf16 -> f32
    %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d1 * 8 + d2)>] : tensor<16xbf16> -> bf16
    %fb = tc.cast %rb : bf16 to f32
    %v = tc.add %s, %fb : f32
    %rz = tc.read %kz[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3, d4, d1 * 8 + d2)>] : tensor<2x5x4x16xbf16> -> bf16
    %fz = tc.cast %rz : bf16 to f32
    %u = tc.add %v, %fz : f32
    %l = tc.relu %u : f32
    %t = tc.cast %l : f32 to bf16
    tc.write %t, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7) -> (d0, d3, d4, d1 * 8 + d2)>] : bf16, tensor<2x5x4x16xbf16>
  }
  return %0 : tensor<2x5x4x16xbf16>
}
  // Channels second, of f32 without tf32, and a scale.
  // CHECK: cudnnConvolutionForward(memory [[#]] 1x3x8x10, memory [[#]] 5x3x3x3, memory [[#]] 1x5x8x10, padding 2 2, stride 1 1, dilation 2 2, groups 1, math 3, algorithm 1, workspace 8000)
func.func @planes(%x: tensor<1x3x8x10xf32>, %w: tensor<5x3x3x3xf32>) -> tensor<1x5x8x10xf32> {
  %e = tc.empty : tensor<1x5x8x10xf32>
  %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 1>, #tc.dim<"o", parallel, 5>, #tc.dim<"p0", parallel, 8>, #tc.dim<"p1", parallel, 10>, #tc.dim<"c", reduced, 3>, #tc.dim<"k0", reduced, 3>, #tc.dim<"k1", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, scale = 1.250000e-01 : f32, workspace = 8192> ins(%kx = %x : tensor<1x3x8x10xf32>, %kw = %w : tensor<5x3x3x3xf32>) outs(%ky = %e : tensor<1x5x8x10xf32>) {
    %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d4, d2 + d5 * 2 - 2, d3 + d6 * 2 - 2)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6) : (d2 + d5 * 2 - 2 >= 0, 7 - (d2 + d5 * 2 - 2) >= 0, d3 + d6 * 2 - 2 >= 0, 9 - (d3 + d6 * 2 - 2) >= 0)> : tensor<1x3x8x10xf32> -> f32
    %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d1, d4, d5, d6)>] : tensor<5x3x3x3xf32> -> f32
    %s = tc.contract_stage %p, %q over [4, 5, 6] : f32, f32 -> f32
    %c = tc.scalar 1.250000e-01 : f32
    %m = tc.mul %s, %c : f32
    tc.write %m, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6) -> (d0, d1, d2, d3)>] : f32, tensor<1x5x8x10xf32>
  }
  return %0 : tensor<1x5x8x10xf32>
}
  // Rows are images of one line; a bias without relu has one algorithm.
  // CHECK: cudnnConvolutionBiasActivationForward(memory [[#]] 2x4x1x12 last, memory [[#]] 6x4x1x3 last, memory [[#]] 2x6x1x12 last, padding 0 1, stride 1 1, dilation 1 1, groups 1, math 1, algorithm 1, bias memory [[#]], workspace 8000)
func.func @rows(%x: tensor<2x12x4xf16>, %w: tensor<6x3x4xf16>, %b: tensor<6xf16>) -> tensor<2x12x6xf16> {
  %e = tc.empty : tensor<2x12x6xf16>
  %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 2>, #tc.dim<"o", parallel, 6>, #tc.dim<"p0", parallel, 12>, #tc.dim<"c", reduced, 4>, #tc.dim<"k0", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<2x12x4xf16>, %kw = %w : tensor<6x3x4xf16>, %kb = %b : tensor<6xf16>) outs(%ky = %e : tensor<2x12x6xf16>) {
    %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 + d4 - 1, d3)>] within affine_set<(d0, d1, d2, d3, d4) : (d2 + d4 - 1 >= 0, 11 - (d2 + d4 - 1) >= 0)> : tensor<2x12x4xf16> -> f16
    %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4) -> (d1, d4, d3)>] : tensor<6x3x4xf16> -> f16
    %s = tc.contract_stage %p, %q over [3, 4] : f16, f16 -> f32
    %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4) -> (d1)>] : tensor<6xf16> -> f16
    %fb = tc.cast %rb : f16 to f32
    %v = tc.add %s, %fb : f32
    %t = tc.cast %v : f32 to f16
    tc.write %t, %ky[affine_map<(d0, d1, d2, d3, d4) -> (d0, d2, d1)>] : f16, tensor<2x12x6xf16>
  }
  return %0 : tensor<2x12x6xf16>
}
  // CHECK: cudnnConvolutionBiasActivationForward(memory [[#]] 1x4x4x5x3 last, memory [[#]] 4x4x2x3x3 last, memory [[#]] 1x4x5x5x3 last, padding 1 1 1, stride 1 1 1, dilation 1 1 1, groups 1, math 1, algorithm 1, bias memory [[#]], relu, workspace 8000)
func.func @volumes(%x: tensor<1x4x5x3x4xbf16>, %w: tensor<4x2x3x3x4xbf16>, %b: tensor<4xbf16>) -> tensor<1x5x5x3x4xbf16> {
  %e = tc.empty : tensor<1x5x5x3x4xbf16>
  %0 = tc.kernel "convolution" contraction dims [#tc.dim<"n", parallel, 1>, #tc.dim<"o", parallel, 4>, #tc.dim<"p0", parallel, 5>, #tc.dim<"p1", parallel, 5>, #tc.dim<"p2", parallel, 3>, #tc.dim<"c", reduced, 4>, #tc.dim<"k0", reduced, 2>, #tc.dim<"k1", reduced, 3>, #tc.dim<"k2", reduced, 3>] schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, bias = 2, relu = true, channels_last = true, workspace = 8192> ins(%kx = %x : tensor<1x4x5x3x4xbf16>, %kw = %w : tensor<4x2x3x3x4xbf16>, %kb = %b : tensor<4xbf16>) outs(%ky = %e : tensor<1x5x5x3x4xbf16>) {
    %p = tc.read %kx[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d2 + d6 - 1, d3 + d7 - 1, d4 + d8 - 1, d5)>] within affine_set<(d0, d1, d2, d3, d4, d5, d6, d7, d8) : (d2 + d6 - 1 >= 0, 3 - (d2 + d6 - 1) >= 0, d3 + d7 - 1 >= 0, 4 - (d3 + d7 - 1) >= 0, d4 + d8 - 1 >= 0, 2 - (d4 + d8 - 1) >= 0)> : tensor<1x4x5x3x4xbf16> -> bf16
    %q = tc.read %kw[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1, d6, d7, d8, d5)>] : tensor<4x2x3x3x4xbf16> -> bf16
    %s = tc.contract_stage %p, %q over [5, 6, 7, 8] : bf16, bf16 -> f32
    %rb = tc.read %kb[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d1)>] : tensor<4xbf16> -> bf16
    %fb = tc.cast %rb : bf16 to f32
    %v = tc.add %s, %fb : f32
    %l = tc.relu %v : f32
    %t = tc.cast %l : f32 to bf16
    tc.write %t, %ky[affine_map<(d0, d1, d2, d3, d4, d5, d6, d7, d8) -> (d0, d2, d3, d4, d1)>] : bf16, tensor<1x5x5x3x4xbf16>
  }
  return %0 : tensor<1x5x5x3x4xbf16>
}
}
