// RUN: tc-run %s --function=columns --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=COLUMNS
// RUN: tc-run %s --function=vector --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=VECTOR
// RUN: tc-run %s --function=rows --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ROWS

// Columns from the second one on: threads have the columns of an aligned vector, and a step loads whole ones, wherever the row begins.
// The last row, whose last vector may pass the buffer's end, is one more unit. What is outside of a row is not stored.
// COLUMNS-LABEL: .visible .entry slice_sum
// COLUMNS: ld.global.v2.b32 {{.*}}+-16896];
// COLUMNS-NOT: {{bra|selp|prmt}}
// COLUMNS: ld.global.v2.b32
// COLUMNS-NOT: {{selp|prmt}}
// COLUMNS: bra
// COLUMNS: ld.global.b16
// COLUMNS: st.global.b16
func.func @columns(%x: tensor<100000x264xbf16>) -> tensor<256xbf16> {
  %0 = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<100000x264xbf16> -> tensor<100000x256xbf16>
  %1 = tc.reduce sum %0 dims [0] : tensor<100000x256xbf16> -> tensor<256xbf16>
  return %1 : tensor<256xbf16>
}

// A walk that begins before its first point, at an aligned address: of 10000000 points in vectors of 8, the first and the last two vectors are
// of three threads.
// VECTOR-LABEL: .visible .entry slice_max
// VECTOR: bfe.u64 %{{.*}}, 1, 3;
// VECTOR: ld.global.v4.b32
// VECTOR-NOT: {{bra|selp|prmt.b32.f4e}}
// VECTOR: ld.global.v4.b32
func.func @vector(%x: tensor<10000001xbf16>) -> tensor<bf16> {
  %0 = tc.slice %x offsets <[1]> strides [1] : tensor<10000001xbf16> -> tensor<10000000xbf16>
  %1 = tc.reduce max %0 dims [0] : tensor<10000000xbf16> -> tensor<bf16>
  return %1 : tensor<bf16>
}

// Rows of 33 points are at most 9 vectors, the first and last of which are parts: all are loaded whole, and the lanes of other rows are not
// folded.
// ROWS-LABEL: .visible .entry broadcast_mul_sum
// ROWS-COUNT-8: ld.global.v4.b32
// ROWS: setp.lt.u32 {{.*}}, 33;
// ROWS: selp.f32
func.func @rows(%x: tensor<200000x33xf32>, %y: tensor<200000x1xf32>) -> tensor<f32> {
  %0 = tc.broadcast %y dims [0, 1] : tensor<200000x1xf32> -> tensor<200000x33xf32>
  %1 = tc.mul %x, %0 : tensor<200000x33xf32>
  %2 = tc.reduce sum %1 dims [0, 1] : tensor<200000x33xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
