// Calls of small sizes multiply bf16 that is widened where it is multiplied, in
// a tile of their own: sizes around the change, with the registers of each CPU
// without bf16 dot products.
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check --threads=2 --target=cpu:x86-64-v2
// RUN: tc-run %s --random-inputs=1 --size=s0=3 --check --threads=2 --target=cpu:x86-64-v2
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check --threads=2 --target=cpu:x86-64-v3
// RUN: tc-run %s --random-inputs=1 --size=s0=5 --check --threads=2 --target=cpu:x86-64-v3
// RUN: tc-run %s --random-inputs=1 --size=s0=1 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=9 --check --threads=2
// RUN: tc-run %s --random-inputs=1 --size=s0=64 --check --threads=2
// RUN: tc-run %s --compile-to=generate --target=cpu:x86-64-v4 | FileCheck %s

#s0 = #tc.symbol<"s0", min = 1, max = 64>

// Fewer iterations, of other sizes, where the second tile is used.
// CHECK-LABEL: func.func @main(
// CHECK: tc.launch @[[PRODUCT:contract_0]] count <{{.*}}min((s0 * 624) floordiv 22465, 1){{.*}}>

// It reads rows and panel in place: both are packed when at least 22465 bytes
// are written.
// CHECK: func.func private @[[PRODUCT]](
// CHECK: llvm.alloca %{{.*}} x i16 {{.*}}tc.scratch_elements = #tc.expr<{{.*}} * min((s0 * 624) floordiv 22465, 1) * 128>
// CHECK: llvm.alloca %{{.*}} x i16 {{.*}}tc.scratch_elements = #tc.expr<{{.*}} * min((s0 * 624) floordiv 22465, 1) * 1536>
func.func @main(%h: tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, %v: tensor<24x40xbf16>, %w: tensor<32x40xbf16>, %i: tensor<?x3x21x21xbf16, #tc.sizes<[s0, 3, 21, 21]>>, %f: tensor<20x3x4x4xbf16>, %u: tensor<32x32xbf16>, %r: tensor<1x40xbf16>)
    -> (tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>, tensor<24x?xbf16, #tc.sizes<[24, s0 * 13]>>, tensor<?x20x5x5xbf16, #tc.sizes<[s0, 20, 5, 5]>>, tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>, tensor<1x24xbf16>)
    attributes {tc.symbols = [#s0]} {
  // Rows of symbolic number, panels of symbolic lanes.
  %0 = tc.contract "mk,nk->mn" %h, %v : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, tensor<24x40xbf16> -> tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>
  %1 = tc.contract "mk,nk->mn" %v, %h : tensor<24x40xbf16>, tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>> -> tensor<24x?xbf16, #tc.sizes<[24, s0 * 13]>>
  // Lanes in runs of 5, several blocks of reduced points.
  %2 = tc.convolution %i, %f stride [4, 4] padding [0, 0] dilation [1, 1] {groups = 1 : i64} : tensor<?x3x21x21xbf16, #tc.sizes<[s0, 3, 21, 21]>>, tensor<20x3x4x4xbf16> -> tensor<?x20x5x5xbf16, #tc.sizes<[s0, 20, 5, 5]>>
  // Written over its rows, which are computed.
  %3 = tc.contract "mk,nk->mn" %h, %w : tensor<?x40xbf16, #tc.sizes<[s0 * 13, 40]>>, tensor<32x40xbf16> -> tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>
  %4 = tc.relu %3 : tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>
  %5 = tc.contract "mk,kn->mn" %4, %u : tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>, tensor<32x32xbf16> -> tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>
  // One row.
  %6 = tc.contract "mk,nk->mn" %r, %v : tensor<1x40xbf16>, tensor<24x40xbf16> -> tensor<1x24xbf16>
  return %0, %1, %2, %5, %6 : tensor<?x24xbf16, #tc.sizes<[s0 * 13, 24]>>, tensor<24x?xbf16, #tc.sizes<[24, s0 * 13]>>, tensor<?x20x5x5xbf16, #tc.sizes<[s0, 20, 5, 5]>>, tensor<?x32xbf16, #tc.sizes<[s0 * 13, 32]>>, tensor<1x24xbf16>
}
