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

// -----

// Types that the library has.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op convolves images of 'f64'; expected f32, bf16 or f16}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%d : memref<2x9x9x8xf64>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// A stride, a padding and a dilation for each dimension.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has 2 strides, 1 paddings and 2 dilations; expected as many of each, from 1 to 3}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// As many indices as these and two more.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has an operand of type 'memref<16x3x8xbf16>'; expected 4 indices and elements of type 'bf16'}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%v : memref<16x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// Images are several, or one.
func.func @f(%x: memref<9x8xbf16>, %w: memref<16x3x3x8xbf16>, %y: memref<2x9x9x16xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has images of type 'memref<9x8xbf16>'; expected 3 or 4 indices}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// A bias is of the type of the images.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has a bias of type 'memref<16xf32>'; expected elements of type 'bf16'}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) bias(%c : memref<16xf32>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// The schedule says whether there is a bias, and an addend.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has no input for bias and a schedule with bias 2; expected one exactly where the schedule names it}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, bias = 2, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has an input for addend and a schedule with addend -1; expected one exactly where the schedule names it}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) addend(%y : memref<2x9x9x16xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}

// -----

// And whether there is a workspace.
func.func @f(%x: memref<2x9x9x8xbf16>, %w: memref<16x3x3x8xbf16>, %b: memref<16xbf16>, %y: memref<2x9x9x16xbf16>, %m: memref<512xi8>, %d: memref<2x9x9x8xf64>, %c: memref<16xf32>, %v: memref<16x3x8xbf16>) {
  // expected-error @+1 {{'tc.library_convolution' op has no workspace and a schedule with workspace 512; expected one exactly where the schedule asks for bytes}}
  tc.library_convolution "convolution" schedule <library = cudnn, images = 0, filters = 1, channels_last = true, workspace = 512> groups 1 stride [1, 1] padding [1, 1] dilation [1, 1] images(%x : memref<2x9x9x8xbf16>) filters(%w : memref<16x3x3x8xbf16>) result(%y : memref<2x9x9x16xbf16>)
  return
}
