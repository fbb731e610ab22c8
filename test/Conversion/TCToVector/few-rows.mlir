// Products of few rows by a weight that calls would have to pack, compared with the interpreter: both operands contiguous along the
// points, or the weight along the lanes; every float type, sizes that no tile divides, several dimensions walked as one,
// symbolic and empty ones, with the registers of the machine and with those of AVX2.
// RUN: split-file %s %t
// RUN: tc-run %t/points-f32.mlir --check --random-inputs=1
// RUN: tc-run %t/points-f32.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/lanes-f32.mlir --check --random-inputs=1
// RUN: tc-run %t/lanes-f32.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/points-f64.mlir --check --random-inputs=1
// RUN: tc-run %t/points-f64.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/lanes-f64.mlir --check --random-inputs=1
// RUN: tc-run %t/lanes-f64.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/points-bf16.mlir --check --random-inputs=1
// RUN: tc-run %t/points-bf16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/lanes-bf16.mlir --check --random-inputs=1
// RUN: tc-run %t/lanes-bf16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/points-f16.mlir --check --random-inputs=1
// RUN: tc-run %t/points-f16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/lanes-f16.mlir --check --random-inputs=1
// RUN: tc-run %t/lanes-f16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/short.mlir --check --random-inputs=1
// RUN: tc-run %t/short.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/wide.mlir --check --random-inputs=1
// RUN: tc-run %t/wide.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/wide-lanes.mlir --check --random-inputs=1
// RUN: tc-run %t/wide-lanes.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/heads.mlir --check --random-inputs=1
// RUN: tc-run %t/heads.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/heads-lanes.mlir --check --random-inputs=1
// RUN: tc-run %t/heads-lanes.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/apart.mlir --check --random-inputs=1
// RUN: tc-run %t/apart.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/apart-lanes.mlir --check --random-inputs=1
// RUN: tc-run %t/apart-lanes.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/two-dims.mlir --check --random-inputs=1
// RUN: tc-run %t/two-dims.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/two-dims-lanes.mlir --check --random-inputs=1
// RUN: tc-run %t/two-dims-lanes.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/fused.mlir --check --random-inputs=1
// RUN: tc-run %t/fused.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/fused-lanes.mlir --check --random-inputs=1
// RUN: tc-run %t/fused-lanes.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/empty.mlir --check --random-inputs=1
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=0
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=1
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=3
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=4
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=7
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=7 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=40
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=300
// RUN: tc-run %t/symbolic-points.mlir --check --random-inputs=1 --size=s0=0
// RUN: tc-run %t/symbolic-points.mlir --check --random-inputs=1 --size=s0=3
// RUN: tc-run %t/symbolic-points.mlir --check --random-inputs=1 --size=s0=2000
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=1
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=5
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=5 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=40
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=40 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic-batches.mlir --check --random-inputs=1 --size=s0=0
// RUN: tc-run %t/symbolic-batches.mlir --check --random-inputs=1 --size=s0=1
// RUN: tc-run %t/symbolic-batches.mlir --check --random-inputs=1 --size=s0=5

// The same bits on any number of threads.
// RUN: tc-run %t/wide.mlir --random-inputs=1 --threads=1 --output=@%t.one.npy
// RUN: tc-run %t/wide.mlir --random-inputs=1 --threads=2 --output=@%t.two.npy
// RUN: cmp %t.one.npy %t.two.npy

//--- points-f32.mlir
func.func @main(%a: tensor<7x261xf32>, %b: tensor<75x261xf32>) -> tensor<7x75xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<7x261xf32>, tensor<75x261xf32> -> tensor<7x75xf32>
  return %c : tensor<7x75xf32>
}

//--- lanes-f32.mlir
func.func @main(%a: tensor<7x261xf32>, %b: tensor<261x75xf32>) -> tensor<7x75xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<7x261xf32>, tensor<261x75xf32> -> tensor<7x75xf32>
  return %c : tensor<7x75xf32>
}

//--- points-f64.mlir
func.func @main(%a: tensor<7x261xf64>, %b: tensor<75x261xf64>) -> tensor<7x75xf64> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<7x261xf64>, tensor<75x261xf64> -> tensor<7x75xf64>
  return %c : tensor<7x75xf64>
}

//--- lanes-f64.mlir
func.func @main(%a: tensor<7x261xf64>, %b: tensor<261x75xf64>) -> tensor<7x75xf64> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<7x261xf64>, tensor<261x75xf64> -> tensor<7x75xf64>
  return %c : tensor<7x75xf64>
}

//--- points-bf16.mlir
func.func @main(%a: tensor<7x261xbf16>, %b: tensor<75x261xbf16>) -> tensor<7x75xbf16> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<7x261xbf16>, tensor<75x261xbf16> -> tensor<7x75xbf16>
  return %c : tensor<7x75xbf16>
}

//--- lanes-bf16.mlir
func.func @main(%a: tensor<7x261xbf16>, %b: tensor<261x75xbf16>) -> tensor<7x75xbf16> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<7x261xbf16>, tensor<261x75xbf16> -> tensor<7x75xbf16>
  return %c : tensor<7x75xbf16>
}

//--- points-f16.mlir
func.func @main(%a: tensor<7x261xf16>, %b: tensor<75x261xf16>) -> tensor<7x75xf16> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<7x261xf16>, tensor<75x261xf16> -> tensor<7x75xf16>
  return %c : tensor<7x75xf16>
}

//--- lanes-f16.mlir
func.func @main(%a: tensor<7x261xf16>, %b: tensor<261x75xf16>) -> tensor<7x75xf16> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<7x261xf16>, tensor<261x75xf16> -> tensor<7x75xf16>
  return %c : tensor<7x75xf16>
}

//--- short.mlir
func.func @main(%a: tensor<8x5xf32>, %b: tensor<2000x5xf32>) -> tensor<8x2000xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<8x5xf32>, tensor<2000x5xf32> -> tensor<8x2000xf32>
  return %c : tensor<8x2000xf32>
}

//--- wide.mlir
func.func @main(%a: tensor<16x512xf32>, %b: tensor<256x512xf32>) -> tensor<16x256xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<16x512xf32>, tensor<256x512xf32> -> tensor<16x256xf32>
  return %c : tensor<16x256xf32>
}

//--- wide-lanes.mlir
func.func @main(%a: tensor<16x512xf32>, %b: tensor<512x256xf32>) -> tensor<16x256xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<16x512xf32>, tensor<512x256xf32> -> tensor<16x256xf32>
  return %c : tensor<16x256xf32>
}

//--- heads.mlir
func.func @main(%a: tensor<3x5x64xf32>, %b: tensor<3x70x64xf32>) -> tensor<3x5x70xf32> {
  %c = tc.contract "bmk,bnk->bmn" %a, %b : tensor<3x5x64xf32>, tensor<3x70x64xf32> -> tensor<3x5x70xf32>
  return %c : tensor<3x5x70xf32>
}

//--- heads-lanes.mlir
func.func @main(%a: tensor<3x5x64xf32>, %b: tensor<3x64x70xf32>) -> tensor<3x5x70xf32> {
  %c = tc.contract "bmk,bkn->bmn" %a, %b : tensor<3x5x64xf32>, tensor<3x64x70xf32> -> tensor<3x5x70xf32>
  return %c : tensor<3x5x70xf32>
}

//--- apart.mlir
func.func @main(%a: tensor<5x3x64xf32>, %b: tensor<70x3x64xf32>) -> tensor<3x5x70xf32> {
  %c = tc.contract "mbk,nbk->bmn" %a, %b : tensor<5x3x64xf32>, tensor<70x3x64xf32> -> tensor<3x5x70xf32>
  return %c : tensor<3x5x70xf32>
}

//--- apart-lanes.mlir
func.func @main(%a: tensor<5x3x64xf32>, %b: tensor<64x3x70xf32>) -> tensor<3x5x70xf32> {
  %c = tc.contract "mbk,kbn->bmn" %a, %b : tensor<5x3x64xf32>, tensor<64x3x70xf32> -> tensor<3x5x70xf32>
  return %c : tensor<3x5x70xf32>
}

//--- two-dims.mlir
func.func @main(%a: tensor<2x3x9x32xf32>, %b: tensor<5x20x9x32xf32>) -> tensor<2x3x5x20xf32> {
  %c = tc.contract "pmij,qnij->pmqn" %a, %b : tensor<2x3x9x32xf32>, tensor<5x20x9x32xf32> -> tensor<2x3x5x20xf32>
  return %c : tensor<2x3x5x20xf32>
}

//--- two-dims-lanes.mlir
func.func @main(%a: tensor<2x3x9x32xf32>, %b: tensor<9x32x5x20xf32>) -> tensor<2x3x5x20xf32> {
  %c = tc.contract "pmij,ijqn->pmqn" %a, %b : tensor<2x3x9x32xf32>, tensor<9x32x5x20xf32> -> tensor<2x3x5x20xf32>
  return %c : tensor<2x3x5x20xf32>
}

//--- fused.mlir
func.func @main(%a: tensor<8x300xf32>, %b: tensor<75x300xf32>, %d: tensor<8x75xf32>) -> tensor<8x75xf32> {
  %e = tc.tanh %a : tensor<8x300xf32>
  %c = tc.contract "mk,nk->mn" %e, %b : tensor<8x300xf32>, tensor<75x300xf32> -> tensor<8x75xf32>
  %g = tc.gelu %c : tensor<8x75xf32>
  %r = tc.add %g, %d : tensor<8x75xf32>
  return %r : tensor<8x75xf32>
}

//--- fused-lanes.mlir
func.func @main(%a: tensor<8x300xf32>, %b: tensor<300x75xf32>, %d: tensor<8x75xf32>) -> tensor<8x75xf32> {
  %e = tc.tanh %a : tensor<8x300xf32>
  %c = tc.contract "mk,kn->mn" %e, %b : tensor<8x300xf32>, tensor<300x75xf32> -> tensor<8x75xf32>
  %g = tc.gelu %c : tensor<8x75xf32>
  %r = tc.add %g, %d : tensor<8x75xf32>
  return %r : tensor<8x75xf32>
}

//--- empty.mlir
func.func @main(%a: tensor<8x0xf32>, %b: tensor<75x0xf32>) -> tensor<8x75xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<8x0xf32>, tensor<75x0xf32> -> tensor<8x75xf32>
  return %c : tensor<8x75xf32>
}

//--- symbolic.mlir
func.func @main(%a: tensor<?x300xf32, #tc.sizes<[s0, 300]>>, %b: tensor<75x300xf32>) -> tensor<?x75xf32, #tc.sizes<[s0, 75]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<?x300xf32, #tc.sizes<[s0, 300]>>, tensor<75x300xf32> -> tensor<?x75xf32, #tc.sizes<[s0, 75]>>
  return %c : tensor<?x75xf32, #tc.sizes<[s0, 75]>>
}

//--- symbolic-points.mlir
func.func @main(%a: tensor<8x?xf32, #tc.sizes<[8, s0]>>, %b: tensor<75x?xf32, #tc.sizes<[75, s0]>>) -> tensor<8x75xf32> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<8x?xf32, #tc.sizes<[8, s0]>>, tensor<75x?xf32, #tc.sizes<[75, s0]>> -> tensor<8x75xf32>
  return %c : tensor<8x75xf32>
}

//--- symbolic-bf16.mlir
func.func @main(%a: tensor<?x301xbf16, #tc.sizes<[s0, 301]>>, %b: tensor<75x301xbf16>) -> tensor<?x75xbf16, #tc.sizes<[s0, 75]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<?x301xbf16, #tc.sizes<[s0, 301]>>, tensor<75x301xbf16> -> tensor<?x75xbf16, #tc.sizes<[s0, 75]>>
  return %c : tensor<?x75xbf16, #tc.sizes<[s0, 75]>>
}

//--- symbolic-batches.mlir
func.func @main(%a: tensor<?x8x64xf32, #tc.sizes<[s0, 8, 64]>>, %b: tensor<?x75x64xf32, #tc.sizes<[s0, 75, 64]>>) -> tensor<?x8x75xf32, #tc.sizes<[s0, 8, 75]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>]} {
  %c = tc.contract "bmk,bnk->bmn" %a, %b : tensor<?x8x64xf32, #tc.sizes<[s0, 8, 64]>>, tensor<?x75x64xf32, #tc.sizes<[s0, 75, 64]>> -> tensor<?x8x75xf32, #tc.sizes<[s0, 8, 75]>>
  return %c : tensor<?x8x75xf32, #tc.sizes<[s0, 8, 75]>>
}
