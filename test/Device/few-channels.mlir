// Convolutions of few channels, as products with a matrix of windows, on an emulated GPU: images with their channels last, whose
// matrix is of runs along columns and channels with padding on all sides, and images that are planes.
// DEFINE: %{function} =
// DEFINE: %{emulate} = env STAND_IN_RUNS=1 LD_LIBRARY_PATH=%stand_in_driver tc-run %s --function=%{function} --device=cuda --random-inputs=1 --check --tolerance=0.016,0.002
// REDEFINE: %{function} = channels_last
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = unpadded
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// REDEFINE: %{function} = planes
// RUN: %{emulate} | FileCheck %s --check-prefix=RIGHT
// RIGHT: largest difference
// RUN: tc-run %s --target=cuda:sm_90a --compile-to=fuse | FileCheck %s

// CHECK-LABEL: func.func @channels_last(
// CHECK: "unfold" pointwise {{.*}} : tensor<8x64x192xbf16>) outs(%{{.*}} : tensor<8x32x32x7x24xbf16>)
func.func @channels_last(%x: tensor<8x3x64x64xbf16> {tc.strides = [#tc.expr<12288>, #tc.expr<1>, #tc.expr<192>, #tc.expr<3>]}, %w: tensor<64x3x7x7xbf16>) -> tensor<8x64x32x32xbf16> {
  %0 = tc.convolution %x, %w stride [2, 2] padding [3, 3] dilation [1, 1] : tensor<8x3x64x64xbf16>, tensor<64x3x7x7xbf16> -> tensor<8x64x32x32xbf16>
  return %0 : tensor<8x64x32x32xbf16>
}

// CHECK-LABEL: func.func @unpadded(
// CHECK: "unfold" pointwise {{.*}} : tensor<8x64x320xbf16>) outs(%{{.*}} : tensor<8x62x62x3x16xbf16>)
func.func @unpadded(%x: tensor<8x5x64x64xbf16> {tc.strides = [#tc.expr<20480>, #tc.expr<1>, #tc.expr<320>, #tc.expr<5>]}, %w: tensor<64x5x3x3xbf16>) -> tensor<8x64x62x62xbf16> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<8x5x64x64xbf16>, tensor<64x5x3x3xbf16> -> tensor<8x64x62x62xbf16>
  return %0 : tensor<8x64x62x62xbf16>
}

// CHECK-LABEL: func.func @planes(
// CHECK: "unfold"
func.func @planes(%x: tensor<8x3x64x64xbf16>, %w: tensor<64x3x7x7xbf16>) -> tensor<8x64x64x64xbf16> {
  %0 = tc.convolution %x, %w stride [1, 1] padding [3, 3] dilation [1, 1] : tensor<8x3x64x64xbf16>, tensor<64x3x7x7xbf16> -> tensor<8x64x64x64xbf16>
  return %0 : tensor<8x64x64x64xbf16>
}
