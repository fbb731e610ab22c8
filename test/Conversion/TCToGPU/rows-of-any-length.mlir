// RUN: tc-run %s --function=unknown --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=LAUNCH
// RUN: tc-run %s --function=unknown --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=UNKNOWN
// RUN: tc-run %s --function=odd --target=cuda:sm_80 --compile-to=fuse | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --function=odd --target=cuda:sm_80 --print-assembly | FileCheck %s --check-prefix=ODD

// A row takes as many warps as hold it, so a block has as many rows as fit.
// LAUNCH: tc.launch @softmax_{{[0-9]}} count <((s0 * -1) floordiv (16 floordiv min(16, max(((s1 * -1) floordiv 1024) * -1, 1)))) * -1>
// The 8 vectors of a thread are 512 bytes apart, at constant distances.
// UNKNOWN-LABEL: .visible .entry softmax
// UNKNOWN: .minnctapersm 2
// UNKNOWN: ld.global.v4.b32 {{.*}}, [%[[ROW:[a-z0-9]+]]+512];
// UNKNOWN: ld.global.v4.b32 {{.*}}, [%[[ROW]]+3584];
// UNKNOWN: bar.sync
func.func @unknown(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>) -> tensor<?x?xf32, #tc.sizes<[s0, s1]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>, #tc.symbol<"s1", min = 0, max = 1000000>]} {
  %0 = tc.softmax %x dim 1 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
  return %0 : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
}

// Before sm_90, rows of odd length are held in vectors that are aligned for what is stored: 33 points of bf16 in at most 6 vectors of 8.
// SCHEDULE: schedule #tc.gpu_row_schedule<vector_dim = 1, vector_width = 8, held = true, threads = 8, rows = 16>
// ODD-LABEL: .visible .entry softmax
// ODD: ld.global.v4.b32
// ODD: selp.b32
// ODD: st.global.v4.b32
func.func @odd(%x: tensor<1000x33xbf16>) -> tensor<1000x33xbf16> {
  %0 = tc.softmax %x dim 1 : tensor<1000x33xbf16>
  return %0 : tensor<1000x33xbf16>
}
