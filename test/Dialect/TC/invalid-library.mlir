// RUN: tc-opt %s --split-input-file --verify-diagnostics

// Errors of calls of libraries.

// Types that the library has.
func.func @f(%x: memref<8x32xf64>, %w: memref<32x64xf64>, %y: memref<8x64xf64>, %b: memref<64xf32>, %m: memref<512xi8>) {
  // expected-error @+1 {{'tc.library_call' op multiplies 'f64' by 'f64' to 'f64'; expected f32, bf16 or f16, the same for both, and that or f32 as the result}}
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <8> reduced <32> a(%w : memref<32x64xf64>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<8x32xf64>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%y : memref<8x64xf64>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  return
}

// -----

// The schedule says whether there is a bias.
func.func @f(%x: memref<8x32xf32>, %w: memref<32x64xf32>, %y: memref<8x64xf32>, %b: memref<64xf32>, %m: memref<512xi8>) {
  // expected-error @+1 {{'tc.library_call' op has a bias and a schedule with bias -1; expected a bias exactly where the schedule names an input}}
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0> batches <1> rows <64> columns <8> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<8x32xf32>) <pitch = <32>, batch_stride = <0>, offset = <0>> bias(%b : memref<64xf32>) d(%y : memref<8x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  return
}

// -----

// A bias is added to the result.
func.func @f(%x: memref<8x32xf32>, %w: memref<32x64xf32>, %y: memref<8x64xf32>, %b: memref<64xbf16>, %m: memref<512xi8>) {
  // expected-error @+1 {{'tc.library_call' op has a bias of type 'memref<64xbf16>'; expected elements of type 'f32', as the result has}}
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0, bias = 2> batches <1> rows <64> columns <8> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<8x32xf32>) <pitch = <32>, batch_stride = <0>, offset = <0>> bias(%b : memref<64xbf16>) d(%y : memref<8x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  return
}

// -----

// The schedule says whether there is a workspace.
func.func @f(%x: memref<8x32xf32>, %w: memref<32x64xf32>, %y: memref<8x64xf32>, %b: memref<64xf32>, %m: memref<512xi8>) {
  // expected-error @+1 {{'tc.library_call' op has no workspace and a schedule with workspace 512; expected one exactly where the schedule asks for bytes}}
  tc.library_call "contract" schedule <library = cublaslt, a = 1, b = 0, workspace = 512> batches <1> rows <64> columns <8> reduced <32> a(%w : memref<32x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>> b(%x : memref<8x32xf32>) <pitch = <32>, batch_stride = <0>, offset = <0>> d(%y : memref<8x64xf32>) <pitch = <64>, batch_stride = <0>, offset = <0>>
  return
}
