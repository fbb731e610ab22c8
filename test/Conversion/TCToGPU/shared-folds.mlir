// RUN: tc-run %s --function=columns --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=LAUNCH
// RUN: tc-run %s --function=columns --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=COLUMNS
// RUN: tc-run %s --function=columns --target=cuda:sm_80 --print-assembly | FileCheck %s --check-prefix=OLDER
// RUN: tc-run %s --function=all --target=cuda:sm_90a --print-assembly | FileCheck %s --check-prefix=ALL
// RUN: tc-run %s --function=unknown --target=cuda:sm_90a --compile-to=generate | FileCheck %s --check-prefix=UNKNOWN

// Blocks fold parts of few columns; a second launch folds the parts and begins while the first one is still at work.
// LAUNCH: tc.launch @sum_0 count <264> grain <1>({{.*}}) sizes [#tc.expr<0>] {programmatic, threads = 512 : i64}
// LAUNCH-NEXT: tc.launch @sum_0 count <1> grain <1>({{.*}}) sizes [#tc.expr<1>] {programmatic, threads = 512 : i64}
// COLUMNS: .minnctapersm 2
// COLUMNS: griddepcontrol.wait
// COLUMNS: griddepcontrol.launch_dependents
// OLDER-NOT: griddepcontrol
func.func @columns(%x: tensor<131072x64xbf16>) -> tensor<64xbf16> {
  %0 = tc.reduce sum %x dims [0] : tensor<131072x64xbf16> -> tensor<64xbf16>
  return %0 : tensor<64xbf16>
}

// What is left of a row after its last whole vector is folded element by element.
// ALL-LABEL: .visible .entry max
// ALL-COUNT-8: ld.global.v4.b32
// ALL: ld.global.b16
func.func @all(%x: tensor<4727x127xbf16>) -> tensor<bf16> {
  %0 = tc.reduce max %x dims [0, 1] : tensor<4727x127xbf16> -> tensor<bf16>
  return %0 : tensor<bf16>
}

// How many parts there are follows from the sizes of the call: at most 264 blocks, each thread with a step of its part.
// UNKNOWN: tc.launch @sum_{{[0-9]}} count <max(1, min(((s0 * -1) floordiv 128) * -1, 264))>
func.func @unknown(%x: tensor<?x100xf32, #tc.sizes<[s0, 100]>>) -> tensor<100xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 1000000>]} {
  %0 = tc.reduce sum %x dims [0] : tensor<?x100xf32, #tc.sizes<[s0, 100]>> -> tensor<100xf32>
  return %0 : tensor<100xf32>
}
