// RUN: tc-run %s --function=columns --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=LAUNCH
// RUN: tc-run %s --function=columns --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=COLUMNS
// RUN: tc-run %s --function=all --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ALL
// RUN: tc-run %s --function=unknown --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=UNKNOWN

// Blocks fold parts of few columns. The last one of those that share a column, which the counter tells it, folds the parts.
// LAUNCH: tc.launch @sum_0 count <264> grain <1>({{.*}}) {programmatic, threads = 512 : i64, uses_counters}
// LAUNCH-NEXT: return
// COLUMNS: .minnctapersm 2
// COLUMNS: fence.acq_rel.gpu
// COLUMNS-NEXT: bar{{(rier)?}}.sync
// COLUMNS: atom.global.inc.u32 %r{{[0-9]+}}, {{.*}}, 263;
// COLUMNS: bar{{(rier)?}}.sync
// COLUMNS: fence.acq_rel.gpu
func.func @columns(%x: tensor<131072x64xbf16>) -> tensor<64xbf16> {
  %0 = tc.reduce sum %x dims [0] : tensor<131072x64xbf16> -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}

// What is left of a row after its last whole vector is folded element by element.
// A block leaves its maximum in one word with a number that says that it is there, without a fence or a counter. The block of the last part
// waits for each word, and sets it back to 0.
// ALL-LABEL: .visible .entry max
// ALL-COUNT-4: ld.global.v4.b32
// ALL: ld.global.b16
// ALL-NOT: {{fence|atom}}
// ALL: st.relaxed.gpu.global.b64
// ALL: ld.relaxed.gpu.global.b64 [[WORD:%rd[0-9]+]], [[ADDRESS:\[.*\]]];
// ALL-NEXT: setp.eq.b64 [[MISSING:%p[0-9]+]], [[WORD]], 0;
// ALL-NEXT: @[[MISSING]] bra
// ALL-NEXT: st.global.b64 [[ADDRESS]], 0;
// ALL-NOT: {{fence|atom}}
// ALL-LABEL: .visible .entry argmax
func.func @all(%x: tensor<4727x127xbf16>) -> tensor<bf16> {
  %0 = tc.reduce max %x dims [0, 1] : tensor<4727x127xbf16> -> tensor<bf16>
  return %0 : tensor<bf16>
}

// The number of an element is of 8 bytes: such states are left in the workspace, behind a fence.
// ALL: fence.acq_rel.gpu
// ALL: atom.global.inc.u32
// ALL-NOT: .relaxed
// ALL-LABEL: .visible .entry sum
func.func @most(%x: tensor<4000000xf32>) -> tensor<i64> {
  %0 = tc.arg_reduce argmax %x dim 0 : tensor<4000000xf32> -> tensor<i64>
  return %0 : tensor<i64>
}

// How many parts there are follows from the sizes of the call: at most 264 blocks for two strips of columns, each thread with a step of its part.
// UNKNOWN: tc.launch @sum_{{[0-9]}} count <max(1, min(((s0 * -1) floordiv 128) * -1, 132)) * 2>
func.func @unknown(%x: tensor<?x100xf32, #tc.sizes<[s0, 100]>>) -> tensor<100xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>]} {
  %0 = tc.reduce sum %x dims [0] : tensor<?x100xf32, #tc.sizes<[s0, 100]>> -> tensor<100xf32>
  return %0 : tensor<100xf32>
}
