// Contractions compiled and compared with the interpreter: sizes that no tile
// divides, operands transposed or not, several dimensions walked as one,
// long and empty sums, every float type; with the registers of the machine and
// with those of AVX2.
// RUN: split-file %s %t
// RUN: tc-run %t/nn.mlir --check --random-inputs=1
// RUN: tc-run %t/nt.mlir --check --random-inputs=1
// RUN: tc-run %t/nt.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/tn.mlir --check --random-inputs=1
// RUN: tc-run %t/tn-prologue.mlir --check --random-inputs=1
// RUN: tc-run %t/tn-prologue.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/tn-bf16.mlir --check --random-inputs=1
// RUN: tc-run %t/tn-bf16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/tn-f64.mlir --check --random-inputs=1
// RUN: tc-run %t/tn-heads.mlir --check --random-inputs=1
// RUN: tc-run %t/tn-symbolic.mlir --check --random-inputs=1 --size=s0=3 --size=s1=211
// RUN: tc-run %t/tn-symbolic.mlir --check --random-inputs=1 --size=s0=130 --size=s1=1
// RUN: tc-run %t/tn-symbolic.mlir --check --random-inputs=1 --size=s0=130 --size=s1=0
// RUN: tc-run %t/batched.mlir --check --random-inputs=1
// RUN: tc-run %t/long.mlir --check --random-inputs=1
// RUN: tc-run %t/long.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/long-nn.mlir --check --random-inputs=1
// RUN: tc-run %t/bf16-nn.mlir --check --random-inputs=1
// RUN: tc-run %t/bf16-nn.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/bf16-nt.mlir --check --random-inputs=1
// RUN: tc-run %t/bf16-long.mlir --check --random-inputs=1
// RUN: tc-run %t/f16-nt.mlir --check --random-inputs=1
// RUN: tc-run %t/f64-nt.mlir --check --random-inputs=1
// RUN: tc-run %t/f64-nn.mlir --check --random-inputs=1
// RUN: tc-run %t/f64-nn.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/nothing.mlir --check --random-inputs=1
// RUN: tc-run %t/norows.mlir --check --random-inputs=1
// RUN: tc-run %t/outer.mlir --check --random-inputs=1
// RUN: tc-run %t/fused.mlir --check --random-inputs=1
// RUN: tc-run %t/fused.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/heads.mlir --check --random-inputs=1
// RUN: tc-run %t/heads-bf16.mlir --check --random-inputs=1
// RUN: tc-run %t/heads-bf16.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/two-reduced.mlir --check --random-inputs=1
// RUN: tc-run %t/two-reduced-across.mlir --check --random-inputs=1
// RUN: tc-run %t/two-reduced-across.mlir --check --random-inputs=1 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=7 --size=s1=0
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=1 --size=s1=9
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=41 --size=s1=2000
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=0 --size=s1=3
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=7 --size=s1=0 --size=s2=3
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=1 --size=s1=9 --size=s2=100
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=41 --size=s1=2001 --size=s2=65
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=3 --size=s1=3 --size=s2=0
// RUN: tc-run %t/symbolic.mlir --check --random-inputs=1 --size=s0=41 --size=s1=2000 --target=cpu:x86-64-v3
// RUN: tc-run %t/symbolic-bf16.mlir --check --random-inputs=1 --size=s0=41 --size=s1=2001 --size=s2=65 --target=cpu:x86-64-v3

// An operand laid out in panels, for pairs of bf16 padded with zeros.
// RUN: tc-run %t/packed.mlir --check --random-inputs=1
// RUN: tc-run %t/packed-bf16.mlir --check --random-inputs=1

// The same bits on any number of threads.
// RUN: tc-run %t/long.mlir --random-inputs=1 --threads=1 --output=@%t.one.npy
// RUN: tc-run %t/long.mlir --random-inputs=1 --threads=2 --output=@%t.two.npy
// RUN: cmp %t.one.npy %t.two.npy

//--- nn.mlir
func.func @main(%a: tensor<37x129xf32>, %b: tensor<129x75xf32>) -> tensor<37x75xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<37x129xf32>, tensor<129x75xf32> -> tensor<37x75xf32>
  return %c : tensor<37x75xf32>
}

//--- nt.mlir
func.func @main(%a: tensor<37x129xf32>, %b: tensor<75x129xf32>) -> tensor<37x75xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<37x129xf32>, tensor<75x129xf32> -> tensor<37x75xf32>
  return %c : tensor<37x75xf32>
}

//--- tn.mlir
func.func @main(%a: tensor<129x37xf32>, %b: tensor<129x75xf32>) -> tensor<37x75xf32> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<129x37xf32>, tensor<129x75xf32> -> tensor<37x75xf32>
  return %c : tensor<37x75xf32>
}

//--- tn-prologue.mlir
func.func @main(%a: tensor<205x45xf32>, %b: tensor<205x75xf32>) -> tensor<45x75xf32> {
  %e = tc.exp %a : tensor<205x45xf32>
  %c = tc.contract "km,kn->mn" %e, %b : tensor<205x45xf32>, tensor<205x75xf32> -> tensor<45x75xf32>
  return %c : tensor<45x75xf32>
}

//--- tn-bf16.mlir
func.func @main(%a: tensor<203x45xbf16>, %b: tensor<203x75xbf16>) -> tensor<45x75xbf16> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<203x45xbf16>, tensor<203x75xbf16> -> tensor<45x75xbf16>
  return %c : tensor<45x75xbf16>
}

//--- tn-f64.mlir
func.func @main(%a: tensor<203x33xf64>, %b: tensor<203x75xf64>) -> tensor<33x75xf64> {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<203x33xf64>, tensor<203x75xf64> -> tensor<33x75xf64>
  return %c : tensor<33x75xf64>
}

//--- tn-heads.mlir
func.func @main(%a: tensor<2x50x3x21xf32>, %b: tensor<2x50x75xf32>) -> tensor<2x3x21x75xf32> {
  %c = tc.contract "bkhm,bkn->bhmn" %a, %b : tensor<2x50x3x21xf32>, tensor<2x50x75xf32> -> tensor<2x3x21x75xf32>
  return %c : tensor<2x3x21x75xf32>
}

//--- tn-symbolic.mlir
func.func @main(%a: tensor<?x?xf32, #tc.sizes<[s1, s0]>>, %b: tensor<?x75xf32, #tc.sizes<[s1, 75]>>) -> tensor<?x75xf32, #tc.sizes<[s0, 75]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>, #tc.symbol<"s1", min = 0, max = 4096>]} {
  %c = tc.contract "km,kn->mn" %a, %b : tensor<?x?xf32, #tc.sizes<[s1, s0]>>, tensor<?x75xf32, #tc.sizes<[s1, 75]>> -> tensor<?x75xf32, #tc.sizes<[s0, 75]>>
  return %c : tensor<?x75xf32, #tc.sizes<[s0, 75]>>
}

//--- batched.mlir
func.func @main(%a: tensor<3x5x7xf32>, %b: tensor<3x7x9xf32>) -> tensor<3x5x9xf32> {
  %c = tc.contract "bmk,bkn->bmn" %a, %b : tensor<3x5x7xf32>, tensor<3x7x9xf32> -> tensor<3x5x9xf32>
  return %c : tensor<3x5x9xf32>
}

//--- long.mlir
func.func @main(%a: tensor<9x5001xf32>, %b: tensor<70x5001xf32>) -> tensor<9x70xf32> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<9x5001xf32>, tensor<70x5001xf32> -> tensor<9x70xf32>
  return %c : tensor<9x70xf32>
}

//--- long-nn.mlir
func.func @main(%a: tensor<9x5001xf32>, %b: tensor<5001x70xf32>) -> tensor<9x70xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<9x5001xf32>, tensor<5001x70xf32> -> tensor<9x70xf32>
  return %c : tensor<9x70xf32>
}

//--- bf16-nn.mlir
func.func @main(%a: tensor<37x129xbf16>, %b: tensor<129x75xbf16>) -> tensor<37x75xbf16> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<37x129xbf16>, tensor<129x75xbf16> -> tensor<37x75xbf16>
  return %c : tensor<37x75xbf16>
}

//--- bf16-nt.mlir
func.func @main(%a: tensor<37x129xbf16>, %b: tensor<75x129xbf16>) -> tensor<37x75xbf16> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<37x129xbf16>, tensor<75x129xbf16> -> tensor<37x75xbf16>
  return %c : tensor<37x75xbf16>
}

//--- bf16-long.mlir
func.func @main(%a: tensor<37x9001xbf16>, %b: tensor<75x9001xbf16>) -> tensor<37x75xbf16> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<37x9001xbf16>, tensor<75x9001xbf16> -> tensor<37x75xbf16>
  return %c : tensor<37x75xbf16>
}

//--- f16-nt.mlir
func.func @main(%a: tensor<37x129xf16>, %b: tensor<75x129xf16>) -> tensor<37x75xf16> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<37x129xf16>, tensor<75x129xf16> -> tensor<37x75xf16>
  return %c : tensor<37x75xf16>
}

//--- f64-nt.mlir
func.func @main(%a: tensor<37x129xf64>, %b: tensor<75x129xf64>) -> tensor<37x75xf64> {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<37x129xf64>, tensor<75x129xf64> -> tensor<37x75xf64>
  return %c : tensor<37x75xf64>
}

//--- f64-nn.mlir
func.func @main(%a: tensor<37x129xf64>, %b: tensor<129x75xf64>) -> tensor<37x75xf64> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<37x129xf64>, tensor<129x75xf64> -> tensor<37x75xf64>
  return %c : tensor<37x75xf64>
}

//--- nothing.mlir
func.func @main(%a: tensor<3x0xf32>, %b: tensor<0x5xf32>) -> tensor<3x5xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<3x0xf32>, tensor<0x5xf32> -> tensor<3x5xf32>
  return %c : tensor<3x5xf32>
}

//--- norows.mlir
func.func @main(%a: tensor<0x4xf32>, %b: tensor<4x5xf32>) -> tensor<0x5xf32> {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<0x4xf32>, tensor<4x5xf32> -> tensor<0x5xf32>
  return %c : tensor<0x5xf32>
}

//--- outer.mlir
func.func @main(%a: tensor<33xf32>, %b: tensor<70xf32>) -> tensor<33x70xf32> {
  %c = tc.contract "m,n->mn" %a, %b : tensor<33xf32>, tensor<70xf32> -> tensor<33x70xf32>
  return %c : tensor<33x70xf32>
}

//--- fused.mlir
func.func @main(%a: tensor<37x129xbf16>, %b: tensor<75x129xbf16>, %d: tensor<37x75xbf16>) -> tensor<37x75xbf16> {
  %r = tc.relu %a : tensor<37x129xbf16>
  %c = tc.contract "mk,nk->mn" %r, %b : tensor<37x129xbf16>, tensor<75x129xbf16> -> tensor<37x75xbf16>
  %g = tc.gelu %c : tensor<37x75xbf16>
  %s = tc.add %g, %d : tensor<37x75xbf16>
  return %s : tensor<37x75xbf16>
}

//--- heads.mlir
func.func @main(%a: tensor<2x9x64xf32>, %b: tensor<3x4x5x64xf32>) -> tensor<3x2x4x9x5xf32> {
  %c = tc.contract "btk,qhdk->qbhtd" %a, %b : tensor<2x9x64xf32>, tensor<3x4x5x64xf32> -> tensor<3x2x4x9x5xf32>
  return %c : tensor<3x2x4x9x5xf32>
}

//--- heads-bf16.mlir
func.func @main(%a: tensor<2x9x65xbf16>, %b: tensor<65x3x4x5xbf16>) -> tensor<3x2x4x9x5xbf16> {
  %c = tc.contract "btk,kqhd->qbhtd" %a, %b : tensor<2x9x65xbf16>, tensor<65x3x4x5xbf16> -> tensor<3x2x4x9x5xbf16>
  return %c : tensor<3x2x4x9x5xbf16>
}

//--- two-reduced.mlir
func.func @main(%a: tensor<9x5x7xbf16>, %b: tensor<5x7x20xbf16>) -> tensor<9x20xbf16> {
  %c = tc.contract "mij,ijn->mn" %a, %b : tensor<9x5x7xbf16>, tensor<5x7x20xbf16> -> tensor<9x20xbf16>
  return %c : tensor<9x20xbf16>
}

//--- two-reduced-across.mlir
func.func @main(%a: tensor<5x9x7xf32>, %b: tensor<7x20x5xf32>) -> tensor<9x20xf32> {
  %c = tc.contract "imj,jni->mn" %a, %b : tensor<5x9x7xf32>, tensor<7x20x5xf32> -> tensor<9x20xf32>
  return %c : tensor<9x20xf32>
}

//--- symbolic.mlir
func.func @main(%a: tensor<?x?xf32, #tc.sizes<[s0, s1]>>, %b: tensor<75x?xf32, #tc.sizes<[75, s1]>>) -> tensor<?x75xf32, #tc.sizes<[s0, 75]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>, #tc.symbol<"s1", min = 0, max = 4096>]} {
  %c = tc.contract "mk,nk->mn" %a, %b : tensor<?x?xf32, #tc.sizes<[s0, s1]>>, tensor<75x?xf32, #tc.sizes<[75, s1]>> -> tensor<?x75xf32, #tc.sizes<[s0, 75]>>
  return %c : tensor<?x75xf32, #tc.sizes<[s0, 75]>>
}

//--- symbolic-bf16.mlir
func.func @main(%a: tensor<?x?xbf16, #tc.sizes<[s0, s1]>>, %b: tensor<?x?xbf16, #tc.sizes<[s1, s2]>>) -> tensor<?x?xbf16, #tc.sizes<[s0, s2]>> attributes {tc.symbols = [#tc.symbol<"s0", min = 0, max = 4096>, #tc.symbol<"s1", min = 0, max = 4096>, #tc.symbol<"s2", min = 0, max = 4096>]} {
  %c = tc.contract "mk,kn->mn" %a, %b : tensor<?x?xbf16, #tc.sizes<[s0, s1]>>, tensor<?x?xbf16, #tc.sizes<[s1, s2]>> -> tensor<?x?xbf16, #tc.sizes<[s0, s2]>>
  return %c : tensor<?x?xbf16, #tc.sizes<[s0, s2]>>
}

//--- packed.mlir
module attributes {tc.phase = "fuse"} {
  func.func @main(%x: tensor<37x129xf32>, %w: tensor<2x129x64xf32>) -> tensor<37x75xf32> {
    %e = tc.empty : tensor<37x75xf32>
    %0 = tc.kernel "packed" contraction dims [#tc.dim<"m", parallel, 37>, #tc.dim<"n", parallel, 75>, #tc.dim<"k", reduced, 129>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 64, block_rows = 18, block_lanes = 64>> ins(%a = %x : tensor<37x129xf32>, %b = %w : tensor<2x129x64xf32>) outs(%c = %e : tensor<37x75xf32>) {
      %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<37x129xf32> -> f32
      %u = tc.read %b[affine_map<(d0, d1, d2) -> (d1 floordiv 64, d2, d1 mod 64)>] : tensor<2x129x64xf32> -> f32
      %s = tc.contract_stage %v, %u over [2] : f32, f32 -> f32
      tc.write %s, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<37x75xf32>
    }
    return %0 : tensor<37x75xf32>
  }
}

//--- packed-bf16.mlir
module attributes {tc.phase = "fuse"} {
  func.func @main(%x: tensor<37x129xbf16>, %w: tensor<2x65x64x2xbf16>) -> tensor<37x75xf32> {
    %e = tc.empty : tensor<37x75xf32>
    %0 = tc.kernel "packed" contraction dims [#tc.dim<"m", parallel, 37>, #tc.dim<"n", parallel, 75>, #tc.dim<"k", reduced, 129>] schedule #tc.contraction_schedule<vector_dim = 1, vector_width = 16, tile = <rows = 6, lanes = 64, reduced = 64, block_rows = 18, block_lanes = 64>> ins(%a = %x : tensor<37x129xbf16>, %b = %w : tensor<2x65x64x2xbf16>) outs(%c = %e : tensor<37x75xf32>) {
      %v = tc.read %a[affine_map<(d0, d1, d2) -> (d0, d2)>] : tensor<37x129xbf16> -> bf16
      %u = tc.read %b[affine_map<(d0, d1, d2) -> (d1 floordiv 64, d2 floordiv 2, d1 mod 64, d2 mod 2)>] : tensor<2x65x64x2xbf16> -> bf16
      %s = tc.contract_stage %v, %u over [2] : bf16, bf16 -> f32
      tc.write %s, %c[affine_map<(d0, d1, d2) -> (d0, d1)>] : f32, tensor<37x75xf32>
    }
    return %0 : tensor<37x75xf32>
  }
}
