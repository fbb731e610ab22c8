// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cuda:sm_90a libraries=cudnn" | FileCheck %s
// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cuda:sm_90a" | FileCheck %s --check-prefix=OFF --implicit-check-not=library
// RUN: tc-opt %s --split-input-file "--tc-pipeline=to=fuse target=cpu:x86-64-v3 libraries=cudnn" | FileCheck %s --check-prefix=OFF --implicit-check-not=library
// OFF: tc.kernel

// Windows of 8 channels are a fraction of a step: threads of TC's own code load them.
// CHECK: module attributes {tc.libraries = ["cudnn"],
// CHECK-LABEL: @few_channels
// CHECK: tc.kernel "{{.*}}convolution{{.*}}" contraction
// CHECK-SAME: schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = {{[0-9]}}, scale = 1.250000e-01 : f32, channels_last = true, workspace = 8388864>
func.func @few_channels(%x: tensor<?x112x112x8xf16, #tc.sizes<[n, 112, 112, 8]>>, %w: tensor<256x8x5x5xf16>) -> tensor<?x108x108x256xf16, #tc.sizes<[n, 108, 108, 256]>>
    attributes {tc.symbols = [#tc.symbol<"n", min = 1, max = 64, likely = 8>]} {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<?x112x112x8xf16, #tc.sizes<[n, 112, 112, 8]>> -> tensor<?x8x112x112xf16, #tc.sizes<[n, 8, 112, 112]>>
  %c = tc.convolution %p, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<?x8x112x112xf16, #tc.sizes<[n, 8, 112, 112]>>, tensor<256x8x5x5xf16> -> tensor<?x256x108x108xf16, #tc.sizes<[n, 256, 108, 108]>>
  %s = tc.constant dense<1.250000e-01> : tensor<f16>
  %t = tc.broadcast %s dims [] : tensor<f16> -> tensor<?x256x108x108xf16, #tc.sizes<[n, 256, 108, 108]>>
  %m = tc.mul %c, %t : tensor<?x256x108x108xf16, #tc.sizes<[n, 256, 108, 108]>>
  %r = tc.transpose %m [0, 2, 3, 1] : tensor<?x256x108x108xf16, #tc.sizes<[n, 256, 108, 108]>> -> tensor<?x108x108x256xf16, #tc.sizes<[n, 108, 108, 256]>>
  return %r : tensor<?x108x108x256xf16, #tc.sizes<[n, 108, 108, 256]>>
}

// -----

// Where the library has no kernel for all of it, it would round the sums to 16 bits before it adds to them: one kernel of TC's does not.
// CHECK-LABEL: @rounds_twice
// CHECK: contraction {{.*}} schedule #tc.gpu_contraction_schedule
// CHECK: tc.contract_stage {{.*}} : bf16, bf16 -> f32
// CHECK: tc.add
// CHECK: tc.relu
// CHECK-NEXT: tc.cast {{.*}} : f32 to bf16
// CHECK-NEXT: tc.write
func.func @rounds_twice(%x: tensor<8x64x64x16xbf16>, %w: tensor<256x16x3x3xbf16>, %b: tensor<256xbf16>, %z: tensor<8x32x32x256xbf16>) -> tensor<8x32x32x256xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<8x64x64x16xbf16> -> tensor<8x16x64x64xbf16>
  %c = tc.convolution %p, %w stride [2, 2] padding [2, 2] dilation [2, 2] : tensor<8x16x64x64xbf16>, tensor<256x16x3x3xbf16> -> tensor<8x256x32x32xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<8x256x32x32xbf16> -> tensor<8x32x32x256xbf16>
  %d = tc.broadcast %b dims [3] : tensor<256xbf16> -> tensor<8x32x32x256xbf16>
  %s = tc.add %t, %d : tensor<8x32x32x256xbf16>
  %a = tc.add %s, %z : tensor<8x32x32x256xbf16>
  %r = tc.relu %a : tensor<8x32x32x256xbf16>
  return %r : tensor<8x32x32x256xbf16>
}

// -----

// Rows and volumes of pixels, and groups.
// CHECK-LABEL: @rows
// CHECK: schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, channels_last = true
func.func @rows(%x: tensor<64x4096x8xbf16>, %w: tensor<256x8x7xbf16>) -> tensor<64x4090x256xbf16> {
  %p = tc.transpose %x [0, 2, 1] : tensor<64x4096x8xbf16> -> tensor<64x8x4096xbf16>
  %c = tc.convolution %p, %w stride [1] padding [0] dilation [1] : tensor<64x8x4096xbf16>, tensor<256x8x7xbf16> -> tensor<64x256x4090xbf16>
  %t = tc.transpose %c [0, 2, 1] : tensor<64x256x4090xbf16> -> tensor<64x4090x256xbf16>
  return %t : tensor<64x4090x256xbf16>
}
// CHECK-LABEL: @volumes
// CHECK: schedule #tc.convolution_library_schedule<library = cudnn, images = 0, filters = 1, channels_last = true
func.func @volumes(%x: tensor<4x32x32x32x16xbf16>, %w: tensor<256x8x3x3x3xbf16>) -> tensor<4x32x32x32x256xbf16> {
  %p = tc.transpose %x [0, 4, 1, 2, 3] : tensor<4x32x32x32x16xbf16> -> tensor<4x16x32x32x32xbf16>
  %c = tc.convolution %p, %w stride [1, 1, 1] padding [1, 1, 1] dilation [1, 1, 1] {groups = 2 : i64} : tensor<4x16x32x32x32xbf16>, tensor<256x8x3x3x3xbf16> -> tensor<4x256x32x32x32xbf16>
  %t = tc.transpose %c [0, 2, 3, 4, 1] : tensor<4x256x32x32x32xbf16> -> tensor<4x32x32x32x256xbf16>
  return %t : tensor<4x32x32x32x256xbf16>
}

// -----

// TC's own code: channels that fill steps, few multiplications, what no library has as an epilogue, transposed convolutions, f64.
// CHECK-LABEL: @many_channels
// CHECK-NOT: library_schedule
func.func @many_channels(%x: tensor<32x56x56x64xbf16>, %w: tensor<64x64x3x3xbf16>) -> tensor<32x56x56x64xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<32x56x56x64xbf16> -> tensor<32x64x56x56xbf16>
  %c = tc.convolution %p, %w stride [1, 1] padding [1, 1] dilation [1, 1] : tensor<32x64x56x56xbf16>, tensor<64x64x3x3xbf16> -> tensor<32x64x56x56xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<32x64x56x56xbf16> -> tensor<32x56x56x64xbf16>
  return %t : tensor<32x56x56x64xbf16>
}
// CHECK-LABEL: @small
// CHECK-NOT: library_schedule
func.func @small(%x: tensor<1x8x8x8xbf16>, %w: tensor<8x8x3x3xbf16>) -> tensor<1x6x6x8xbf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<1x8x8x8xbf16> -> tensor<1x8x8x8xbf16>
  %c = tc.convolution %p, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<1x8x8x8xbf16>, tensor<8x8x3x3xbf16> -> tensor<1x8x6x6xbf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<1x8x6x6xbf16> -> tensor<1x6x6x8xbf16>
  return %t : tensor<1x6x6x8xbf16>
}
// CHECK-LABEL: @transposed
// CHECK-NOT: library_schedule
func.func @transposed(%x: tensor<8x8x64x64xbf16>, %w: tensor<8x64x3x3xbf16>) -> tensor<8x64x66x66xbf16> {
  %c = tc.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {transposed} : tensor<8x8x64x64xbf16>, tensor<8x64x3x3xbf16> -> tensor<8x64x66x66xbf16>
  return %c : tensor<8x64x66x66xbf16>
}
// CHECK-LABEL: @f64
// CHECK-NOT: library_schedule
func.func @f64(%x: tensor<8x8x64x64xf64>, %w: tensor<64x8x3x3xf64>) -> tensor<8x64x62x62xf64> {
  %c = tc.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<8x8x64x64xf64>, tensor<64x8x3x3xf64> -> tensor<8x64x62x62xf64>
  return %c : tensor<8x64x62x62xf64>
}

// -----

// A gelu stays a kernel of its own, behind the convolution.
// CHECK-LABEL: @gelu
// CHECK: tc.kernel "{{.*}}convolution{{.*}}" contraction {{.*}} schedule #tc.convolution_library_schedule<
// CHECK: tc.kernel "{{.*}}gelu{{.*}}" pointwise
func.func @gelu(%x: tensor<8x112x112x8xf16>, %w: tensor<256x8x5x5xf16>) -> tensor<8x108x108x256xf16> {
  %p = tc.transpose %x [0, 3, 1, 2] : tensor<8x112x112x8xf16> -> tensor<8x8x112x112xf16>
  %c = tc.convolution %p, %w stride [1, 1] padding [0, 0] dilation [1, 1] : tensor<8x8x112x112xf16>, tensor<256x8x5x5xf16> -> tensor<8x256x108x108xf16>
  %t = tc.transpose %c [0, 2, 3, 1] : tensor<8x256x108x108xf16> -> tensor<8x108x108x256xf16>
  %g = tc.gelu %t : tensor<8x108x108x256xf16>
  return %g : tensor<8x108x108x256xf16>
}
