// A file in Fortran order is read where it is, by a function that expects that; other layouts are
// copied. What is expected is part of the signature.
// RUN: %python %S/Inputs/write_npy.py %t-c.npy c
// RUN: %python %S/Inputs/write_npy.py %t-f.npy f
// RUN: tc-run %s --input=@%t-f.npy --input=4xf32=[1,2,3,4] | FileCheck %s
// RUN: tc-run %s --input=@%t-c.npy --input=4xf32=[1,2,3,4] | FileCheck %s
// RUN: tc-run %s --input=@%t-c.npy --input=4xf32=[1,2,3,4] --device=reference | FileCheck %s
// RUN: tc-run %s --compile-to=bufferize > %t.mlir
// RUN: tc-run %t.mlir --input=@%t-f.npy --input=4xf32=[1,2,3,4] | FileCheck %s
// RUN: tc-run %t.mlir --input=@%t-f.npy --input=4xf32=[1,2,3,4] --device=reference | FileCheck %s
// RUN: tc-run %s --random-inputs=1 --check --size=n=0 --benchmark_min_time=0.01
// RUN: tc-run %s --random-inputs=1 --check --size=n=37 --explain --benchmark_min_time=0.01 | FileCheck %s --check-prefix=EXPLAIN

// CHECK: 3x4xf32=[1 3 5 7][5 7 9 11][9 11 13 15]
// EXPLAIN: tc-decompose-strided-inputs: argument 0 is read where it is

func.func @main(%x: tensor<?x4xf32, #tc.sizes<[n, 4]>> {tc.strides = [#tc.expr<1>, #tc.expr<n>]}, %y: tensor<4xf32>) -> tensor<?x4xf32, #tc.sizes<[n, 4]>> attributes {tc.symbols = [#tc.symbol<"n", min = 0, max = 64>]} {
  %0 = tc.broadcast %y dims [1] : tensor<4xf32> -> tensor<?x4xf32, #tc.sizes<[n, 4]>>
  %1 = tc.add %x, %0 : tensor<?x4xf32, #tc.sizes<[n, 4]>>
  return %1 : tensor<?x4xf32, #tc.sizes<[n, 4]>>
}
