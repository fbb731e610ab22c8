// RUN: tc-run %s --target=cuda:sm_90a --libraries=none --compile-to=fuse | FileCheck %s

// Images cut into patches, of more points (16 x 16) than there are patches (14 x 14), are no gradient of weights: nothing is reordered with the images of the batch
// last, for which threads would load the images.
// CHECK-LABEL: func.func @patches
// CHECK-NOT: x32xbf16>
// CHECK-NOT: producer_registers
// CHECK: tc.kernel "convolution{{.*}} contraction
// CHECK-NOT: x32xbf16>
// CHECK-NOT: producer_registers
// CHECK: return
func.func @patches(%x: tensor<32x3x224x224xbf16>, %w: tensor<768x3x16x16xbf16>) -> tensor<32x196x768xbf16> {
  %0 = tc.convolution %x, %w stride [16, 16] padding [0, 0] dilation [1, 1] : tensor<32x3x224x224xbf16>, tensor<768x3x16x16xbf16> -> tensor<32x768x14x14xbf16>
  %1 = tc.reshape %0 : tensor<32x768x14x14xbf16> -> tensor<32x768x196xbf16>
  %2 = tc.transpose %1 [0, 2, 1] : tensor<32x768x196xbf16> -> tensor<32x196x768xbf16>
  return %2 : tensor<32x196x768xbf16>
}
