// RUN: tc-run %s --function=points --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=POINTS
// RUN: tc-run %s --function=concat --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=CONCAT
// RUN: tc-run %s --function=gather --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=GATHER
// RUN: tc-run %s --function=transposes --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=TRANSPOSES

// Rows of odd length, from their second element on: two aligned vectors, or zeros where one has no element that is needed, are selected from
// and shifted by bytes. A thread whose vector passes the buffer's end loads what is left by elements. Results are stored as vectors, but at the
// ends of a row.
// POINTS-LABEL: .visible .entry slice
// POINTS: setp.{{[lg]}}t.s64 %[[PASSES:.*]], %
// POINTS: selp.b64 %[[PLACE:.*]], %{{.*}}, %{{.*}}, %
// POINTS-NEXT: selp.b64 %[[FIRST:.*]], %[[PLACE]], %{{.*}}, %
// POINTS: ld.global.v4.b32 {{.*}}, [%[[FIRST]]]
// POINTS: ld.global.v4.b32
// POINTS: @%{{.*}} bra $L__BB0_[[WHOLE:.*]];
// POINTS-COUNT-8: ld.global.b16
// POINTS: $L__BB0_[[WHOLE]]:
// POINTS-COUNT-11: selp.b32
// POINTS-COUNT-4: prmt.b32.f4e
// POINTS-DAG: st.global.b16
// POINTS-DAG: st.global.v4.b32
func.func @points(%x: tensor<20317x196xbf16>) -> tensor<20317x195xbf16> {
  %0 = tc.slice %x offsets <[0, 1]> strides [1, 1] : tensor<20317x196xbf16> -> tensor<20317x195xbf16>
  return %0 : tensor<20317x195xbf16>
}

// Lanes of one operand or the other: both are loaded as vectors.
// CONCAT-LABEL: .visible .entry concat
// CONCAT-COUNT-4: ld.global.v4.b32
// CONCAT: st.global.v4.b32
func.func @concat(%x: tensor<4096x33xbf16>, %y: tensor<4096x50xbf16>) -> tensor<4096x83xbf16> {
  %0 = tc.concat %x, %y dim 1 : tensor<4096x33xbf16>, tensor<4096x50xbf16> -> tensor<4096x83xbf16>
  return %0 : tensor<4096x83xbf16>
}

// Gathered rows are vectors, aligned where the table is.
// GATHER-LABEL: .visible .entry index_relu
// GATHER: ld.global.b64
// GATHER: ld.global.v4.b32
// GATHER: st.global.v4.b32
func.func @gather(%x: tensor<4096x4096xbf16>, %i: tensor<4096xi64>) -> tensor<4096x4096xbf16> {
  %0 = tc.index_tensors %x[%i] dims [0] : tensor<4096x4096xbf16>, tensor<4096xi64> -> tensor<4096x4096xbf16>
  %1 = tc.relu %0 : tensor<4096x4096xbf16>
  return %1 : tensor<4096x4096xbf16>
}

// A tile that is all there is copied by whole granules, which are under way together, and each of its rows ends in one more; vectors of the results are stored without masks.
// Of another one the granules are copied as far as the buffer has them.
// TRANSPOSES-LABEL: .visible .entry {{[a-z_]*}}transpose
// TRANSPOSES: and.b64 {{.*}}, -16
// TRANSPOSES-COUNT-4: ld.global.v4.b32
// TRANSPOSES-COUNT-2: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16;
// TRANSPOSES-COUNT-4: st.shared.v4.b32
// TRANSPOSES: bar.sync
// TRANSPOSES-NOT: bra
// TRANSPOSES-COUNT-8: ld.shared.b16
// TRANSPOSES: st.global.v4.b32
// TRANSPOSES: cp.async.cg.shared.global [{{.*}}], [{{.*}}], 16, %
// TRANSPOSES: ld.shared.b16
// TRANSPOSES: st.global.b16
func.func @transposes(%x: tensor<3827x3775xbf16>) -> tensor<3775x3827xbf16> {
  %0 = tc.transpose %x [1, 0] : tensor<3827x3775xbf16> -> tensor<3775x3827xbf16>
  %1 = tc.neg %0 : tensor<3775x3827xbf16>
  return %1 : tensor<3775x3827xbf16>
}
