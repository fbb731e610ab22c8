// Inputs are transposed by blocks, whole ones and parts, in every element type and at symbolic sizes.
// RUN: tc-run %s --function=f32 --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=bf16 --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=i1 --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=batch --random-inputs=1 --size=s=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=batch --random-inputs=1 --size=s=67 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=pairs --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=pairs_of_any_size --random-inputs=1 --size=s=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=pairs_of_any_size --random-inputs=1 --size=s=67 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=large --random-inputs=1 --check --benchmark_min_time=0.01
// RUN: tc-run %s --function=large --compile-to=fuse | FileCheck %s
// CHECK-LABEL: func.func @large
// CHECK: transpose {{.*}} tile_rows = 64, tile_lanes = 64, nontemporal = true>

module attributes {tc.core_cache_bytes = 2097152 : i64, tc.shared_cache_bytes = 33554432 : i64} {
func.func @f32(%x: tensor<37x53xf32>, %y: tensor<53x37xf32>, %bias: tensor<37xf32>) -> tensor<53x37xf32> {
  %t = tc.transpose %x [1, 0] : tensor<37x53xf32> -> tensor<53x37xf32>
  %s = tc.add %t, %y : tensor<53x37xf32>
  %b = tc.broadcast %bias dims [1] : tensor<37xf32> -> tensor<53x37xf32>
  %r = tc.mul %s, %b : tensor<53x37xf32>
  return %r : tensor<53x37xf32>
}

func.func @bf16(%x: tensor<64x48xbf16>) -> tensor<48x64xbf16> {
  %t = tc.transpose %x [1, 0] : tensor<64x48xbf16> -> tensor<48x64xbf16>
  %r = tc.neg %t : tensor<48x64xbf16>
  return %r : tensor<48x64xbf16>
}

func.func @i1(%x: tensor<19x40xi1>) -> tensor<40x19xi1> {
  %t = tc.transpose %x [1, 0] : tensor<19x40xi1> -> tensor<40x19xi1>
  return %t : tensor<40x19xi1>
}

func.func @batch(%x: tensor<3x?x20xf32, #tc.sizes<[3, s, 20]>>) -> tensor<3x20x?xf32, #tc.sizes<[3, 20, s]>>
    attributes {tc.symbols = [#tc.symbol<"s", min = 1, max = 1000>]} {
  %t = tc.transpose %x [0, 2, 1] : tensor<3x?x20xf32, #tc.sizes<[3, s, 20]>> -> tensor<3x20x?xf32, #tc.sizes<[3, 20, s]>>
  %r = tc.exp %t : tensor<3x20x?xf32, #tc.sizes<[3, 20, s]>>
  return %r : tensor<3x20x?xf32, #tc.sizes<[3, 20, s]>>
}

func.func @large(%x: tensor<2560x2048xf32>) -> tensor<2048x2560xf32> {
  %t = tc.transpose %x [1, 0] : tensor<2560x2048xf32> -> tensor<2048x2560xf32>
  %r = tc.neg %t : tensor<2048x2560xf32>
  return %r : tensor<2048x2560xf32>
}

// Two elements of 16 bits that stay next to each other.
func.func @pairs(%x: tensor<3x37x53x2xbf16>, %y: tensor<64x32x2xf16>, %z: tensor<17x16x2xi16>) -> (tensor<3x53x37x2xbf16>, tensor<32x64x2xf16>, tensor<16x17x2xi16>) {
  %a = tc.transpose %x [0, 2, 1, 3] : tensor<3x37x53x2xbf16> -> tensor<3x53x37x2xbf16>
  %b = tc.transpose %y [1, 0, 2] : tensor<64x32x2xf16> -> tensor<32x64x2xf16>
  %c = tc.transpose %z [1, 0, 2] : tensor<17x16x2xi16> -> tensor<16x17x2xi16>
  return %a, %b, %c : tensor<3x53x37x2xbf16>, tensor<32x64x2xf16>, tensor<16x17x2xi16>
}

func.func @pairs_of_any_size(%x: tensor<?x33x2xbf16, #tc.sizes<[s, 33, 2]>>) -> tensor<33x?x2xbf16, #tc.sizes<[33, s, 2]>> attributes {tc.symbols = [#tc.symbol<"s", min = 0, max = 4096>]} {
  %t = tc.transpose %x [1, 0, 2] : tensor<?x33x2xbf16, #tc.sizes<[s, 33, 2]>> -> tensor<33x?x2xbf16, #tc.sizes<[33, s, 2]>>
  return %t : tensor<33x?x2xbf16, #tc.sizes<[33, s, 2]>>
}
}
