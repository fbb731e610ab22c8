// RUN: env -u TC_TARGET tc-opt %s --tc-phase-specialize --dump-pass-pipeline -o /dev/null 2>&1 | diff %S/Inputs/phase-specialize.txt -
// RUN: cd %S && tc-opt %s "--tc-phase-specialize=target=cpu:skylake libraries=none schedules=Inputs/schedules.mlir specialize=main:s0=8,main:s0=16..32:s1=4" --dump-pass-pipeline -o /dev/null 2>&1 \
// RUN:   | diff %S/Inputs/phase-specialize-target.txt -
// RUN: tc-opt %s --tc-phase-specialize | FileCheck %s
// RUN: tc-opt %s "--tc-phase-specialize=specialize=main:s0=8,main:s0=16..32:s1=4" | FileCheck %s --check-prefix=VERSIONS

// The passes of the phase, with default and other options; the phase is written down. Without requests nothing else changes.
// CHECK: module attributes {{.*}}tc.phase = "specialize"
// CHECK-NEXT: func.func @main(
// CHECK-NEXT: tc.guard rank(
// CHECK-NEXT: tc.guard no_alias(
// CHECK-NEXT: return
// VERSIONS: tc.dispatch @main(
// VERSIONS-NEXT: tc.guard no_alias(
// VERSIONS-NEXT: tc.case @main.s0_8 {
// VERSIONS-NEXT: tc.guard size_equal(
// VERSIONS: tc.case @main.s0_16_32_s1_4 {
// VERSIONS-NEXT: tc.guard size_range(
// VERSIONS-NEXT: tc.guard size_equal(
// VERSIONS: tc.otherwise @main.general
// VERSIONS: func.func @main.general(
// VERSIONS: func.func @main.s0_8(%{{.*}}: tensor<8x?xf32, #tc.sizes<[8, s1]>>, %{{.*}}: tensor<?xf32, #tc.sizes<[s1]>>)
// VERSIONS: func.func @main.s0_16_32_s1_4(%{{.*}}: tensor<?x4xf32, #tc.sizes<[s0, 4]>>, %{{.*}}: tensor<4xf32>)
module attributes {tc.phase = "import"} {
  func.func @main(%x: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %y: tensor<?xf32, #tc.sizes<[s1]>>)
      attributes {tc.symbols = [#tc.symbol<"s0", min = 2, max = 64>, #tc.symbol<"s1", min = 2, max = 64>]} {
    tc.guard rank(%x) {value = 2 : i64} : tensor<?x?xf32, #tc.sizes<[s0, s1]>>
    tc.guard no_alias(%x, %y) : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<?xf32, #tc.sizes<[s1]>>
    return
  }
}
