// RUN: tc-run %s --function=roll --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ROLL
// RUN: tc-run %s --function=roll --target=cuda:sm_90a --compile-to=fuse | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --function=short --target=cuda:sm_90a --compile-to=fuse | FileCheck %s --check-prefix=SHORT

// Vectors away from the end of a row are words of two aligned ones, shifted by a constant; nothing tells one lane from the other.
// SCHEDULE: schedule #tc.gpu_loop_schedule<vector_dim = 1, vector_width = 8, units = 2, threads = 256>
// ROLL-LABEL: .visible .entry slice_slice_concat_neg
// ROLL: ld.global.v4.b32 {{.*}}, [%[[FIRST:rd[0-9]+]]];
// ROLL-NEXT: ld.global.v4.b32 {{.*}}, [%[[FIRST]]+16];
// ROLL-NEXT: shf.l.wrap.b32 {{.*}}, 16;
// ROLL-NEXT: shf.l.wrap.b32 {{.*}}, 16;
// ROLL-NEXT: shf.l.wrap.b32 {{.*}}, 16;
// ROLL-NEXT: shf.l.wrap.b32 {{.*}}, 16;
// ROLL-NOT: selp
// ROLL: st.global.v4.b32
func.func @roll(%x: tensor<4096x2048xbf16>) -> tensor<4096x2048xbf16> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<4096x2048xbf16> -> tensor<4096x2047xbf16>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<4096x2048xbf16> -> tensor<4096x1xbf16>
  %c = tc.concat %a, %b dim 1 : tensor<4096x2047xbf16>, tensor<4096x1xbf16> -> tensor<4096x2048xbf16>
  %r = tc.neg %c : tensor<4096x2048xbf16>
  return %r : tensor<4096x2048xbf16>
}

// Of rows of few vectors, most warps have one at an end.
// SHORT: schedule #tc.gpu_loop_schedule<vector_dim = 1, vector_width = 8, units = 2, peel = false, threads = 256>
func.func @short(%x: tensor<65536x64xbf16>) -> tensor<65536x64xbf16> {
  %a = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<65536x64xbf16> -> tensor<65536x63xbf16>
  %b = tc.slice %x offsets <[0, 0]> strides [1, 1] : tensor<65536x64xbf16> -> tensor<65536x1xbf16>
  %r = tc.concat %a, %b dim 1 : tensor<65536x63xbf16>, tensor<65536x1xbf16> -> tensor<65536x64xbf16>
  return %r : tensor<65536x64xbf16>
}
