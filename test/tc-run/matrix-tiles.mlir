// Products of bf16 in AMX tiles: of whole and of partial tiles of rows and lanes, in one and in several blocks of points. Where the
// CPU has none, the results are checked of what it has instead.
// RUN: tc-run %s --random-inputs=1 --target=cpu:sapphirerapids --print-assembly | FileCheck %s --check-prefix=TILES
// RUN: tc-run %s --random-inputs=1 --target=cpu:znver4 --print-assembly | FileCheck %s --check-prefix=PAIRS
// RUN: tc-run %s --random-inputs=1 --target=cpu:sapphirerapids --compile-to=fuse | FileCheck %s --check-prefix=SCHEDULE
// RUN: tc-run %s --random-inputs=1 --check --benchmark_min_time=0.01

// SCHEDULE: "m", parallel, 100>, {{.*}} tile = <rows = 32, lanes = 32, {{.*}}>>
// SCHEDULE: "m", parallel, 9>, {{.*}} tile = <rows = 16, {{.*}}>>
// SCHEDULE: "m", parallel, 64>, {{.*}} tile = <rows = 32, lanes = 32, reduced = {{[0-9]+}}, block_rows = {{[0-9]+}}, block_lanes = {{[0-9]+}}>>
// Too few rows, and points that fill no tiles.
// SCHEDULE: "m", parallel, 3>, {{.*}} tile = <rows = 3,
// SCHEDULE: "k", reduced, 50>] {{.*}} tile = <rows = {{[0-9]+}}, lanes = {{[0-9]+}}, reduced = {{(32|64)}},

// TILES: ldtilecfg
// TILES: tdpbf16ps
// TILES: tilerelease
// PAIRS-NOT: tdpbf16ps
// PAIRS: vdpbf16ps
func.func @main(%a: tensor<100x1024xbf16>, %b: tensor<1024x200xbf16>, %c: tensor<9x768xbf16>, %d: tensor<40x768xbf16>, %e: tensor<64x4096xbf16>, %f: tensor<4096x64xbf16>, %g: tensor<3x768xbf16>, %h: tensor<64x50xbf16>, %i: tensor<50x64xbf16>)
    -> (tensor<100x200xbf16>, tensor<9x40xbf16>, tensor<64x64xbf16>, tensor<3x40xbf16>, tensor<64x64xbf16>) {
  %0 = tc.contract "mk,kn->mn" %a, %b : tensor<100x1024xbf16>, tensor<1024x200xbf16> -> tensor<100x200xbf16>
  %1 = tc.contract "mk,nk->mn" %c, %d : tensor<9x768xbf16>, tensor<40x768xbf16> -> tensor<9x40xbf16>
  %2 = tc.contract "mk,kn->mn" %e, %f : tensor<64x4096xbf16>, tensor<4096x64xbf16> -> tensor<64x64xbf16>
  %3 = tc.contract "mk,nk->mn" %g, %d : tensor<3x768xbf16>, tensor<40x768xbf16> -> tensor<3x40xbf16>
  %4 = tc.contract "mk,kn->mn" %h, %i : tensor<64x50xbf16>, tensor<50x64xbf16> -> tensor<64x64xbf16>
  return %0, %1, %2, %3, %4 : tensor<100x200xbf16>, tensor<9x40xbf16>, tensor<64x64xbf16>, tensor<3x40xbf16>, tensor<64x64xbf16>
}
