// RUN: tc-run %s --target=cuda:sm_90a --compile-to=generate | FileCheck %s
// RUN: tc-run %s --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=COPIES

// Copies of pixels say how far they are from the places of the window; no thread loads an element.
// COPIES: block.copy_in %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] under[%{{.*}}, %{{.*}}] to
// COPIES: block.copy_in
// COPIES: gpu.module
// COPIES-NOT: block.store_in

// The copy engine brings 64 channels of the pixels under one point of the window, and those of the filters at that point. Padding is zeros beyond the pixels. Filters are rows of channels, which a kernel stores as they are an argument.
// CHECK-LABEL: func.func @window
// CHECK: tc.launch @reorder_
// CHECK: tc.launch @{{.*}}convolution{{.*}} tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[n, 14, 14, 96]>, box = [{{64|128}}, 64], swizzle = 128, realigns = true, window = <lower = [-1, -1], upper = [-1, -1], steps = [1, 1]>>, #tc.tensor_map<buffer = 1, sizes = <[3, 3, 128, 96]>, strides = <[288, 96, 864, 1]>, box = [1, 1, {{[0-9]+}}, 64], swizzle = 128, realigns = true>,
func.func @window(%x: tensor<?x14x14x96xbf16, #tc.sizes<[n, 14, 14, 96]>>, %w: tensor<128x96x3x3xbf16>) -> tensor<?x14x14x128xbf16, #tc.sizes<[n, 14, 14, 128]>> attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 1024>]} {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<?x14x14x96xbf16, #tc.sizes<[n, 14, 14, 96]>> -> tensor<?x96x14x14xbf16, #tc.sizes<[n, 96, 14, 14]>>
  %c = tc.convolution %p, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<?x96x14x14xbf16, #tc.sizes<[n, 96, 14, 14]>>, tensor<128x96x3x3xbf16> -> tensor<?x128x14x14xbf16, #tc.sizes<[n, 128, 14, 14]>>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<?x128x14x14xbf16, #tc.sizes<[n, 128, 14, 14]>> -> tensor<?x14x14x128xbf16, #tc.sizes<[n, 14, 14, 128]>>
  return %t : tensor<?x14x14x128xbf16, #tc.sizes<[n, 14, 14, 128]>>
}

// A window of one point, every two pixels.
// CHECK-LABEL: func.func @every_second
// CHECK: window = <lower = [0, 0], upper = [-1, -1], steps = [2, 2]>
func.func @every_second(%x: tensor<32x28x28x256xbf16>, %w: tensor<512x256x1x1xbf16>) -> tensor<32x14x14x512xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<32x28x28x256xbf16> -> tensor<32x256x28x28xbf16>
  %c = tc.convolution %p, %w stride [2, 2] padding [0, 0] dilation [1, 1] {groups = 1 : i64} : tensor<32x256x28x28xbf16>, tensor<512x256x1x1xbf16> -> tensor<32x512x14x14xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<32x512x14x14xbf16> -> tensor<32x14x14x512xbf16>
  return %t : tensor<32x14x14x512xbf16>
}

// Of three channels a kernel writes the rows that a product reads: 21 elements and 3 zeros for each row of the window.
// CHECK-LABEL: func.func @few_channels
// CHECK: tc.launch @unfold_{{.*}} memref<32x112x112x7x24xbf16>
// CHECK-NOT: window =
// CHECK: tc.launch @{{.*}}convolution{{.*}} sizes = <[401408, 168]>
func.func @few_channels(%x: tensor<32x224x224x3xbf16>, %w: tensor<64x3x7x7xbf16>) -> tensor<32x112x112x64xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<32x224x224x3xbf16> -> tensor<32x3x224x224xbf16>
  %c = tc.convolution %p, %w stride [2, 2] padding [3, 3] dilation [1, 1] {groups = 1 : i64} : tensor<32x3x224x224xbf16>, tensor<64x3x7x7xbf16> -> tensor<32x64x112x112xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<32x64x112x112xbf16> -> tensor<32x112x112x64xbf16>
  return %t : tensor<32x112x112x64xbf16>
}

// An argument that is planes is copied to rows of channels.
// CHECK-LABEL: func.func @planes
// CHECK: tc.launch @reorder_{{.*}} memref<2x64x3136xbf16>, memref<2x3136x64xbf16>
// CHECK: tc.launch @convolution{{.*}} window =
func.func @planes(%x: tensor<2x64x56x56xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<2x64x56x56xbf16> {
  %c = tc.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {groups = 1 : i64} : tensor<2x64x56x56xbf16>, tensor<64x64x3x3xbf16> -> tensor<2x64x56x56xbf16>
  return %c : tensor<2x64x56x56xbf16>
}
