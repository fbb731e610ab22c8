// RUN: tc-run %s --target=cuda:sm_90a --function=window --compile-to=generate | FileCheck %s --check-prefix=WINDOW
// RUN: tc-run %s --target=cuda:sm_90a --function=strided --compile-to=generate | FileCheck %s --check-prefix=STRIDED
// RUN: tc-run %s --target=cuda:sm_90a --function=three_channels --compile-to=generate | FileCheck %s --check-prefix=LOADS
// RUN: tc-run %s --target=cuda:sm_90a --function=two_layers --compile-to=bufferize | FileCheck %s --check-prefix=LAYERS
// RUN: %if ptxas %{ tc-run %s --target=cuda:sm_90a --function=window --print-kernels | FileCheck %s --check-prefix=REGISTERS %}

// A convolution of images whose channels are last: the copy engine brings 64 channels of the pixels under one point of the window, and the filters' of that point. Padding is zeros beyond the pixels.
// WINDOW: tc.launch @{{.*}}convolution{{.*}} tensor_maps [#tc.tensor_map<buffer = 0, sizes = <[s0, 14, 14, 96]>, box = [{{[0-9]+}}, 64], swizzle = 128, realigns = true, window = <lower = [-1, -1], upper = [-1, -1], steps = [1, 1]>>, #tc.tensor_map<buffer = 1, sizes = <[3, 3, 128, 96]>, strides = <[288, 96, 864, 1]>, box = [{{[0-9]+}}, 64], swizzle = 128, realigns = true>,
// WINDOW: block.copy_in %arg0[%{{.*}}, %{{.*}}, %{{.*}}, %[[C:.*]]] under [%{{.*}}, %{{.*}}] to
// WINDOW: block.copy_in %arg1[%{{.*}}, %{{.*}}, %{{.*}}, %[[C]]] to
// WINDOW-NOT: block.store_in
// REGISTERS: convolution_{{[0-9]+}} 384 168 0 0
func.func @window(%x: tensor<?x14x14x96xbf16, #tc.sizes<[s0, 14, 14, 96]>>, %w: tensor<128x96x3x3xbf16>) -> tensor<?x14x14x128xbf16, #tc.sizes<[s0, 14, 14, 128]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 1, max = 1024>]} {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<?x14x14x96xbf16, #tc.sizes<[s0, 14, 14, 96]>> -> tensor<?x96x14x14xbf16, #tc.sizes<[s0, 96, 14, 14]>>
  %c = tc.convolution %p, %w strides [1, 1] padding [1, 1] dilations [1, 1] groups 1 : tensor<?x96x14x14xbf16, #tc.sizes<[s0, 96, 14, 14]>>, tensor<128x96x3x3xbf16> -> tensor<?x128x14x14xbf16, #tc.sizes<[s0, 128, 14, 14]>>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<?x128x14x14xbf16, #tc.sizes<[s0, 128, 14, 14]>> -> tensor<?x14x14x128xbf16, #tc.sizes<[s0, 14, 14, 128]>>
  return %t : tensor<?x14x14x128xbf16, #tc.sizes<[s0, 14, 14, 128]>>
}

